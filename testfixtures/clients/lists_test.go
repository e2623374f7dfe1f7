package clients_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// names goes through a list.
func names[T any](t *testing.T, items iter.Seq2[*T, error], name func(*T) string) string {
	t.Helper()
	var all []string
	for item, err := range items {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name(item))
	}
	return strings.Join(all, " ")
}

// fill registers five of everything, which are three pages.
func fill(s *mcp.Server) {
	for i := range 5 {
		s.AddTool(mcp.Tool{Name: fmt.Sprint("t", i)}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("x"), nil })
		s.AddPrompt(mcp.Prompt{Name: fmt.Sprint("p", i), Arguments: []mcp.PromptArgument{{Name: "a", Complete: mcp.CompleteFrom("one", "other", "two")}}},
			func(_ context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
				a, _ := c.PromptArgument("a")
				return mcp.PromptText(c.Name() + " " + a), nil
			})
		s.AddResource(mcp.Resource{URI: fmt.Sprint("r://", i), Name: fmt.Sprint("r", i)}, read)
		s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: fmt.Sprintf("m%d://{x}", i), Name: fmt.Sprint("m", i)}, read)
	}
}

func read(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
	return []mcp.ResourceContents{&mcp.TextResource{Text: "read " + c.URI()}}, nil
}

// TestLists: every list is gone through to its end, page by page, and what it names can be
// got.
func TestLists(t *testing.T) {
	each(t, mcp.ClientOptions{}, fill, func(t *testing.T, c *mcp.Client, _ *mcp.Server) {
		ctx := t.Context()
		for range 2 { // the second time from what is kept, if it may be
			same(t, "tools", names(t, c.Tools(ctx), func(x *mcp.Tool) string { return x.Name }), "t0 t1 t2 t3 t4")
			same(t, "prompts", names(t, c.Prompts(ctx), func(x *mcp.Prompt) string { return x.Name }), "p0 p1 p2 p3 p4")
			same(t, "resources", names(t, c.Resources(ctx), func(x *mcp.Resource) string { return x.URI }), "r://0 r://1 r://2 r://3 r://4")
			same(t, "templates", names(t, c.ResourceTemplates(ctx), func(x *mcp.ResourceTemplate) string { return x.Name }), "m0 m1 m2 m3 m4")
		}
		page, err := c.ListTools(ctx, nil, nil)
		if err != nil || len(page.Items) != 2 || page.NextCursor == nil {
			t.Fatalf("a page: %+v, %v", page, err)
		}
		if page, err = c.ListTools(ctx, page.NextCursor, nil); err != nil || page.Items[0].Name != "t2" {
			t.Errorf("the next page: %+v, %v", page, err)
		}
		for _, uri := range []string{"r://3", "m2://v"} {
			r, err := c.ReadResource(ctx, uri, nil)
			if err != nil || r.Contents[0].(*mcp.TextResource).Text != "read "+uri {
				t.Errorf("%s: %+v, %v", uri, r, err)
			}
		}
		p, err := c.GetPrompt(ctx, "p4", map[string]string{"a": "v"}, nil)
		if err != nil || p.Messages[0].Content.(*mcp.TextContent).Text != "p4 v" {
			t.Errorf("prompt: %+v, %v", p, err)
		}
		k, err := c.Complete(ctx, &mcp.CompleteParams{Prompt: "p0", Argument: "a", Value: "o"}, nil)
		if err != nil || strings.Join(k.Values, " ") != "one other two" {
			t.Errorf("completion: %+v, %v", k, err)
		}
		if err := c.Ping(ctx); err != nil {
			t.Errorf("ping: %v", err)
		}
		d, err := c.Discover(ctx)
		if err != nil || d.Instructions != "none" || c.Server() == nil || c.Server().Capabilities.Tools == nil {
			t.Errorf("discover: %+v, %v", d, err)
		}
	})
}

// TestB197NotFound: a resource that is not there is an error with its uri, in the code of the
// revision, and neither a result nor the end of anything (case B197).
func TestB197NotFound(t *testing.T) {
	each(t, mcp.ClientOptions{}, fill, func(t *testing.T, c *mcp.Client, _ *mcp.Server) {
		code := jsonrpc.Code(-32602)
		if c.Era() == mcp.Legacy {
			code = -32002
		}
		for range 2 {
			r, err := c.ReadResource(t.Context(), "r://none", nil)
			var told *jsonrpc.Error
			if !errors.As(err, &told) || told.Code != code || string(told.Data) != `{"uri":"r://none"}` {
				t.Errorf("got %+v, %v, want the error %d with the uri", r, err, code)
			}
		}
		if _, err := c.ReadResource(t.Context(), "r://3", nil); err != nil {
			t.Errorf("one that is there: %v", err)
		}
	})
}

// TestChanges: a subscription hears of changes of lists and resources, Changed hears of
// each once, and the next list is the new one.
func TestChanges(t *testing.T) {
	heard := make(chan mcp.Change, 100)
	o := mcp.ClientOptions{Changed: func(c mcp.Change) { heard <- c }}
	each(t, o, fill, func(t *testing.T, c *mcp.Client, s *mcp.Server) {
		sub, err := c.Listen(t.Context(), &mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"r://1"}})
		if err != nil {
			t.Fatal(err)
		}
		changes := make(chan mcp.Change)
		told := make(chan struct{})
		go func() {
			defer close(told)
			for change := range sub.All() {
				changes <- change
			}
		}()
		expect := func(want mcp.Change) {
			t.Helper()
			if got := soon(t, changes, "the change"); got != want {
				t.Errorf("the subscription was told %+v, want %+v", got, want)
			}
			if got := soon(t, heard, "the change"); got != want {
				t.Errorf("Changed was told %+v, want %+v", got, want)
			}
		}
		s.AddTool(mcp.Tool{Name: "new"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("new"), nil })
		expect(mcp.Change{Kind: mcp.ToolsListChanged})
		same(t, "tools", names(t, c.Tools(t.Context()), func(x *mcp.Tool) string { return x.Name }), "t0 t1 t2 t3 t4 new")
		s.ResourceUpdated("r://0")
		s.ResourceUpdated("r://1")
		expect(mcp.Change{Kind: mcp.ResourceUpdated, URI: "r://1"})
		if err := sub.Close(); err != nil {
			t.Error(err)
		}
		soon(t, told, "the end of the subscription")
		if len(heard) > 0 {
			t.Errorf("Changed was told of %+v, too", <-heard)
		}
	})
}
