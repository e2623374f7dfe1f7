package clients_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"isthmus.internal/mcp"
)

// TestRootsChanged: a legacy server hears that there are other roots, once for each time that it is
// told, and asks for them; a modern one has nothing to hear (2025-11-25 client/roots, Root List
// Changes; 2026-07-28 changelog, Major changes, 5).
func TestRootsChanged(t *testing.T) {
	const method = "notifications/roots/list_changed"
	heard := make(chan string, 10)
	build := func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "where"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			roots, err := c.Roots(ctx, "roots")
			if err != nil {
				return nil, err
			}
			declared := c.ClientCapabilities().Roots.ListChanged
			return mcp.TextResult(fmt.Sprint(roots[0].URI, " ", declared)), nil
		})
		hear := func(_ context.Context, n *mcp.Notice) { heard <- n.Method() }
		s.HandleNotification(method, mcp.Both, hear)
		s.HandleNotification("notifications/com.example/last", mcp.Both, hear)
	}
	var root atomic.Pointer[string]
	o := mcp.ClientOptions{
		Roots:            func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: *root.Load()}}, nil },
		RootsListChanged: true,
	}
	each(t, o, build, func(t *testing.T, c *mcp.Client, _ *mcp.Server) {
		legacy := c.Era() == mcp.Legacy
		for _, uri := range []string{"file:///one", "file:///two"} {
			root.Store(&uri)
			if err := c.RootsChanged(t.Context()); err != nil {
				t.Fatal(err)
			}
			if legacy {
				same(t, "the server hears", soon(t, heard, "the notification"), method)
			}
			got, err := mcp.CallTool[string](t.Context(), c, "where", nil, nil)
			if want := fmt.Sprint(uri, " ", legacy); err != nil || got != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
		if err := c.Notify(t.Context(), "notifications/com.example/last", nil); err != nil {
			t.Fatal(err)
		}
		same(t, "the server hears behind it", soon(t, heard, "the last notification"), "notifications/com.example/last")
	})
}

// contact is a form with a default.
type contact struct {
	Name string `json:"name"`
	Plan string `json:"plan" enum:"free,paid" default:"free"`
}

// TestAsks: what a tool asks reaches the handlers of the options, and their answers reach the
// tool, in whichever way the revision has for it.
func TestAsks(t *testing.T) {
	build := func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			said, err := c.Sample(ctx, "model", &mcp.SampleRequest{Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "go on")}, MaxTokens: 10})
			if err != nil {
				return nil, err
			}
			roots, err := c.Roots(ctx, "roots")
			if err != nil {
				return nil, err
			}
			in, err := mcp.Ask[contact](ctx, c, "contact", "Who are you?")
			var missing *mcp.MissingCapability
			if errors.As(err, &missing) {
				in, err = contact{"nobody", "none"}, nil // before 2025-06-18
			}
			return mcp.TextResult(fmt.Sprint(said.Text(), " ", roots[0].URI, " ", in.Name, " ", in.Plan)), err
		})
		s.AddTool(mcp.Tool{Name: "declined"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			_, err := c.Sample(ctx, "again", &mcp.SampleRequest{Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "no")}, MaxTokens: 10})
			return nil, err
		})
	}
	o := mcp.ClientOptions{
		Elicit: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: []byte(`{"name":"Ada"}`)}, nil
		},
		Sample: func(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
			if text := r.Messages[0].Content[0].(*mcp.TextContent).Text; text == "no" {
				return nil, mcp.ErrDeclined
			}
			return &mcp.SampleResult{SamplingMessage: mcp.SamplingText(mcp.RoleAssistant, "and so on"), Model: "m"}, nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///home"}}, nil },
	}
	each(t, o, build, func(t *testing.T, c *mcp.Client, _ *mcp.Server) {
		want := "and so on file:///home Ada free"
		if c.ProtocolVersion() < "2025-06-18" {
			want = "and so on file:///home nobody none"
		}
		for range 2 {
			got, err := mcp.CallTool[string](t.Context(), c, "ask", nil, nil)
			if err != nil || got != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
		if r, err := c.CallTool(t.Context(), "declined", nil, nil); err == nil && !r.IsError {
			t.Errorf("declined: got %+v, %v, want a failure", r, err)
		}
	})
}
