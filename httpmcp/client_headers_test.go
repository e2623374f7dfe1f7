package httpmcp_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestMirrors: what headers repeat of a message (2026-07-28 basic/transports/streamable-http, Value
// Encoding and Server Behavior for Custom Headers; B145, B146).
func TestMirrors(t *testing.T) {
	mark := func(typ string, path ...string) []mcp.HeaderParam {
		return []mcp.HeaderParam{{Name: "Mcp-Param-A", Path: path, Type: typ}}
	}
	const absent = "(absent)"
	tests := []struct {
		name, method, params string
		marks                []mcp.HeaderParam
		header, want         string
	}{
		{"the method", "tools/list", `{}`, nil, "Mcp-Method", "tools/list"},
		{"a list has no name", "tools/list", `{"name":"x"}`, nil, "Mcp-Name", absent},
		{"a tool", "tools/call", `{"name":"my-tool"}`, nil, "Mcp-Name", "my-tool"},
		{"a prompt", "prompts/get", `{"name":"p"}`, nil, "Mcp-Name", "p"},
		{"a resource", "resources/read", `{"uri":"file:///path/to/file%20name.txt"}`, nil, "Mcp-Name", "file:///path/to/file%20name.txt"},
		{"a task", "tasks/get", `{"taskId":"7"}`, nil, "Mcp-Name", "7"},
		{"a task that is changed", "tasks/update", `{"taskId":"7"}`, nil, "Mcp-Name", "7"},
		{"a name of another kind", "tools/call", `{"uri":"x"}`, nil, "Mcp-Name", absent},
		{"a name that is no text", "tools/call", `{"name":7}`, nil, "Mcp-Name", absent},
		{"a name that is escaped", "tools/call", `{"name":"a\u0062"}`, nil, "Mcp-Name", "ab"},
		{"a name beyond ASCII", "tools/call", `{"name":"wörter"}`, nil, "Mcp-Name", "=?base64?d8O2cnRlcg==?="},
		{"the version of the message", "x", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, nil, "Mcp-Protocol-Version", "2026-07-28"},
		{"the version of the link", "x", `{}`, nil, "Mcp-Protocol-Version", "the agreed one"},

		{"a text", "tools/call", `{"arguments":{"a":"us-west1"}}`, mark("string", "a"), "Mcp-Param-A", "us-west1"},
		{"a text beyond ASCII", "tools/call", `{"arguments":{"a":"Hello, 世界"}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?SGVsbG8sIOS4lueVjA==?="},
		{"spaces around", "tools/call", `{"arguments":{"a":" padded "}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?IHBhZGRlZCA=?="},
		{"a space before", "tools/call", `{"arguments":{"a":" x"}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?IHg=?="},
		{"a space behind", "tools/call", `{"arguments":{"a":"x "}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?eCA=?="},
		{"a space within", "tools/call", `{"arguments":{"a":"x y"}}`, mark("string", "a"), "Mcp-Param-A", "x y"},
		{"a line end", "tools/call", `{"arguments":{"a":"line1\nline2"}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?bGluZTEKbGluZTI=?="},
		{"CRLF", "tools/call", `{"arguments":{"a":"x\r\nEvil: y"}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?eA0KRXZpbDogeQ==?="},
		{"a tab", "tools/call", `{"arguments":{"a":"x\ty"}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?eAl5?="},
		{"DEL", "tools/call", `{"arguments":{"a":"\u007f"}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?fw==?="},
		{"what looks encoded", "tools/call", `{"arguments":{"a":"=?base64?literal?="}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
		{"marks that overlap", "tools/call", `{"arguments":{"a":"=?base64?="}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?PT9iYXNlNjQ/PQ==?="},
		{"half of what looks encoded", "tools/call", `{"arguments":{"a":"=?base64?x"}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?x"},
		{"other letters", "tools/call", `{"arguments":{"a":"=?BASE64?eA==?="}}`, mark("string", "a"), "Mcp-Param-A", "=?BASE64?eA==?="},
		{"an empty text", "tools/call", `{"arguments":{"a":""}}`, mark("string", "a"), "Mcp-Param-A", ""},
		{"half a character", "tools/call", `{"arguments":{"a":"\ud800"}}`, mark("string", "a"), "Mcp-Param-A", "=?base64?77+9?="},

		{"an integer", "tools/call", `{"arguments":{"a":42}}`, mark("integer", "a"), "Mcp-Param-A", "42"},
		{"a negative one", "tools/call", `{"arguments":{"a":-7}}`, mark("integer", "a"), "Mcp-Param-A", "-7"},
		{"one with a point", "tools/call", `{"arguments":{"a":42.0}}`, mark("integer", "a"), "Mcp-Param-A", "42"},
		{"one with an exponent", "tools/call", `{"arguments":{"a":-1.5e3}}`, mark("integer", "a"), "Mcp-Param-A", "-1500"},
		{"nothing", "tools/call", `{"arguments":{"a":-0.0e9}}`, mark("integer", "a"), "Mcp-Param-A", "0"},
		{"the greatest that is safe", "tools/call", `{"arguments":{"a":9007199254740991}}`, mark("integer", "a"), "Mcp-Param-A", "9007199254740991"},
		{"a greater one is not rounded", "tools/call", `{"arguments":{"a":12345678901234567890123}}`, mark("integer", "a"), "Mcp-Param-A", "12345678901234567890123"},
		{"one that is none", "tools/call", `{"arguments":{"a":1.5}}`, mark("integer", "a"), "Mcp-Param-A", "1.5"},
		{"one beyond all bounds", "tools/call", `{"arguments":{"a":1e999999}}`, mark("integer", "a"), "Mcp-Param-A", "1e999999"},
		{"true", "tools/call", `{"arguments":{"a":true}}`, mark("boolean", "a"), "Mcp-Param-A", "true"},
		{"false", "tools/call", `{"arguments":{"a":false}}`, mark("boolean", "a"), "Mcp-Param-A", "false"},
		{"null", "tools/call", `{"arguments":{"a":null}}`, mark("string", "a"), "Mcp-Param-A", absent},
		{"absent", "tools/call", `{"arguments":{"b":1}}`, mark("string", "a"), "Mcp-Param-A", absent},
		{"no arguments", "tools/call", `{"name":"x"}`, mark("string", "a"), "Mcp-Param-A", absent},
		{"a type that no header says", "tools/call", `{"arguments":{"a":{"b":1}}}`, mark("string", "a"), "Mcp-Param-A", absent},
		{"a value of another type", "tools/call", `{"arguments":{"a":7}}`, mark("string", "a"), "Mcp-Param-A", "7"},
		{"within objects", "tools/call", `{"arguments":{"o":{"p":{"a":"x"}}}}`, mark("string", "o", "p", "a"), "Mcp-Param-A", "x"},
		{"no object on the way", "tools/call", `{"arguments":{"o":[{"a":"x"}]}}`, mark("string", "o", "a"), "Mcp-Param-A", absent},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			message := `{"jsonrpc":"2.0","id":1,"method":"` + test.method + `","params":` + test.params + `}`
			h, err := httpmcp.Mirrors(message, &mcp.Outgoing{Method: test.method, Version: "the agreed one", Marks: test.marks})
			if err != nil {
				t.Fatal(err)
			}
			got := absent
			if values, stands := h[test.header]; stands {
				got = strings.Join(values, "|")
			}
			if got != test.want {
				t.Errorf("%s\n%s: %q, want %q", message, test.header, got, test.want)
			}
		})
	}
}

// TestMirrorsReplace: what the options want in a header of a marked argument gives way.
func TestMirrorsReplace(t *testing.T) {
	var got http.Header
	url := scripted(t, func(w http.ResponseWriter, r *http.Request) { got = r.Header; w.WriteHeader(400) })
	link := modernLink(t, url, &httpmcp.DialOptions{Header: http.Header{"mcp-param-a": {"own"}, "Mcp-Param-B": {"own"}}}, &ears{})
	mark := func(name string) mcp.HeaderParam {
		return mcp.HeaderParam{Name: "Mcp-Param-" + strings.ToUpper(name), Path: []string{name}, Type: "string"}
	}
	link.Call(t.Context(), says("tools/call", `"name":"x","arguments":{"b":"theirs","c":""}`, mark("a"), mark("b"), mark("c")))
	for name, want := range map[string][]string{"Mcp-Param-A": nil, "Mcp-Param-B": {"theirs"}, "Mcp-Param-C": {""}} {
		if !reflect.DeepEqual(got[name], want) {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

// FuzzMirrors: whatever the value is, the server's half of this package takes the header that the client's
// half makes of it, or there is none to make.
func FuzzMirrors(f *testing.F) {
	for _, seed := range []string{`"x"`, `" ü"`, `"=?base64?eA==?="`, `42.0`, `-1.50e2`, `1e-3`, `0e7`, `true`, `null`, `"\ud800\u0000"`, `12345678901234567890`, `10e18`, `1E345678901234567890`} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		scanner := jsonrpc.Scanner{}
		if !scanner.Valid([]byte(value)) || !scanner.Valid([]byte(name)) || strings.ContainsAny(name+value, "\r\n") {
			return
		}
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + name + `,"arguments":{"o":{"a":` + value + `}},` + modernMeta + `}}`
		marks := []mcp.HeaderParam{{Name: "Mcp-Param-A", Path: []string{"o", "a"}, Type: "string"}}
		h, err := httpmcp.Mirrors(message, &mcp.Outgoing{Method: "tools/call", Marks: marks})
		if err != nil {
			return
		}
		switch jsonrpc.Raw(strings.TrimSpace(value)).Kind() {
		case jsonrpc.KindObject, jsonrpc.KindArray:
			return
		}
		if told := httpmcp.CheckOwn(h, message, marks); told != nil {
			t.Errorf("%s\n%q\n%s", message, h, told.Message)
		}
	})
}
