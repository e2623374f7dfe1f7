package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// wrapped is a server behind middleware, with a tool for each way in which a call can go,
// a prompt, and a method of its own.
func wrapped(middleware ...mcp.Middleware) *mcp.Server {
	s := quiet(mcp.ServerOptions{Middleware: middleware})
	s.AddTool(mcp.Tool{Name: "fine"}, answering(mcp.TextResult("done"), nil))
	s.AddTool(mcp.Tool{Name: "wrong"}, answering(nil, errors.New("no such row")))
	s.AddTool(mcp.Tool{Name: "protocol"}, answering(nil, jsonrpc.Errorf(-32002, "told")))
	s.AddTool(mcp.Tool{Name: "boom"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { panic("secret") })
	s.AddPrompt(mcp.Prompt{Name: "p"}, giving(nil, errors.New("the disk is full")))
	s.Handle("com.example/own", mcp.Both, func(context.Context, *mcp.Call) (mcp.Reply, error) {
		return mcp.NewReply([]byte(`"own":true`), nil), nil
	})
	s.Handle("com.example/nothing", mcp.Both, func(context.Context, *mcp.Call) (mcp.Reply, error) {
		return mcp.Reply{}, nil
	})
	return s
}

// noting notes what a middleware sees before and after the handler.
func noting(name string, notes *[]string) mcp.Middleware {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			*notes = append(*notes, name+" before "+c.Method())
			outcome := "panic"
			defer func() { *notes = append(*notes, name+" after "+c.Name()+" "+outcome) }()
			reply, err := next(ctx, c)
			switch {
			case err != nil:
				outcome = "error " + err.Error()
			case reply.ToolError():
				outcome = "tool error"
			default:
				outcome = "reply"
			}
			return reply, err
		}
	}
}

// TestMiddlewareSees: the first is outermost, and all see what the handler gave: its
// replies, the errors of tools, errors before the revision's rules and before anything
// is hidden, and panics as they pass.
func TestMiddlewareSees(t *testing.T) {
	const done = `{"content":[{"type":"text","text":"done"}]}`
	tests := []struct{ name, method, params, answer, sees string }{
		{"reply", "tools/call", `{"name":"fine"}`, done, "fine reply"},
		{"tool error", "tools/call", `{"name":"wrong"}`, `{"content":[{"type":"text","text":"no such row"}],"isError":true}`, "wrong tool error"},
		{"protocol error", "tools/call", `{"name":"protocol"}`, "CODE told", "protocol error jsonrpc: error -32002: told"},
		{"panic", "tools/call", `{"name":"boom"}`, "-32603 Internal error", "boom panic"},
		{"unknown tool", "tools/call", `{"name":"nope"}`, "-32602 Unknown tool: nope", " error jsonrpc: error -32602: Unknown tool: nope"},
		{"error to hide", "prompts/get", `{"name":"p"}`, "-32603 Internal error", `p error mcp: prompt "p": the disk is full`},
		{"list", "prompts/list", `{}`, `{"prompts":[{"name":"p"}]}`, " reply"},
		{"method of the program's", "com.example/own", `{}`, `{"own":true}`, " reply"},
		{"neither reply nor error", "com.example/nothing", `{}`, "-32603 Internal error", " reply"},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			var notes []string
			s := wrapped(noting("outer", &notes), noting("inner", &notes))
			code := "-32002"
			if f.Era == mcp.Modern {
				code = "-32602"
			}
			same(t, test.name, ask(t, s, bare(f.Revision), test.method, test.params), strings.Replace(test.answer, "CODE", code, 1))
			want := []string{"outer before " + test.method, "inner before " + test.method, "inner after " + test.sees, "outer after " + test.sees}
			if !slices.Equal(notes, want) {
				t.Errorf("%s\nseen %q\nwant %q", test.name, notes, want)
			}
		}
		var notes []string
		s := wrapped(noting("outer", &notes))
		same(t, "unknown method", ask(t, s, f, "com.example/none", `{}`), "-32601 Method not found: com.example/none")
		if notes != nil {
			t.Errorf("seen %q of a method that does not exist", notes)
		}
	})
}

// TestMiddlewareAnswers: a middleware may answer by itself, and put something else in
// the place of what came.
func TestMiddlewareAnswers(t *testing.T) {
	instead := func(reply mcp.Reply, err error) mcp.Middleware {
		return func(mcp.Handler) mcp.Handler {
			return func(context.Context, *mcp.Call) (mcp.Reply, error) { return reply, err }
		}
	}
	after := func(change func(mcp.Reply, error) (mcp.Reply, error)) mcp.Middleware {
		return func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) { return change(next(ctx, c)) }
		}
	}
	catching := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (reply mcp.Reply, err error) {
			defer func() {
				if v := recover(); v != nil {
					reply, err = mcp.Reply{}, jsonrpc.Errorf(7, "caught %v", v)
				}
			}()
			return next(ctx, c)
		}
	}
	refused := mcp.TextResult("slower")
	refused.IsError, refused.Meta = true, mcp.Meta{"m": jsonrpc.Raw(`1`)}
	tests := []struct {
		name       string
		middleware mcp.Middleware
		tool, want string
	}{
		{"a result", instead(mcp.ToolReply(refused), nil), "boom", `{"content":[{"type":"text","text":"slower"}],"isError":true,"_meta":{"m":1}}`},
		{"members", instead(mcp.NewReply([]byte(`"content":[]`), nil), nil), "boom", `{"content":[]}`},
		{"an error", instead(mcp.Reply{}, jsonrpc.Errorf(7, "told")), "boom", "7 told"},
		{"an error to hide", instead(mcp.Reply{}, errors.New("secret")), "fine", "-32603 Internal error"},
		{"nothing", instead(mcp.Reply{}, nil), "fine", "-32603 Internal error"},
		{"an error in place of a reply", after(func(mcp.Reply, error) (mcp.Reply, error) { return mcp.Reply{}, jsonrpc.Errorf(7, "told") }), "fine", "7 told"},
		{"a reply in place of an error", after(func(mcp.Reply, error) (mcp.Reply, error) { return mcp.ToolReply(mcp.TextResult("x")), nil }), "protocol", `{"content":[{"type":"text","text":"x"}]}`},
		{"an error in place of a panic", catching, "boom", "7 caught secret"},
		{"a panic of its own", after(func(mcp.Reply, error) (mcp.Reply, error) { panic("secret") }), "fine", "-32603 Internal error"},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			s := wrapped(test.middleware)
			same(t, test.name, ask(t, s, bare(f.Revision), "tools/call", fmt.Sprintf(`{"name":%q}`, test.tool)), test.want)
		}
	})
}

// A middleware may give the handler another context, and sees who asks.
func TestMiddlewareContext(t *testing.T) {
	type key struct{}
	s := quiet(mcp.ServerOptions{Middleware: []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			return next(context.WithValue(ctx, key{}, "for "+c.Principal().ID), c)
		}
	}}})
	s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
		return mcp.TextResult(ctx.Value(key{}).(string)), nil
	})
	inForms(t, func(t *testing.T, f *mcp.Form) {
		x := &exchange{server: s, form: bare(f.Revision), principal: &mcp.Principal{ID: "alice"}}
		same(t, "context", x.ask(t, context.Background(), "tools/call", `{"name":"a"}`), `{"content":[{"type":"text","text":"for alice"}]}`)
	})
}

// TestNotify: notifications of an extension go out as they are, while the request runs.
func TestNotify(t *testing.T) {
	tests := []struct {
		name   string
		params jsonrpc.Raw
		sent   string
		fails  bool
	}{
		{"object", jsonrpc.Raw(`{ "a": [1.0] }`), `com.example/moved {"a":[1.0]}`, false},
		{"none", nil, `com.example/moved `, false},
		{"array", jsonrpc.Raw(`[1]`), ``, true},
		{"no JSON", jsonrpc.Raw(`{"a"`), ``, true},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			var err error
			s := quiet(mcp.ServerOptions{})
			s.Handle("com.example/move", mcp.Both, func(_ context.Context, c *mcp.Call) (mcp.Reply, error) {
				err = c.Notify("com.example/moved", test.params)
				return mcp.NewReply(nil, nil), nil
			})
			x := &exchange{server: s, form: bare(f.Revision)}
			same(t, test.name, x.ask(t, context.Background(), "com.example/move", `{}`), `{}`)
			same(t, test.name, strings.Join(x.sent(), "\n"), test.sent)
			if (err != nil) != test.fails {
				t.Errorf("%s: error %v, want one: %t", test.name, err, test.fails)
			}
		}
	})
}

// TestCallKnows is what a handler is told of its request beside the arguments.
func TestCallKnows(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.Handle("com.example/scope", mcp.Both, func(_ context.Context, c *mcp.Call) (mcp.Reply, error) {
		return mcp.NewReply(fmt.Appendf(nil, `"is":"%s %s %v %s %s"`, c.Method(), c.Param("p"), c.Headers()["X-Region"], c.Principal().ID, c.Meta("m")), nil), nil
	})
	inForms(t, func(t *testing.T, f *mcp.Form) {
		x := &exchange{server: s, form: bare(f.Revision), principal: &mcp.Principal{ID: "alice"},
			headers: map[string][]string{"X-Region": {"eu"}}}
		same(t, "scope", x.ask(t, context.Background(), "com.example/scope", `{"p":7,"_meta":{"m":8}}`), `{"is":"com.example/scope 7 [eu] alice 8"}`)
	})
}

// TestMiddlewareAndHints: results that clients may keep have hints, and no others do,
// whoever has answered (2026-07-28 server/utilities/caching, Cacheable Results).
func TestMiddlewareAndHints(t *testing.T) {
	public := &mcp.CacheHint{TTL: duration(7), Public: true}
	const none, stale, kept = "none", "0 private", "7 public"
	tests := []struct {
		method, params string
		without, with  string // the hints in the answer when middleware gives none, and public
	}{
		{"tools/list", `{}`, stale, kept},
		{"prompts/list", `{}`, stale, kept},
		{"resources/list", `{}`, stale, kept},
		{"resources/templates/list", `{}`, stale, kept},
		{"resources/read", `{"uri":"a:b"}`, stale, kept},
		{"tools/call", `{"name":"a"}`, none, none},
		{"prompts/get", `{"name":"a"}`, none, none},
		{"completion/complete", `{}`, none, none},
		{"com.example/own", `{}`, none, kept},
	}
	for _, test := range tests {
		for _, row := range []struct {
			name, want string
			reply      mcp.Reply
		}{
			{"no hint", test.without, mcp.NewReply(nil, nil)},
			{"a hint", test.with, mcp.NewReply(nil, public)},
			{"a question", none, mcp.NewInputRequired([]byte(`"requestState":"s"`))},
		} {
			s := quiet(mcp.ServerOptions{Middleware: []mcp.Middleware{func(mcp.Handler) mcp.Handler {
				return func(context.Context, *mcp.Call) (mcp.Reply, error) { return row.reply, nil }
			}}})
			for _, l := range lists {
				l.add(s, "a", nil)
			}
			s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "c:{x}", Name: "c", Complete: map[string]mcp.Completer{"x": mcp.CompleteFrom()}}, holding(nil))
			s.Handle("com.example/own", mcp.Both, func(context.Context, *mcp.Call) (mcp.Reply, error) { return mcp.Reply{}, nil })
			same(t, test.method+": "+row.name, cacheOf(ask(t, s, form("2026-07-28"), test.method, test.params)), row.want)
			same(t, test.method+": "+row.name+", legacy", cacheOf(ask(t, s, form("2025-11-25"), test.method, test.params)), none)
		}
	}
}
