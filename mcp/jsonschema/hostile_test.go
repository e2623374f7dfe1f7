package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// repeated is n times of(i), with commas.
func repeated(n int, of func(i int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = of(i)
	}
	return strings.Join(list, ",")
}

// always is of for repeated.
func always(text string) func(int) string { return func(int) string { return text } }

// eachRef is a schema that applies the schema e to one value n times.
func eachRef(n int, e string) string {
	return `{"$defs":{"e":` + e + `},"anyOf":[` + repeated(n, always(`{"$ref":"#/$defs/e"}`)) + `]}`
}

// What takes time must cost steps. Without that each of these takes minutes.
func TestHostileSchemasCost(t *testing.T) {
	if race {
		t.Skip("there is one goroutine, and the race detector makes it slow")
	}
	long := strings.Repeat("a", 1_000_000)
	strangers := repeated(40, func(i int) string { return fmt.Sprintf(`"%d":true`, i) })
	for _, row := range []struct{ name, schema, value string }{
		{"digits of a value", `{"anyOf":[` + repeated(500, func(i int) string { return fmt.Sprintf(`{"multipleOf":%d9999999999999999999}`, i+1) }) + `]}`,
			strings.Repeat("7", 1_000_000)},
		{"digits of multipleOf", `{"items":{"not":{"multipleOf":` + strings.Repeat("7", 1000) + `}}}`,
			`[` + repeated(100_000, always("1e2000000000000000000")) + `]`},
		{"a pattern that goes on in many ways", `{"pattern":"(` + strings.Repeat("a?", 3000) + `)*!"}`, `"` + long[:100_000] + `"`},
		{"equal elements", `{"anyOf":[` + repeated(64, func(i int) string { return fmt.Sprintf(`{"uniqueItems":true,"minItems":%d}`, i) }) + `]}`,
			`[` + repeated(300_000, always("1")) + `]`},
		{"a long string and choices", eachRef(30_000, `{"enum":[`+repeated(40, func(i int) string { return fmt.Sprintf(`"%d"`, i) })+`]}`), `"\n` + long + `"`},
		{"a long name and propertyNames", eachRef(30_000, `{"propertyNames":{"const":"a"}}`), `{"\n` + long + `":1}`},
		{"a long name and properties", eachRef(30_000, `{"required":["x"],"properties":{`+strangers+`}}`), `{"` + long + `":1}`},
		{"marks", `{"anyOf":[` + repeated(25_000, always(`{"unevaluatedItems":true,"not":true}`)) + `]}`, `[` + repeated(300_000, always("1")) + `]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, _ := fault(t, compile(t, row.schema, nil), row.value); !strings.HasSuffix(got, "takes too many steps") {
				t.Errorf("got %.300s, want that it takes too many steps", got)
			}
		})
	}
}

func TestMultipleOfIsBounded(t *testing.T) {
	const want = "at #/multipleOf: expected a number of at most 1000 digits"
	_, err := jsonschema.Compile(jsonrpc.Raw(`{"multipleOf":`+strings.Repeat("7", 1001)+`}`), nil)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
	// Remainders of many digits are exact all the same.
	const nines = "99999999999999999999999"
	s := compile(t, `{"multipleOf":`+nines+`}`, nil)
	for value, want := range map[string]bool{
		nines + nines: true, nines + nines + "1": false, nines + "e40": true, "1e40": false, nines + ".0": true,
		nines + strings.Repeat("0", 200) + nines: true, nines + strings.Repeat("0", 200) + "1": false,
	} {
		if got := s.Validate(jsonrpc.Raw(value)) == nil; got != want {
			t.Errorf("%s is a multiple of %s: %v, want %v", value, nines, got, want)
		}
	}
}

// To explain a fault may not cost more than to find it: neither what alternatives have in
// them, nor how far behind in a value the fault is.
func TestHostileExplanations(t *testing.T) {
	if race {
		t.Skip("there is one goroutine, and the race detector makes it slow")
	}
	names := func(stem string, n int) string {
		return repeated(n, func(i int) string { return fmt.Sprintf(`"%s_of_a_member_that_has_a_long_name_%d":true`, stem, i) })
	}
	closed := repeated(20, func(i int) string {
		return fmt.Sprintf(`{"type":"object","additionalProperties":false,"properties":{"k%d":{"$ref":"#"},%s}}`, i, names("one", 200))
	})
	deep := `{` + names("uno", 25) + `}`
	for range 6 {
		deep = `{` + names("uno", 25) + `,"k0":` + deep + `,"k1":{` + names("uno", 25) + `}}`
	}
	far := repeated(17, func(i int) string {
		return `{"anyOf":[` + repeated(17, func(k int) string { return fmt.Sprintf(`{"minLength":%d,"maxProperties":0}`, i+k) }) + `]}`
	})
	many := repeated(10_000, func(i int) string { return fmt.Sprintf(`"p%d"`, i) })
	for _, row := range []struct{ name, schema, value, want string }{
		{"many alternatives with many names", `{"anyOf":[` + closed + `]}`, deep, "args: expected no other members than"},
		{"a fault far behind", `{"prefixItems":[true],"items":{"anyOf":[` + far + `]}}`, `[` + repeated(200_000, always("1")) + `,{"a":1}]`,
			"args[200000]: expected an object of at most 0 members"},
		{"many names and many members", `{"additionalProperties":false,"properties":{` + strings.ReplaceAll(many, `",`, `":true,`) + `:true},"required":[` + many + `]}`,
			`{` + repeated(300_000, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) }) + `}`, `args: expected the required members "p0", "p1"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, _ := fault(t, compile(t, row.schema, nil), row.value); !strings.HasPrefix(got, row.want) {
				t.Errorf("got %.300s\nwant %s...", got, row.want)
			}
		})
	}
}

// A client must not be able to do without a default by sending too much of something else.
func TestHostileDefaults(t *testing.T) {
	chain := repeated(3000, func(i int) string { return fmt.Sprintf(`"c%d":{"$ref":"#/$defs/c%d"}`, i, i+1) })
	properties := repeated(2000, func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#/$defs/c0"}`, i) })
	for _, row := range []struct{ name, schema string }{
		{"chains of references", `{"$defs":{` + chain + `,"c3000":{"default":1}},"items":{"properties":{` + properties + `}}}`},
		{"many parts", `{"items":{"allOf":[` + repeated(10_000, func(i int) string { return fmt.Sprintf(`{"properties":{"p%d":{"default":1}}}`, i) }) + `]}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := compile(t, row.schema, nil)
			if got, err := s.ApplyDefaults(jsonrpc.Raw(`[{}]`)); err != nil || strings.Count(string(got), `:1`) < 2000 {
				t.Errorf("one element: got %.100s, %v, want thousands of defaults", got, err)
			}
			if got, err := s.ApplyDefaults(jsonrpc.Raw(`[` + repeated(20_000, always("{}")) + `]`)); err == nil {
				t.Errorf("many elements: got %.100s, want an error", got)
			}
		})
	}
}

// An error is for a model to read, however much a schema says.
func TestHostileErrorsAreShort(t *testing.T) {
	long := strings.Repeat("é", 40)
	choices := func(k int) string {
		return `{"enum":[` + repeated(40, func(i int) string { return fmt.Sprintf(`"%d %d %s"`, k, i, long) }) + `]}`
	}
	s := compile(t, `{"items":{"anyOf":[`+repeated(30, choices)+`]}}`, nil)
	err := s.Validate(jsonrpc.Raw(`[1,2,3,4,5,6,7,8,9,10]`))
	if got := len(err.Error()); got > 20_000 || !strings.HasPrefix(err.Error(), `/0: expected one of "0 0 é`) {
		t.Errorf("the error has %d bytes: %.200s", got, err)
	}
}
