package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/guide"
	"isthmus.internal/testfixtures/guide/client"
)

// everywhere runs f as a subtest with a client of a fresh server: over a stream and over HTTP,
// in both eras.
func everywhere(t *testing.T, newServer func() *mcp.Server, o *mcp.ClientOptions, f func(t *testing.T, ctx context.Context, c *mcp.Client)) {
	for _, transport := range []struct {
		name string
		to   func(t *testing.T, s *mcp.Server) discover.Transport
	}{{"stream", overStream}, {"http", overHTTP}} {
		for _, era := range []mcp.Eras{mcp.Legacy, mcp.Modern} {
			t.Run(transport.name+" "+era.String(), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				t.Cleanup(cancel)
				c, verdict, err := discover.Connect(ctx, transport.to(t, newServer()), &discover.ConnectOptions{Client: o, Era: era})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				if verdict.Era != era || c.Era() != era {
					t.Errorf("the era is %s and %v, want %v", verdict, c.Era(), era)
				}
				f(t, ctx, c)
			})
		}
	}
}

func overStream(t *testing.T, s *mcp.Server) discover.Transport {
	ours, theirs := net.Pipe()
	var all sync.WaitGroup
	all.Go(func() { stdio.ServeStream(context.Background(), theirs, s, nil) })
	t.Cleanup(all.Wait)
	return stdio.Stream(ours, nil)
}

func overHTTP(t *testing.T, s *mcp.Server) discover.Transport {
	server := httptest.NewServer(httpmcp.Handler(s, nil))
	t.Cleanup(server.Close)
	return httpmcp.Dial(server.URL, nil)
}

func TestCalls(t *testing.T) {
	everywhere(t, guide.NewResults, nil, func(t *testing.T, ctx context.Context, c *mcp.Client) {
		if rain, err := client.Umbrella(ctx, c, "Oslo"); rain || err != nil {
			t.Errorf("got %t, %v", rain, err)
		}
		lines, err := client.Report(ctx, c, "Oslo")
		if want := []string{"It was dry in Oslo.", "see weather://record/2026"}; err != nil || !slices.Equal(lines, want) {
			t.Errorf("got %q, %v, want %q", lines, err, want)
		}
	})
}

func TestLists(t *testing.T) {
	resources := func() *mcp.Server { return guide.NewResources("# Hello", []byte("\x89PNG")) }
	everywhere(t, resources, nil, func(t *testing.T, ctx context.Context, c *mcp.Client) {
		texts, err := client.Texts(ctx, c)
		if err != nil || len(texts) != 1 || texts["project://readme"] != "# Hello" {
			t.Errorf("got %q, %v", texts, err)
		}
	})
	everywhere(t, guide.NewPrompts, nil, func(t *testing.T, ctx context.Context, c *mcp.Client) {
		p, err := client.ReviewNext(ctx, c, "site", "re")
		want := "Review the branch redesign of site."
		if c.ProtocolVersion() < "2025-06-18" { // no context: nothing is known of the project
			want = ""
		}
		if err != nil || p == nil || !strings.HasPrefix(p.Messages[0].Content.(*mcp.TextContent).Text, want) {
			t.Errorf("got %+v, %v", p, err)
		}
	})
}

func TestConvert(t *testing.T) {
	pages := func() *mcp.Server {
		return guide.NewLong(func(ctx context.Context, page int) error {
			if page == 500 { // nobody waits that long
				<-ctx.Done()
			}
			return ctx.Err()
		})
	}
	everywhere(t, pages, nil, func(t *testing.T, ctx context.Context, c *mcp.Client) {
		var shown []string
		text, err := client.Convert(ctx, c, 2, func(done float64, what string) { shown = append(shown, fmt.Sprintf("%g %s", done, what)) })
		if want := []string{"0.5 page 1", "1 page 2"}; err != nil || text != "2 pages, 0 skipped" || !slices.Equal(shown, want) {
			t.Errorf("got %q, %v, shown %q, want %q", text, err, shown, want)
		}
		short, stop := context.WithCancel(ctx)
		if _, err = client.Convert(short, c, 1000, func(float64, string) { stop() }); !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
	})
}

func TestWatch(t *testing.T) {
	everywhere(t, guide.NewChanges, nil, func(t *testing.T, ctx context.Context, c *mcp.Client) {
		watching, stop := context.WithCancel(ctx)
		seen := make(chan string, 100)
		ended := make(chan error, 1)
		go func() {
			ended <- client.Watch(watching, c, "heating://degrees", func(r *mcp.ReadResourceResult) {
				seen <- r.Contents[0].(*mcp.TextResource).Text
			})
		}()
		for _, degrees := range []string{"0", "21", "22"} {
			if degrees != "0" {
				if _, err := c.CallTool(ctx, "set_degrees", jsonrpc.Raw(`{"degrees":`+degrees+`}`), nil); err != nil {
					t.Fatal(err)
				}
			}
			for got := ""; got != degrees; {
				select {
				case got = <-seen:
				case <-ctx.Done():
					t.Fatalf("%s degrees were never seen", degrees)
				}
			}
		}
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestHearing(t *testing.T) {
	smudged := func() *mcp.Server {
		return guide.NewLong(func(_ context.Context, page int) error {
			if page == 2 {
				return errors.New("smudged")
			}
			return nil
		})
	}
	lines := make(chan string, 100)
	log := slog.New(slog.NewTextHandler(writer(lines), nil))
	everywhere(t, smudged, client.Hearing(log), func(t *testing.T, ctx context.Context, c *mcp.Client) {
		call := func() error {
			_, err := mcp.CallTool[string](ctx, c, "convert_book", map[string]any{"pages": 2}, nil)
			return err
		}
		for _, do := range []func() error{call, func() error { return client.Louder(ctx, c, call) }} {
			if err := do(); err != nil {
				t.Fatal(err)
			}
			select {
			case line := <-lines:
				if !strings.Contains(line, "level=warning logger=convert") || !strings.Contains(line, "page skipped") {
					t.Errorf("got %s", line)
				}
			case <-ctx.Done():
				t.Fatal("no message")
			}
		}
	})
}

// writer sends each line on.
type writer chan<- string

func (w writer) Write(line []byte) (int, error) {
	w <- string(line)
	return len(line), nil
}

func TestReach(t *testing.T) {
	server := httptest.NewServer(httpmcp.Handler(guide.NewResults(), nil))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var known *discover.Verdict
	for range 2 {
		c, err := client.Reach(ctx, server.URL, "secret", known, func(v *discover.Verdict) { known = v })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Umbrella(ctx, c, "Oslo"); err != nil || known.Era != mcp.Modern {
			t.Errorf("got %v, %v", known, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	server.Close()
	if _, err := client.Reach(ctx, server.URL, "secret", nil, nil); err == nil {
		t.Error("no server: no error")
	}
}

func TestExplain(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, "done"},
		{&mcp.ToolError{Tool: "t", Result: mcp.TextResult("no")}, "the tool could not do it"},
		{&mcp.InvalidResult{Tool: "t"}, "the tool has not kept"},
		{fmt.Errorf("x: %w", mcp.ErrDeclined), "the user does not want it"},
		{jsonrpc.Errorf(-32602, "no"), "the server refuses (-32602)"},
		{&mcp.RetryAfter{Wait: 5e9, Err: jsonrpc.Errorf(-32603, "no")}, "the server has too much to do: call again in 5s"},
		{&jsonrpc.BrokenResponse{Reason: "too long"}, "the server has answered with what is no answer"},
		{&mcp.Rejected{Status: 401}, "something in front of the server refuses (HTTP status 401)"},
		{context.DeadlineExceeded, "no answer in time"},
		{context.Canceled, "given up"},
		{fmt.Errorf("%w: exit", mcp.ErrLinkClosed), "the connection has ended"},
		{fmt.Errorf("%w: %w", mcp.ErrAnswerLost, io.EOF), "the connection was lost before the answer came"},
		{io.EOF, "something else: EOF"},
	} {
		if got := client.Explain(test.err); !strings.HasPrefix(got, test.want) {
			t.Errorf("%v: got %q, want %q", test.err, got, test.want)
		}
	}
}
