package httpmcp_test

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// scan reads a message as an endpoint does.
func scan(t testing.TB, text string) *jsonrpc.Message {
	t.Helper()
	m := &jsonrpc.Message{}
	s := jsonrpc.Scanner{Inner: discover.Inner()}
	if e := s.Scan([]byte(text), m); e != nil {
		t.Fatalf("%s: %v", text, e)
	}
	return m
}

// headers reads lines of the form "Name: value", as HTTP/1 does.
func headers(lines string) http.Header {
	h := http.Header{}
	for line := range strings.SplitSeq(lines, "\n") {
		if name, value, ok := strings.Cut(strings.TrimLeft(line, "\t"), ":"); ok {
			h.Add(name, strings.TrimPrefix(value, " "))
		}
	}
	return h
}

// call is a modern call of the tool t.
func call(arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"t","arguments":` + arguments + `}}`
}

const callHeaders = "MCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: t\n"

// meta begins params with a modern _meta.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`

// Standard headers (B136, B137, B139, B140, B142).
func TestStandardHeaders(t *testing.T) {
	request := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	}
	list, read := request("tools/list", meta), request("resources/read", meta+`,"uri":"file:///a%20b"`)
	const version = "MCP-Protocol-Version: 2026-07-28\n"
	tests := []struct{ name, body, headers, want string }{
		{"good list", list, version + "Mcp-Method: tools/list", ""},
		{"good call", call(`{}`), callHeaders, ""},
		{"good read", read, version + "Mcp-Method: resources/read\nMcp-Name: file:///a%20b", ""},
		{"odd letter case and spaces", call(`{}`), "mcp-protocol-version:   2026-07-28 \nmcp-method:   tools/call  \nMCP-NAME: \t t\t", ""},
		{"the same twice", call(`{}`), callHeaders + "Mcp-Name: t\nMcp-Method: tools/call", ""},
		{"name where none is asked for", list, version + "Mcp-Method: tools/list\nMcp-Name: whatever", ""},
		{"no version", list, "Mcp-Method: tools/list", `the MCP-Protocol-Version header is missing; the body's params._meta["io.modelcontextprotocol/protocolVersion"] is "2026-07-28"`},
		{"another version", list, "MCP-Protocol-Version: 2025-11-25\nMcp-Method: tools/list", `the MCP-Protocol-Version header is "2025-11-25", but the body's params._meta["io.modelcontextprotocol/protocolVersion"] is "2026-07-28"`},
		{"version as Base64", list, "MCP-Protocol-Version: =?base64?MjAyNi0wNy0yOA==?=\nMcp-Method: tools/list", `the MCP-Protocol-Version header is "=?base64?MjAyNi0wNy0yOA==?=", but`},
		{"two versions", list, version + "MCP-Protocol-Version: 2025-11-25\nMcp-Method: tools/list", `the MCP-Protocol-Version header stands several times, with "2026-07-28" and with "2025-11-25"`},
		{"version comes first", list, "MCP-Protocol-Version: 1\nMcp-Method: x", "the MCP-Protocol-Version header"},
		{"no version in the body", request("tools/list", ""), version + "Mcp-Method: tools/list", ""},
		{"no version in the body, two in the headers", request("tools/list", ""), version + "MCP-Protocol-Version: 1\nMcp-Method: tools/list", "stands several times"},
		{"version that is no string", request("tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":[5]}`), version, `is "2026-07-28", but the body's params._meta["io.modelcontextprotocol/protocolVersion"] is an array`},
		{"no method", list, version, `the Mcp-Method header is missing; the body's method is "tools/list"`},
		{"another method", call(`{}`), version + "Mcp-Method: tools/list\nMcp-Name: t", `the Mcp-Method header is "tools/list", but the body's method is "tools/call"`},
		{"method in other letters", call(`{}`), version + "Mcp-Method: Tools/Call\nMcp-Name: t", `the Mcp-Method header is "Tools/Call"`},
		{"methods as a list", list, version + "Mcp-Method: tools/list, tools/list", `the Mcp-Method header is "tools/list, tools/list"`},
		{"method as Base64", list, version + "Mcp-Method: =?base64?dG9vbHMvbGlzdA==?=", `the Mcp-Method header is "=?base64?`},
		{"escaped method", request(`tools\/list`, meta), version + "Mcp-Method: tools/list", ""},
		{"no name", call(`{}`), version + "Mcp-Method: tools/call", `the Mcp-Name header is missing; the body's params.name is "t"`},
		{"another name", call(`{}`), version + "Mcp-Method: tools/call\nMcp-Name: boom", `the Mcp-Name header is "boom", but the body's params.name is "t"`},
		{"empty name", call(`{}`), version + "Mcp-Method: tools/call\nMcp-Name:", `the Mcp-Name header is "", but`},
		{"two names, the right one first", call(`{}`), callHeaders + "Mcp-Name: boom", `the Mcp-Name header stands several times, with "t" and with "boom"`},
		{"two names, the right one last", call(`{}`), version + "Mcp-Method: tools/call\nMcp-Name: boom\nMcp-Name: t", `stands several times, with "boom" and with "t"`},
		{"another uri", read, version + "Mcp-Method: resources/read\nMcp-Name: file:///a", `the Mcp-Name header is "file:///a", but the body's params.uri is "file:///a%20b"`},
		{"uri that only means the same", read, version + "Mcp-Method: resources/read\nMcp-Name: file:///a b", "the Mcp-Name header is"},
		{"prompt", request("prompts/get", meta+`,"name":"p"`), version + "Mcp-Method: prompts/get\nMcp-Name: q", `the body's params.name is "p"`},
		{"name as Base64", request("prompts/get", meta+`,"name":"世界"`), version + "Mcp-Method: prompts/get\nMcp-Name: =?base64?5LiW55WM?=", ""},
		{"name with escapes", request("prompts/get", meta+`,"name":"\u4e16\u754C\u000a\/"`), version + "Mcp-Method: prompts/get\nMcp-Name: =?base64?5LiW55WMCi8=?=", ""},
		{"plain name with escapes", request("prompts/get", meta+`,"name":"\u0070q"`), version + "Mcp-Method: prompts/get\nMcp-Name: pq", ""},
		{"raw UTF-8", request("prompts/get", meta+`,"name":"世界"`), version + "Mcp-Method: prompts/get\nMcp-Name: 世界", "which has characters that a header must not have: only visible ASCII, space and tab; other texts are sent as =?base64?...?="},
		{"control character", call(`{}`), version + "Mcp-Method: tools/call\nMcp-Name: t\x00", `the Mcp-Name header is "t\x00", which has characters`},
		{"no name in the body", request("tools/call", meta), version + "Mcp-Method: tools/call\nMcp-Name: t", `the Mcp-Name header is "t", but the body has no params.name`},
		{"no name anywhere", request("tools/call", meta), version + "Mcp-Method: tools/call", ""},
		{"name that is no string", request("tools/call", meta+`,"name":null`), version + "Mcp-Method: tools/call\nMcp-Name: null", `but the body's params.name is null`},
		{"name that is a number, without a header", request("tools/call", meta+`,"name":7`), version + "Mcp-Method: tools/call", ""},
		{"name that is an object, without a header", request("tools/call", meta+`,"name":{}`), version + "Mcp-Method: tools/call", ""},
		{"task", request("tasks/get", meta+`,"taskId":"1"`), version + "Mcp-Method: tasks/get\nMcp-Name: 2", `but the body's params.taskId is "1"`},
		{"task without a name", request("tasks/get", meta+`,"taskId":"1"`), version + "Mcp-Method: tasks/get", ""},
		{"notification without headers", `{"jsonrpc":"2.0","method":"notifications/x"}`, "", ""},
		{"notification with a version in the body alone", `{"jsonrpc":"2.0","method":"notifications/x","params":{` + meta + `}}`, "", ""},
		{"notification with true headers", `{"jsonrpc":"2.0","method":"notifications/x"}`, version + "Mcp-Method: notifications/x", ""},
		{"notification with a false method", `{"jsonrpc":"2.0","method":"notifications/x"}`, version + "Mcp-Method: notifications/y", `the Mcp-Method header is "notifications/y"`},
	}
	for _, test := range tests {
		check(t, test.name, test.body, test.headers, nil, test.want)
	}
}

// marks are of the tool t.
var marks = []mcp.HeaderParam{
	{Name: "Mcp-Param-Region", Path: []string{"region"}, Type: "string"},
	{Name: "Mcp-Param-Count", Path: []string{"count"}, Type: "integer"},
	{Name: "Mcp-Param-Flag", Path: []string{"opts", "in", "flag"}, Type: "boolean"},
}

// Headers of arguments (B145, B146).
func TestParamHeaders(t *testing.T) {
	tests := []struct{ name, arguments, headers, want string }{
		{"all of them", `{"region":"eu","count":42,"opts":{"in":{"flag":true}}}`, "Mcp-Param-Region: eu\nMcp-Param-Count: 42\nmcp-param-FLAG: true", ""},
		{"another", `{"region":"eu"}`, "Mcp-Param-Region: us", `the Mcp-Param-Region header is "us", but the body's params.arguments.region is "eu"`},
		{"letter case", `{"region":"eu"}`, "Mcp-Param-Region: EU", `the Mcp-Param-Region header is "EU"`},
		{"missing", `{"region":"eu"}`, "", `the Mcp-Param-Region header is missing; the body's params.arguments.region is "eu"; x-mcp-header in the tool's schema, as tools/list has it, asks for this header`},
		{"not recognized", `{}`, "Mcp-Param-Other: =?base64?***?=\nMcp-Param-Odd: \x80", ""},
		{"absent", `{}`, "", ""},
		{"null", `{"region":null,"count":null,"opts":null}`, "", ""},
		{"absent, yet a header", `{}`, "Mcp-Param-Region: us", `the Mcp-Param-Region header is "us", but the body has no params.arguments.region`},
		{"null, yet a header", `{"region":null}`, "Mcp-Param-Region: null", `but the body has no params.arguments.region`},
		{"empty", `{"region":""}`, "Mcp-Param-Region:", ""},
		{"empty as Base64", `{"region":""}`, "Mcp-Param-Region: =?base64??=", ""},
		{"empty, missing", `{"region":""}`, "", `is missing; the body's params.arguments.region is ""`},
		{"two values", `{"region":"eu"}`, "Mcp-Param-Region: eu\nMcp-Param-Region: us", "stands several times"},
		{"one value twice", `{"region":"eu"}`, "Mcp-Param-Region: eu\nMcp-Param-Region: eu", ""},
		{"inner space and tab", `{"region":"a b\tc"}`, "Mcp-Param-Region: a b\tc", ""},

		{"Base64", `{"region":"Hello, 世界"}`, "Mcp-Param-Region: =?base64?SGVsbG8sIOS4lueVjA==?=", ""},
		{"Base64 with space inside", `{"region":" padded "}`, "Mcp-Param-Region: =?base64?IHBhZGRlZCA=?=", ""},
		{"Base64 with a line end inside", `{"region":"line1\nline2"}`, "Mcp-Param-Region: =?base64?bGluZTEKbGluZTI=?=", ""},
		{"Base64 of what looks like it", `{"region":"=?base64?literal?="}`, "Mcp-Param-Region: =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", ""},
		{"Base64 of plain text", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVsbG8=?=", ""},
		{"Base64 of another text", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVsbA==?=", `the Mcp-Param-Region header is "Hell", but`},
		{"Base64 of a number", `{"count":42}`, "Mcp-Param-Count: =?base64?NDI=?=", ""},
		{"literal without marks", `{"region":"SGVsbG8="}`, "Mcp-Param-Region: SGVsbG8=", ""},
		{"literal without the closing mark", `{"region":"=?base64?SGVsbG8="}`, "Mcp-Param-Region: =?base64?SGVsbG8=", ""},
		{"literal without the opening mark", `{"region":"SGVsbG8=?="}`, "Mcp-Param-Region: SGVsbG8=?=", ""},
		{"literal with capitals", `{"region":"=?BASE64?SGVsbG8=?="}`, "Mcp-Param-Region: =?BASE64?SGVsbG8=?=", ""},
		{"capitals are no marks", `{"region":"Hello"}`, "Mcp-Param-Region: =?Base64?SGVsbG8=?=", `the Mcp-Param-Region header is "=?Base64?SGVsbG8=?=", but`},
		{"marks that share a character", `{"region":"=?base64?="}`, "Mcp-Param-Region: =?base64?=", ""},
		{"no padding", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVsbG8?=", `the Mcp-Param-Region header is "=?base64?SGVsbG8?=", which is not the Base64 of a text (standard alphabet, with padding)`},
		{"no Base64", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVs!!!bG8=?=", "which is not the Base64 of a text"},
		{"stars", `{"region":"x"}`, "Mcp-Param-Region: =?base64?***?=", "which is not the Base64 of a text"},
		{"URL alphabet", `{"region":"\u00ff\u00ff"}`, "Mcp-Param-Region: =?base64?w7_Dvw==?=", "which is not the Base64 of a text"},
		{"space in Base64", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVs bG8=?=", "which is not the Base64 of a text"},
		{"bits left over", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVsbG9=?=", "which is not the Base64 of a text"},
		{"Base64 of no UTF-8", `{"region":"\ufffd"}`, "Mcp-Param-Region: =?base64?gA==?=", "which is not the Base64 of a text"},
		{"literal that looks like Base64", `{"region":"=?base64?literal?="}`, "Mcp-Param-Region: =?base64?literal?=", "which is not the Base64 of a text"},
		{"byte beyond ASCII", `{"region":"x"}`, "Mcp-Param-Region: x\x80", `the Mcp-Param-Region header is "x\x80", which has characters that a header must not have`},
		{"DEL", `{"region":"\u007f"}`, "Mcp-Param-Region: \x7f", "which has characters"},

		{"42.0 is 42", `{"count":42}`, "Mcp-Param-Count: 42.0", ""},
		{"42 is 42.0", `{"count":42.0}`, "Mcp-Param-Count: 42", ""},
		{"4.2e1 is 42", `{"count":42}`, "Mcp-Param-Count: 4.2e1", ""},
		{"43 is not 42", `{"count":42}`, "Mcp-Param-Count: 43", `the Mcp-Param-Count header is "43", but the body's params.arguments.count is 42`},
		{"beyond 2^53", `{"count":9007199254740993}`, "Mcp-Param-Count: 9007199254740993", ""},
		{"beyond 2^53, differs", `{"count":9007199254740993}`, "Mcp-Param-Count: 9007199254740992", `but the body's params.arguments.count is 9007199254740993`},
		{"an exponent that nobody means", `{"count":1E345678901234567890}`, "Mcp-Param-Count: 1E345678901234567890", ""},
		{"the same in another spelling", `{"count":1E345678901234567890}`, "Mcp-Param-Count: 10E345678901234567889", `but the body's params.arguments.count is 1E345678901234567890`},
		{"no number", `{"count":42}`, "Mcp-Param-Count: forty-two", `the Mcp-Param-Count header is "forty-two"`},
		{"another spelling", `{"count":42}`, "Mcp-Param-Count: 0x2a", `is "0x2a", but`},

		{"false", `{"opts":{"in":{"flag":false}}}`, "Mcp-Param-Flag: false", ""},
		{"False", `{"opts":{"in":{"flag":false}}}`, "Mcp-Param-Flag: False", `the Mcp-Param-Flag header is "False", but the body's params.arguments.opts.in.flag is false`},
		{"1", `{"opts":{"in":{"flag":true}}}`, "Mcp-Param-Flag: 1", `is "1", but`},
		{"nested, missing", `{"opts":{"other":0,"in":{"flag":true}}}`, "", `the Mcp-Param-Flag header is missing; the body's params.arguments.opts.in.flag is true`},
		{"nested by an escaped name", `{"opts":{"\u0069n":{"fl\u0061g":true}}}`, "Mcp-Param-Flag: true", ""},
		{"path that ends early", `{"opts":{"in":5}}`, "", ""},
		{"path that ends early, yet a header", `{"opts":[{"flag":true}]}`, "Mcp-Param-Flag: true", "the body has no params.arguments.opts.in.flag"},
		{"twice in the body", `{"opts":{"in":{"flag":true,"flag":false}}}`, "Mcp-Param-Flag: true", "what the Mcp-Param-Flag header repeats cannot be read: an object on the way to params.arguments.opts.in.flag has a member twice"},

		{"wrong type that a header can say", `{"region":5,"count":"x"}`, "Mcp-Param-Region: 5\nMcp-Param-Count: x", ""},
		{"wrong type that no header can say", `{"region":["eu"]}`, "", "the body's params.arguments.region is an array: it must be of type string, so that the Mcp-Param-Region header can repeat it"},
		{"object", `{"count":{}}`, "Mcp-Param-Count: {}", "the body's params.arguments.count is an object: it must be of type integer"},
	}
	for _, test := range tests {
		check(t, test.name, call(test.arguments), callHeaders+test.headers, marks, test.want)
	}
	check(t, "no arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+meta+`,"name":"t"}}`, callHeaders, marks, "")
}

// check holds what CheckMirrors says to want, "" for nothing.
func check(t *testing.T, name, body, lines string, marks []mcp.HeaderParam, want string) {
	t.Helper()
	e := httpmcp.CheckMirrors(headers(lines), scan(t, body), marks)
	switch {
	case e == nil && want == "":
	case e == nil || want == "", e.Code != httpmcp.HeaderMismatch, !strings.HasPrefix(e.Message, "Header mismatch: "), !strings.Contains(e.Message, want):
		t.Errorf("%s\nbody    %s\nheaders %q\n got %v\nwant %q", name, body, lines, e, want)
	}
}

// What a client sends comes back clipped, and without control characters.
func TestMismatchIsClipped(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + meta + `,"name":"` + `\u001b[31m` + long + `"}}`
	for _, header := range []string{long, "\x1b[31m" + long, "=?base64?" + base64.StdEncoding.EncodeToString([]byte("\x1b[31m"+long+"é")) + "?="} {
		h := headers(callHeaders)
		h.Set("Mcp-Name", header)
		e := httpmcp.CheckMirrors(h, scan(t, body), nil)
		if e == nil || len(e.Message) > 1000 || strings.ContainsFunc(e.Message, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("header %.30q: got %v, want a short error without control characters", header, e)
		}
	}
}

// Nothing is allocated while all is in order.
func TestMirrorsAllocateNothing(t *testing.T) {
	m := scan(t, call(`{"region":"eu","count":42,"opts":{"in":{"flag":true}}}`))
	h := headers(callHeaders + "Mcp-Param-Region: eu\nMcp-Param-Count: 42.0\nMcp-Param-Flag: true")
	if n := testing.AllocsPerRun(100, func() { httpmcp.CheckMirrors(h, m, marks) }); n != 0 {
		t.Errorf("checking a call allocates %v times, want 0", n)
	}
}

func BenchmarkMirrors(b *testing.B) {
	const params = "Mcp-Param-Region: eu\nMcp-Param-Count: 42\nMcp-Param-Flag: true"
	tests := []struct {
		name, headers string
		marks         []mcp.HeaderParam
	}{
		{"standard", callHeaders, nil},
		{"marked", callHeaders + params, marks},
		{"base64", strings.Replace(callHeaders, ": t\n", ": =?base64?dA==?=\n", 1), nil},
	}
	for _, test := range tests {
		b.Run(test.name, func(b *testing.B) {
			m, h := scan(b, call(`{"region":"eu","count":42,"opts":{"in":{"flag":true}}}`)), headers(test.headers)
			b.ReportAllocs()
			for b.Loop() {
				if e := httpmcp.CheckMirrors(h, m, test.marks); e != nil {
					b.Fatal(e)
				}
			}
		})
	}
}

func TestEqualNumbers(t *testing.T) {
	equal := [][]string{
		{"42", "42.0", "42.000", "4.2e1", "4.2E+01", "420e-1", "0.42e2", "0.00042e5"},
		{"0", "-0", "0.0", "0e5", "-0.00e-7"},
		{"-7", "-7.0", "-0.7e1", "-70E-1"},
		{"9007199254740993", "9007199254740993.0", "9.007199254740993e15"},
		{"1e400", "10e399", "0.1e401", "1.0E+400"},
		{"100", "1e2", "1.00e2", "100.00"}, {"1.5", "15e-1", "0.15e1"}, {"0.001", "1e-3"}, {"1001", "1.001e3"},
		{"1e999999999999999", "10e999999999999998"},
		// No numbers, or none that is read: nothing equals them, not even themselves.
		{""}, {"-"}, {"+42"}, {"042"}, {"-042"}, {".5"}, {"5."}, {"5.e1"}, {"1e"}, {"1e+"}, {"0x2a"}, {"4_2"}, {" 42"}, {"42 "}, {"4 2"}, {"NaN"}, {"Infinity"}, {"1e5x"}, {"1.2.3"}, {"1ee5"}, {"٤٢"}, {"1e1234567890123456"},
	}
	for i, these := range equal {
		for j, those := range equal {
			for _, a := range these {
				for _, b := range those {
					want := i == j && len(these) > 1
					if got := httpmcp.EqualNumbers(a, b); got != want {
						t.Errorf("%q equals %q: %v, want %v", a, b, got, want)
					}
				}
			}
		}
	}
}

// jsonNumber is the grammar (RFC 8259, section 6), as another program reads it.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func FuzzEqualNumbers(f *testing.F) {
	for _, s := range []string{"42", "42.0", "-4.2e1", "0.00", "1e-5", "9007199254740993", "0100", "1.e5"} {
		f.Add(s, s)
		f.Add(s, "4.2e1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		read := func(s string) *big.Rat {
			_, exponent, _ := strings.Cut(strings.ToLower(s), "e")
			if !jsonNumber.MatchString(s) || len(exponent) > 4 {
				return nil
			}
			r, _ := new(big.Rat).SetString(s)
			return r
		}
		x, y := read(a), read(b)
		got, back := httpmcp.EqualNumbers(a, b), httpmcp.EqualNumbers(b, a)
		if got != back {
			t.Fatalf("%q equals %q: %v, the other way round: %v", a, b, got, back)
		}
		if !jsonNumber.MatchString(a) && got {
			t.Fatalf("%q is no number but equals %q", a, b)
		}
		if x != nil && y != nil && got != (x.Cmp(y) == 0) {
			t.Fatalf("%q equals %q: %v, want %v", a, b, got, !got)
		}
	})
}

// FuzzMirror: a value that is written as the specification says is taken, whatever it is,
// and no other header is.
func FuzzMirror(f *testing.F) {
	for _, s := range []string{"t", "", " padded ", "=?base64?x?=", "世界", "a\nb", "=?base64?="} {
		f.Add(s, s)
		f.Add(s, "=?base64?dA==?=")
	}
	f.Fuzz(func(t *testing.T, value, header string) {
		if !utf8.ValidString(value) {
			return
		}
		m := scan(t, call(fmt.Sprintf(`{"region":%s}`, jsonrpc.AppendString(nil, value))))
		h := headers(callHeaders)
		for _, right := range []string{written(value), "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="} {
			h.Set("Mcp-Param-Region", right)
			if e := httpmcp.CheckMirrors(h, m, marks); e != nil {
				t.Fatalf("value %q, header %q: %v", value, right, e)
			}
		}
		h.Set("Mcp-Param-Region", header)
		decoded, ok := httpmcp.Decode(strings.Trim(header, " \t"))
		if e := httpmcp.CheckMirrors(h, m, marks); e == nil && (!ok || decoded != value) {
			t.Fatalf("value %q, header %q: taken, decoded as %q, %v", value, header, decoded, ok)
		}
	})
}

// plain is what may stand in a header as it is.
var plain = regexp.MustCompile(`^([!-~]([ \t!-~]*[!-~])?)?$`)

// written is a value in a header (2026-07-28 basic/transports/streamable-http, Value
// Encoding).
func written(value string) string {
	if plain.MatchString(value) && !(strings.HasPrefix(value, "=?base64?") && strings.HasSuffix(value, "?=")) {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}
