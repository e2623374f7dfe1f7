package mcptest_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// waiting is the sound server with a tool that waits for a channel and for nothing else.
func waiting(until <-chan struct{}) func(testing.TB) *mcp.Server {
	return sound(nil, func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "deaf"}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
			<-until
			return mcp.TextResult("at last"), nil
		})
		s.AddTool(mcp.Tool{Name: "minute"}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
			<-time.After(time.Minute)
			return mcp.TextResult("a minute later"), nil
		})
	})
}

// TestPatience: an answer that never comes fails the test and does not hold it up, whether
// the handler would end or not.
func TestPatience(t *testing.T) {
	tests := []struct {
		name, tool string
		do         func(c *mcptest.Client, tool string)
		want       []string
	}{
		{"a handler that minds its context", "wait", func(c *mcptest.Client, tool string) { c.Call(tool, "") },
			[]string{`no answer within 30s to tools/call with id `}},
		{"one that minds nothing", "deaf", func(c *mcptest.Client, tool string) { c.Call(tool, "") },
			[]string{`no answer within 30s to tools/call with id `, `{"name":"deaf"}`}},
		{"one that nobody waits for", "deaf", func(c *mcptest.Client, tool string) {
			c.StartCall(tool, "")
			synctest.Wait()
		}, []string{"serving ended with ", "jsonrpc: not everything was answered", "was never answered"}},
	}
	for _, test := range tests {
		for _, revision := range mcptest.Revisions() {
			for _, transport := range mcptest.Transports() {
				var found string
				synctest.Test(t, func(t *testing.T) {
					until := make(chan struct{})
					defer close(until)
					found = record(t, func(t testing.TB) {
						c := mcptest.Dial(t, waiting(until)(t), &mcptest.Options{Revision: revision, Transport: transport})
						test.do(c, test.tool)
						c.Close()
					})
				})
				for _, want := range test.want {
					if want == "was never answered" && transport.Lasting && revision < mcptest.Modern {
						continue // the stream ends with an answer that the server gives for the handler
					}
					if !strings.Contains(found, want) {
						t.Errorf("%s in %s over %s\n got %s\nwant %s", test.name, revision, transport.Name, found, want)
					}
				}
			}
		}
	}
}

// TestPatienceByTheClock: the same outside of a bubble.
func TestPatienceByTheClock(t *testing.T) {
	until := make(chan struct{})
	found := record(t, func(t testing.TB) {
		c := mcptest.Dial(t, waiting(until)(t), &mcptest.Options{Patience: time.Millisecond})
		c.Listen(mcptest.Filter{Tools: true}).Next()
	})
	if want := "waited 1ms in vain for a notification on the stream"; !strings.Contains(found, want) && !strings.Contains(found, "in vain for the acknowledgment") {
		t.Errorf("got %s\nwant %s", found, want)
	}
	found = record(t, func(t testing.TB) {
		c := mcptest.Dial(t, waiting(until)(t), &mcptest.Options{Patience: time.Millisecond})
		defer close(until)
		c.Call("deaf", "")
	})
	if want := "no answer within 1ms to tools/call"; !strings.Contains(found, want) {
		t.Errorf("got %s\nwant %s", found, want)
	}
}

// TestSlow: in a bubble a slow tool is no reason to fail.
func TestSlow(t *testing.T) {
	mcptest.Each(t, waiting(nil), func(t *testing.T, c *mcptest.Client) {
		if got := c.Call("minute", "").Text(); got != "a minute later" {
			t.Errorf("got %q", got)
		}
	})
}

// TestText: the text of a tool, of a resource and of a prompt.
func TestText(t *testing.T) {
	more := func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "blocks"}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
			return &mcp.Result{Content: []mcp.Content{
				&mcp.TextContent{Text: "a"}, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"}, &mcp.TextContent{Text: "b"},
			}}, nil
		})
		s.AddResource(mcp.Resource{URI: "sound:both", Name: "both"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.TextResource{Text: "c"}, &mcp.BlobResource{Blob: []byte{1}}, &mcp.TextResource{Text: "d"}}, nil
		})
	}
	mcptest.Each(t, sound(nil, more), func(t *testing.T, c *mcptest.Client) {
		for want, r := range map[string]*mcptest.Response{
			"a\nb": c.Call("blocks", ""), "c\nd": c.Read("sound:both"), "x": c.Prompt("p", `{"a":"x"}`), "": c.Call("nope", ""),
		} {
			if got := r.Text(); got != want {
				t.Errorf("the text of %s\n got %q\nwant %q", r, got, want)
			}
		}
	})
}

// TestNoJSON: arguments that stand for nothing fail the test, and by name.
func TestNoJSON(t *testing.T) {
	for want, do := range map[string]func(c *mcptest.Client){
		`arguments is not JSON: {"name":}`: func(c *mcptest.Client) { c.Call("greet", `{"name":}`) },
		`arguments is not JSON: {`:         func(c *mcptest.Client) { c.StartCall("greet", `{`) },
		`arguments is not JSON: {a:1}`:     func(c *mcptest.Client) { c.Prompt("p", `{a:1}`) },
		`known is not JSON: x`:             func(c *mcptest.Client) { c.CompletePrompt("p", "a", "", "x") },
		`params is not JSON: {"cursor"}`:   func(c *mcptest.Client) { c.Request("tools/list", `{"cursor"}`) },
	} {
		for _, revision := range mcptest.Revisions() {
			found := record(t, func(t testing.TB) {
				do(mcptest.Dial(t, sound(nil, nil)(t), &mcptest.Options{Revision: revision}))
			})
			if !strings.HasSuffix(found, want) || strings.Contains(found, "\n") {
				t.Errorf("%s\n got %s\nwant one failure with %s", revision, found, want)
			}
		}
	}
}
