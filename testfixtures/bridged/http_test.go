package bridged_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// endpoint serves over HTTP until the test ends.
func endpoint(t *testing.T, s *mcp.Server) (url string) {
	t.Helper()
	e := httpmcp.Handler(s, nil)
	server := httptest.NewServer(e)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := e.Shutdown(ctx); err != nil {
			t.Errorf("the endpoint does not end: %v", err)
		}
		server.Close()
	})
	return server.URL
}

// dial connects a client.
func dial(t *testing.T, url, revision string, o mcp.ClientOptions) *mcp.Client {
	t.Helper()
	c, _, err := discover.Connect(t.Context(), httpmcp.Dial(url, nil), &discover.ConnectOptions{Client: &o, Version: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c
}

// TestMarks: arguments are repeated in headers on both sides of a bridge, also when nobody has
// listed the tools before (2026-07-28 basic/transports/streamable-http, Custom Headers from Tool
// Parameters).
func TestMarks(t *testing.T) {
	for _, upstream := range upstreams {
		t.Run(upstream, func(t *testing.T) {
			s := newServer()
			type in struct {
				Region string `json:"region"`
			}
			s.AddTool(mcp.Tool{Name: "where", InputSchema: []byte(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)},
				func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
					return mcp.TextResult(string(c.Arguments())), nil
				})
			b := overHTTP(t, s, upstream)
			url := endpoint(t, b.Server())
			for _, revision := range []string{"2026-07-28", "2025-11-25", "2026-07-28"} {
				c := dial(t, url, revision, mcp.ClientOptions{})
				for range 2 {
					got, err := mcp.CallTool[string](t.Context(), c, "where", in{"north"}, nil)
					if err != nil || got != `{"region":"north"}` {
						t.Errorf("%s: got %q, %v", revision, got, err)
					}
					for _, err := range c.Tools(t.Context()) { // from then on the bridge wants the header
						if err != nil {
							t.Error(err)
						}
					}
				}
			}
		})
	}
}

// overHTTP puts a bridge before a server over HTTP.
func overHTTP(t *testing.T, s *mcp.Server, revision string) *bridge.Bridge {
	t.Helper()
	url := endpoint(t, s)
	b, err := bridge.New(t.Context(), func() discover.Transport { return httpmcp.Dial(url, nil) }, &bridge.Options{Version: revision, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return b
}

// TestAsksOverHTTP: questions pass when both sides are HTTP.
func TestAsksOverHTTP(t *testing.T) {
	for _, upstream := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			t.Run(upstream+" for "+revision, func(t *testing.T) {
				url := endpoint(t, overHTTP(t, asking(), upstream).Server())
				c := dial(t, url, revision, mcp.ClientOptions{Elicit: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: []byte(`{"name":"x"}`)}, nil
				}})
				got, err := mcp.CallTool[string](t.Context(), c, "three", nil, nil)
				if err != nil || got != "xxx" {
					t.Errorf("got %q, %v", got, err)
				}
			})
		}
	}
}
