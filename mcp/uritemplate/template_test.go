package uritemplate_test

import (
	"strings"
	"testing"

	"isthmus.internal/mcp/uritemplate"
)

func TestParseRefuses(t *testing.T) {
	rows := []struct{ template, want string }{
		{"{", "a { without its }"},
		{"a{x}b{", "a { without its }"},
		{"a}", "a } without its {"},
		{"{x}}", "a } without its {"},
		{"{}", "{}: it names no variable"},
		{"{+}", `{+}: "" is no name`},
		{"{{x}", `{{x}: "{x" is no name`},
		{"{x,}", `"" is no name`},
		{"{x y}", `"x y" is no name`},
		{"{ä}", `"ä" is no name`},
		{"{.x.}", `"x." is no name`},
		{"{..x}", `".x" is no name`},
		{"{x..y}", `"x..y" is no name`},
		{"{%zz}", `"%zz" is no name`},
		{"{=x}", `"=x" is no name`},
		{"{x:0}", `the length in "x:0"`},
		{"{x:10000}", `the length in "x:10000"`},
		{"{x:-1}", `the length in "x:-1"`},
		{"{x:2*}", `the length in "x:2*"`},
		{"a b", "the character ' ' must be percent-encoded"},
		{"a<{x}", "the character '<' must be percent-encoded"},
		{"a\x00", `the character '\x00' must be percent-encoded`},
		{"%4", "a % without two hexadecimal digits"},
		{"%zz{x}", "a % without two hexadecimal digits"},
		{"\xff", "not UTF-8"},
		{strings.Repeat("a", uritemplate.MaxTemplate+1), "8193 bytes"},
	}
	for _, r := range rows {
		if _, err := uritemplate.Parse(r.template); err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("Parse(%.40q): %v; want an error with %q", r.template, err, r.want)
		}
	}
}

func TestTemplate(t *testing.T) {
	const text = "a:{x,y.z}'é{?q*}{#x:3}"
	template, err := uritemplate.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if template.String() != text {
		t.Errorf("String is %q; want %q", template, text)
	}
	if got := strings.Join(template.Variables(), " "); got != "x y.z q x" {
		t.Errorf("the variables are %q; want x, y.z, q and x", got)
	}
}

func TestExpand(t *testing.T) {
	values := uritemplate.Values{
		"text": uritemplate.Text("a b/é"), "empty": uritemplate.Text(""), "list": uritemplate.List("r&d", "", "b"),
		"map": uritemplate.Map(map[string]string{"k": "v", "e=": "", "a": "/"}), "none": uritemplate.List(),
		"nobody": uritemplate.Map(nil), "encoded": uritemplate.Text("%2F%"), "broken": uritemplate.Text("é\xff"),
	}
	rows := []struct{ template, want string }{
		{"", ""},
		{"é", "%C3%A9"},
		{"x{none}{nobody}{undefined}", "x"},
		{"{text}", "a%20b%2F%C3%A9"},
		{"{+text}", "a%20b/%C3%A9"},
		{"{text:3}{+text:5}", "a%20ba%20b/%C3%A9"},
		{"{broken:1}", "%C3%A9"},
		{"{broken:2}", "%C3%A9%FF"},
		{"{encoded},{+encoded}", "%252F%25,%2F%25"},
		{"{list}|", "r%26d,,b|"},
		{"{/list*}{.empty}", "/r%26d//b."},
		{"{;list*,empty}", ";list=r%26d;list;list=b;empty"},
		{"{?list,empty,none}", "?list=r%26d,,b&empty="},
		{"{&map*}", "&a=%2F&e%3D=&k=v"},
		{"{;map*}", ";a=%2F;e%3D;k=v"},
		{"{map}", "a,%2F,e%3D,,k,v"},
		{"{map*}", "a=%2F,e%3D=,k=v"},
		{"{#map*}", "#a=/,e==,k=v"},
	}
	for _, r := range rows {
		template, err := uritemplate.Parse(strings.ReplaceAll(r.template, "|", "!"))
		if err != nil {
			t.Errorf("Parse(%q): %v", r.template, err)
			continue
		}
		want := strings.ReplaceAll(r.want, "|", "!")
		if got, err := template.Expand(values); err != nil || got != want {
			t.Errorf("%s expanded to %q, %v; want %q", r.template, got, err, want)
		}
	}
	for _, text := range []string{"{list:3}", "{?map:3}"} {
		template, _ := uritemplate.Parse(text)
		if got, err := template.Expand(values); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s expanded to %q, %v; want an error that names it", text, got, err)
		}
	}
}

func TestValues(t *testing.T) {
	rows := []struct {
		name    string
		value   uritemplate.Value
		defined bool
		text    string
		list    int
	}{
		{"undefined", uritemplate.Value{}, false, "", 0},
		{"empty text", uritemplate.Text(""), true, "", 1},
		{"text", uritemplate.Text("a"), true, "a", 1},
		{"empty list", uritemplate.List(), false, "", 0},
		{"list", uritemplate.List("a", "b"), true, "a", 2},
		{"empty map", uritemplate.Map(nil), false, "", 0},
		{"map", uritemplate.Map(map[string]string{"a": "b"}), true, "", 0},
	}
	for _, r := range rows {
		if r.value.Defined() != r.defined || r.value.Text() != r.text || len(r.value.List()) != r.list {
			t.Errorf("%s: defined %t, text %q, list %q; want %t, %q and %d members",
				r.name, r.value.Defined(), r.value.Text(), r.value.List(), r.defined, r.text, r.list)
		}
	}
}
