package probed_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/probed"
)

// siteOf serves a site until the test ends.
func siteOf(t *testing.T, s *probed.Server, saw probed.Saw) discover.Transport {
	site := httptest.NewServer(s.Handler(saw))
	t.Cleanup(site.Close)
	return httpmcp.Dial(site.URL+"/mcp", nil)
}

// B188: the era is found right of each site.
func TestClientFindsSites(t *testing.T) {
	for _, row := range probed.Sites() {
		t.Run(row.Name, func(t *testing.T) {
			var m methods
			find(t, &row, siteOf(t, &row, m.saw), options(&row))
			if row.Era == probed.Modern && m.has("initialize") || row.Name == "no-common-version" && m.has("initialize") {
				t.Errorf("the server has seen %q", m.seen)
			}
		})
	}
}

// One era alone is spoken with a site where that is asked for, and an error says why it cannot
// be.
func TestClientForcesSites(t *testing.T) {
	for _, row := range probed.Sites() {
		for _, era := range []mcp.Eras{mcp.Legacy, mcp.Modern} {
			t.Run(row.Name+" "+era.String(), func(t *testing.T) {
				t.Parallel()
				var m methods
				o := options(&row)
				o.Era = era
				if row.Quiet {
					o.HandshakeTime = 5 * time.Second
				}
				tr := siteOf(t, &row, m.saw)
				if era.String() == row.Era {
					find(t, &row, tr, o)
				} else if c, v, err := discover.Connect(t.Context(), tr, o); err == nil {
					t.Errorf("connecting: got %v, %v, want an error", v, err)
					c.Close()
				}
				if other := map[mcp.Eras]string{mcp.Legacy: "server/discover", mcp.Modern: "initialize"}[era]; m.has(other) {
					t.Errorf("the server has seen %q, want no %s", m.seen, other)
				}
			})
		}
	}
}

// unclearSites are those whose answer to a modern call may be that of a server which has
// served it: such a call is not made again in the other era. A later one is.
var unclearSites = []string{
	"empty-object", "empty-stream", "plain-text", "page", "nothing", "accepted", "no-content",
	"internal-error", "not-implemented", "silence", "closes",
}

// A verdict about a site that is wrong is found to be so, and the other era is spoken.
func TestClientCorrectsVerdictOfSites(t *testing.T) {
	for _, row := range probed.Sites() {
		if row.Era == probed.None {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			known := &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28"}
			if row.Era == probed.Modern {
				known = &discover.Verdict{Era: mcp.Legacy, Version: "2025-11-25"}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			o := options(&row)
			o.Known = known
			c, _, err := discover.Connect(ctx, siteOf(t, &row, nil), o)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			call := &mcp.CallOptions{}
			if row.Quiet {
				call.Timeout = 200 * time.Millisecond
			}
			_, err = c.CallTool(ctx, probed.Tool, nil, call)
			if unclear := slices.Contains(unclearSites, row.Name); (err != nil) != unclear {
				t.Errorf("the first call: got %v, want an error: %t", err, unclear)
			}
			if result, err := c.CallTool(ctx, probed.Tool, nil, nil); err != nil || len(result.Content) != 1 {
				t.Errorf("the next call: %+v, %v", result, err)
			}
			if got := c.Era().String(); got != row.Era {
				t.Errorf("the client speaks the %s era, want %s", got, row.Era)
			}
		})
	}
}
