package mcptest_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// sound is a server without a fault: a tool that checks its arguments, one that waits, a
// resource, a prompt with completion, and a log.
func sound(edit func(o *mcp.ServerOptions), more func(s *mcp.Server)) func(testing.TB) *mcp.Server {
	return func(testing.TB) *mcp.Server {
		o := &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Logging: true}
		if edit != nil {
			edit(o)
		}
		s := mcp.NewServer("sound", "1", o)
		s.AddTool(mcp.Tool{Name: "greet", InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)},
			func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
				name, ok := c.Argument("name").Text()
				if !ok {
					return nil, errors.New("name must be a string")
				}
				return mcp.TextResult("hello " + name), nil
			})
		s.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		s.AddResource(mcp.Resource{URI: "sound:text", Name: "text"}, func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), Text: "x"}}, nil
		})
		s.AddPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a", Required: true, Complete: mcp.CompleteFrom("x")}, {Name: "b"}}},
			func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return mcp.PromptText("x"), nil })
		if more != nil {
			more(s)
		}
		return s
	}
}

func TestConform(t *testing.T) {
	mcptest.Conform(t, sound(nil, nil), &mcptest.Conforming{Slow: "wait"})
}

// fixed answers a method with these members of a result, whatever the handler says.
func fixed(method, members string) func(o *mcp.ServerOptions) {
	return func(o *mcp.ServerOptions) {
		o.Middleware = []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
				if c.Method() != method {
					return next(ctx, c)
				}
				return mcp.NewReply([]byte(members), &mcp.CacheHint{}), nil
			}
		}}
	}
}

// otherwise answers a method with another error.
func otherwise(method string, code jsonrpc.Code, message string) func(o *mcp.ServerOptions) {
	return func(o *mcp.ServerOptions) {
		o.Middleware = []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
				reply, err := next(ctx, c)
				if c.Method() == method && err != nil {
					err = jsonrpc.Errorf(code, "%s", message)
				}
				return reply, err
			}
		}}
	}
}

// growing lists another tool each time.
func growing(o *mcp.ServerOptions) {
	var n atomic.Int64
	o.Middleware = []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			if c.Method() != "tools/list" {
				return next(ctx, c)
			}
			name := string(jsonrpc.AppendInt(nil, n.Add(1)))
			return mcp.NewReply([]byte(`"tools":[{"name":"t`+name+`","inputSchema":{"type":"object"}}]`), &mcp.CacheHint{}), nil
		}
	}}
}

// deaf takes no subscription of either era.
func deaf(o *mcp.ServerOptions) {
	o.Middleware = []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			if c.Method() == "subscriptions/listen" || c.Method() == "resources/subscribe" {
				return mcp.Reply{}, jsonrpc.Errorf(-32603, "not now")
			}
			return next(ctx, c)
		}
	}}
}

// raw adds a tool that does not look at its arguments.
func raw(name, schema string) func(s *mcp.Server) {
	return func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: name, InputSchema: jsonrpc.Raw(schema)}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
			return mcp.TextResult("fine"), nil
		})
	}
}

// TestConformFinds shows that each check can fail, and that its failure tells why.
func TestConformFinds(t *testing.T) {
	const tool = `{"name":"%","inputSchema":{"type":"object"}}`
	tests := []struct {
		check string
		edit  func(o *mcp.ServerOptions)
		more  func(s *mcp.Server)
		want  string
	}{
		{"lists keep one order", growing, nil, "tools/list: entry 0 is"},
		{"lists are complete", fixed("tools/list", `"tools":[`+tool+`,`+tool+`]`), nil, `tools/list lists "%" twice`},
		{"lists are complete", fixed("prompts/list", `"prompts":[],"nextCursor":"again"`), nil, "comes a second time"},
		{"cursors are checked", fixed("resources/list", `"resources":[]`), nil, `resources/list {"cursor":"garbage"} is answered with {`},
		{"capabilities hold", fixed("prompts/list", `"nope":1`), nil, "prompts is declared, and prompts/list is answered with"},
		{"tools can be called", fixed("tools/list", `"tools":[`+tool+`]`), nil, `a tool is called "%"`},
		{"tools can be called", nil, raw("odd", `{"type":"object","minProperties":"x"}`), "the inputSchema of odd is none"},
		{"resources can be read", nil, func(s *mcp.Server) {
			s.AddResource(mcp.Resource{URI: "gone:x", Name: "gone"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
				return nil, mcp.ErrResourceNotFound
			})
		}, "gone:x is listed, and reading it gives"},
		{"resources can be read", fixed("resources/list", `"resources":[{"uri":"sound:text"}]`), nil, "the resource sound:text has no name"},
		{"prompts are described", fixed("prompts/list", `"prompts":[{"name":"p","arguments":[{"name":"a"},{"name":"a"}]}]`), nil, "the prompt p has the argument a twice"},
		{"prompts are described", fixed("prompts/list", `"prompts":[{"name":""}]`), nil, "a prompt has no name"},
		{"unknown names are refused", otherwise("tools/call", -32603, "x"), nil, "tools/call {"},
		{"unknown names are refused", otherwise("prompts/get", -32602, "no such thing"), nil, "the error does not say which name is unknown"},
		{"wrong arguments are told", nil, raw("lax", `{"type":"object","required":["field"]}`), `lax requires ["field"], and without it is answered with`},
		{"missing prompt arguments are refused", fixed("prompts/get", `"messages":[]`), nil, `prompts/get {"name":"p"} is answered with`},
		{"malformed params are refused", fixed("resources/read", `"contents":[]`), nil, "resources/read {} is answered with"},
		{"completion holds", fixed("completion/complete", `"completion":{"values":[]}`), nil, "the completion of a prompt that does not exist"},
		{"changes are told to who asks", deaf, nil, "-32603 not now"},
		{"unknown methods are refused", nil, func(s *mcp.Server) {
			s.Handle("mcptest.no-such-name", mcp.Both, func(context.Context, *mcp.Call) (mcp.Reply, error) { return mcp.NewReply(nil, nil), nil })
		}, "mcptest.no-such-name  is answered with"},
		{"cancelled calls end", nil, func(s *mcp.Server) { s.RemoveTool("wait"); raw("wait", `{"type":"object"}`)(s) }, "wait  is answered at once"},
	}
	for _, test := range tests {
		for _, revision := range []string{"2025-11-25", mcptest.Modern} {
			found := record(t, func(t testing.TB) {
				mcptest.RunCheck(t, test.check, revision, sound(test.edit, test.more), &mcptest.Conforming{Slow: "wait", Unchecked: true})
			})
			if !strings.Contains(found, test.want) || !strings.Contains(found, test.check+": ") {
				t.Errorf("%s in %s\n got %s\nwant %s, and why", test.check, revision, found, test.want)
			}
		}
	}
}
