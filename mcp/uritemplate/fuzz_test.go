package uritemplate_test

import (
	"net/url"
	"strings"
	"testing"

	"isthmus.internal/mcp/uritemplate"
)

// same reports whether two uris differ at most in which characters are encoded. Of
// values with a % in a {+x} or {#x} nothing can be said, since those expressions write
// what looks encoded as it is.
func same(template *uritemplate.Template, values uritemplate.Values, a, b string) bool {
	if text := template.String(); strings.Contains(text, "{+") || strings.Contains(text, "{#") {
		for _, v := range values {
			if strings.Contains(v.Text(), "%") {
				return true
			}
		}
	}
	a, errA := url.PathUnescape(a)
	b, errB := url.PathUnescape(b)
	return errA == nil && errB == nil && a == b
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range [][2]string{
		{"a:{x}", "a:b%20c"}, {"f{/x*}{?q,r*}{#f}", "f/a/b?q=1&r=2&r=3#x/y"}, {"{x,y}-{+z}/end", "1,2-3/4/end"},
		{"{x}{.y,z}{;a,b}{&c}", "x.y.z;a;b=1&c=2"}, {"{x:3}{y", "{}"}, {"é%41{+x}", "%C3%A9%41%zz"}, {"a:{x}-{y}", "a:%2D-%2d"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, uri string) {
		template, err := uritemplate.Parse(text)
		if err != nil {
			return
		}
		values := make(uritemplate.Values)
		for i, name := range template.Variables() {
			values[name] = []uritemplate.Value{{}, uritemplate.Text(uri), uritemplate.List(uri, ""), uritemplate.Map(map[string]string{uri: text})}[i%4]
		}
		if expanded, err := template.Expand(values); err == nil {
			if strings.Trim(expanded, "!#$%&'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_abcdefghijklmnopqrstuvwxyz~") != "" {
				t.Fatalf("%q expanded to %q, which is no uri", text, expanded)
			}
			checkMatch(t, template, expanded)
		}
		checkMatch(t, template, uri)
	})
}
