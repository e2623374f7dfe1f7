package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"

// traceOf returns what a handler sees of the trace context in a request with these
// members of _meta.
func traceOf(t testing.TB, f *mcp.Form, meta string) (traceparent, tracestate, baggage string) {
	t.Helper()
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		traceparent, tracestate, baggage = c.TraceContext()
		return mcp.TextResult(""), nil
	})
	ask(t, s, f, "tools/call", `{"name":"a","_meta":{`+meta+`}}`)
	return traceparent, tracestate, baggage
}

// quote is text as a JSON string.
func quote(text string) string { return string(jsonrpc.AppendString(nil, text)) }

func TestTraceContext(t *testing.T) {
	inForms(t, func(t *testing.T, f *mcp.Form) {
		p, s, b := traceOf(t, f, `"traceparent":"`+parent+`","tracestate":"a=1,b@c=2","baggage":"userId=alice;p, k=v"`)
		same(t, "all three", strings.Join([]string{p, s, b}, " | "), parent+" | a=1,b@c=2 | userId=alice;p, k=v")
		p, s, b = traceOf(t, f, ``)
		same(t, "none", p+s+b, "")
		p, s, b = traceOf(t, f, `"tracestate":"a=1","baggage":"k=v"`)
		same(t, "without the parent", strings.Join([]string{p, s, b}, " | "), " |  | k=v")
		p, s, b = traceOf(t, f, `"traceparent":"`+parent+`","tracestate":"a","baggage":"k"`)
		same(t, "only the parent is well formed", strings.Join([]string{p, s, b}, " | "), parent+" |  | ")
		p, s, b = traceOf(t, f, `"traceparent":["`+parent+`"],"tracestate":1,"baggage":null`)
		same(t, "no strings", p+s+b, "")
		p, _, _ = traceOf(t, f, `"Traceparent":"`+parent+`"`)
		same(t, "another name", p, "")
	})
}

func TestTraceparent(t *testing.T) {
	tests := []struct {
		name, value string
		good        bool
	}{
		{"version 00", parent, true},
		{"unknown flags", parent[:53] + "ff", true},
		{"a version to come", "01" + parent[2:], true},
		{"with more of it", "cc" + parent[2:] + "-what.the+future", true},
		{"more in version 00", parent + "-x", false},
		{"more without a dash", "cc" + parent[2:] + "x", false},
		{"more with a line end", "cc" + parent[2:] + "-\r\nx", false},
		{"version ff", "ff" + parent[2:], false},
		{"trace of zeros", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
		{"parent of zeros", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false},
		{"upper case", strings.ToUpper(parent), false},
		{"a digit less", parent[:len(parent)-1], false},
		{"dashes elsewhere", "000-af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01", false},
		{"no hexadecimal", "00-0gf7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01", false},
		{"space before", " " + parent, false},
		{"empty", "", false},
		{"very long", "cc" + parent[2:] + "-" + strings.Repeat("x", 8200), false},
	}
	for _, test := range tests {
		got, _, _ := traceOf(t, forms[4], `"traceparent":`+quote(test.value))
		if (got != "") != test.good || got != "" && got != test.value {
			t.Errorf("%s: %q: got %q, want it taken: %t", test.name, test.value, got, test.good)
		}
	}
}

func TestTracestate(t *testing.T) {
	member := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("k%d=v", i))
		}
		return strings.Join(all, ",")
	}
	tests := []struct {
		name, value string
		good        bool
	}{
		{"one", "rojo=00f067aa0ba902b7", true},
		{"space around", "a=1 ,\t b=2", true},
		{"an empty member", "a=1,,b=2", true},
		{"all that a key may have", "0a_-*/z=1", true},
		{"tenant", "t0@s=1", true},
		{"all that a value may have", "a=!\"#$%&'()*+-./:;<>?@[]^_{|}~ x", true},
		{"32", member(32), true},
		{"33", member(33), false},
		{"longest key and value", strings.Repeat("k", 256) + "=" + strings.Repeat("v", 256), true},
		{"key too long", strings.Repeat("k", 257) + "=v", false},
		{"value too long", "k=" + strings.Repeat("v", 257), false},
		{"tenant too long", strings.Repeat("t", 242) + "@s=v", false},
		{"system too long", "t@" + strings.Repeat("s", 15) + "=v", false},
		{"no key", "=1", false},
		{"no value", "a=", false},
		{"no =", "a", false},
		{"two =", "a=b=c", false},
		{"a key twice", "a=1,a=2", false},
		{"upper case", "A=1", false},
		{"two @", "a@b@c=1", false},
		{"control character", "a=\r\nx", false},
		{"letter beyond ASCII", "a=ä", false},
		{"nothing", "", false},
		{"only space and commas", " , ", false},
	}
	for _, test := range tests {
		_, got, _ := traceOf(t, forms[4], `"traceparent":"`+parent+`","tracestate":`+quote(test.value))
		if (got != "") != test.good || got != "" && got != test.value {
			t.Errorf("%s: %q: got %q, want it taken: %t", test.name, test.value, got, test.good)
		}
	}
}

func TestBaggage(t *testing.T) {
	tests := []struct {
		name, value string
		good        bool
	}{
		{"one", "userId=alice", true},
		{"several with space", "a = 1 , b=2", true},
		{"properties", "a=1;p;q = 2,b=2", true},
		{"percent", "a=Am%C3%A9lie", true},
		{"empty value", "a=", true},
		{"= in a value", "a=b=c", true},
		{"no value", "a", false},
		{"no key", "=1", false},
		{"empty member", "a=1,", false},
		{"empty property", "a=1;", false},
		{"space in a value", "a=1 2", false},
		{"quotes", `a="1"`, false},
		{"backslash", `a=\`, false},
		{"line end", "a=1\nb", false},
		{"letter beyond ASCII", "a=é", false},
		{"space in a key", "a b=1", false},
		{"nothing", "", false},
		{"longest", "a=" + strings.Repeat("x", 8190), true},
		{"too long", "a=" + strings.Repeat("x", 8191), false},
	}
	for _, test := range tests {
		_, _, got := traceOf(t, forms[4], `"baggage":`+quote(test.value))
		if (got != "") != test.good || got != "" && got != test.value {
			t.Errorf("%s: %q: got %q, want it taken: %t", test.name, test.value, got, test.good)
		}
	}
}

// FuzzTraceContext: what is given on can be the value of a header.
func FuzzTraceContext(f *testing.F) {
	f.Add(parent, "a=1,b@c=2", "userId=alice;p")
	f.Add("cc"+parent[2:]+"-x", " , ", "a=b=c")
	f.Fuzz(func(t *testing.T, p, s, b string) {
		if !utf8.ValidString(p + s + b) {
			return
		}
		traceparent, tracestate, baggage := traceOf(t, forms[4], `"traceparent":`+quote(p)+`,"tracestate":`+quote(s)+`,"baggage":`+quote(b))
		for name, value := range map[string]string{"traceparent": traceparent, "tracestate": tracestate, "baggage": baggage} {
			for _, c := range []byte(value) {
				if c < ' ' && c != '\t' || c > '~' {
					t.Errorf("%s is %q, which no header may be", name, value)
				}
			}
		}
		if traceparent != "" && traceparent != p || tracestate != "" && (tracestate != s || traceparent == "") || baggage != "" && baggage != b {
			t.Errorf("%q %q %q became %q %q %q", p, s, b, traceparent, tracestate, baggage)
		}
	})
}
