package mcp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
)

// lists are the four lists: the method, the member, and how something of this name is
// registered and taken away.
var lists = []struct {
	method, member string
	add            func(s *mcp.Server, name string, visible func(*mcp.Principal) bool)
	remove         func(s *mcp.Server, name string) bool
}{
	{"tools/list", "tools",
		func(s *mcp.Server, name string, visible func(*mcp.Principal) bool) {
			s.AddTool(mcp.Tool{Name: name, Visible: visible}, done)
		}, (*mcp.Server).RemoveTool},
	{"prompts/list", "prompts",
		func(s *mcp.Server, name string, visible func(*mcp.Principal) bool) {
			s.AddPrompt(mcp.Prompt{Name: name, Visible: visible}, func(context.Context, *mcp.Call) (*mcp.PromptResult, error) {
				return &mcp.PromptResult{}, nil
			})
		}, (*mcp.Server).RemovePrompt},
	{"resources/list", "resources",
		func(s *mcp.Server, name string, visible func(*mcp.Principal) bool) {
			s.AddResource(mcp.Resource{URI: "r:" + name, Name: name, Visible: visible}, holding(nil, &mcp.TextResource{URI: "a:b"}))
		}, func(s *mcp.Server, name string) bool { return s.RemoveResource("r:" + name) }},
	{"resources/templates/list", "resourceTemplates",
		func(s *mcp.Server, name string, visible func(*mcp.Principal) bool) {
			s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "t:" + name + "/{x}", Name: name, Visible: visible}, holding(nil, &mcp.TextResource{URI: "a:b"}))
		}, func(s *mcp.Server, name string) bool { return s.RemoveResourceTemplate("t:" + name + "/{x}") }},
}

// keys are those of servers with pages.
var keys = seal.RandomKeys()

var alice, bob = &mcp.Principal{ID: "alice"}, &mcp.Principal{ID: "bob"}

// forAlice shows something to alice alone.
func forAlice(p *mcp.Principal) bool { return p != nil && p.ID == "alice" }

// turn asks for a page, and returns the names on it and the cursor of the next one, ""
// for none.
func turn(t *testing.T, s *mcp.Server, f *mcp.Form, p *mcp.Principal, method, member, cursor string) (names []string, next string) {
	t.Helper()
	params := `{}`
	if cursor != "" {
		params = `{"cursor":"` + cursor + `"}`
	}
	answer := (&exchange{server: s, form: f, principal: p}).ask(t, context.Background(), method, params)
	o := jsonrpc.ReadObject(jsonrpc.Raw(answer))
	found := false
	for o.Next() {
		switch string(o.Name()) {
		case "nextCursor":
			next, _ = o.Value().Text()
			if next == "" {
				t.Errorf("%s %s: an empty nextCursor: %s", method, params, answer)
			}
		case member:
			found = true
			for a := jsonrpc.ReadArray(o.Value()); a.Next(); {
				item := jsonrpc.ReadObject(a.Value())
				for item.Next() {
					if string(item.Name()) == "name" {
						name, _ := item.Value().Text()
						names = append(names, name)
					}
				}
			}
		}
	}
	if !found || o.Err() != nil {
		t.Errorf("%s %s answered %s; want %s", method, params, answer, member)
	}
	return names, next
}

func TestPages(t *testing.T) {
	rows := []struct{ items, size, pages int }{
		{1, 1, 1}, {7, 1, 7}, {7, 3, 3}, {6, 3, 2}, {7, 7, 1}, {7, 8, 1}, {7, 100, 1},
	}
	for _, r := range rows {
		s := quiet(mcp.ServerOptions{PageSize: r.size, Keys: keys})
		var want []string
		for i := range r.items {
			want = append(want, fmt.Sprint("n", i))
			for _, l := range lists {
				l.add(s, want[i], nil)
			}
		}
		inForms(t, func(t *testing.T, f *mcp.Form) {
			for _, l := range lists {
				var got []string
				pages, cursor := 0, ""
				for pages == 0 || cursor != "" && pages <= r.pages {
					var names []string
					names, cursor = turn(t, s, f, alice, l.method, l.member, cursor)
					got = append(got, names...)
					pages++
				}
				if pages != r.pages || !slices.Equal(got, want) {
					t.Errorf("%s: %d items in pages of %d came in %d pages as %q; want %d pages", l.method, r.items, r.size, pages, got, r.pages)
				}
			}
		})
	}
}

// TestPagesChange (B200): what is added and removed between two pages makes nothing
// else appear twice or be left out.
func TestPagesChange(t *testing.T) {
	rows := []struct {
		name        string
		remove, add []string
		want        string // after the first page, which is a b
	}{
		{"nothing", nil, nil, "c d e"},
		{"the first, which was shown", []string{"a"}, nil, "c d e"},
		{"the last one shown", []string{"b"}, nil, "c d e"},
		{"all that were shown", []string{"a", "b"}, nil, "c d e"},
		{"the next one", []string{"c"}, nil, "d e"},
		{"the last", []string{"e"}, nil, "c d"},
		{"all of the rest", []string{"c", "d", "e"}, nil, ""},
		{"one more", nil, []string{"f"}, "c d e f"},
		{"one moved to the end", []string{"d"}, []string{"d"}, "c e d"},
		{"both", []string{"b", "d"}, []string{"f", "g"}, "c e f g"},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, l := range lists {
			for _, r := range rows {
				s := quiet(mcp.ServerOptions{PageSize: 2, Keys: keys})
				for _, name := range []string{"a", "b", "c", "d", "e"} {
					l.add(s, name, nil)
				}
				first, cursor := turn(t, s, f, nil, l.method, l.member, "")
				for _, name := range r.remove {
					if !l.remove(s, name) {
						t.Errorf("%s: %s was not there", l.method, name)
					}
				}
				if len(r.remove) == 5 {
					continue
				}
				for _, name := range r.add {
					l.add(s, name, nil)
				}
				var rest []string
				for range 5 {
					var names []string
					if names, cursor = turn(t, s, f, nil, l.method, l.member, cursor); cursor == "" {
						rest = append(rest, names...)
						break
					}
					rest = append(rest, names...)
				}
				if got := strings.Join(rest, " "); strings.Join(first, " ") != "a b" || got != r.want {
					t.Errorf("%s, %s: first %q, then %q; want a b, then %s", l.method, r.name, first, got, r.want)
				}
			}
		}
	})
}

// TestPagesRefuse (B200): a cursor that is not one for this list and principal is
// refused, and never answered with the first page again.
func TestPagesRefuse(t *testing.T) {
	const foreign = "-32602 params.cursor is not one that this server gave out"
	const wrong = "-32602 params.cursor must be a string"
	s := quiet(mcp.ServerOptions{PageSize: 1, Keys: keys})
	other := quiet(mcp.ServerOptions{PageSize: 1, Keys: seal.RandomKeys()})
	for _, l := range lists {
		for _, name := range []string{"a", "b"} {
			l.add(s, name, nil)
			l.add(other, name, nil)
		}
	}
	f := bare("2026-07-28")
	cursors := make([]string, len(lists))
	for i, l := range lists {
		_, cursors[i] = turn(t, s, f, alice, l.method, l.member, "")
	}
	for i, l := range lists {
		good := cursors[i]
		_, foreigner := turn(t, other, f, alice, l.method, l.member, "")
		_, bobs := turn(t, s, f, bob, l.method, l.member, "")
		_, nobodys := turn(t, s, f, nil, l.method, l.member, "")
		rows := []struct{ name, cursor, want string }{
			{"garbage", `"garbage"`, foreign},
			{"empty", `""`, foreign},
			{"another list", `"` + cursors[(i+1)%len(lists)] + `"`, foreign},
			{"another server", `"` + foreigner + `"`, foreign},
			{"another principal", `"` + bobs + `"`, foreign},
			{"no principal", `"` + nobodys + `"`, foreign},
			{"cut", `"` + good[:len(good)-1] + `"`, foreign},
			{"longer", `"` + good + `A"`, foreign},
			{"altered", `"` + strings.ToUpper(good[:9]) + strings.ToLower(good[9:]) + `"`, foreign},
			{"a number", `7`, wrong},
			{"null", `null`, wrong},
			{"an array", `["` + good + `"]`, wrong},
		}
		x := &exchange{server: s, form: f, principal: alice}
		for _, r := range rows {
			same(t, l.method+" "+r.name, x.ask(t, context.Background(), l.method, `{"cursor":`+r.cursor+`}`), r.want)
		}
		if names, next := turn(t, s, f, alice, l.method, l.member, good); next != "" || !slices.Equal(names, []string{"b"}) {
			t.Errorf("%s: the good cursor gave %q, then %q; want b and no more", l.method, names, next)
		}
	}
}

func TestPagesNeedKeys(t *testing.T) {
	said := panicOf(func() { quiet(mcp.ServerOptions{PageSize: 1}) })
	if !strings.HasPrefix(said, "mcp: NewServer: PageSize needs Keys") {
		t.Errorf("NewServer with PageSize and no Keys panicked with %q", said)
	}
}

// TestPagesOfReplicas: servers that share keys, and register the same, take each other's
// cursors, also after the keys were rotated.
func TestPagesOfReplicas(t *testing.T) {
	old, fresh := []byte("0123456789abcdef"), []byte("fedcba9876543210")
	replica := func(secrets ...[]byte) *mcp.Server {
		k, err := seal.NewKeys(secrets...)
		if err != nil {
			t.Fatal(err)
		}
		s := quiet(mcp.ServerOptions{PageSize: 1, Keys: k})
		for _, name := range []string{"a", "b", "c"} {
			s.AddTool(mcp.Tool{Name: name}, done)
		}
		return s
	}
	f := form("2025-06-18")
	_, cursor := turn(t, replica(old), f, alice, "tools/list", "tools", "")
	names, cursor := turn(t, replica(fresh, old), f, alice, "tools/list", "tools", cursor)
	if !slices.Equal(names, []string{"b"}) {
		t.Errorf("the second page is %q; want b", names)
	}
	if names, _ = turn(t, replica(fresh), f, alice, "tools/list", "tools", cursor); !slices.Equal(names, []string{"c"}) {
		t.Errorf("the third page is %q; want c", names)
	}
}

// FuzzCursor: no cursor but the genuine one opens anything.
func FuzzCursor(f *testing.F) {
	k, err := seal.NewKeys([]byte("0123456789abcdef"))
	if err != nil {
		f.Fatal(err)
	}
	s := quiet(mcp.ServerOptions{PageSize: 1, Keys: k})
	s.AddTool(mcp.Tool{Name: "a"}, done)
	s.AddTool(mcp.Tool{Name: "b"}, done)
	for _, seed := range []string{"", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "\x00", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		got := ask(t, s, bare("2025-11-25"), "tools/list", `{"cursor":`+string(jsonrpc.AppendString(nil, cursor))+`}`)
		same(t, cursor, got, "-32602 params.cursor is not one that this server gave out")
	})
}

// TestPublicPages: who gets a public page from a shared cache goes on with the cursor
// on it. A list that has become private does not go on with one of a public page.
func TestPublicPages(t *testing.T) {
	f := form("2026-07-28")
	for _, l := range lists {
		s := quiet(mcp.ServerOptions{PageSize: 1, Keys: keys, Cache: mcp.CacheHint{Public: true}})
		l.add(s, "a", nil)
		l.add(s, "b", nil)
		_, cursor := turn(t, s, f, alice, l.method, l.member, "")
		if names, _ := turn(t, s, f, bob, l.method, l.member, cursor); !slices.Equal(names, []string{"b"}) {
			t.Errorf("%s: bob goes on with %q; want b", l.method, names)
		}
		l.add(s, "secret", forAlice)
		answer := (&exchange{server: s, form: f, principal: alice}).ask(t, context.Background(), l.method, `{"cursor":"`+cursor+`"}`)
		same(t, l.method, answer, "-32602 params.cursor is not one that this server gave out")
	}
}
