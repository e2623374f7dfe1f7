package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// companion is a server that asks, reports, logs and changes.
func companion() *mcp.Server {
	s := mcp.NewServer("companion", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Logging: true, Instructions: "Be kind."})
	text := func(_ context.Context, c *mcp.Call) string {
		said, _ := c.Argument("text").Text()
		return said
	}
	add := func(name string, h func(context.Context, *mcp.Call) (string, error)) {
		s.AddTool(mcp.Tool{Name: name}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			answer, err := h(ctx, c)
			return mcp.TextResult(answer), err
		})
	}
	add("report", func(ctx context.Context, c *mcp.Call) (string, error) {
		for i := range 3 {
			c.Progress(float64(i), 3, text(ctx, c))
		}
		return text(ctx, c), nil
	})
	add("ask", func(ctx context.Context, c *mcp.Call) (string, error) {
		answer, err := c.Elicit(ctx, "k", &mcp.ElicitForm{Message: text(ctx, c),
			Schema: jsonrpc.Raw(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)})
		return string(answer), err
	})
	add("roots", func(ctx context.Context, c *mcp.Call) (string, error) {
		roots, err := c.Roots(ctx, "k")
		return fmt.Sprint(roots), err
	})
	add("sample", func(ctx context.Context, c *mcp.Call) (string, error) {
		r, err := c.Sample(ctx, "k", &mcp.SampleRequest{MaxTokens: 5, Messages: []mcp.SamplingMessage{
			{Role: mcp.RoleUser, Content: []mcp.SamplingContent{&mcp.TextContent{Text: text(ctx, c)}}}}})
		if err != nil {
			return "", err
		}
		return r.Text(), nil
	})
	add("log", func(ctx context.Context, c *mcp.Call) (string, error) {
		c.Log(mcp.LogInfo, "l", text(ctx, c))
		return "", nil
	})
	add("wait", func(ctx context.Context, c *mcp.Call) (string, error) {
		c.Progress(1, 0, "")
		<-ctx.Done()
		s.ResourceUpdated("a:b") // tells that it was cancelled
		return "", ctx.Err()
	})
	s.AddResource(mcp.Resource{URI: "a:b", Name: "r"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{URI: "a:b", Text: "x"}}, nil
	})
	return s
}

// connectTo connects to a server over a pair in memory, in a legacy revision.
func connectTo(t *testing.T, s *mcp.Server, version string, o *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	ours, theirs := net.Pipe()
	var serving sync.WaitGroup
	serving.Go(func() { stdio.ServeStream(context.Background(), theirs, s, nil) })
	c, verdict, err := discover.Connect(bounded(t), stdio.Stream(io.ReadWriteCloser(ours), nil),
		&discover.ConnectOptions{Client: o, Era: mcp.Legacy, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Version != version || c.ProtocolVersion() != version {
		t.Errorf("%s is spoken as %s, verdict %+v", version, c.ProtocolVersion(), verdict)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		serving.Wait()
	})
	return c
}

// said is the text of a result, or the error.
func said(r *mcp.Result, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var all strings.Builder
	for _, block := range r.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			all.WriteString(text.Text)
		}
	}
	return all.String()
}

// TestLegacyClient has a client and a server of this module speak each legacy revision.
func TestLegacyClient(t *testing.T) {
	for _, version := range legacy.Versions() {
		t.Run(version, func(t *testing.T) {
			logs := make(chan string, 10)
			c := connectTo(t, companion(), version, &mcp.ClientOptions{
				LogLevel: mcp.LogInfo, Log: func(p *mcp.LogMessageParams) { logs <- p.Logger + " " + string(p.Data) },
				Elicit: echoing, Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///r"}}, nil },
				Sample: func(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
					return &mcp.SampleResult{Model: "m", SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: r.Messages[0].Content}}, nil
				},
			})
			ctx := bounded(t)
			if got := c.Server(); got == nil || got.Instructions != "Be kind." || got.Capabilities.Tools == nil {
				t.Errorf("Server: %+v", got)
			}
			asks := `{"name":"Ada"}`
			if version < "2025-06-18" { // which has elicitation first
				asks = "elicitation"
			}
			for _, test := range []struct{ tool, want string }{
				{"report", "Ada"}, {"ask", asks}, {"roots", "[{file:///r"}, {"sample", "Ada"}, {"log", ""},
			} {
				if got := said(c.CallTool(ctx, test.tool, map[string]string{"text": "Ada"}, nil)); !strings.Contains(got, test.want) {
					t.Errorf("%s: got %s, want %s", test.tool, got, test.want)
				}
			}
			if got := <-logs; got != `l "Ada"` {
				t.Errorf("log message: %s", got)
			}
			if err := c.Ping(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

// echoing fills the message of a form in as the name.
func echoing(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: "accept", Content: append(jsonrpc.AppendString([]byte(`{"name":`), r.Form.Message), '}')}, nil
}

// TestLegacyChanges are told to who has asked for them, in each legacy revision.
func TestLegacyChanges(t *testing.T) {
	for _, version := range legacy.Versions() {
		t.Run(version, func(t *testing.T) {
			s := companion()
			c := connectTo(t, s, version, nil)
			ctx := bounded(t)
			sub, err := c.Listen(ctx, &mcp.Filter{ToolsListChanged: true, PromptsListChanged: true, ResourceSubscriptions: []string{"a:b", "no:such"}})
			if err != nil {
				t.Fatal(err)
			}
			if f := sub.Honoured(); !f.ToolsListChanged || f.PromptsListChanged || !slices.Equal(f.ResourceSubscriptions, []string{"a:b"}) {
				t.Errorf("honoured: %+v", f)
			}
			s.RemoveTool("log")
			next(t, sub, mcp.Change{Kind: mcp.ToolsListChanged})
			s.ResourceUpdated("a:b")
			next(t, sub, mcp.Change{Kind: mcp.ResourceUpdated, URI: "a:b"})

			// A call that is given up is ended at the server, which tells of that.
			callCtx, cancel := context.WithCancel(ctx)
			_, err = c.CallTool(callCtx, "wait", nil, &mcp.CallOptions{Progress: func(mcp.ProgressParams) { cancel() }})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a call that is given up: %v", err)
			}
			next(t, sub, mcp.Change{Kind: mcp.ResourceUpdated, URI: "a:b"})
			if err := sub.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// next takes the next change of a subscription.
func next(t *testing.T, s *mcp.Subscription, want mcp.Change) {
	t.Helper()
	for got := range s.All() {
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		return
	}
	t.Fatalf("the subscription has ended (%v), want %+v", s.Err(), want)
}

// TestLegacyCallsDoNotMix: many calls at once, each of which reports and asks, and each
// client hears its own answers, reports and questions.
func TestLegacyCallsDoNotMix(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2025-06-18"} {
		s := companion()
		var all sync.WaitGroup
		for k := range 4 {
			c := connectTo(t, s, version, &mcp.ClientOptions{Elicit: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if !strings.HasPrefix(r.Form.Message, fmt.Sprintf("client%d ", k)) {
					t.Errorf("client %d is asked %q", k, r.Form.Message)
				}
				return echoing(ctx, r)
			}})
			for i := range 12 {
				all.Go(func() { mixed(t, c, fmt.Sprintf("client%d call%d", k, i)) })
			}
		}
		all.Wait()
	}
}

// mixed makes two calls with a text of their own.
func mixed(t *testing.T, c *mcp.Client, text string) {
	var told []string
	progress := func(p mcp.ProgressParams) { told = append(told, fmt.Sprintf("%v %s", p.Progress, p.Message)) }
	in := map[string]string{"text": text}
	if got := said(c.CallTool(bounded(t), "report", in, &mcp.CallOptions{Progress: progress})); got != text {
		t.Errorf("%s: got %s", text, got)
	}
	if want := []string{"0 " + text, "1 " + text, "2 " + text}; !slices.Equal(told, want) {
		t.Errorf("%s: told %q, want %q", text, told, want)
	}
	if got, want := said(c.CallTool(bounded(t), "ask", in, nil)), `{"name":"`+text+`"}`; got != want {
		t.Errorf("%s: got %s, want %s", text, got, want)
	}
}
