package eras_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestEcho: a tool, a bad call, a long text and the server's name.
func TestEcho(t *testing.T) {
	each(t, "echo", mcp.ClientOptions{}, func(t *testing.T, c *mcp.Client) {
		for _, text := range []string{"hello", "", "\u2028é\"\\", strings.Repeat("x", 70_000)} {
			if got := call(t, c, "echo", `{"text":`+string(jsonrpc.AppendString(nil, text))+`}`, nil); got != "echo: "+text {
				t.Errorf("got %.60q of %d bytes", got, len(got))
			}
		}
		if _, err := c.CallTool(t.Context(), "echo", jsonrpc.Raw(`{"text":7}`), nil); !errors.Is(err, &jsonrpc.Error{Code: jsonrpc.InvalidParams}) {
			t.Errorf("a bad call: got %v", err)
		}
		if _, err := c.CallTool(t.Context(), "nope", nil, nil); !errors.Is(err, &jsonrpc.Error{Code: jsonrpc.InvalidParams}) || !strings.Contains(err.Error(), "nope") {
			t.Errorf("B196 a tool that is not there: got %v", err)
		}
		d, err := c.Discover(t.Context())
		if err != nil || !strings.Contains(string(d.Meta[mcp.MetaServerInfo]), `"echo-server"`) || d.Capabilities.Tools == nil {
			t.Errorf("it says of itself %+v, %v", d, err)
		}
		if err := c.Ping(t.Context()); err != nil {
			t.Errorf("ping: %v", err)
		}
	})
}

// TestNotes: a tool, a resource, a template, and what is not there.
func TestNotes(t *testing.T) {
	each(t, "notes", mcp.ClientOptions{}, func(t *testing.T, c *mcp.Client) {
		ctx := t.Context()
		var found []string
		for r, err := range c.Resources(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, r.URI)
		}
		for r, err := range c.ResourceTemplates(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, r.URITemplate)
		}
		if want := []string{"notes://all", "notes://{id}"}; !slices.Equal(found, want) {
			t.Errorf("got %q, want %q", found, want)
		}
		all, err := c.ReadResource(ctx, "notes://all", nil)
		if err != nil || len(all.Contents) != 1 || all.Contents[0].(*mcp.TextResource).Text != call(t, c, "notes_query", "", nil) {
			t.Errorf("all notes: %+v, %v", all, err)
		}
		if _, err := c.ReadResource(ctx, "notes://0", nil); !errors.Is(err, &jsonrpc.Error{Code: jsonrpc.InvalidParams}) {
			t.Errorf("one that is not there: got %v", err)
		}
	})
}

// TestEverything: content of each kind, progress, log messages, prompts, and a list that
// changes.
func TestEverything(t *testing.T) {
	logged := make(chan string, 1000)
	o := mcp.ClientOptions{LogLevel: mcp.LogDebug, Log: func(m *mcp.LogMessageParams) { logged <- string(m.Data) }}
	each(t, "everything", o, func(t *testing.T, c *mcp.Client) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		mixed, err := c.CallTool(ctx, "test_multiple_content_types", nil, nil)
		if err != nil || len(mixed.Content) != 3 {
			t.Errorf("mixed content: %+v, %v", mixed, err)
		}
		var reports []float64
		call(t, c, "test_tool_with_progress", "", &mcp.CallOptions{Progress: func(p mcp.ProgressParams) { reports = append(reports, p.Progress) }})
		if !slices.Equal(reports, []float64{0, 50, 100}) {
			t.Errorf("progress: got %v", reports)
		}
		for len(logged) > 0 {
			<-logged
		}
		call(t, c, "test_tool_with_logging", "", nil)
		for range 3 {
			select {
			case <-logged:
			case <-ctx.Done():
				t.Fatal("log messages have not come")
			}
		}
		p, err := c.GetPrompt(ctx, "test_prompt_with_arguments", map[string]string{"arg1": "one", "arg2": "two"}, nil)
		if err != nil || len(p.Messages) == 0 {
			t.Errorf("prompt: %+v, %v", p, err)
		}
		listens(ctx, t, c)
	})
}

// listens hears of a change of the tools, and of nothing once it has closed.
func listens(ctx context.Context, t *testing.T, c *mcp.Client) {
	t.Helper()
	s, err := c.Listen(ctx, &mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"test://watched-resource"}})
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Honoured(); !f.ToolsListChanged || f.PromptsListChanged || len(f.ResourceSubscriptions) != 1 {
		t.Errorf("honoured: %+v", f)
	}
	call(t, c, "test_trigger_tool_change", "", nil)
	for change := range s.All() {
		if change.Kind != mcp.ToolsListChanged {
			t.Errorf("told of %v", change)
		}
		break
	}
	if err := s.Close(); err != nil || s.Err() != nil {
		t.Errorf("closing: %v, %v", err, s.Err())
	}
}

// TestAsks: each kind of question, in requests or in rounds, and a user who declines.
func TestAsks(t *testing.T) {
	o := mcp.ClientOptions{
		Elicit: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			switch {
			case r.Form == nil:
				return nil, mcp.ErrCancelled
			case strings.Contains(string(r.Form.Schema), `"age"`):
				return &mcp.ElicitResult{Action: "accept", Content: jsonrpc.Raw(`{"age":36}`)}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: jsonrpc.Raw(`{"name":"Ada"}`)}, nil
		},
		Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) { return nil, mcp.ErrDeclined },
		Roots:  func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///a"}}, nil },
	}
	each(t, "asks", o, func(t *testing.T, c *mcp.Client) {
		if c.ProtocolVersion() >= "2025-06-18" {
			if got := call(t, c, "name", "", nil); !strings.Contains(got, "Ada") {
				t.Errorf("name: got %q", got)
			}
		}
		if got := call(t, c, "roots", "", nil); !strings.Contains(got, "file:///a") {
			t.Errorf("roots: got %q", got)
		}
	})
}

// TestGivesUp: a call that is cancelled returns at once, and the client goes on.
func TestGivesUp(t *testing.T) {
	each(t, "everything", mcp.ClientOptions{}, func(t *testing.T, c *mcp.Client) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := c.CallTool(ctx, "slow", jsonrpc.Raw(`{"ms":30000}`), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		if got := call(t, c, "test_simple_text", "", nil); got == "" {
			t.Error("nothing comes any more")
		}
	})
}
