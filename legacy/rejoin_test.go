package legacy_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// keeping is a server whose handlers want a session to last: they ask, log, and have a resource that changes.
func keeping() *mcp.Server {
	s := mcp.NewServer("keeps", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Logging: true})
	s.AddTool(mcp.Tool{Name: "who"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Log(mcp.LogEmergency, "", "unheard")
		c.Progress(1, 2, "")
		return mcp.TextResult(fmt.Sprint(c.ProtocolVersion(), " ", c.ClientInfo().String(), " ", c.ClientCapabilities().Roots != nil)), nil
	})
	s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		_, err := c.Roots(ctx, "where")
		if !errors.Is(err, mcp.ErrStateless) {
			return nil, fmt.Errorf("no good reason: %w", err)
		}
		return nil, err
	})
	s.AddTool(mcp.Tool{Name: "require"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		return nil, c.RequireInput(nil, mcp.RootsQuestion("where"))
	})
	s.AddPrompt(mcp.Prompt{Name: "ask"}, func(ctx context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
		_, err := c.Roots(ctx, "where")
		return nil, err
	})
	s.AddResource(mcp.Resource{URI: "a:b", Name: "n"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{URI: "a:b", Text: "x"}}, nil
	})
	return s
}

// fails is an outlet that nothing may be sent through.
type fails struct{ t testing.TB }

func (f fails) Notify(method string, params []byte) error {
	f.t.Errorf("sent beside all requests: %s %s", method, params)
	return nil
}

// rejoin makes a session of a handshake, with an outlet that must not be used.
func rejoin(t testing.TB, s *mcp.Server, h legacy.Handshake) *client {
	t.Helper()
	session, err := legacy.Rejoin(s, &legacy.Options{Outlet: fails{t}}, h)
	if err != nil {
		t.Fatalf("Rejoin with %q: %v", h.Version, err)
	}
	return &client{Session: session, t: t}
}

const capable = `,"params":{"protocolVersion":"%s","capabilities":{"roots":{}},"clientInfo":{"name":"far","version":"7"}}`

// TestRejoin: a handshake with one server is a session with another one, which serves what lasts no longer than a
// request, and says of the rest why it does not.
func TestRejoin(t *testing.T) {
	const why = "he server keeps no state of this session between requests, so "
	for _, version := range versions {
		first := &client{Session: legacy.NewSession(keeping(), &legacy.Options{Stateless: true, Outlet: fails{t}}), t: t}
		same(t, version+" before", fmt.Sprint(first.Handshake()), "{ [] []}")
		got := first.ask("initialize", fmt.Sprintf(capable, version))
		want := `"capabilities":{"prompts":{},"resources":{},"tools":{}}`
		if !strings.Contains(got, want) {
			t.Errorf("%s: declared is more than can be done\n got %s\nwant %s", version, got, want)
		}
		s := keeping()
		c := rejoin(t, s, first.Handshake())
		same(t, version+" Version", c.Version(), version)
		if c.AllowsBatches() != (version == "2025-03-26") || !c.Opened() {
			t.Errorf("%s: batches %t, opened %t", version, c.AllowsBatches(), c.Opened())
		}
		for _, row := range []struct{ method, rest, want string }{
			{"initialize", fmt.Sprintf(capable, version), "-32600 Already initialized: a session is initialized once"},
			{"ping", ``, `{}`},
			{"tools/call", `,"params":{"name":"who","_meta":{"progressToken":1}}`, `{"content":[{"type":"text","text":"` + version + ` far 7 true"}]}`},
			{"resources/read", `,"params":{"uri":"a:b"}`, `{"contents":[{"uri":"a:b","text":"x"}]}`},
			{"tools/call", `,"params":{"name":"ask"}`, `{"content":[{"type":"text","text":"t` + why + `the client cannot be asked"}],"isError":true}`},
			{"tools/call", `,"params":{"name":"require"}`, `{"content":[{"type":"text","text":"t` + why + `the client cannot be asked"}],"isError":true}`},
			{"prompts/get", `,"params":{"name":"ask"}`, "-32600 T" + why + "the client cannot be asked"},
			{"resources/subscribe", `,"params":{"uri":"a:b"}`, "-32601 Method not found: resources/subscribe: t" + why + "there are no subscriptions"},
			{"resources/unsubscribe", `,"params":{"uri":"a:b"}`, "-32601 Method not found: resources/unsubscribe: t" + why + "there are no subscriptions"},
			{"logging/setLevel", `,"params":{"level":"debug"}`, "-32601 Method not found: logging/setLevel: t" + why + "there is no level to set"},
			{"logging/setLevel", `,"params":{}`, "-32601 Method not found: logging/setLevel: t" + why + "there is no level to set"},
			{"no/such", ``, "-32601 Method not found: no/such"},
		} {
			same(t, version+" "+row.method, c.ask(row.method, row.rest), row.want)
		}
		same(t, version+" sent", c.sent(), `notifications/progress {"progressToken":1,"progress":1,"total":2}`)
		c.Notification(t.Context(), &jsonrpc.Message{Method: []byte("notifications/initialized")}, c)
		s.ResourceUpdated("a:b")
		first.Close()
		c.Close()
	}
}

// TestRejoinUnknown: where nothing is known of the client but its revision, the reason why it cannot be asked is not
// what it has not declared.
func TestRejoinUnknown(t *testing.T) {
	for _, version := range versions {
		c := rejoin(t, keeping(), legacy.Handshake{Version: version})
		if got := c.ask("tools/call", `,"params":{"name":"ask"}`); !strings.Contains(got, "keeps no state") {
			t.Errorf("%s: asking gives %s", version, got)
		}
		same(t, version, c.ask("tools/call", `,"params":{"name":"who"}`), `{"content":[{"type":"text","text":"`+version+`   false"}]}`)
	}
	for _, version := range []string{"", "2026-07-28", "2025-06-19", "draft"} {
		if _, err := legacy.Rejoin(keeping(), nil, legacy.Handshake{Version: version}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", version)) {
			t.Errorf("Rejoin with %q: got %v, want an error that names it", version, err)
		}
	}
}

// TestRejoinKeepsNoSpan: what the handshake was read from may be used for something else.
func TestRejoinKeepsNoSpan(t *testing.T) {
	info := jsonrpc.Raw(`{"name":"far","version":"7"}`)
	c := rejoin(t, keeping(), legacy.Handshake{Version: "2025-06-18", ClientInfo: info})
	clear(info)
	if got := c.ask("tools/call", `,"params":{"name":"who"}`); !strings.Contains(got, "far 7") {
		t.Errorf("got %s, want what the client was", got)
	}
}
