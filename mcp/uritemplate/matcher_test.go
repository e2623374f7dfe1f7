package uritemplate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/mcp/uritemplate"
)

func TestMatcherRefuses(t *testing.T) {
	rows := []struct{ template, want string }{
		{"{x}{y}", "{x} cannot be matched: {y} follows directly"},
		{"res://{a}{b}{c}", "{a} cannot be matched: {b} follows directly"},
		{"{x}{+y}", "{+y} follows directly"},
		{"{/x}{y}", "{y} follows directly"},
		{"{x}{?q}{y}", "{x} cannot be matched: {y} follows directly"},
		{"{x:3}", "only the beginning of x"},
		{"{?a,x:3}", "only the beginning of x"},
		{"{x}/{x}", "x stands twice"},
		{"{x,x}", "x stands twice"},
		{"{+x,y}", "may hold the comma"},
		{"{#x*}", "may hold the comma"},
		{"{x*,y}", "x takes all values"},
		{"{/x*,y}", "x takes all values"},
		{"{/x*}{/y}", `"/" follows, which could begin one more`},
		{"{/x*}{?q}/y{z}", `"/y" follows, which could begin one more`},
		{"{x*},y{z}", `",y" follows, which could begin one more`},
		{"{.x}.y{z}", `".y" follows, which begins as it does`},
		{"{?x}{&y}?z{z}", `"?z" follows, which begins as it does`},
	}
	for _, r := range rows {
		template, err := uritemplate.Parse(r.template)
		if err != nil {
			t.Errorf("Parse(%q): %v", r.template, err)
			continue
		}
		if _, err = template.Matcher(); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("Matcher of %q: %v; want an error with %q", r.template, err, r.want)
		}
	}
}

const none = "no match"

func TestMatch(t *testing.T) {
	rows := []struct{ template, uri, want string }{
		{"a:b", "a:b", ""},
		{"a:b", "a:bc", none},
		{"a:b", "a:", none},
		{"", "", ""},
		{"{x}", "abc", "x=abc"},
		{"{x}", "", none},
		{"{x}", "a/b", none},
		{"{x}", "a%2Fb", "x=a/b"},
		{"{x}", "a%2fb", "x=a/b"},
		{"{x}", "%252F", "x=%2F"},
		{"{x}", "%zz", none},
		{"{x}", "%", none},
		{"{x}", "%4", none},
		{"{x}", "%ff", none},
		{"{x}", "%C3%A9", "x=é"},
		{"{x}", "é", none},
		{"{x}", "a,b", none},
		{"{x*}", "a,,b", "x=[a  b]"},
		{"{x*}", "a", "x=[a]"},
		{"{x*}", "", none},
		{"{x,y}", "a,b", "x=a y=b"},
		{"{x,y}", ",", "x= y="},
		{"{x,y}", "a", none},
		{"{x,y}", "a,b,c", none},
		{"{x,y*}", "a,b,c", "x=a y=[b c]"},
		{"{x}4{y}", "%414%42", "x=A y=B"},
		{"{x}%41{y}", "b%41c", "x=b y=c"},
		{"é{x}", "%C3%A9b", "x=b"},
		{"{x}.txt", "a.txt.txt", "x=a.txt"},
		{"{x}-{y}", "a-b-c", "x=a y=b-c"},
		{"{+x}", "a/b?c#d", "x=a/b?c#d"},
		{"{+x}", "", none},
		{"{+x}", "a b", none},
		{"{+x}/end", "a/end/end", "x=a/end"},
		{"{+x}/{y}", "a/b/c", none},
		{"{+x}/z/{y}", "a/b/z/c", "x=a/b y=c"},
		{"{+x}{?q}", "a/b?q=c", "q=c x=a/b"},
		{"{+x}{?q}", "a/b", "x=a/b"},
		{"{+x}{?q}{#f}", "a/b#q?", "f=q? x=a/b"},
		{"a{#f}", "a#", "f="},
		{"a{#f}", "a", ""},
		{"a{#f}", "a#x/y%20", "f=x/y "},
		{"f{.x}", "f", ""},
		{"f{.x}", "f.", "x="},
		{"f{.x}", "f.tar.gz", "x=tar.gz"},
		{"f{.x,y}", "f.tar.gz", "x=tar y=gz"},
		{"f{.x,y}", "f.tar", "x=tar"},
		{"f{.x*}", "f.tar..gz", "x=[tar  gz]"},
		{"{x}{.y}", "f.tar.gz", "x=f y=tar.gz"},
		{"{x}{.y}{.z}", "f.tar.gz", "x=f y=tar z=gz"},
		{"f{/x}", "f/", "x="},
		{"f{/x}", "f/a/b", none},
		{"f{/x,y}", "f/a/b", "x=a y=b"},
		{"f{/x,y}", "f/a", "x=a"},
		{"f{/x,y}", "f/a/b/c", none},
		{"f{/x,y*}", "f/a/b/c", "x=a y=[b c]"},
		{"f{/x*}", "f", ""},
		{"f{/x*}", "f/a//b", "x=[a  b]"},
		{"f{/x*}/end", "f/a/end", "x=[a]"},
		{"f{/x*}/end", "f/end", ""},
		{"f{/x*}{?q}", "f/a/b?q=1", "q=1 x=[a b]"},
		{"f{/x}{/y}", "f/a", "x=a"},
		{"f{/x}{/y}", "f/a/b", "x=a y=b"},
		{"f{/x}?q={y}", "f?q=b", "y=b"},
		{"f{;x,y}", "f;x=1;y=2", "x=1 y=2"},
		{"f{;x,y}", "f;y=2", "y=2"},
		{"f{;x,y}", "f;x;y", "x= y="},
		{"f{;x}", "f;x=", none},
		{"f{;x,xy}", "f;xy", "xy="},
		{"f{;x}", "f;xy", none},
		{"f{;x}", "f;x%41", none},
		{"f{;x*}", "f;x=1;x;x=2", "x=[1  2]"},
		{"f{?x,y}", "f?x=1&y=2", "x=1 y=2"},
		{"f{?x,y}", "f?y=2&x=1", none},
		{"f{?x,y}", "f?y=2", "y=2"},
		{"f{?x,y}", "f?x=", "x="},
		{"f{?x,y}", "f?x", none},
		{"f{?x,y}", "f?", none},
		{"f{?x,y}", "f?x=1&", none},
		{"f{?x,y}", "f?z=1", none},
		{"f{?x}", "f?x=%zz", none},
		{"f{?x*,y}", "f?x=1&x=2&y=3", "x=[1 2] y=3"},
		{"f{?x*}{&y}", "f?x=1&x=2&y=3", "x=[1 2] y=3"},
		{"f?q=0{&x,y}", "f?q=0&y=1", "y=1"},
		{"f?q=0{&x,y}", "f?q=0", ""},
	}
	for _, r := range rows {
		template, err := uritemplate.Parse(r.template)
		if err != nil {
			t.Errorf("Parse(%q): %v", r.template, err)
			continue
		}
		m, err := template.Matcher()
		if err != nil {
			t.Errorf("Matcher of %q: %v", r.template, err)
			continue
		}
		if !slices.Equal(m.Variables(), template.Variables()) {
			t.Errorf("%s: the variables of the matcher are %q; want %q", r.template, m.Variables(), template.Variables())
		}
		values, ok := m.Match(r.uri)
		if got := show(values, ok); got != r.want {
			t.Errorf("%s on %q: %s; want %s", r.template, r.uri, got, r.want)
		}
		checkMatch(t, template, r.uri)
	}
}

// show writes values in the order of their names.
func show(values uritemplate.Values, ok bool) string {
	if !ok {
		return none
	}
	var b []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text := values[name].Text()
		if values[name].IsList() {
			text = fmt.Sprint(values[name].List())
		}
		b = append(b, name+"="+text)
	}
	return strings.Join(b, " ")
}

// TestMatchIsLinear (B178): uris of megabytes that all but match. A matcher whose work
// grew faster than they do would not come to its end; no time is measured.
func TestMatchIsLinear(t *testing.T) {
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("{v%d}", i))
	}
	rows := []struct{ name, template, unit, last string }{
		{"a list of segments", "res://x{/ids*}", "/", "!"},
		{"a list of commas", "res://{ids*}", ",", "/"},
		{"a list of labels", "res://x{.ids*}", ".a", "/"},
		{"a list of parameters", "res://x{?ids*}", "&ids=1", "&id=2"},
		{"dashes, which values hold", "res://" + strings.Join(many, "-"), "a-", "!"},
		{"literals that half match", "res://" + strings.Join(many, "aab"), "a", "!"},
		{"optional ones in a row", "res://{x}{.a}{.b}{.c}{.d}{?e}{#f}", ".", "/"},
		{"reserved up to a literal", "res://{+a}/zz{+b}/zz{c}", "/z", "/"},
		{"encoded", "res://{x}", "%41", "%4"},
	}
	for _, r := range rows {
		template, err := uritemplate.Parse(r.template)
		if err != nil {
			t.Fatal(err)
		}
		m, err := template.Matcher()
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(r.template, "{")
		body := strings.Repeat(r.unit, 2<<20/len(r.unit))
		if strings.HasPrefix(r.unit, "&") {
			body = "?" + body[1:]
		}
		if values, ok := m.Match(head + body + r.last); ok {
			t.Errorf("%s: %s matched %d values", r.name, r.template, len(values))
		}
	}
}
