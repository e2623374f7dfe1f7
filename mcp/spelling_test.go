package mcp_test

import (
	"context"
	"strings"
	"testing"

	"isthmus.internal/mcp"
)

// TestHiddenSpellings shows that what is hidden is hidden under each spelling of its uri: a
// template that is open would be given the same value.
func TestHiddenSpellings(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	for _, uri := range []string{"n://secret", "n://a+b", "n://%c3%a9", "n://x%2By"} {
		s.AddResource(mcp.Resource{URI: uri, Name: uri, Visible: forAlice}, holding(nil, &mcp.TextResource{Text: "hidden"}))
	}
	s.AddResource(mcp.Resource{URI: "n://open", Name: "open"}, holding(nil, &mcp.TextResource{Text: "open"}))
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "n://private/{id}", Name: "private", Visible: forAlice}, holding(nil, &mcp.TextResource{Text: "hidden"}))
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "n://{+path}", Name: "all"}, func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), Text: "through " + c.Variable("path")}}, nil
	})
	rows := []struct {
		uri    string
		hidden bool
	}{
		{"n://secret", true}, {"n://%73ecret", true}, {"n://%73%65%63%72%65%74", true}, {"n://secre%74", true},
		{"n://a+b", true}, {"n://a%2Bb", true}, {"n://a%2bb", true}, {"n://%61+b", true},
		{"n://%c3%a9", true}, {"n://%C3%A9", true}, {"n://x+y", true}, {"n://x%2by", true},
		{"n://private/1", true}, {"n://p%72ivate/1", true}, {"n://private%2F1", true}, {"n://p%72ivate/a%2Fb", true}, {"n://p%72ivate/a%20b", true},
		{"n://secret2", false}, {"n://%73ecret2", false}, {"n://open", false}, {"n://%6Fpen", false},
		{"n://%2573ecret", false}, // decoded once it is %73ecret
		{"n://privat/1", false}, {"n://a%20b", false}, {"n://private", false},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, row := range rows {
			x := &exchange{server: s, form: f, principal: bob}
			got := x.ask(t, context.Background(), "resources/read", `{"uri":"`+row.uri+`"}`)
			if unknown := strings.Contains(got, "Unknown resource"); unknown != row.hidden {
				t.Errorf("bob reads %s: %s; hidden %v", row.uri, got, row.hidden)
			}
			x.principal = alice
			if got := x.ask(t, context.Background(), "resources/read", `{"uri":"`+row.uri+`"}`); strings.Contains(got, "Unknown resource") {
				t.Errorf("alice reads %s: %s", row.uri, got)
			}
		}
	})
}
