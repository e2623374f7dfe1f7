package jsonschema_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

func TestBoundsOfSchemas(t *testing.T) {
	many := `{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`true,`, 200), ",") + `]}`
	for _, row := range []struct {
		name, schema string
		o            *jsonschema.Options
		want         string // the end of the error
	}{
		{"100,000 levels", strings.Repeat(`{"not":`, 100_000) + `{}` + strings.Repeat(`}`, 100_000), nil, `too many levels of nesting at byte 1400`},
		{"bytes", `{"title":"` + strings.Repeat("x", 1<<20) + `"}`, nil, `the schema has 1048588 bytes; at most 1048576 are allowed (Options.MaxBytes)`},
		{"fewer bytes", `{"type":"string"}`, &jsonschema.Options{MaxBytes: 10}, `the schema has 17 bytes; at most 10 are allowed (Options.MaxBytes)`},
		{"fewer levels", `{"not":{"not":{}}}`, &jsonschema.Options{MaxDepth: 2}, `too many levels of nesting at byte 14`},
		{"subschemas", many, &jsonschema.Options{MaxSchemas: 100}, `there are more than 100 subschemas (Options.MaxSchemas)`},
		{"bytes of remotes", `{"$ref":"http://h/"}`, &jsonschema.Options{MaxBytes: 30, Remotes: map[string]jsonrpc.Raw{
			"http://h/": jsonrpc.Raw(`{"description":"this is too long for it"}`)}},
			`http://h/: the schema has 41 bytes; at most 30 are allowed (Options.MaxBytes)`},
		{"repetitions", `{"pattern":"(a{1000}){1000}"}`, nil, `it repeats something more than 1000 times`},
		{"size of a pattern", `{"pattern":"` + strings.Repeat(`a{1000}`, 30) + `"}`, nil, `it is larger than 20000 characters, repetitions written out`},
		{"classes of a pattern", `{"pattern":"` + strings.Repeat(`\\p{L}`, 1000) + `"}`, nil, `it is larger than 20000 characters, repetitions written out`},
		{"tables of a pattern", `{"pattern":"` + strings.Repeat(`\\p{Alphabetic}`, 300) + `"}`, nil, `its classes of characters are too many`},
		{"length of a pattern", `{"pattern":"` + strings.Repeat(`a`, 9000) + `"}`, nil, `it has 9000 bytes; at most 8192 are allowed`},
		{"size of all patterns", manyPatterns(600), nil, `the patterns together have more than 500000 characters, repetitions written out`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := jsonschema.Compile(jsonrpc.Raw(row.schema), row.o)
			if err == nil || !strings.HasSuffix(err.Error(), row.want) {
				t.Errorf("Compile(%.60s...)\n got %v\nwant ...%s", row.schema, err, row.want)
			}
		})
	}
}

func manyPatterns(n int) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, `,{"pattern":"a{1000}%d"}`, k)
	}
	return `{"allOf":[` + b.String()[1:] + `]}`
}

// multiplied is a schema whose branches double on each of n levels. last is what stands
// at the end.
func multiplied(n int, last string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for k := range n {
		fmt.Fprintf(&b, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, k, k+1, k+1)
	}
	fmt.Fprintf(&b, `"d%d":%s}}`, n, last)
	return b.String()
}

// Two branches on each of 30 levels are a thousand million paths (case B179).
func TestBranchesThatMultiply(t *testing.T) {
	s := compile(t, multiplied(30, `{"type":"string"}`), nil)
	if text, _ := fault(t, s, `"x"`); text != "" {
		t.Errorf("a value that fits: %s", text)
	}
	if text, _ := fault(t, s, `1`); !strings.Contains(text, "expected ") {
		t.Errorf("a value that does not fit: %q", text)
	}
	nested := `{"type":"object","properties":{"a":{"$ref":"#"}}}`
	for range 30 {
		nested = `{"anyOf":[` + nested + `,{"type":"integer"}]}`
	}
	s = compile(t, nested, nil)
	for value, fits := range map[string]bool{`{"a":{"a":{"a":1}}}`: true, `{"a":{"a":{"a":"x"}}}`: false} {
		if text, _ := fault(t, s, value); (text == "") != fits {
			t.Errorf("%s: %s", value, text)
		}
	}
}

// With unevaluatedProperties every path counts, so the budget has to end it.
func TestWorkIsBounded(t *testing.T) {
	schema := strings.TrimSuffix(multiplied(30, `{"properties":{"a":true}}`), "}") + `,"unevaluatedProperties":false}`
	s := compile(t, schema, nil)
	text, _ := fault(t, s, `{"a":1}`)
	if want := `args: expected a value that can be checked within the bounds, got the object {"a":1}, which takes too many steps`; text != want {
		t.Errorf("got %s\nwant %s", text, want)
	}
	s = compile(t, `{"items":{"type":"integer"}}`, &jsonschema.Options{MaxWork: 10})
	if text, _ := fault(t, s, `[1,2,3]`); text != "" {
		t.Errorf("a short list: %s", text)
	}
	if text, _ := fault(t, s, `[1,2,3,4,5,6,7,8,9,10,11]`); !strings.Contains(text, "too many steps") {
		t.Errorf("a list beyond the budget: %q", text)
	}
}

// A $dynamicRef can lead back to the same value where nobody can see it beforehand.
func TestDynamicLoopEnds(t *testing.T) {
	o := &jsonschema.Options{Remotes: map[string]jsonrpc.Raw{
		"http://h/list": jsonrpc.Raw(`{"$id":"http://h/list","allOf":[{"$dynamicRef":"#x"}],"$defs":{"x":{"$dynamicAnchor":"x"}}}`),
	}}
	s := compile(t, `{"$id":"http://h/","$dynamicAnchor":"x","$ref":"list"}`, o)
	if text, _ := fault(t, s, `1`); !strings.Contains(text, "too many steps") {
		t.Errorf("got %q", text)
	}
}

func TestManyElementsAreUnique(t *testing.T) {
	s := compile(t, `{"uniqueItems":true}`, nil)
	var b strings.Builder
	for k := range 50_000 {
		fmt.Fprintf(&b, `,{"id":%d}`, k)
	}
	list := "[" + b.String()[1:]
	if text, _ := fault(t, s, list+"]"); text != "" {
		t.Error(text)
	}
	if text, _ := fault(t, s, list+`,{"id":77.0}]`); !strings.HasSuffix(text, "the elements 77 and 50000 are equal") {
		t.Error(text)
	}
}

// More members than are compared with each other.
func TestManyMembers(t *testing.T) {
	s := compile(t, `{"propertyNames":{"anyOf":[{"pattern":"x$"},{"pattern":"^n"}]},"properties":{`+strings.ReplaceAll(manyNames(50), `:1`, `:{"const":1}`)+`}}`, nil)
	value := `{` + manyNames(5_000)
	if text, _ := fault(t, s, value+`}`); text != "" {
		t.Error(text)
	}
	if text, _ := fault(t, s, value+`,"nxx2":1}`); text != `args: expected objects without two members of one name, got the member "nxx2" twice` {
		t.Error(text)
	}
	if text, _ := fault(t, s, value+`,"\u006d":1}`); !strings.HasPrefix(text, `args.m: expected a name of this form: `) {
		t.Error(text)
	}
	if text, _ := fault(t, s, strings.Replace(value, `"nx1":1`, `"nx1":2`, 1)+`}`); text != `args.nx1: expected 1, got the number 2` {
		t.Error(text)
	}
}

func TestDeepValue(t *testing.T) {
	s := compile(t, `{"properties":{"a":{"$ref":"#"}},"items":{"$ref":"#"}}`, nil)
	if text, _ := fault(t, s, strings.Repeat(`[`, 4000)+strings.Repeat(`]`, 4000)); text != "" {
		t.Error(text)
	}
	if text, _ := fault(t, s, strings.Repeat(`{"a":`, 100_000)); !strings.Contains(text, "too many levels of nesting") {
		t.Error(text)
	}
}

func TestValidateAllocatesNothing(t *testing.T) {
	if race {
		t.Skip("what is kept for the next value is forgotten under the race detector")
	}
	for name, row := range map[string][2]string{
		"flat":     {flat, flatValue},
		"escapes":  {flat, `{"n\u0061me":"some\tbody","count":7,"mode":"sl\u006fw"}`},
		"nested":   {`{"properties":{"a":{"items":{"type":"object","required":["x"],"properties":{"x":{"type":"number","minimum":0.5}}}}}}`, `{"a":[{"x":0.75},{"x":1e3}]}`},
		"branches": {`{"anyOf":[{"type":"string"},{"$ref":"#/$defs/o"}],"$defs":{"o":{"type":"object"}}}`, `{"a":1}`},
		"leftover": {`{"properties":{"a":true},"unevaluatedProperties":false}`, `{"a":1}`},
		"pattern":  {`{"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"abc":1}`},
	} {
		s, value := compile(t, row[0], nil), jsonrpc.Raw(row[1])
		if got := testing.AllocsPerRun(100, func() {
			if err := s.Validate(value); err != nil {
				t.Fatal(err)
			}
		}); got != 0 {
			t.Errorf("%s: %v allocations, want none", name, got)
		}
	}
}

// Runs are used again: what one value left behind must not show in the next.
func TestValidateConcurrently(t *testing.T) {
	s := compile(t, `{"allOf":[{"properties":{"a":{"type":"integer"}}}],"unevaluatedProperties":false}`, nil)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for k := range 200 {
				if err := s.Validate(jsonrpc.Raw(`{"a":1}`)); err != nil {
					t.Errorf("worker %d: %v", worker, err)
				}
				name := fmt.Sprintf("w%dk%d", worker, k)
				err := s.Validate(jsonrpc.Raw(`{"` + name + `":1}`))
				if err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("worker %d: %v, want an error with %s", worker, err, name)
				}
			}
		})
	}
	wg.Wait()
}
