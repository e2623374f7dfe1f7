package jsonschema_test

import (
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

func TestErrorNamesPlaces(t *testing.T) {
	for _, row := range []struct{ path, in, plain string }{
		{``, `args`, `the value`},
		{`/a`, `args.a`, `/a`},
		{`/a/0/b`, `args.a[0].b`, `/a/0/b`},
		{`/a-b/x y/é`, `args.a-b["x y"]["é"]`, `/a-b/x y/é`},
		{`/a~1b/~0`, `args["a/b"]["~"]`, `/a~1b/~0`},
		{`/01/00000000000`, `args["01"]["00000000000"]`, `/01/00000000000`},
		{`//`, `args[""][""]`, `//`},
		{"/a\nb", `args["a\nb"]`, `/a b`},
	} {
		e := &jsonschema.Error{Path: row.path, Expected: "this", Got: "that"}
		if got, want := e.In("args"), row.in+": expected this, got that"; got != want {
			t.Errorf("path %q: In = %s, want %s", row.path, got, want)
		}
		if got, want := e.Error(), row.plain+": expected this, got that"; got != want {
			t.Errorf("path %q: Error = %s, want %s", row.path, got, want)
		}
	}
}

// Whatever comes, the error is one line, and not much longer than what it has to say.
func TestErrorIsOneShortLine(t *testing.T) {
	long := strings.Repeat(`é\n`, 10_000)
	for name, row := range map[string][2]string{
		"long string":  {`{"type":"null"}`, `"` + long + `"`},
		"long const":   {`{"const":"` + long + `"}`, `1`},
		"long enum":    {`{"enum":["` + long + `","` + long + `"]}`, `1`},
		"many choices": {`{"enum":[` + strings.Repeat(`1,`, 10_000) + `1]}`, `2`},
		"long name":    {`{"additionalProperties":false}`, `{"` + long + `":1}`},
		"long path":    {`{"additionalProperties":{"additionalProperties":false}}`, `{"` + long + `":{"a":1}}`},
		"many names":   {`{"additionalProperties":false}`, `{` + manyNames(10_000) + `}`},
		"many missing": {`{"required":[` + strings.ReplaceAll(manyNames(10_000), `:1`, ``) + `]}`, `{}`},
		"many faults":  {`{"items":{"type":"null"}}`, `[` + strings.Repeat(`1,`, 10_000) + `1]`},
		"long number":  {`{"maximum":1` + strings.Repeat(`0`, 10_000) + `}`, `2` + strings.Repeat(`0`, 20_000)},
		"long pattern": {`{"pattern":"` + strings.Repeat(`é`, 3000) + `"}`, `"x"`},
		"layout":       {`{"not":{"type":"object","description":"\u2028"}}`, "{\n\t\"a\": \"\u2028\"\n}"},
	} {
		s := compile(t, row[0], nil)
		for _, text := range []string{s.Validate(jsonrpc.Raw(row[1])).Error(), s.Validate(jsonrpc.Raw(row[1])).(*jsonschema.Error).In("args")} {
			if len(text) > 3000 || strings.ContainsAny(text, "\n\r\t\u2028") || !strings.Contains(text, "expected ") {
				t.Errorf("%s: %d bytes: %.3000q", name, len(text), text)
			}
		}
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(`,"n` + strings.Repeat("x", k%7) + string(jsonrpc.AppendInt(nil, int64(k))) + `":1`)
	}
	return b.String()[1:]
}

// All that is wrong is named at once, so that a model need not try as often.
func TestErrorNamesSeveralPlaces(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"enum":["x"]}},"required":["a","b"]}`, nil)
	err := s.Validate(jsonrpc.Raw(`{"a":"x","c":"y"}`)).(*jsonschema.Error)
	want := `arguments: expected the required member "b", got an object with "a" and "c"; ` +
		`arguments.a: expected an integer, got the string "x"; arguments.c: expected "x", got the string "y"`
	if got := err.In("arguments"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if len(err.More) != 2 || err.Path != "" || err.More[0].Path != "/a" || err.More[1].Path != "/c" {
		t.Errorf("paths %q, %v", err.Path, err.More)
	}
}
