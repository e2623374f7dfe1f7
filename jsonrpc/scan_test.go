package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
)

// mcpScanner is set up the way MCP uses it.
var mcpScanner = jsonrpc.Scanner{Inner: []string{"_meta"}}

// nest returns an array of arrays, depth levels in all.
func nest(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// scanRow is one message and what the scan must make of it. Code 0 is no error.
type scanRow struct {
	name, input string
	kind        jsonrpc.MessageKind
	id          string // as received, "" for none
	code        jsonrpc.Code
	text        string // of the error
}

func (row scanRow) check(t *testing.T) {
	t.Helper()
	var m jsonrpc.Message
	err := mcpScanner.Scan([]byte(row.input), &m)
	got := scanRow{name: row.name, input: row.input, kind: m.Kind, id: string(m.ID.Raw())}
	if err != nil {
		got.code, got.text = err.Code, err.Message
	}
	if got != row {
		t.Errorf("Scan(%.200q)\n got %v, id %s, code %d, text %q\nwant %v, id %s, code %d, text %q",
			row.input, got.kind, got.id, got.code, got.text, row.kind, row.id, row.code, row.text)
	}
}

const (
	parse   = jsonrpc.ParseError
	request = jsonrpc.InvalidRequest
	params  = jsonrpc.InvalidParams

	versionText  = `jsonrpc must be the string "2.0"`
	idText       = `id must be a string or an integer`
	methodText   = `method must be a string that is not empty`
	noMethodText = `method is missing`
	paramsText   = `params must be an object`
	metaText     = `params._meta must be an object`
	errorText    = `error must be an object with an integer code and a string message`
	depthText    = `message must not nest deeper than 128 levels`
)

func TestScanCalls(t *testing.T) {
	for _, row := range []scanRow{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, jsonrpc.Request, `1`, 0, ""},
		{"notification", `{"jsonrpc":"2.0","method":"ping"}`, jsonrpc.Notification, ``, 0, ""},
		{"any order", `{"params":{},"method":"ping","id":"a","jsonrpc":"2.0"}`, jsonrpc.Request, `"a"`, 0, ""},
		{"space everywhere", " \t\r\n{ \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"ping\" , \"params\" : { } } \n", jsonrpc.Request, `1`, 0, ""},
		{"escaped names", `{"jsonrp\u0063":"2\u002e0","i\u0064":1,"\u006dethod":"p\u0069ng"}`, jsonrpc.Request, `1`, 0, ""},

		{"no version", `{"id":1,"method":"ping"}`, jsonrpc.Request, `1`, request, versionText},
		{"version after the id", `{"id":1,"method":"ping","jsonrpc":"2.1"}`, jsonrpc.Request, `1`, request, versionText},
		{"version null", `{"jsonrpc":null,"method":"ping"}`, jsonrpc.Notification, ``, request, versionText},
		{"version name folded", `{"JSONRPC":"2.0","id":1,"method":"ping"}`, jsonrpc.Request, `1`, request, versionText},

		{"method empty", `{"jsonrpc":"2.0","id":1,"method":""}`, jsonrpc.Request, `1`, request, methodText},
		{"method null", `{"jsonrpc":"2.0","id":1,"method":null}`, jsonrpc.Request, `1`, request, methodText},
		{"method number", `{"jsonrpc":"2.0","method":7}`, jsonrpc.Invalid, ``, request, methodText},
		{"method and result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, jsonrpc.Request, `1`, request, `result must not stand beside method`},
		{"method and error", `{"error":null,"jsonrpc":"2.0","id":1,"method":"ping"}`, jsonrpc.Request, `1`, request, `error must not stand beside method`},
		{"nothing", `{}`, jsonrpc.Invalid, ``, request, versionText},
		{"only a version", `{"jsonrpc":"2.0"}`, jsonrpc.Invalid, ``, request, noMethodText},
		{"only an id", `{"jsonrpc":"2.0","id":5}`, jsonrpc.Invalid, `5`, request, noMethodText},
		{"params without method", `{"jsonrpc":"2.0","id":5,"params":7}`, jsonrpc.Invalid, `5`, request, noMethodText},

		{"params null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, jsonrpc.Request, `1`, params, paramsText},
		{"params false", `{"jsonrpc":"2.0","method":"ping","params":false}`, jsonrpc.Notification, ``, params, paramsText},
		{"inner null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":null}}`, jsonrpc.Request, `1`, params, metaText},
		{"inner array", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[{}]}}`, jsonrpc.Request, `1`, params, metaText},

		{"number", `7`, jsonrpc.Invalid, ``, request, `message must be an object`},
		{"null", ` null `, jsonrpc.Invalid, ``, request, `message must be an object`},
		{"array", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, jsonrpc.Invalid, ``, request, `message must be an object`},
	} {
		t.Run(row.name, row.check)
	}
}

// One regression test for each reported fault that the scan alone can show.
func TestScanReportedFaults(t *testing.T) {
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	for _, row := range []scanRow{
		{"B01 folded method", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, jsonrpc.Invalid, `1`, request, noMethodText},
		{"B02 folded params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","Name":"boom","NAME":"boom","arguments":{}}}`, jsonrpc.Request, `1`, 0, ""},
		{"B02 long s", `{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{"name":"echo"}}`, jsonrpc.Request, `1`, 0, ""},
		{"B04 method then NUL", `{"jsonrpc":"2.0","id":1,"method\u0000":"tools/list","method":"ping"}`, jsonrpc.Request, `1`, 0, ""},
		{"B04 NUL then method", `{"jsonrpc":"2.0","id":2,"\u0000method":"ping"}`, jsonrpc.Invalid, `2`, request, noMethodText},
		{"B05 not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"s\":\"a\xff\xfe\"}}}", jsonrpc.Invalid, ``, parse, `Parse error: invalid UTF-8 at byte 89`},
		{"B11 params array", `{"jsonrpc":"2.0","id":9,"method":"ping","params":["a","b"]}`, jsonrpc.Request, `9`, params, paramsText},
		{"B11 params string", `{"jsonrpc":"2.0","id":9,"method":"ping","params":"x"}`, jsonrpc.Request, `9`, params, paramsText},
		{"B11 params number", `{"jsonrpc":"2.0","id":9,"method":"ping","params":7}`, jsonrpc.Request, `9`, params, paramsText},
		{"B13 unknown members", `{"jsonrpc":"2.0","id":1,"method":"ping","trace":{"a":1},"params":{"future":true}}`, jsonrpc.Request, `1`, 0, ""},
		{"B14 no version", `{"id":99,"method":"ping"}`, jsonrpc.Request, `99`, request, versionText},
		{"B14 version 1.0", `{"jsonrpc":"1.0","id":98,"method":"ping"}`, jsonrpc.Request, `98`, request, versionText},
		{"B14 version a number", `{"jsonrpc":2.0,"id":97,"method":"ping"}`, jsonrpc.Request, `97`, request, versionText},
		{"B16 large id", ping(`9007199254740993`), jsonrpc.Request, `9007199254740993`, 0, ""},
		{"B16 larger than int64", ping(`123456789012345678901234567890`), jsonrpc.Request, `123456789012345678901234567890`, 0, ""},
		{"B17 string", ping(`"req-abc"`), jsonrpc.Request, `"req-abc"`, 0, ""},
		{"B17 empty", ping(`""`), jsonrpc.Request, `""`, 0, ""},
		{"B17 zero in quotes", ping(`"0"`), jsonrpc.Request, `"0"`, 0, ""},
		{"B17 escapes", ping(`"é\u0000"`), jsonrpc.Request, `"é\u0000"`, 0, ""},
		{"B19 null", ping(`null`), jsonrpc.Request, ``, request, idText},
		{"B20 fraction", ping(`1.5`), jsonrpc.Request, ``, request, idText},
		{"B20 huge exponent", ping(`1e400`), jsonrpc.Request, ``, request, idText},
		{"B20 minus zero", ping(`-0`), jsonrpc.Request, ``, request, idText},
		{"B20 whole fraction", ping(`1.0`), jsonrpc.Request, ``, request, idText},
		{"B20 exponent", ping(`1e0`), jsonrpc.Request, ``, request, idText},
		{"B22 object", ping(`{}`), jsonrpc.Request, ``, request, idText},
		{"B22 array", ping(`[1]`), jsonrpc.Request, ``, request, idText},
		{"B22 true", ping(`true`), jsonrpc.Request, ``, request, idText},
		{"B34 two messages", ping(`1`) + ping(`2`), jsonrpc.Invalid, ``, parse, `Parse error: text after the value at byte 40`},
		{"B35 error for no request", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, jsonrpc.Response, ``, 0, ""},
	} {
		t.Run(row.name, row.check)
	}
}

// B02, B04: what the members hold once the names are compared exactly.
func TestScanMembers(t *testing.T) {
	const input = `{"jsonrpc":"2.0","id":1,"method\u0000":"x","method":"tools\/call","params":` +
		`{"Name":"boom","name":"echo","NAME":"boom","n\u0061med":[1, 2],"_meta":{"a":{},"\u0062":null},"_META":{"a":7},"last":-1.5e3}}`
	var m jsonrpc.Message
	if err := mcpScanner.Scan([]byte(input), &m); err != nil {
		t.Fatalf("Scan(%s) = %v", input, err)
	}
	if string(m.Method) != "tools/call" {
		t.Errorf("Method = %q, want tools/call", m.Method)
	}
	if got, want := string(m.Params), input[strings.Index(input, `{"Name"`):len(input)-1]; got != want {
		t.Errorf("Params = %s, want %s", got, want)
	}
	inner := func(name string) jsonrpc.Raw { return m.Inner("_meta", name) }
	elsewhere := func(name string) jsonrpc.Raw { return m.Inner("absent", name) }
	for _, row := range []struct {
		name string
		read func(string) jsonrpc.Raw
		want string
	}{
		{"name", m.Param, `"echo"`}, {"Name", m.Param, `"boom"`}, {"named", m.Param, `[1, 2]`},
		{"_meta", m.Param, `{"a":{},"\u0062":null}`}, {"last", m.Param, `-1.5e3`},
		{"absent", m.Param, ``}, {"nam", m.Param, ``}, {"", m.Param, ``},
		{"a", inner, `{}`}, {"b", inner, `null`}, {"name", inner, ``}, {"A", inner, ``}, {"a", elsewhere, ``},
	} {
		if got := row.read(row.name); string(got) != row.want || (got == nil) != (row.want == "") {
			t.Errorf("member %q = %q, want %q", row.name, got, row.want)
		}
	}
	m.Reset()
	if m.Param("name") != nil || m.Inner("_meta", "a") != nil || m.Method != nil || m.Kind != jsonrpc.Invalid || !m.ID.IsZero() {
		t.Errorf("after Reset the message still holds %+v", &m)
	}
}

// Two inner objects are recorded, in any order, and no more than two.
func TestScanInner(t *testing.T) {
	s := jsonrpc.Scanner{Inner: []string{"_meta", "arguments", "third"}}
	for _, input := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"a":1},"third":{"a":3},"arguments":{"a":2}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"a":2},"_meta":{"a":1},"third":3}}`,
	} {
		var m jsonrpc.Message
		if err := s.Scan([]byte(input), &m); err != nil {
			t.Fatalf("Scan(%s) = %v", input, err)
		}
		for object, want := range map[string]string{"_meta": "1", "arguments": "2", "third": ""} {
			if got := string(m.Inner(object, "a")); got != want {
				t.Errorf("Scan(%s): Inner(%q, a) = %q, want %q", input, object, got, want)
			}
		}
	}
	for input, text := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":[],"_meta":{}}}`:        `params.arguments must be an object`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{},"_meta":{"a":1}}}`:       `duplicate member "_meta" in params`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"a":1},"_meta":{}}}`:       `duplicate member "_meta" in params`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"b":{},"\u0062":1}}}`:  `duplicate member "b" in params.arguments`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":null,"arguments":{"b":1}}}`: `params._meta must be an object`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":"{}","_meta":{"a":1}}}`: `params.arguments must be an object`,
	} {
		var m jsonrpc.Message
		if err := s.Scan([]byte(input), &m); err == nil || err.Code != jsonrpc.InvalidParams || err.Message != text || m.ID.String() != "1" {
			t.Errorf("Scan(%s) = %v, id %s, want -32602 %q, id 1", input, err, m.ID, text)
		}
	}
}

// A message that is used again knows the first inner object again by its text, and
// finds in it what a new message finds, whatever came before.
func TestScanInnerAgain(t *testing.T) {
	deep := strings.Repeat("[", 20) + strings.Repeat("]", 20)
	texts := []string{
		`{"a":1,"b":"x"}`, `{"a":1,"b":"x"}`, `{"a":1,"b":"y"}`, `{"a":1,"b":"x"}`, `{ "a":1,"b":"x"}`, `{"a":1}`, `{}`, `{}`,
		`{"\u0061":1,"b":"x"}`, `{"\u0061":1,"b":"x"}`, `{"a":1,"a":2}`, `{"a":1,"a":2}`, `[]`, `{"a":1`, ``, `{"a":1}x`, `null`,
		`{"a":{"c":[1,{"d":2}]},"b":"` + strings.Repeat("z", 600) + `"}`, `{"a":{"c":[1,{"d":2}]},"b":"z"}`, `{"a":{"c":[1,{"d":2}]},"b":"z"}`,
		`{"a":` + deep + `}`, `{"a":` + deep + `}`,
		`{"p0":0,"p1":0,"p2":0,"p3":0,"p4":0,"p5":0,"p6":0,"p7":0,"p8":0,"p9":0,"p10":0,"p11":0,"p12":0,"p13":0,"p14":0,"a":1}`,
		`{"p0":0,"p1":0,"p2":0,"p3":0,"p4":0,"p5":0,"p6":0,"p7":0,"p8":0,"p9":0,"p10":0,"p11":0,"p12":0,"p13":0,"p14":0,"a":1,"b":2}`,
		`{"a":1,"b":"x"}`,
	}
	scanners := []jsonrpc.Scanner{{Inner: []string{"_meta"}}, {Inner: []string{"_meta"}, Depth: 8}, {Inner: []string{"other", "_meta"}}, {}}
	var used jsonrpc.Message
	for round := range 3 {
		for i, text := range texts {
			s := scanners[(i+round)%len(scanners)*min(round, 1)]
			input := []byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":` + text + `,"last":0}}`)
			if text == "" {
				input = []byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"last":0}}`)
			}
			var fresh jsonrpc.Message
			want, got := s.Scan(input, &fresh), s.Scan(input, &used)
			if fmt.Sprint(got) != fmt.Sprint(want) || used.ID.String() != fresh.ID.String() {
				t.Errorf("Scan(%s) = %v into a used message, want %v", input, got, want)
			}
			for _, name := range []string{"a", "b", "p0", "z"} {
				if got, want := string(used.Inner("_meta", name)), string(fresh.Inner("_meta", name)); got != want {
					t.Errorf("Scan(%s): Inner(%s) = %s in a used message, want %s", input, name, got, want)
				}
			}
			if got, want := string(used.Param("last")), string(fresh.Param("last")); got != want {
				t.Errorf("Scan(%s): last = %s in a used message, want %s", input, got, want)
			}
			clear(input) // what is kept must not alias the text
		}
	}
}

func TestScanManyMembers(t *testing.T) {
	var list strings.Builder
	for i := range 100 {
		fmt.Fprintf(&list, `"p%d":%d,`, i, i)
	}
	input := `{` + list.String() + `"jsonrpc":"2.0","id":1,"method":"x","params":{` + list.String() + `"_meta":{` + list.String() + `"z":0}}`
	var m jsonrpc.Message
	if err := mcpScanner.Scan([]byte(input+`}`), &m); err != nil {
		t.Fatalf("Scan = %v", err)
	}
	for i := range 100 {
		name, want := fmt.Sprintf("p%d", i), fmt.Sprint(i)
		if p, in := string(m.Param(name)), string(m.Inner("_meta", name)); p != want || in != want {
			t.Errorf("member %s = %s in params, %s in _meta, want %s", name, p, in, want)
		}
	}
	for _, row := range []scanRow{
		{"envelope", input + `,"p99":0}`, jsonrpc.Request, `1`, request, `duplicate member "p99"`},
		{"params", strings.Replace(input, `"_meta"`, `"p98":0,"_meta"`, 1) + `}`, jsonrpc.Request, `1`, params, `duplicate member "p98" in params`},
		{"inner", strings.Replace(input, `"z"`, `"p\u00397":0,"z"`, 1) + `}`, jsonrpc.Request, `1`, params, `duplicate member "p97" in params._meta`},
	} {
		t.Run(row.name, row.check)
	}
	if err := mcpScanner.Scan(modernCall("hello"), &m); err != nil || m.Param("p50") != nil {
		t.Errorf("after another scan Param(p50) = %s, err %v, want neither", m.Param("p50"), err)
	}
}

func TestScanTooManyMembers(t *testing.T) {
	list := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"p%d":0,`, i)
		}
		return b.String()
	}
	const rest = `"jsonrpc":"2.0","method":"x"` // and the id: three members
	for _, row := range []scanRow{
		{"envelope, at the limit", `{"id":1,` + list(1021) + rest + `}`, jsonrpc.Request, `1`, 0, ``},
		{"envelope", `{"id":1,` + rest + `,` + list(1021) + `"z":0}`, jsonrpc.Request, `1`, request, `message must not have more than 1024 members`},
		{"params, at the limit", `{"id":1,` + rest + `,"params":{` + list(1023) + `"z":0}}`, jsonrpc.Request, `1`, 0, ``},
		{"params", `{"params":{` + list(1024) + `"z":0},"id":1,` + rest + `}`, jsonrpc.Request, `1`, params, `params must not have more than 1024 members`},
		{"inner", `{"id":1,` + rest + `,"params":{"_meta":{` + list(2000) + `"z":0}}}`, jsonrpc.Request, `1`, params, `params._meta must not have more than 1024 members`},
		{"further in", `{"id":1,` + rest + `,"params":{"arguments":{` + list(2000) + `"z":0}}}`, jsonrpc.Request, `1`, 0, ``},
	} {
		t.Run(row.name, row.check)
	}
}

func TestScanDuplicates(t *testing.T) {
	long := strings.Repeat("é", 40)
	for _, row := range []scanRow{
		{"method", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"boom"}`, jsonrpc.Request, `1`, request, `duplicate member "method"`},
		{"escaped", `{"jsonrpc":"2.0","method":"ping","id":1,"m\u0065thod":"boom"}`, jsonrpc.Request, `1`, request, `duplicate member "method"`},
		{"id", `{"jsonrpc":"2.0","id":1,"method":"ping","id":1}`, jsonrpc.Request, ``, request, `duplicate member "id"`},
		{"version", `{"jsonrpc":"2.0","jsonrpc":"2.0","method":"ping"}`, jsonrpc.Notification, ``, request, `duplicate member "jsonrpc"`},
		{"params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}`, jsonrpc.Request, `1`, request, `duplicate member "params"`},
		{"unknown", `{"jsonrpc":"2.0","id":1,"x":0,"x":0,"method":"ping"}`, jsonrpc.Request, `1`, request, `duplicate member "x"`},
		{"long name", `{"jsonrpc":"2.0","id":1,"x` + long + `":0,"x` + long + `":0,"method":"ping"}`, jsonrpc.Request, `1`, request, `duplicate member "x` + long[:62] + `..."`},
		{"in params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"name":1,"name":1}}`, jsonrpc.Request, `1`, params, `duplicate member "name" in params`},
		{"in inner", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":1,"\u0061":2}}}`, jsonrpc.Request, `1`, params, `duplicate member "a" in params._meta`},
		{"inner twice", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":1},"_meta":{"a":2}}}`, jsonrpc.Request, `1`, params, `duplicate member "_meta" in params`},
		{"elsewhere is the handler's matter", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"arguments":{"a":1,"a":2}}}`, jsonrpc.Request, `1`, 0, ``},
		{"broken text comes first", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"`, jsonrpc.Invalid, ``, parse, `Parse error: unexpected end at byte 46`},
	} {
		t.Run(row.name, row.check)
	}
}

func TestScanDepth(t *testing.T) {
	at := func(depth int) string { return `{"x":` + nest(depth-1) + `,"jsonrpc":"2.0","method":"ping"` }
	never := strings.Repeat("[", jsonrpc.MaxDepth+1)
	for _, row := range []scanRow{
		{"at the limit", at(128) + `,"id":1}`, jsonrpc.Request, `1`, 0, ``},
		{"id after", at(129) + `,"id":1}`, jsonrpc.Request, `1`, request, depthText},
		{"id before", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + nest(127) + `}}`, jsonrpc.Request, `1`, request, depthText},
		{"in params, at the limit", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + nest(126) + `}}`, jsonrpc.Request, `1`, 0, ``},
		{"in inner", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":` + nest(126) + `}}}`, jsonrpc.Request, `1`, request, depthText},
		{"in id", `{"jsonrpc":"2.0","id":` + nest(200) + `,"method":"ping"}`, jsonrpc.Request, ``, request, depthText},
		{"notification", at(129) + `}`, jsonrpc.Notification, ``, request, depthText},
		{"response", `{"jsonrpc":"2.0","id":1,"result":` + nest(200) + `}`, jsonrpc.Response, `1`, request, depthText},
		{"broken text comes first", at(129) + `,"id":1`, jsonrpc.Invalid, ``, parse, `Parse error: unexpected end at byte 300`},
		{"no object", nest(129), jsonrpc.Invalid, ``, request, `message must be an object`},

		{"never read, id before", `{"id":1,"method":"ping","x":` + never, jsonrpc.Request, `1`, request, depthText},
		{"never read, id perhaps after", `{"method":"ping","x":` + never, jsonrpc.Invalid, ``, request, depthText},
		{"never read, response", `{"id":1,"result":` + never, jsonrpc.Response, `1`, request, depthText},
		{"never read, no object", never, jsonrpc.Invalid, ``, request, depthText},
	} {
		t.Run(row.name, row.check)
	}
}

func TestScannerDepth(t *testing.T) {
	for _, row := range []struct {
		depth, nesting int
		want           bool
	}{
		{0, jsonrpc.DefaultDepth, true}, {0, jsonrpc.DefaultDepth + 1, false},
		{-1, jsonrpc.DefaultDepth, true}, {-1, jsonrpc.DefaultDepth + 1, false},
		{1, 1, true}, {1, 2, false}, {3, 3, true}, {3, 4, false},
		{jsonrpc.MaxDepth, jsonrpc.MaxDepth, true}, {jsonrpc.MaxDepth, jsonrpc.MaxDepth + 1, false},
		{1 << 20, jsonrpc.MaxDepth, true}, {1 << 20, jsonrpc.MaxDepth + 1, false},
	} {
		s := jsonrpc.Scanner{Depth: row.depth}
		if got := s.Valid([]byte(nest(row.nesting))); got != row.want {
			t.Errorf("Depth %d: Valid of %d levels = %v, want %v", row.depth, row.nesting, got, row.want)
		}
	}
	s := jsonrpc.Scanner{Depth: 1}
	var m jsonrpc.Message
	err := s.Scan([]byte(`{"params":{},"id":1,"method":"x","jsonrpc":"2.0"}`), &m)
	if err == nil || err.Message != `message must not nest deeper than 1 levels` || m.ID.String() != "1" {
		t.Errorf("Scan at depth 1 = %v, id %v, want the limit and the id 1", err, m.ID)
	}
}

func TestScanResponses(t *testing.T) {
	for _, row := range []scanRow{
		{"result", `{"jsonrpc":"2.0","id":1,"result":{}}`, jsonrpc.Response, `1`, 0, ``},
		{"result null", `{"jsonrpc":"2.0","id":"a","result":null}`, jsonrpc.Response, `"a"`, 0, ``},
		{"error", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[1],"more":0}}`, jsonrpc.Response, `1`, 0, ``},
		{"error, id null", `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}`, jsonrpc.Response, ``, 0, ``},
		{"error, no id", `{"jsonrpc":"2.0","error":{"code":-1,"message":"m"}}`, jsonrpc.Response, ``, 0, ``},
		{"params ignored", `{"jsonrpc":"2.0","id":1,"result":{},"params":{"a":1,"a":1}}`, jsonrpc.Response, `1`, 0, ``},

		{"no version", `{"id":1,"result":{}}`, jsonrpc.Response, `1`, request, versionText},
		{"duplicate", `{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`, jsonrpc.Response, `1`, request, `duplicate member "result"`},
		{"both", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-1,"message":"m"}}`, jsonrpc.Response, `1`, request, `result must not stand beside error`},
		{"result, id null", `{"jsonrpc":"2.0","id":null,"result":{}}`, jsonrpc.Response, ``, request, idText},
		{"result, no id", `{"jsonrpc":"2.0","result":{}}`, jsonrpc.Response, ``, request, idText},
		{"id fraction", `{"jsonrpc":"2.0","id":1.5,"error":{"code":-1,"message":"m"}}`, jsonrpc.Response, ``, request, idText},
		{"error null", `{"jsonrpc":"2.0","id":1,"error":null}`, jsonrpc.Response, `1`, request, errorText},
		{"error text", `{"jsonrpc":"2.0","id":1,"error":"m"}`, jsonrpc.Response, `1`, request, errorText},
		{"error empty", `{"jsonrpc":"2.0","id":1,"error":{}}`, jsonrpc.Response, `1`, request, errorText},
		{"code fraction", `{"jsonrpc":"2.0","id":1,"error":{"code":-1.5,"message":"m"}}`, jsonrpc.Response, `1`, request, errorText},
		{"code text", `{"jsonrpc":"2.0","id":1,"error":{"code":"-1","message":"m"}}`, jsonrpc.Response, `1`, request, errorText},
		{"message number", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":1}}`, jsonrpc.Response, `1`, request, errorText},
		{"code twice", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"code":-1,"message":"m"}}`, jsonrpc.Response, `1`, request, errorText},
	} {
		t.Run(row.name, row.check)
	}
	var m jsonrpc.Message
	if err := mcpScanner.Scan([]byte(`{"jsonrpc":"2.0","id":1,"result":[1, 2],"params":{"a":1,"_meta":{"b":1}}}`), &m); err != nil {
		t.Fatal(err)
	}
	if string(m.Result) != `[1, 2]` || m.Error != nil || m.Params != nil || m.Param("a") != nil || m.Inner("_meta", "b") != nil {
		t.Errorf("a response holds Result %s, Error %s, Params %s, a %s, b %s; want the result alone",
			m.Result, m.Error, m.Params, m.Param("a"), m.Inner("_meta", "b"))
	}
	if err := mcpScanner.Scan([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`), &m); err != nil {
		t.Fatal(err)
	}
	if string(m.Error) != `{"code":1,"message":""}` || m.Result != nil {
		t.Errorf("a response holds Result %s, Error %s; want the error alone", m.Result, m.Error)
	}
}

func TestScanParseErrors(t *testing.T) {
	for _, row := range []struct{ input, text string }{
		{"", "unexpected end at byte 0"},
		{"  ", "unexpected end at byte 2"},
		{"\xef\xbb\xbf{}", "unexpected character at byte 0"},
		{"\x00", "unexpected character at byte 0"},
		{"{} {}", "text after the value at byte 3"},
		{"{}\x00", "text after the value at byte 2"},
		{"{", "unexpected end at byte 1"},
		{"}", "unexpected character at byte 0"},
		{"{,}", "unexpected character at byte 1"},
		{`{"a"`, "unexpected end at byte 4"},
		{`{"a":`, "unexpected end at byte 5"},
		{`{"a":1`, "unexpected end at byte 6"},
		{`{"a":1,`, "unexpected end at byte 7"},
		{`{"a":1,}`, "unexpected character at byte 7"},
		{`{"a" 1}`, "unexpected character at byte 5"},
		{`{a:1}`, "unexpected character at byte 1"},
		{`{"a":[1,]}`, "unexpected character at byte 8"},
		{`{"a":[1}}`, "unexpected character at byte 7"},
		{`{"a":{"b":1]}`, "unexpected character at byte 11"},
		{`{"a":{[]:1}}`, "unexpected character at byte 6"},
		{`{"a":[1 2]}`, "unexpected character at byte 8"},
		{`{"a":{"b":{"c":1}}`, "unexpected end at byte 18"},
		{`{"params":{"a"}}`, "unexpected character at byte 14"},
		{`{"params":{"_meta":{"a":}}}`, "unexpected character at byte 24"},
		{`{"a":tru}`, "unknown word at byte 5"},
		{`{"a":nul`, "unknown word at byte 5"},
		{`{"a":fals0}`, "unknown word at byte 5"},
		{`{"a":True}`, "unexpected character at byte 5"},
		{`{"a":01}`, "unexpected character at byte 6"},
		{`{"a":-}`, "malformed number at byte 5"},
		{`{"a":-a}`, "malformed number at byte 5"},
		{`{"a":1.}`, "malformed number at byte 5"},
		{`{"a":1.e1}`, "malformed number at byte 5"},
		{`{"a":1e}`, "malformed number at byte 5"},
		{`{"a":1e+}`, "malformed number at byte 5"},
		{`{"a":+1}`, "unexpected character at byte 5"},
		{`{"a":.1}`, "unexpected character at byte 5"},
		{`{"a":NaN}`, "unexpected character at byte 5"},
		{`{"a":'b'}`, "unexpected character at byte 5"},
		{`{"a":"b`, "unexpected end at byte 7"},
		{"{\"a\":\"b\nc\"}", "unescaped control character in a string at byte 7"},
		{"{\"a\":\"b\x00c\"}", "unescaped control character in a string at byte 7"},
		{`{"a":"\x"}`, "unknown escape in a string at byte 6"},
		{`{"a":"\u12g4"}`, "unknown escape in a string at byte 6"},
		{`{"a":"\u12`, "unknown escape in a string at byte 6"},
		{`{"a":"\`, "unknown escape in a string at byte 6"},
		{"{\"\xff\":1}", "invalid UTF-8 at byte 2"},
		{"{\"a\":\"\xc0\xaf\"}", "invalid UTF-8 at byte 6"},
		{"{\"a\":\"\xed\xa0\x80\"}", "invalid UTF-8 at byte 6"},
		{"{\"a\":\"\xf4\x90\x80\x80\"}", "invalid UTF-8 at byte 6"},
		{"{\"a\":\"\xe2\x82\"}", "invalid UTF-8 at byte 6"},
	} {
		scanRow{row.input, row.input, jsonrpc.Invalid, ``, parse, "Parse error: " + row.text}.check(t)
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	for _, row := range []struct {
		name string
		data []byte
	}{
		{"modern call", modernCall("hello")},
		{"64 KiB", modernCall(plainText)},
		{"escapes in values", modernCall(`\u0041\n\ud83d\ude00`)},
		{"response", []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m\n"}}`)},
		{"deep", []byte(`{"jsonrpc":"2.0","id":1,"result":` + nest(127) + `}`)},
	} {
		var m jsonrpc.Message
		got := testing.AllocsPerRun(100, func() {
			if err := mcpScanner.Scan(row.data, &m); err != nil {
				t.Fatal(err)
			}
			m.Param("name")
			m.Inner("_meta", "io.modelcontextprotocol/protocolVersion")
		})
		if got != 0 {
			t.Errorf("%s: %v allocations in a scan, want none", row.name, got)
		}
	}
}

func TestSplit(t *testing.T) {
	s := jsonrpc.Scanner{Batch: 3, Depth: 4}
	for _, row := range []struct {
		input string
		want  string // the elements joined with |, or the error
	}{
		{`[]`, ``},
		{` [ 1 , "a" , { "b" : [ ] } ] `, `1|"a"|{ "b" : [ ] }`},
		{`[[[[[[[]]]]]]]`, `[[[[[[]]]]]]`}, // Scan judges the depth of each
		{`[1,2,3]`, `1|2|3`},
		{`[1,2,3,4,5]`, `-32600 batch must not have more than 3 elements`},
		{`[1,2,3,4,5`, `-32700 Parse error: unexpected end at byte 10`},
		{`[1,]`, `-32700 Parse error: unexpected character at byte 3`},
		{`[1] 2`, `-32700 Parse error: text after the value at byte 4`},
		{`{"a":1}`, `-32600 batch must be an array`},
		{`{"a":1`, `-32700 Parse error: unexpected end at byte 6`},
		{``, `-32700 Parse error: unexpected end at byte 0`},
		{strings.Repeat("[", 5000), `-32600 message must not nest deeper than 4096 levels`},
	} {
		var got string
		elements, err := s.Split([]byte(row.input))
		for i, e := range elements {
			got += strings.Repeat("|", min(i, 1)) + string(e)
		}
		if err != nil {
			got += fmt.Sprint(int(err.Code), " ", err.Message)
		}
		if got != row.want {
			t.Errorf("Split(%.60s) = %s, want %s", row.input, got, row.want)
		}
	}
	if got, err := mcpScanner.Split([]byte(`[` + strings.Repeat(`0,`, jsonrpc.DefaultBatch) + `0]`)); err == nil {
		t.Errorf("Split of one more than DefaultBatch = %d elements, want an error", len(got))
	}
}

func TestIsArray(t *testing.T) {
	for input, want := range map[string]bool{"": false, " ": false, "[": true, " \r\n\t[1": true, `{"a":[]}`: false, "\v[": false} {
		if got := jsonrpc.IsArray([]byte(input)); got != want {
			t.Errorf("IsArray(%q) = %v, want %v", input, got, want)
		}
	}
}

func TestMessageKindString(t *testing.T) {
	for kind, want := range map[jsonrpc.MessageKind]string{
		jsonrpc.Invalid: "invalid", jsonrpc.Request: "request", jsonrpc.Notification: "notification", jsonrpc.Response: "response",
	} {
		if got := kind.String(); got != want {
			t.Errorf("MessageKind(%d).String() = %s, want %s", kind, got, want)
		}
	}
}
