package discover_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"isthmus.internal/mcp"
)

// A resource that a principal may not see cannot be subscribed to either, as if it did
// not exist, also where a fallback reads what does not. That a list has changed is told
// to all: what it says is to look again.
func TestSubscriptionsFollowVisibility(t *testing.T) {
	forAda := func(p *mcp.Principal) bool { return p != nil && p.ID == "ada" }
	for _, fallback := range []mcp.ResourceHandler{nil, noResource} {
		for _, who := range []string{"ada", "bob", ""} {
			synctest.Test(t, func(t *testing.T) {
				s := mcp.NewServer("test-server", "1.2.3", &mcp.ServerOptions{Logger: quiet()})
				if fallback != nil {
					s.HandleUnknownResource(fallback)
				}
				s.AddResource(mcp.Resource{URI: "r:open", Name: "r"}, noResource)
				s.AddResource(mcp.Resource{URI: "r:ada", Name: "r", Visible: forAda}, noResource)
				s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "d:{x}", Name: "d", Visible: forAda}, noResource)
				var p *mcp.Principal
				if who != "" {
					p = &mcp.Principal{ID: who}
				}
				w := dialAs(t, s, p)
				uris := `["r:open"]`
				if who == "ada" {
					uris = `["r:ada","d:x","r:open"]`
				}
				w.want(who+" listens", listen("1", `{"resourcesListChanged":true,"resourceSubscriptions":["r:ada","d:x","r:open"]}`),
					acknowledged("1", `{"resourcesListChanged":true,"resourceSubscriptions":`+uris+`}`))
				got := strings.Join(w.changed(func() {
					s.ResourceUpdated("r:ada")
					s.ResourceUpdated("d:x")
				}), "\n")
				if strings.Contains(got, "r:ada") != (who == "ada") || strings.Contains(got, "d:x") != (who == "ada") {
					t.Errorf("%q was told %s", who, got)
				}
				w.wantLines("the list, to "+who, w.changed(func() { s.RemoveResource("r:ada") }), note("1", "resources/list_changed", ""))

				w.send(initialize("2025-11-25"), initialized)
				w.send(`{"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"r:open"}}`)
				got = strings.Join(w.send(`{"jsonrpc":"2.0","id":8,"method":"resources/subscribe","params":{"uri":"d:x"}}`), "\n")
				if refused := strings.Contains(got, `"code":-32002`); refused == (who == "ada") {
					t.Errorf("%q subscribes to d:x: got %s", who, got)
				}
				w.finishOpen("1")
			})
		}
	}
}
