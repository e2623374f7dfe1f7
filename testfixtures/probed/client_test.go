package probed_test

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/probed"
)

// options are those to find a server with: one that does not answer the probe is not waited for
// for long.
func options(s *probed.Server) *discover.ConnectOptions {
	o := &discover.ConnectOptions{ProbeTime: 10 * time.Second}
	if s.Quiet {
		o.ProbeTime = 200 * time.Millisecond
	}
	return o
}

// methods are those that a server has seen.
type methods struct {
	mu   sync.Mutex
	seen []string
}

func (m *methods) saw(method string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, method)
}

func (m *methods) has(method string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.seen, method)
}

// inMemory is a transport to a server at the other end of a stream in memory. The test must
// call wait when the client is closed.
func inMemory(s *probed.Server, saw probed.Saw) (tr discover.Transport, wait func()) {
	client, server := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Serve(server, saw) }()
	return stdio.Stream(client, nil), func() { client.Close(); <-done }
}

// find connects to a server that has to be found for what it is, and calls its tool.
func find(t *testing.T, s *probed.Server, tr discover.Transport, o *discover.ConnectOptions) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, verdict, err := discover.Connect(ctx, tr, o)
	if s.Era == probed.None {
		if err == nil || !strings.Contains(err.Error(), s.Says) {
			t.Errorf("connecting: got %v, %v, want an error with %q", verdict, err, s.Says)
		}
		if err == nil {
			c.Close()
		}
		return
	}
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	defer c.Close()
	if got := verdict.Era.String(); got != s.Era || verdict.Evidence == "" || c.Era() != verdict.Era {
		t.Errorf("the era: got %q (%s), and the client is %v, want %s", got, verdict, c.Era(), s.Era)
	}
	tools, err := c.ListTools(ctx, nil, nil)
	if err != nil || len(tools.Items) != 1 || tools.Items[0].Name != probed.Tool {
		t.Fatalf("tools: %+v, %v", tools, err)
	}
	result, err := c.CallTool(ctx, probed.Tool, nil, nil)
	if err != nil || len(result.Content) != 1 || result.Content[0].(*mcp.TextContent).Text != probed.Text {
		t.Errorf("the call: %+v, %v", result, err)
	}
}

// B188: the era is found right of each server on a stream, and a modern one hears nothing of
// the handshake.
func TestClientFindsStreams(t *testing.T) {
	for _, row := range probed.Streams() {
		if strings.HasSuffix(row.Name, "exit") {
			continue // there is nothing at the other end of the stream any more; see TestClientStartsAnew
		}
		t.Run(row.Name, func(t *testing.T) {
			var m methods
			tr, wait := inMemory(&row, m.saw)
			defer wait()
			find(t, &row, tr, options(&row))
			if !m.has("server/discover") || m.has("initialize") != (row.Era == probed.Legacy) {
				t.Errorf("the server has seen %q", m.seen)
			}
		})
	}
}

// What was found is right for the next connection, which asks nothing anew.
func TestClientKeepsVerdict(t *testing.T) {
	for _, row := range probed.Streams() {
		if row.Era == probed.None {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			known := &discover.Verdict{Era: mcp.Legacy, Version: "2025-11-25", Evidence: "it was so before"}
			if row.Era == probed.Modern {
				known = &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28", Evidence: "it was so before"}
			}
			var m methods
			tr, wait := inMemory(&row, m.saw)
			defer wait()
			o := options(&row)
			o.Known = known
			find(t, &row, tr, o)
			if m.has("server/discover") || m.has("initialize") != (row.Era == probed.Legacy) {
				t.Errorf("the server has seen %q", m.seen)
			}
		})
	}
}

// unclear are the servers that do not refuse a modern call, but say nothing, or nothing that
// makes sense: a call of theirs may not be made again in the other era.
var unclear = []string{
	"foreign-id", "null-id", "no-id", "plain-text", "silence", "exit", "error-and-exit", "empty-result", "other-result",
	"text-result", "null-result", "batch", "late", "no-common-version",
}

// A verdict that is wrong is found to be so, and the other era is spoken.
func TestClientCorrectsVerdict(t *testing.T) {
	for _, row := range probed.Streams() {
		if slices.Contains(unclear, row.Name) {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			known := &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28"}
			if row.Era == probed.Modern {
				known = &discover.Verdict{Era: mcp.Legacy, Version: "2025-11-25"}
			}
			tr, wait := inMemory(&row, nil)
			defer wait()
			renewed := make(chan *discover.Verdict, 10)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			o := options(&row)
			o.Known, o.Renewed = known, func(v *discover.Verdict) { renewed <- v }
			c, first, err := discover.Connect(ctx, tr, o)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			result, err := c.CallTool(ctx, probed.Tool, nil, nil)
			if err != nil || len(result.Content) != 1 {
				t.Fatalf("the call: %+v, %v", result, err)
			}
			last := first
			if row.Era == probed.Legacy {
				last = <-renewed // the first request has shown it, when the client was there already
			}
			if got := c.Era().String(); got != row.Era || last.Era != c.Era() {
				t.Errorf("the client speaks the %s era, want %s; the verdict was %s, and is %s", got, row.Era, first, last)
			}
		})
	}
}

// One era alone is spoken where that is asked for, and an error says why it cannot be.
func TestClientForced(t *testing.T) {
	for _, row := range probed.Streams() {
		if strings.HasSuffix(row.Name, "exit") {
			continue
		}
		for _, era := range []mcp.Eras{mcp.Legacy, mcp.Modern} {
			t.Run(row.Name+" "+era.String(), func(t *testing.T) {
				tr, wait := inMemory(&row, nil)
				defer wait()
				o := options(&row)
				o.Era = era
				if era.String() == row.Era {
					find(t, &row, tr, o)
					return
				}
				if c, v, err := discover.Connect(t.Context(), tr, o); err == nil {
					t.Errorf("connecting: got %v, %v, want an error", v, err)
					c.Close()
				}
			})
		}
	}
}

// A site that wants a token says so to the client's user, with its challenge.
func TestClientIsChallenged(t *testing.T) {
	s, err := probed.Site("needs-token")
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(s.Handler(nil))
	defer site.Close()
	_, _, err = discover.Connect(t.Context(), httpmcp.Dial(site.URL, nil), nil)
	var rejected *mcp.Rejected
	if !errors.As(err, &rejected) || rejected.Status != 401 || rejected.Challenge != probed.Challenge {
		t.Errorf("got %v, want 401 and the challenge", err)
	}
}
