package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// typedGiving is a typed handler without arguments that always gives the same.
func typedGiving[Out any](v Out) func(context.Context, *mcp.Call, struct{}) (Out, error) {
	return func(context.Context, *mcp.Call, struct{}) (Out, error) { return v, nil }
}

// addGiving returns what registers a tool t that gives v.
func addGiving[Out any](v Out) func(s *mcp.Server) {
	return func(s *mcp.Server) { mcp.AddTool(s, mcp.Tool{Name: "t"}, typedGiving(v)) }
}

// telling registers a tool that tells, as Go has it, what arguments it was given.
func telling[In any](t mcp.Tool) func(s *mcp.Server) {
	t.Name = "t"
	return func(s *mcp.Server) {
		mcp.AddTool(s, t, func(_ context.Context, _ *mcp.Call, in In) (string, error) { return fmt.Sprintf("%+v", in), nil })
	}
}

func text(s string) string {
	return `{"content":[{"type":"text","text":` + string(jsonrpc.AppendString(nil, s)) + `}]}`
}

func toolError(s string) string {
	return strings.TrimSuffix(text(s), "}") + `,"isError":true}`
}

type sum struct {
	Sum int64 `json:"sum"`
}

type terms struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

type options struct {
	N    int      `json:"n" default:"10"`
	S    string   `json:"s,omitempty" enum:"a,b"`
	Note *string  `json:"note"`
	Tags []string `json:"tags,omitempty"`
}

// contact is known by its formats.
type contact struct {
	Mail  string   `json:"mail" format:"email"`
	Links []string `json:"links,omitempty" format:"uri"`
	Day   string   `json:"day" format:"date" default:"2026-01-01"`
}

func (o options) String() string {
	note := "-"
	if o.Note != nil {
		note = *o.Note
	}
	return fmt.Sprintf("n=%d s=%s note=%s tags=%v", o.N, o.S, note, o.Tags)
}

func TestTypedArguments(t *testing.T) {
	const invalid = "Invalid arguments for tool t: "
	adding := func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "t"}, func(_ context.Context, _ *mcp.Call, in terms) (string, error) {
			return fmt.Sprint(in.A + in.B), nil
		})
	}
	nullable := mcp.Tool{InputSchema: []byte(`{"type":"object","properties":{"note":{"type":["string","null"]},"n":{}},"required":["note"]}`)}
	const hasMail = `"type":"object","properties":{"mail":{"type":"string","format":"email"}}}`
	mail, mail7 := mcp.Tool{InputSchema: []byte(`{` + hasMail)}, mcp.Tool{InputSchema: []byte(`{"$schema":"http://json-schema.org/draft-07/schema#",` + hasMail)}
	tests := []struct {
		name      string
		add       func(s *mcp.Server)
		arguments string
		want      string
	}{
		{"good", adding, `{"a":40,"b":2}`, text("42")},
		{"B119 integers in other spellings", adding, `{"a":1.0,"b":2e0}`, text("3")},
		{"B119 exact integers", adding, `{"a":9007199254740993,"b":0}`, text("9007199254740993")},
		{"B119 no integer", adding, `{"a":1.5,"b":2}`, toolError(invalid + "arguments.a: expected an integer, got the number 1.5")},
		{"B119 a string", adding, `{"a":"5","b":2}`, toolError(invalid + `arguments.a: expected an integer, got the string "5"`)},
		{"B116 wrong and missing", adding, `{"a":"x"}`, toolError(invalid + `arguments: expected the required member "b", got an object with only "a"; arguments.a: expected an integer, got the string "x"`)},
		{"beyond 64 bits", adding, `{"a":9223372036854775808,"b":0}`,
			toolError(invalid + `arguments.a: expected an integer from -9223372036854775808 to 9223372036854775807, got the number 9223372036854775808`)},
		{"a typing error", adding, `{"a":1,"b":2,"C":3}`, toolError(invalid + `arguments: expected no other members than "a" and "b", got the unknown member "C"`)},
		{"names are exact", adding, `{"A":1,"b":2}`, ""},
		{"B118 a string of arguments", adding, `"{\"a\":1}"`, "-32602 params.arguments must be an object"},
		{"B118 a list of arguments", adding, `[1]`, "-32602 params.arguments must be an object"},
		{"B122 absent", telling[options](mcp.Tool{}), `{}`, text("n=10 s= note=- tags=[]")},
		{"B122 a zero that was sent", telling[options](mcp.Tool{}), `{"n":0}`, text("n=0 s= note=- tags=[]")},
		{"B122 none of the enum", telling[options](mcp.Tool{}), `{"n":0,"s":"nope"}`, toolError(invalid + `arguments.s: expected one of "a", "b", got the string "nope"`)},
		{"B106 nulls for what is optional", telling[options](mcp.Tool{}), `{"n":null,"s":null,"note":null,"tags":null}`, text("n=10 s= note=- tags=[]")},
		{"B106 a null beside a fault", telling[options](mcp.Tool{}), `{"note":null,"n":"x"}`, toolError(invalid + `arguments.n: expected an integer, got the string "x"`)},
		{"B106 a null for what is required", adding, `{"a":null,"b":1}`, toolError(invalid + `arguments.a: expected an integer, got null`)},
		{"a schema by hand takes nulls", telling[map[string]any](nullable), `{"note":null,"n":null}`, text("map[n:<nil> note:<nil>]")},
		{"digits in an any", telling[map[string]any](mcp.Tool{}), `{"a":12345678901234567890.50}`, text("map[a:12345678901234567890.50]")},
		{"any", telling[any](mcp.Tool{}), `{"a":[1]}`, text("map[a:[1]]")},
		{"raw", telling[jsonrpc.Raw](mcp.Tool{}), `{"a": 1}`, text(fmt.Sprint([]byte(`{"a": 1}`)))},
		{"message", telling[json.RawMessage](mcp.Tool{}), `{}`, text(fmt.Sprint([]byte(`{}`)))},
		{"none", telling[struct{}](mcp.Tool{}), `{}`, text("{}")},
		{"B103 none, and some sent", telling[struct{}](mcp.Tool{}), `{"a":1}`, ""},
		{"a pointer", telling[*terms](mcp.Tool{}), `{"a":1,"b":2}`, text("&{A:1 B:2}")},
		{"a date that is none", telling[struct{ At time.Time }](mcp.Tool{}), `{"At":"now"}`,
			toolError(invalid + `arguments.At: expected a string of the format date-time (such as 2026-07-28T12:00:00Z), got the string "now"`)},
		{"a format", telling[contact](mcp.Tool{}), `{"mail":"a@example.com","links":["https://example.com/"],"day":"2026-07-28"}`,
			text("{Mail:a@example.com Links:[https://example.com/] Day:2026-07-28}")},
		{"formats that are not kept", telling[contact](mcp.Tool{}), `{"mail":"Ada","links":["https://example.com/","/a"],"day":"2026-02-30"}`,
			toolError(invalid + `arguments.mail: expected a string of the format email (such as name@example.com), got the string "Ada"; ` +
				`arguments.links[1]: expected a string of the format uri (such as https://example.com/a), got the string "/a"; ` +
				`arguments.day: expected a string of the format date (such as 2026-07-28), got the string "2026-02-30"`)},
		{"a format in a default", telling[contact](mcp.Tool{}), `{"mail":"a@example.com"}`, text("{Mail:a@example.com Links:[] Day:2026-01-01}")},
		{"a format by hand", telling[map[string]string](mail), `{"mail":"a@example.com"}`, text("map[mail:a@example.com]")},
		{"a format by hand that is not kept", telling[map[string]string](mail), `{"mail":"Ada"}`,
			toolError(invalid + `arguments.mail: expected a string of the format email (such as name@example.com), got the string "Ada"`)},
		{"a format in draft-07", telling[map[string]string](mail7), `{"mail":"Ada"}`,
			toolError(invalid + `arguments.mail: expected a string of the format email (such as name@example.com), got the string "Ada"`)},
		{"a format that nobody knows", telling[struct {
			S string `format:"com.example/part"`
		}](mcp.Tool{}), `{"S":"x"}`, text("{S:x}")},
		{"a member twice, inside", telling[map[string]map[string]int](mcp.Tool{}), `{"a":{"x":1,"x":2}}`, ""},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		test.add(s)
		inForms(t, func(t *testing.T, f *mcp.Form) {
			got := ask(t, s, bare(f.Revision), "tools/call", `{"name":"t","arguments":`+test.arguments+`}`)
			if test.want != "" {
				same(t, test.name, got, test.want)
			} else if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, invalid) {
				t.Errorf("%s\n got %s\nwant a tool error about the arguments", test.name, got)
			}
		})
	}
}

// TestTypedResults: what each kind of result becomes in a revision without structured
// content, in one that has objects alone, and in one that has all.
func TestTypedResults(t *testing.T) {
	block := func(s string) string {
		return `"content":[{"type":"text","text":` + string(jsonrpc.AppendString(nil, s)) + `}]`
	}
	object := func(s string) [3]string {
		with := `{` + block(s) + `,"structuredContent":` + s + `}`
		return [3]string{`{` + block(s) + `}`, with, with}
	}
	other := func(s string) [3]string {
		only := `{` + block(s) + `}`
		return [3]string{only, only, `{` + block(s) + `,"structuredContent":` + s + `}`}
	}
	all := func(s string) [3]string { return [3]string{s, s, s} }
	internal := all("-32603 Internal error")
	type holder struct {
		Of   *sum           `json:"of"`
		List []int          `json:"list"`
		Map  map[string]int `json:"map"`
	}
	type mailing struct {
		Mail string `json:"mail" format:"email"`
	}
	var nilResult *mcp.Result
	var nilText *mcp.TextContent
	fits := []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	full := func(structured string, isError bool) func(s *mcp.Server) {
		return func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "t", OutputSchema: fits},
				typedGiving(&mcp.Result{Structured: jsonrpc.Raw(structured), IsError: isError}))
		}
	}
	tests := []struct {
		name string
		add  func(s *mcp.Server)
		want [3]string
	}{
		{"string", addGiving("<é>\u2028"), all(`{` + block("<é>\u2028") + `}`)},
		{"struct", addGiving(sum{3}), object(`{"sum":3}`)},
		{"pointer", addGiving(&sum{3}), object(`{"sum":3}`)},
		{"a format is not enforced on results", addGiving(mailing{"Ada"}), object(`{"mail":"Ada"}`)},
		{"B112 nil pointer", addGiving((*sum)(nil)), internal},
		{"nil in a list", addGiving([]*sum{nil}), internal},
		{"nothing is null", addGiving(holder{}), object(`{"list":[],"map":{}}`)},
		{"map", addGiving(map[string]int{"b": 1, "a": 2}), object(`{"a":2,"b":1}`)},
		{"list", addGiving([]string{"a", "\u2028"}), other(`["a","\u2028"]`)},
		{"empty list", addGiving([]string(nil)), other(`[]`)},
		{"number", addGiving(1.5), other(`1.5`)},
		{"boolean", addGiving(false), other(`false`)},
		{"time", addGiving(time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC)), other(`"2026-07-28T00:00:00Z"`)},
		{"raw", addGiving(jsonrpc.Raw(` {"a": 1.0} `)), object(`{"a":1.0}`)},
		{"no raw", addGiving(jsonrpc.Raw(nil)), all(`{"content":[]}`)},
		{"no message", addGiving(json.RawMessage(nil)), all(`{"content":[]}`)},
		{"raw that is no JSON", addGiving(jsonrpc.Raw(`{"a":`)), internal},
		{"none", addGiving(struct{}{}), all(`{"content":[]}`)},
		{"any: nil", addGiving[any](nil), all(`{"content":[]}`)},
		{"any: none", addGiving[any](struct{}{}), all(`{"content":[]}`)},
		{"any: string", addGiving[any]("x"), all(`{` + block("x") + `}`)},
		{"any: struct", addGiving[any](sum{3}), object(`{"sum":3}`)},
		{"any: nil pointer", addGiving[any]((*sum)(nil)), other(`null`)},
		{"any: result", addGiving[any](mcp.TextResult("x")), all(`{` + block("x") + `}`)},
		{"any: structured result", addGiving[any](&mcp.Result{Structured: jsonrpc.Raw(`{}`)}), object(`{}`)},
		{"any: blocks", addGiving[any]([]mcp.Content{&mcp.TextContent{Text: "x"}}), all(`{` + block("x") + `}`)},
		{"any: block", addGiving[any](&mcp.TextContent{Text: "x"}), all(`{` + block("x") + `}`)},
		{"blocks", addGiving([]mcp.Content{&mcp.TextContent{Text: "x"}}), all(`{` + block("x") + `}`)},
		{"no blocks", addGiving([]mcp.Content(nil)), all(`{"content":[]}`)},
		{"block", addGiving(&mcp.TextContent{Text: "x"}), all(`{` + block("x") + `}`)},
		{"some block", addGiving[mcp.Content](&mcp.TextContent{Text: "x"}), all(`{` + block("x") + `}`)},
		{"no block", addGiving[mcp.Content](nil), internal},
		{"nil block", addGiving(nilText), internal},
		{"result", addGiving(&mcp.Result{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "x"}}}), all(`{` + block("x") + `,"isError":true}`)},
		{"B167 no result", addGiving(nilResult), internal},
		{"any: no result", addGiving[any](nilResult), internal},
		{"B173 NaN", addGiving(math.NaN()), internal},
		{"B173 channel", addGiving(map[string]any{"a": make(chan int)}), internal},
		{"B173 cycle", addGiving[any](circle()), internal},
		{"a schema by hand, kept", full(`{"n": 1}`, false), object(`{"n":1}`)},
		{"a schema by hand, broken", full(`{"n":"x"}`, false), internal},
		{"B115 a schema by hand, and an error", full(`{"n":"x"}`, true), [3]string{
			`{` + block(`{"n":"x"}`) + `,"isError":true}`, `{` + block(`{"n":"x"}`) + `,"structuredContent":{"n":"x"},"isError":true}`,
			`{` + block(`{"n":"x"}`) + `,"structuredContent":{"n":"x"},"isError":true}`}},
		{"a string with a schema", func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "t", OutputSchema: []byte(`{"maxLength":3}`)}, typedGiving("abc"))
		}, other(`"abc"`)},
		{"a string that does not fit", func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "t", OutputSchema: []byte(`{"maxLength":3}`)}, typedGiving("abcd"))
		}, internal},
		{"none with a schema", func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "t", OutputSchema: []byte(`{"type":"object"}`)}, typedGiving(struct{}{}))
		}, object(`{}`)},
		{"any with a schema", func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "t", OutputSchema: fits}, typedGiving[any](map[string]any{"n": 1}))
		}, object(`{"n":1}`)},
		{"any that does not fit", func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "t", OutputSchema: fits}, typedGiving[any]("x"))
		}, internal},
		{"bounds of a tag are kept", addGiving(struct {
			N int `maximum:"3"`
		}{4}), internal},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		test.add(s)
		inForms(t, func(t *testing.T, f *mcp.Form) {
			want := test.want[0]
			if f.StructuredObject {
				want = test.want[1]
			}
			if f.StructuredAny {
				want = test.want[2]
			}
			same(t, test.name, ask(t, s, bare(f.Revision), "tools/call", `{"name":"t"}`), want)
		})
	}
}

func circle() any {
	m := map[string]any{}
	m["m"] = []any{m}
	return m
}

// What is no result for the peer stands in the log, and names tool and place.
func TestTypedFaultsAreLogged(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	addGiving(map[string]*sum{"secret": nil})(s)
	var log bytes.Buffer
	x := &exchange{server: s, form: forms[4], log: slog.New(slog.NewTextHandler(&log, nil))}
	same(t, "result that does not fit", x.ask(t, context.Background(), "tools/call", `{"name":"t"}`), "-32603 Internal error")
	for _, want := range []string{`tool \"t\"`, "does not fit the output schema", "result.secret: expected an object, got null", "correlation="} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, &log)
		}
	}
}

// The errors of a typed handler are those of any handler.
func TestTypedErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("the disk is full"), toolError("the disk is full")},
		{jsonrpc.Errorf(-32602, "told"), "-32602 told"},
	} {
		s := quiet(mcp.ServerOptions{})
		mcp.AddTool(s, mcp.Tool{Name: "t"}, func(context.Context, *mcp.Call, struct{}) (sum, error) { return sum{}, test.err })
		inForms(t, func(t *testing.T, f *mcp.Form) {
			same(t, test.err.Error(), ask(t, s, bare(f.Revision), "tools/call", `{"name":"t"}`), test.want)
		})
	}
}

// TestTypedList is what is told of typed tools.
func TestTypedList(t *testing.T) {
	const hand = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"t":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"string"}}}`
	inputs := []struct {
		name string
		add  func(s *mcp.Server)
		want string
	}{
		{"B103 none", telling[struct{}](mcp.Tool{}), `"inputSchema":{"type":"object","additionalProperties":false}`},
		{"B103 any", telling[any](mcp.Tool{}), `"inputSchema":{"type":"object"}`},
		{"raw", telling[jsonrpc.Raw](mcp.Tool{}), `"inputSchema":{"type":"object"}`},
		{"map", telling[map[string]any](mcp.Tool{}), `"inputSchema":{"type":"object"}`},
		{"struct", telling[terms](mcp.Tool{}), `"inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}`},
		{"B121 by hand, with a local reference", telling[map[string]any](mcp.Tool{InputSchema: []byte(hand)}), `"inputSchema":` + hand},
	}
	for _, test := range inputs {
		s := quiet(mcp.ServerOptions{})
		test.add(s)
		inForms(t, func(t *testing.T, f *mcp.Form) {
			same(t, test.name, ask(t, s, bare(f.Revision), "tools/list", `{}`), `{"tools":[{"name":"t",`+test.want+`}]}`)
		})
	}
	outputs := []struct {
		name         string
		add          func(s *mcp.Server)
		object, wide string // from 2025-06-18 on, and from 2026-07-28 on
	}{
		{"struct", addGiving(sum{}), `{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}`, ""},
		{"map", addGiving(map[string]bool{}), `{"type":"object","additionalProperties":{"type":"boolean"}}`, ""},
		{"list", addGiving([]int{}), "", `{"type":"array","items":{"type":"integer"}}`},
		{"B110 any", addGiving[any](nil), "", ""},
		{"B110 none", addGiving(struct{}{}), "", ""},
		{"B110 raw", addGiving(jsonrpc.Raw(nil)), "", ""},
		{"B110 raw in a struct", addGiving(struct{ A json.RawMessage }{}), `{"type":"object","properties":{"A":{}},"required":["A"]}`, ""},
		{"string", addGiving(""), "", ""},
		{"result", addGiving(&mcp.Result{}), "", ""},
	}
	for _, test := range outputs {
		s := quiet(mcp.ServerOptions{})
		test.add(s)
		inForms(t, func(t *testing.T, f *mcp.Form) {
			want := ""
			if test.object != "" && f.StructuredObject {
				want = `,"outputSchema":` + test.object
			}
			if test.wide != "" && f.StructuredAny {
				want = `,"outputSchema":` + test.wide
			}
			same(t, test.name, ask(t, s, bare(f.Revision), "tools/list", `{}`),
				`{"tools":[{"name":"t","inputSchema":{"type":"object","additionalProperties":false}`+want+`}]}`)
		})
	}
}

func TestTypedRegistration(t *testing.T) {
	byHand := func(schema string) func(s *mcp.Server) {
		return telling[jsonrpc.Raw](mcp.Tool{InputSchema: []byte(schema)})
	}
	tests := []struct {
		name string
		add  func(s *mcp.Server)
		want []string // nil: it does not panic
	}{
		{"string in", telling[string](mcp.Tool{}), []string{`tool "t"`, "input schema", "the arguments of a tool are an object; string is none"}},
		{"channel in", telling[struct{ C chan int }](mcp.Tool{}), []string{`tool "t"`, "field C", "a chan has no form in JSON"}},
		{"tag", telling[struct {
			A int `minLength:"1"`
		}](mcp.Tool{}), []string{"field A", "tag minLength"}},
		{"channel out", addGiving(struct{ C chan int }{}), []string{`tool "t"`, "output schema", "field C"}},
		{"function out", func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "t", OutputSchema: []byte(`{}`)}, typedGiving(func() {}))
		}, []string{"output schema", "a func has no form"}},
		{"blocks with a schema", func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "t", OutputSchema: []byte(`{}`)}, typedGiving([]mcp.Content{}))
		}, []string{"output schema", "content without structure"}},
		{"no handler", func(s *mcp.Server) {
			mcp.AddTool[struct{}, string](s, mcp.Tool{Name: "t"}, nil)
		}, []string{`tool "t": no handler`}},
		{"taken", func(s *mcp.Server) { addGiving("")(s); addGiving("")(s) }, []string{`tool "t" is registered already`}},
		{"B121 draft-07", byHand(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`), nil},
		{"B121 unknown dialect", byHand(`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`), []string{`tool "t"`, "draft-04"}},
		{"B121 remote", byHand(`{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:9/x.json"}}}`), []string{`tool "t"`, "input schema", "http://127.0.0.1:9/x.json"}},
		{"B121 remote out", func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "t", OutputSchema: []byte(`{"$ref":"http://127.0.0.1:9/x.json"}`)}, typedGiving(1))
		}, []string{`tool "t"`, "output schema", "http://127.0.0.1:9/x.json"}},
		{"no schema", byHand(`{"type":"object","minLength":"x"}`), []string{"input schema", "minLength"}},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		got := panicOf(func() { test.add(s) })
		if (got == "") != (test.want == nil) || slices.ContainsFunc(test.want, func(want string) bool { return !strings.Contains(got, want) }) {
			t.Errorf("%s\n got a panic with %q\nwant one with %q", test.name, got, test.want)
		}
	}
}
