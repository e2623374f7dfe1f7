package jsonschema_test

import (
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

func TestFormats(t *testing.T) {
	for _, row := range []struct {
		format  string
		yes, no []string
	}{
		{"date", []string{"2024-02-29", "2000-02-29", "2026-04-30", "2026-12-31"},
			[]string{"2023-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-1", "20260101xx", "२026-01-01"}},
		{"time", []string{"12:00:00Z", "23:59:60z", "00:59:60+01:00", "18:29:60.5-05:30", "12:00:00.123+23:59"},
			[]string{"12:00:00", "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "12:00:00.Z", "12:00:00+24:00", "12:00:00+01", "12.00:00Z"}},
		{"date-time", []string{"2026-07-28T12:00:00Z", "2026-07-28t12:00:00.5+02:00"},
			[]string{"2026-07-28", "2026-07-28 12:00:00Z", "2026-07-28T12:00:00", "2026-02-30T12:00:00Z"}},
		{"duration", []string{"P1Y2M3DT4H5M6S", "P2W", "PT36H", "P1DT12H", "P01D"},
			[]string{"", "P", "PT", "P1", "1D", "P1D2H", "P2D1Y", "P1Y2D", "P1Y2W", "PT1H2S", "P1DT", "PW", "P1S", "PT0.5S"}},
		{"email", []string{"a@b", "a.b+c@example.com", `"a b\"@"@example.com`, "a@[192.0.2.1]", "a@[IPv6:::1]"},
			[]string{"a", "@b", "a@", ".a@b", "a..b@c", "a b@c", `"a"b"@c`, `"a\"@c`, "a@[192.0.2.300]", "a@[IPv6:x]", "a@[192.0.2.1", "é@b", "a@-b", "\"é\"@b", "\"\x01\"@b"}},
		{"idn-email", []string{"é@天.example", `"é"@b`}, []string{"a", "é@", "a b@c"}},
		{"hostname", []string{"a", "www.example.com", "1-2.3", "xn--4gbwdl.xn--wgbh1c"},
			[]string{"", ".", "a.", ".a", "-a", "a-", "a_b", "é", "a..b", longLabel + "a"}},
		{"idn-hostname", []string{"天。例え", "a.b", longLabel}, []string{"", "a b", "。", "-é", longLabel + "é"}},
		{"ipv4", []string{"192.0.2.1", "0.0.0.0"}, []string{"192.0.2", "192.0.2.256", "192.0.2.01", "::1", "192.0.2.1/24"}},
		{"ipv6", []string{"::", "2001:db8::1", "::ffff:192.0.2.1"}, []string{"192.0.2.1", "12345::", "fe80::1%eth0", "[::1]", "1:2:3"}},
		{"uri", []string{"http://a", "https://u:p@a.b:80/c;d/%20?e=f#g", "urn:a:b", "ldap://[2001:db8::7]/c", "http://[v1.a:b]:1/", "a+b-c.d:"},
			[]string{"", "/a", "a", "http://a b", "http://a/%2", "http://a/%zz", "1a:b", "http://[::1", "http://[::1]x", "http://[::1]:x", "http://[v.a]/", "http://[vg.a]/",
				"http://a:b", "http://a/é", "http://a/<", "http://a?\\", "http://a#{", "http://u@v@a/[", ":a"}},
		{"uri-reference", []string{"", "/a", "../b?c#d", "//h/p", "a:b"}, []string{"\\a", "a b", "#a#b", "é", "1:b"}},
		{"iri", []string{"http://é/天?\ue000#x"}, []string{"é", "http://\ufdd0/", "http://a#\ue000", "http://a/\u0080"}},
		{"iri-reference", []string{"é", "/𐀀"}, []string{"\\é", "\ufffe", "\U000e0001"}},
		{"uri-template", []string{"", "/a/{b}", "{+a,b:3,c*}", "{?a.b,c_d%20}", "%41é"},
			[]string{"{", "}", "{a", "{}", "{a,}", "{a b}", "{a:0}", "{a:10000}", "{a:x}", "{a:3*}", "%4", "a b", "{{a}}", "\x7f"}},
		{"uuid", []string{"f81d4fae-7dec-11d0-a765-00A0C91E6BF6"},
			[]string{"", "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bfg", "f81d4fae-7dec-11d0-a76500a0c91e6bf6xx-"}},
		{"json-pointer", []string{"", "/", "/a/~0~1/0"}, []string{"a", "#/a", "/~", "/~2"}},
		{"relative-json-pointer", []string{"0", "10/a", "1#"}, []string{"", "/a", "01", "-1", "0##", "1a", "1#/a"}},
		{"regex", []string{"", "a+", `(?=a)(?!b)(?<=c)(?<!d)`, `(?<n>a)\k<n>\1`, "a{5000}", `[^]`, `\p{L}[\P{Lu}-]`, strings.Repeat(`\p{L}[^\p{Alphabetic}]`, 50_000)}, []string{"(", `\p{x}`, `[\p{Lu}-z`, `\a`, "*", `\k`, "(?i)a", "[b-a]"}},
		{"color", []string{"", "anything"}, nil}, // not known
	} {
		schema := `{"format":"` + row.format + `"}`
		asserted := compile(t, schema, &jsonschema.Options{AssertFormat: true})
		annotated := compile(t, schema, nil)
		for _, text := range row.yes {
			if got, _ := fault(t, asserted, string(jsonrpc.AppendString(nil, text))); got != "" {
				t.Errorf("%q: %s", text, got)
			}
		}
		for _, text := range row.no {
			value := string(jsonrpc.AppendString(nil, text))
			if got, path := fault(t, asserted, value); path != "#/format" {
				t.Errorf("%q is taken for a %s, or refused for another reason: %s", text, row.format, got)
			}
			if got, _ := fault(t, annotated, value); got != "" {
				t.Errorf("%q is refused where format is an annotation: %s", text, got)
			}
		}
		if got, _ := fault(t, asserted, `1`); got != "" {
			t.Errorf("a format is about strings alone: %s", got)
		}
	}
}

// longLabel has the 63 characters that a label of a host name may have.
const longLabel = "aaaaaaaaabaaaaaaaaabaaaaaaaaabaaaaaaaaabaaaaaaaaabaaaaaaaaabaaa"

func TestFormatIsExplained(t *testing.T) {
	s := compile(t, `{"properties":{"when":{"format":"date-time"},"how":{"format":"regex"}}}`, &jsonschema.Options{AssertFormat: true})
	got, _ := fault(t, s, `{"when":"tomorrow","how":"("}`)
	want := `args.when: expected a string of the format date-time (such as 2026-07-28T12:00:00Z), got the string "tomorrow"; ` +
		`args.how: expected a string of the format regex, got the string "("`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
