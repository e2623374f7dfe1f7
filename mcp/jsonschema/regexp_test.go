package jsonschema_test

import (
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// patternSchema is a schema that has a pattern alone.
func patternSchema(pattern string) jsonrpc.Raw {
	return append(jsonrpc.AppendString(jsonrpc.Raw(`{"pattern":`), pattern), '}')
}

// Regular expressions are those of ECMA-262, read as with the flag u.
func TestPatterns(t *testing.T) {
	for _, row := range []struct {
		pattern string
		yes, no []string
	}{
		{`b`, []string{"abc"}, []string{"ac", ""}},
		{`^a$`, []string{"a"}, []string{"a\n", "b\na", "a\nb"}},
		{`^.$`, []string{"x", "😀", "\u0085"}, []string{"\n", "\r", "\u2028", "\u2029", "xy"}},
		{`^\d\D\w\W$`, []string{"1xé!"[:2] + "a!", "1é_é"}, []string{"٣xa!", "11a!", "1xé!", "1xaa"}},
		{`^\s\S$`, []string{" x", "\ufeffx", "\u2028\u200b", "\u3000\x00"}, []string{"xx", "  ", "\u180ex"}},
		{`^[\s\d]+$`, []string{"\u00a01"}, []string{"x"}},
		{`^[\S]$`, []string{"x"}, []string{" ", "\ufeff"}},
		{`^[^\s\W]$`, []string{"x"}, []string{" ", "é"}},
		{`\bfoo\B`, []string{"foox"}, []string{"foo", "xfoox"}},
		{`^\cJ\cj$`, []string{"\n\n"}, []string{"cJ"}},
		{`^\x41\u0042\u{43}\u{1F600}\ud83d\ude00$`, []string{"ABC😀😀"}, []string{"ABC"}},
		{`^\t\n\v\f\r\0$`, []string{"\t\n\v\f\r\x00"}, []string{"tnvfr0"}},
		{`^\ud83d$`, []string{"\ufffd"}, []string{"😀"}},
		{`^\/\-\.\$\@\é$`, []string{`/-.$@é`}, []string{`/-.x@é`}},
		{`^[a\-z]$`, []string{"a", "-", "z"}, []string{"b", `\`}},
		{`^[a-c-]$`, []string{"b", "-"}, []string{"d"}},
		{`^[\w-]$`, []string{"b", "-"}, []string{"!"}},
		{`^[[:alpha:]]$`, []string{"a]", ":]"}, []string{"b"}}, // not a POSIX class
		{`^[\b]$`, []string{"\b"}, []string{"b"}},
		{`^[\u0041-\u{43}\cA]$`, []string{"B", "\x01"}, []string{"D"}},
		{`^[.^$*(){}|]+$`, []string{".^$*(){}|"}, []string{"a"}},
		{`[]`, nil, []string{"", "a"}},
		{`^[^]$`, []string{"\n", "x"}, []string{"", "xy"}},
		{`^(?<year>\d{4})-(?:0|1)\d$`, []string{"2026-07"}, []string{"2026-27"}},
		{`^a{2}b{1,}c{0,2}$`, []string{"aab", "aabbcc"}, []string{"ab", "aabccc"}},
		{`^a{,2}{$`, []string{"a{,2}{"}, []string{"aa"}},
		{`^a+?b*?c??$`, []string{"aab"}, []string{"b"}},
		{`^a|b$`, []string{"ax", "xb"}, []string{"xax"}},
		{`^]}$`, []string{"]}"}, []string{"]"}},
		{`^\p{Lu}\p{Letter}\P{L}$`, []string{"Éa1"}, []string{"éa1", "Éaa"}},
		{`^[\p{Script=Greek}\p{sc=Cyrillic}\p{gc=Nd}]+$`, []string{"αж٣"}, []string{"a"}},
		{`^\p{General_Category=Uppercase_Letter}\p{Alphabetic}\p{Lowercase}\p{Uppercase}\p{White_Space}$`, []string{"AaªA "}, []string{"aaaA "}},
		{`^\p{Any}\p{ASCII}\P{ASCII}$`, []string{"😀aé"}, []string{"aaa"}},
		{`^🐲*$`, []string{"", "🐲🐲"}, []string{"🐉"}},
		{`^[🐲-🐴]$`, []string{"🐳"}, []string{"🐉"}},
	} {
		s, err := jsonschema.Compile(patternSchema(row.pattern), nil)
		if err != nil {
			t.Errorf("pattern %s: %v", row.pattern, err)
			continue
		}
		for _, text := range row.yes {
			if got, _ := fault(t, s, string(jsonrpc.AppendString(nil, text))); got != "" {
				t.Errorf("pattern %s does not match %q", row.pattern, text)
			}
		}
		for _, text := range row.no {
			if got, _ := fault(t, s, string(jsonrpc.AppendString(nil, text))); got == "" {
				t.Errorf("pattern %s matches %q", row.pattern, text)
			}
		}
	}
}

func TestPatternsThatAreRefused(t *testing.T) {
	for _, row := range []struct{ pattern, want string }{
		{`(?=a)`, `the lookahead (?= is not supported`},
		{`x(?!a)`, `the lookahead (?! is not supported`},
		{`(?<=a)b`, `the lookbehind (?<= is not supported`},
		{`(?<!a)b`, `the lookbehind (?<! is not supported`},
		{`(a)\1`, `the backreference \1 is not supported`},
		{`(?<n>a)\k<n>`, `the backreference \k is not supported`},
		{`(?i)a`, `"(?i..." is not known in regular expressions of ECMA-262`},
		{`(?P<n>a)`, `"(?P..." is not known in regular expressions of ECMA-262`},
		{`(?<>a)`, `the name of a group is not one`},
		{`(?<n`, `the name of a group is not one`},
		{`(a`, `a group is not closed`},
		{`a)`, `there is a ) without its (`},
		{`[a`, `a [ is not closed`},
		{`[b-a]`, `a range in a class is the wrong way round`},
		{`[a-\d]`, `a range in a class ends with a set`},
		{`[a-\q]`, `\q is not known in regular expressions of ECMA-262`},
		{`\a`, `\a is not known in regular expressions of ECMA-262`},
		{`\Z`, `\Z is not known in regular expressions of ECMA-262`},
		{`\01`, `\0 is not known in regular expressions of ECMA-262`},
		{`\c1`, `\c is not known in regular expressions of ECMA-262`},
		{`a\`, `a \ stands at the end`},
		{`[\`, `a [ is not closed`},
		{`\x4`, `an escape lacks its hexadecimal digits`},
		{`\u00g0`, `an escape lacks its hexadecimal digits`},
		{`\u{110000}`, `or is beyond U+10FFFF`},
		{`[\u{1`, `a \u{ is not closed`},
		{`\u{}`, `an escape lacks its hexadecimal digits`},
		{`\p{Nonsense}`, `the property "Nonsense" is not known`},
		{`\p{Script_Extensions=Greek}`, `the property "Script_Extensions=Greek" is not known`},
		{`\p{Other_Alphabetic}`, `the property "Other_Alphabetic" is not known`},
		{`\pL`, `\p lacks its name in braces`},
		{`[\p{`, `\p lacks its name in braces`},
		{`*a`, `missing argument to repetition operator`},
		{`a{2,1}`, `it repeats something more than 1000 times`},
		{`a{1000000000000}`, `it repeats something more than 1000 times`},
	} {
		_, err := jsonschema.Compile(patternSchema(row.pattern), nil)
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "at #/pattern: ") {
			t.Errorf("pattern %s: error %v, want it to name #/pattern and %s", row.pattern, err, row.want)
		}
	}
}
