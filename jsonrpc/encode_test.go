package jsonrpc_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
)

// B07, B08: the separators are escaped, and what only HTML minds is not.
func TestAppendString(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", `""`},
		{"plain", "abc", `"abc"`},
		{"short escapes", "\"\\\b\f\n\r\t", `"\"\\\b\f\n\r\t"`},
		{"control characters", "\x00\x01\x0b\x1f", `"\u0000\u0001\u000b\u001f"`},
		{"slash and delete", "/\x7f", "\"/\x7f\""},
		{"B07 separators", "before \u2028 after \u2029 end", `"before \u2028 after \u2029 end"`},
		{"next to the separators", "\u2027\u202a\u20a8", "\"\u2027\u202a\u20a8\""},
		{"B08 HTML", `<a href="x">&amp;</a>`, `"<a href=\"x\">&amp;</a>"`},
		{"beyond ASCII", "é天😀", `"é天😀"`},
		{"replacement character", "\uFFFD", "\"\uFFFD\""},
		{"not UTF-8", "a\xff\xfeb", `"a\ufffd\ufffdb"`},
		{"cut short", "a\xe2\x80", `"a\ufffd\ufffd"`},
		{"surrogate", "\xed\xa0\x80", `"\ufffd\ufffd\ufffd"`},
		{"escape after a long run", strings.Repeat("a", 100) + "\n" + strings.Repeat("é", 50) + "\n", `"` + strings.Repeat("a", 100) + `\n` + strings.Repeat("é", 50) + `\n"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := string(jsonrpc.AppendString([]byte("x"), row.text)); got != "x"+row.want {
				t.Errorf("AppendString(x, %q) = %s, want x%s", row.text, got, row.want)
			}
			if got := string(jsonrpc.AppendStringBytes(nil, []byte(row.text))); got != row.want {
				t.Errorf("AppendStringBytes(nil, %q) = %s, want %s", row.text, got, row.want)
			}
		})
	}
}

func TestAppendMember(t *testing.T) {
	for _, row := range []struct{ dst, name, value, want string }{
		{`{`, "a", `1`, `{"a":1`},
		{`{"a":1`, "b\n", `{"c":[]}`, `{"a":1,"b\n":{"c":[]}`},
		{`{"a":{"b":1}`, "", `null`, `{"a":{"b":1},"":null`},
		{`{"a":{`, "b", `"}"`, `{"a":{"b":"}"`},
	} {
		if got := string(jsonrpc.AppendMember([]byte(row.dst), row.name, jsonrpc.Raw(row.value))); got != row.want {
			t.Errorf("AppendMember(%s, %q, %s) = %s, want %s", row.dst, row.name, row.value, got, row.want)
		}
	}
}

func TestAppendStringAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 1<<10)
	text := "a\n\"é\u2028\xff" + strings.Repeat("text ", 50)
	if got := testing.AllocsPerRun(100, func() { jsonrpc.AppendString(buf, text) }); got != 0 {
		t.Errorf("%v allocations into a buffer that is large enough, want none", got)
	}
}

func TestAppendNumbers(t *testing.T) {
	for _, row := range []struct {
		n    int64
		want string
	}{{0, `0`}, {-1, `-1`}, {9007199254740993, `9007199254740993`}, {math.MinInt64, `-9223372036854775808`}} {
		if got := string(jsonrpc.AppendInt(nil, row.n)); got != row.want {
			t.Errorf("AppendInt(%d) = %s, want %s", row.n, got, row.want)
		}
	}
	for _, row := range []struct {
		f    float64
		want string
	}{
		{0, `0`}, {0.25, `0.25`}, {50, `50`}, {-1.5, `-1.5`}, {1.0 / 3, `0.3333333333333333`},
		{1e20, `100000000000000000000`}, {1e21, `1e+21`}, {1e-6, `0.000001`}, {1e-7, `1e-7`}, {-2.5e-9, `-2.5e-9`}, {1e-10, `1e-10`}, {1e100, `1e+100`}, {math.MaxFloat64, `1.7976931348623157e+308`},
		{math.Copysign(0, -1), `-0`}, {math.SmallestNonzeroFloat64, `5e-324`},
		{math.NaN(), `null`}, {math.Inf(1), `null`}, {math.Inf(-1), `null`},
	} {
		got := jsonrpc.AppendFloat(nil, row.f)
		if string(got) != row.want {
			t.Errorf("AppendFloat(%v) = %s, want %s", row.f, got, row.want)
		}
		var back float64
		if err := json.Unmarshal(got, &back); err != nil || row.want != `null` && back != row.f {
			t.Errorf("AppendFloat(%v) = %s, which reads as %v, %v", row.f, got, back, err)
		}
	}
	if got := string(jsonrpc.AppendBool(jsonrpc.AppendBool(nil, true), false)); got != `truefalse` {
		t.Errorf("AppendBool of true and false = %s", got)
	}
}

func TestAppendCompact(t *testing.T) {
	for _, row := range []struct{ text, want, err string }{
		{`1`, `1`, ``},
		{" \"a b\\n\" ", `"a b\n"`, ``},
		{"{\r\n\t\"a b\" : [ 1.50 , -0 , 1E+2 , \"\\u0061\" ] ,\n \"a b\" : { } }\n", `{"a b":[1.50,-0,1E+2,"\u0061"],"a b":{}}`, ``},
		{"[\n]", `[]`, ``},
		{`["` + "\u2028\u2029" + ` \" "]`, `["\u2028\u2029 \" "]`, ``},
		{strings.Repeat("[ ", 4096) + strings.Repeat("] ", 4096), nest(4096), ``},

		{``, ``, `not a JSON value: unexpected end at byte 0`},
		{`[1] [2]`, ``, `not a JSON value: text after the value at byte 4`},
		{`{"a" 1}`, ``, `not a JSON value: unexpected character at byte 5`},
		{"\"\n\"", ``, `not a JSON value: unescaped control character in a string at byte 1`},
		{nest(4097), ``, `not a JSON value: too many levels at byte 4096`},
	} {
		got, err := jsonrpc.AppendCompact([]byte("x"), []byte(row.text))
		var text string
		if err != nil {
			text = strings.TrimPrefix(err.Error(), "jsonrpc: ")
		}
		if string(got) != "x"+row.want || text != row.err {
			t.Errorf("AppendCompact(x, %.60q)\n got %.80s, error %q\nwant x%.80s, error %q", row.text, got, text, row.want, row.err)
		}
	}
}
