package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// scripted is a server that gives one answer after the other to each method, the last one
// for ever, and notes what it was asked: method, params and marks. An answer that begins
// with a minus is an error with that code.
type scripted struct {
	answers map[string][]string
	asked   []string
}

func (s *scripted) call(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
	line := r.Method + " " + string(r.Params)
	for _, m := range r.Marks {
		line += " " + m.Name
	}
	s.asked = append(s.asked, strings.TrimSpace(line))
	answers := s.answers[r.Method]
	if len(answers) == 0 {
		return nil, jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found")
	}
	if len(answers) > 1 {
		s.answers[r.Method] = answers[1:]
	}
	var code int
	if n, _ := fmt.Sscanf(answers[0], "-%d", &code); n == 1 {
		return nil, &jsonrpc.Error{Code: jsonrpc.Code(-code), Message: "refused"}
	}
	return jsonrpc.Raw(answers[0]), nil
}

// meets is a client of a scripted server that speaks the newest revision.
func meets(o *mcp.ClientOptions, s *scripted) *mcp.Client {
	return talks(o, &talker{form: form("2026-07-28"), call: s.call})
}

func TestClientArguments(t *testing.T) {
	type pair struct {
		N int64 `json:"n"`
		M any   `json:"m,omitempty"`
	}
	tests := []struct {
		name      string
		arguments any
		want, err string
	}{
		{"none", nil, ``, ""},
		{"no Raw", jsonrpc.Raw(nil), ``, ""},
		{"no RawMessage", json.RawMessage(nil), ``, ""},
		{"Raw", jsonrpc.Raw(`{"n":9007199254740993,"m":-9223372036854775808,"f":1.50}`), `{"n":9007199254740993,"m":-9223372036854775808,"f":1.50}`, ""},
		{"Raw of several lines", jsonrpc.Raw("{\n \"n\" : 1\n}\n"), `{"n":1}`, ""},
		{"RawMessage", json.RawMessage(`{"n":1}`), `{"n":1}`, ""},
		{"struct", pair{N: 9007199254740993}, `{"n":9007199254740993}`, ""},
		{"pointer to a struct", &pair{N: -9223372036854775808, M: uint64(18446744073709551615)}, `{"n":-9223372036854775808,"m":18446744073709551615}`, ""},
		{"map of any", map[string]any{"n": int64(9007199254740993)}, `{"n":9007199254740993}`, ""},
		{"json.Number", map[string]any{"n": json.Number("123456789012345678901234567890")}, `{"n":123456789012345678901234567890}`, ""},
		{"nil map", map[string]any(nil), `{}`, ""},
		{"text as it is", map[string]string{"t": "<a&b>"}, `{"t":"<a&b>"}`, ""},
		{"array", []int{1}, "", "must be an object, and not [1]"},
		{"Raw that is a string", jsonrpc.Raw(`"x"`), "", `must be an object, and not "x"`},
		{"Raw that is not JSON", jsonrpc.Raw(`{"n":}`), "", `the arguments for tool "t": `},
		{"nil pointer", (*pair)(nil), "", "must be an object, and not null"},
		{"channel", map[string]any{"c": make(chan int)}, "", `the arguments for tool "t": `},
	}
	for _, test := range tests {
		check := func(t *testing.T, call func(c *mcp.Client) error) {
			s := &scripted{answers: map[string][]string{"tools/call": {`{"content":[]}`}}}
			err := call(meets(nil, s))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || len(s.asked) > 0 {
					t.Fatalf("got error %v, asked %q; want an error with %q and nothing asked", err, s.asked, test.err)
				}
				return
			}
			want := `tools/call {"name":"t"}`
			if test.want != "" {
				want = `tools/call {"name":"t","arguments":` + test.want + `}`
			}
			if err != nil || !reflect.DeepEqual(s.asked, []string{want}) {
				t.Errorf("got %q, %v\nwant %q", s.asked, err, want)
			}
		}
		t.Run(test.name, func(t *testing.T) {
			check(t, func(c *mcp.Client) error {
				_, err := c.CallTool(t.Context(), "t", test.arguments, nil)
				return err
			})
		})
		if raw, ok := test.arguments.(jsonrpc.Raw); ok {
			t.Run(test.name+" alone", func(t *testing.T) {
				check(t, func(c *mcp.Client) error {
					_, err := c.CallToolRaw(t.Context(), "t", raw, nil)
					return err
				})
			})
		}
	}
}

// TestClientResults: what servers send for results that have nothing in them is understood
// (case B113), and what cannot be is an error.
func TestClientResults(t *testing.T) {
	tests := []struct {
		name, answer string
		want         string
		err          string
	}{
		{"empty content", `{"content":[]}`, `{"resultType":"complete","content":[]}`, ""},
		{"content missing", `{}`, `{"resultType":"complete","content":[]}`, ""},
		{"content null", `{"content":null}`, `{"resultType":"complete","content":[]}`, ""},
		{"structure alone", `{"structuredContent":{"n":9007199254740993}}`,
			`{"resultType":"complete","content":[{"type":"text","text":"{\"n\":9007199254740993}"}],"structuredContent":{"n":9007199254740993}}`, ""},
		{"error", `{"isError":true,"content":[{"type":"text","text":"no"}]}`, `{"resultType":"complete","content":[{"type":"text","text":"no"}],"isError":true}`, ""},
		{"content is text", `{"content":"x"}`, "", "result.content must be an array"},
		{"block is null", `{"content":[null]}`, "", "result.content[0] must be an object"},
		{"no object", `[]`, "", "result must be an object"},
		{"another kind of result", `{"resultType":"later","content":[]}`, "", `result.resultType must be "complete"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &scripted{answers: map[string][]string{"tools/call": {test.answer}}}
			r, err := meets(nil, s).CallTool(t.Context(), "t", nil, nil)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("%s: got error %v, want one with %q", test.answer, err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := mcp.Append(nil, r, form("2026-07-28"))
			if err != nil || string(got) != test.want {
				t.Errorf("%s\n got %s, %v\nwant %s", test.answer, got, err, test.want)
			}
		})
	}
}

// TestClientOutputSchema: structured results are held against what a list has told of
// their tool; those of calls that have failed are not (case B115).
func TestClientOutputSchema(t *testing.T) {
	const listed = `{"tools":[{"name":"sum","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}},
		{"name":"free","inputSchema":{"type":"object"}},
		{"name":"far","inputSchema":{"type":"object"},"outputSchema":{"$ref":"https://example.com/schema"}},
		{"name":"old","inputSchema":{"type":"object"},"outputSchema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}},
		{"name":"odd","inputSchema":{"type":"object"},"outputSchema":{"type":"wish"}}]}`
	tests := []struct {
		name, tool, result string
		want               string
	}{
		{"fits", "sum", `{"content":[],"structuredContent":{"sum":9007199254740993}}`, ""},
		{"does not fit", "sum", `{"content":[],"structuredContent":{"sum":"3"}}`, `structuredContent.sum`},
		{"is not there", "sum", `{"content":[{"type":"text","text":"3"}]}`, "there is no structuredContent"},
		{"failed", "sum", `{"isError":true,"content":[{"type":"text","text":"no"}]}`, ""},
		{"failed, with structure", "sum", `{"isError":true,"content":[],"structuredContent":{"sum":"3"}}`, ""},
		{"no schema", "free", `{"content":[],"structuredContent":[1]}`, ""},
		{"schema that is none", "odd", `{"content":[],"structuredContent":[1]}`, ""},
		{"schema from elsewhere", "far", `{"content":[],"structuredContent":[1]}`, "it refers to \"https://example.com/schema\", which is not in the schema"},
		{"dialect that is not known", "old", `{"content":[],"structuredContent":{}}`, "names a dialect that is not known"},
		{"dialect that is not known, failed", "old", `{"isError":true,"content":[]}`, ""},
		{"never listed", "new", `{"content":[],"structuredContent":[1]}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, unchecked := range []bool{false, true} {
				c := meets(&mcp.ClientOptions{NoOutputCheck: unchecked}, &scripted{answers: map[string][]string{"tools/list": {listed}, "tools/call": {test.result}}})
				if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
					t.Fatal(err)
				}
				_, err := c.CallTool(t.Context(), test.tool, nil, nil)
				var invalid *mcp.InvalidResult
				switch {
				case test.want == "" || unchecked:
					if err != nil {
						t.Errorf("NoOutputCheck %t: %v", unchecked, err)
					}
				case !errors.As(err, &invalid) || !strings.Contains(err.Error(), test.want) || invalid.Tool != test.tool || invalid.Result == nil:
					t.Errorf("got %v (%+v), want an *InvalidResult with %q", err, invalid, test.want)
				}
			}
		})
	}
}

// TestClientOutputSchemaOfMany: what is known of tools is bounded: those that are beyond it are
// called as if they had never been listed.
func TestClientOutputSchemaOfMany(t *testing.T) {
	const most = 16384
	var list strings.Builder
	for i := range most + 1 {
		fmt.Fprintf(&list, `,{"name":"t%d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`, i)
	}
	s := &scripted{answers: map[string][]string{"tools/list": {`{"tools":[` + list.String()[1:] + `]}`}, "tools/call": {`{"content":[]}`}}}
	c := meets(nil, s)
	if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	for name, checked := range map[string]bool{"t0": true, fmt.Sprint("t", most-1): true, fmt.Sprint("t", most): false} {
		_, err := c.CallTool(t.Context(), name, nil, nil)
		if got := errors.As(err, new(*mcp.InvalidResult)); got != checked {
			t.Errorf("%s: got %v, want it checked: %t", name, err, checked)
		}
	}
}

// TestClientOutputSchemaChanges: once the server has said that its tools have changed,
// results are not held against what was listed before.
func TestClientOutputSchemaChanges(t *testing.T) {
	s := &scripted{answers: map[string][]string{
		"tools/list": {`{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}]}`, `{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}]}`},
		"tools/call": {`{"content":[],"structuredContent":[1]}`},
	}}
	c := meets(nil, s)
	call := func(when string, fits bool) {
		t.Helper()
		if _, err := c.CallTool(t.Context(), "t", nil, nil); (err == nil) != fits {
			t.Errorf("%s: got error %v, want one: %t", when, err, !fits)
		}
	}
	list := func() {
		t.Helper()
		if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	list()
	call("listed", false)
	c.Hear(t.Context(), string(mcp.ToolsListChanged), nil)
	call("changed", true)
	list()
	call("listed anew", true)
	s.answers["tools/call"] = []string{`{"content":[],"structuredContent":{}}`}
	call("listed anew, another result", false)

	// A list that was asked for before the change does not count.
	x := &talker{form: form("2025-11-25"), call: func(ctx context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
		if r.Method == "tools/list" {
			c.Hear(ctx, string(mcp.ToolsListChanged), nil)
		}
		return s.call(ctx, r)
	}}
	c.Attach(x)
	call("another server", true)
	list()
	call("changed on the way", true)
}

// TestClientMarks: what a list tells of headers goes with each call. A call that is refused
// for its headers has the tools listed anew and is sent once more, and not again.
func TestClientMarks(t *testing.T) {
	const (
		plain  = `{"name":"t","inputSchema":{"type":"object"}}`
		marked = `{"name":"t","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}}`
		done   = `{"content":[]}`
		call   = `tools/call {"name":"t"}`
		withIt = call + " Mcp-Param-Region"
	)
	page := func(tools, next string) string {
		if next != "" {
			return fmt.Sprintf(`{"tools":[%s],"nextCursor":%q}`, tools, next)
		}
		return fmt.Sprintf(`{"tools":[%s]}`, tools)
	}
	tests := []struct {
		name         string
		listed       bool // before the call
		lists, calls []string
		want         []string
		code         jsonrpc.Code
	}{
		{"never listed", false, []string{page(marked, "")}, []string{done}, []string{call}, 0},
		{"listed", true, []string{page(marked, "")}, []string{done}, []string{"tools/list", withIt}, 0},
		{"never listed, and refused", false, []string{page(marked, "")}, []string{"-32020", done}, []string{call, "tools/list", withIt}, 0},
		{"changed, and refused", true, []string{page(plain, ""), page(marked, "")}, []string{"-32020", done}, []string{"tools/list", call, "tools/list", withIt}, 0},
		{"mark is gone, and refused", true, []string{page(marked, ""), page(plain, "")}, []string{"-32020", done}, []string{"tools/list", withIt, "tools/list", call}, 0},
		{"on a later page", false, []string{page("", "2"), page(marked, "3")}, []string{"-32020", done},
			[]string{call, "tools/list", `tools/list {"cursor":"2"}`, withIt}, 0},
		{"refused again", false, []string{page(marked, "")}, []string{"-32020"}, []string{call, "tools/list", withIt}, -32020},
		{"no such tool any more", true, []string{page(plain, ""), page("", "")}, []string{"-32020"}, []string{"tools/list", call, "tools/list"}, -32020},
		{"no list", false, []string{"-32603"}, []string{"-32020"}, []string{call, "tools/list"}, -32020},
		{"another error", false, []string{page(marked, "")}, []string{"-32602"}, []string{call}, -32602},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &scripted{answers: map[string][]string{"tools/list": test.lists, "tools/call": test.calls}}
			c := meets(nil, s)
			if test.listed {
				if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.CallTool(t.Context(), "t", nil, nil)
			if test.code == 0 && err != nil || test.code != 0 && !errors.Is(err, &jsonrpc.Error{Code: test.code}) {
				t.Errorf("got error %v, want code %d", err, test.code)
			}
			if !reflect.DeepEqual(s.asked, test.want) {
				t.Errorf("asked\n got %q\nwant %q", s.asked, test.want)
			}
		})
	}
}

// TestClientMarksOfPages: what is known of a tool is what the last list said: a page adds to
// the pages before it, and a list that is one page says of all others that they are gone.
func TestClientMarksOfPages(t *testing.T) {
	const marked = `{"name":"%s","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}}`
	a, b := fmt.Sprintf(marked, "a"), fmt.Sprintf(marked, "b")
	s := &scripted{answers: map[string][]string{
		"tools/list": {`{"tools":[` + a + `],"nextCursor":"2"}`, `{"tools":[` + b + `]}`, `{"tools":[` + b + `]}`},
		"tools/call": {`{"content":[]}`},
	}}
	c, second := meets(nil, s), "2"
	for _, step := range []struct {
		cursor *string
		a, b   string
	}{
		{nil, " Mcp-Param-Region", ""},
		{&second, " Mcp-Param-Region", " Mcp-Param-Region"},
		{nil, "", " Mcp-Param-Region"},
	} {
		if _, err := c.ListTools(t.Context(), step.cursor, nil); err != nil {
			t.Fatal(err)
		}
		s.asked = nil
		for _, name := range []string{"a", "b"} {
			if _, err := c.CallTool(t.Context(), name, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{`tools/call {"name":"a"}` + step.a, `tools/call {"name":"b"}` + step.b}
		if !reflect.DeepEqual(s.asked, want) {
			t.Errorf("asked\n got %q\nwant %q", s.asked, want)
		}
	}
}

// TestClientMarksAreFresh: a list that is kept is not asked for the headers that were wrong.
func TestClientMarksAreFresh(t *testing.T) {
	s := &scripted{answers: map[string][]string{
		"tools/list": {
			`{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"ttlMs":3600000,"cacheScope":"private"}`,
			`{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}}],"ttlMs":3600000,"cacheScope":"private"}`},
		"tools/call": {"-32020", `{"content":[]}`},
	}}
	c := meets(nil, s)
	for range 2 { // the second time from what is kept
		if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.CallTool(t.Context(), "t", nil, nil)
	want := []string{"tools/list", `tools/call {"name":"t"}`, "tools/list", `tools/call {"name":"t"} Mcp-Param-Region`}
	if err != nil || !reflect.DeepEqual(s.asked, want) {
		t.Errorf("asked, and %v\n got %q\nwant %q", err, s.asked, want)
	}
}
