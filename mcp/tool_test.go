package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestOutcomes is what can come out of a tool, the same in every revision.
func TestOutcomes(t *testing.T) {
	var noError *jsonrpc.Error
	secret := errors.New("open /secret/file: permission denied")
	tests := []struct {
		name    string
		handler mcp.ToolHandler
		want    string
	}{
		{"text", answering(mcp.TextResult("x"), nil), `{"content":[{"type":"text","text":"x"}]}`},
		{"no content", answering(&mcp.Result{}, nil), `{"content":[]}`},
		{"error of the tool, by the result", answering(&mcp.Result{IsError: true}, nil), `{"content":[],"isError":true}`},
		{"error of the tool", answering(nil, errors.New("the disk is full")),
			`{"content":[{"type":"text","text":"the disk is full"}],"isError":true}`},
		{"error of the tool beside a result", answering(mcp.TextResult("x"), errors.New("no")),
			`{"content":[{"type":"text","text":"no"}],"isError":true}`},
		{"deadline of the tool's own", answering(nil, context.DeadlineExceeded),
			`{"content":[{"type":"text","text":"context deadline exceeded"}],"isError":true}`},
		{"protocol error", answering(nil, jsonrpc.Errorf(-32602, "arguments.x must be a string")), "-32602 arguments.x must be a string"},
		{"protocol error with data", answering(nil, &jsonrpc.Error{Code: 7, Message: "m", Data: jsonrpc.Raw(`{"a":1}`)}), `7 m {"a":1}`},
		{"protocol error, wrapped", answering(nil, fmt.Errorf("%w: %w", secret, jsonrpc.Errorf(-32602, "told"))), "-32602 told"},
		{"protocol error without a code", answering(nil, &jsonrpc.Error{Message: "m"}), "-32603 Internal error"},
		{"protocol error that is a nil pointer", answering(nil, noError), "-32603 Internal error"},
		{"neither result nor error", answering(nil, nil), "-32603 Internal error"},
		{"panic", func(context.Context, *mcp.Call) (*mcp.Result, error) { panic(secret) }, "-32603 Internal error"},
		{"nil dereference", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			var r *mcp.Result
			return r, errors.New(r.Content[0].(*mcp.TextContent).Text)
		}, "-32603 Internal error"},
		{"meta", answering(&mcp.Result{Meta: mcp.Meta{"b": jsonrpc.Raw(`[]`), "a": jsonrpc.Raw(`" "`)}}, nil),
			`{"content":[],"_meta":{"a":" ","b":[]}}`},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, test.handler)
		inForms(t, func(t *testing.T, f *mcp.Form) {
			got := ask(t, s, bare(f.Revision), "tools/call", `{"name":"a"}`)
			same(t, test.name, got, test.want)
			if strings.Contains(got, "secret") {
				t.Errorf("%s: the peer is told what is not its own: %s", test.name, got)
			}
		})
	}
}

// What is hidden from the peer is in the log, under the same correlation id.
func TestHiddenErrorsAreLogged(t *testing.T) {
	tests := []struct {
		name    string
		handler mcp.ToolHandler
		want    []string
	}{
		{"panic", func(context.Context, *mcp.Call) (*mcp.Result, error) { panic("wild") }, []string{"wild", "tool_test.go", "tools/call"}},
		{"neither result nor error", answering(nil, nil), []string{`tool \"a\"`, "neither a result nor an error"}},
		{"nil block", answering(&mcp.Result{Content: []mcp.Content{nil}}, nil), []string{"content block 0 is nil"}},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, test.handler)
		var log bytes.Buffer
		x := &exchange{server: s, form: forms[0], log: slog.New(slog.NewTextHandler(&log, nil))}
		same(t, test.name, x.ask(t, context.Background(), "tools/call", `{"name":"a"}`), "-32603 Internal error")
		for _, want := range append(test.want, "correlation=") {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%s: the log lacks %q: %s", test.name, want, &log)
			}
		}
	}
}

// A handler that gives up because its context ended is no failed tool.
func TestCancelledTool(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	inForms(t, func(t *testing.T, f *mcp.Form) {
		x := &exchange{server: s, form: f}
		same(t, "a call whose context has ended", x.ask(t, ctx, "tools/call", `{"name":"a"}`), "-32603 Request cancelled")
	})
}

func TestCallParams(t *testing.T) {
	const name, object = "-32602 params.name must be a string", "-32602 params.arguments must be an object"
	whole := func(arguments string) string {
		return `{"content":[{"type":"text","text":` + string(jsonrpc.AppendString(nil, arguments)) + `}]}`
	}
	long := strings.Repeat("n", 300)
	tests := []struct{ name, params, want string }{
		{"no name", `{}`, name},
		{"name is null", `{"name":null}`, name},
		{"name is a number", `{"name":1}`, name},
		{"name is an array", `{"name":["a"]}`, name},
		{"Name is another member", `{"Name":"a"}`, name},
		{"unknown", `{"name":"nope"}`, "-32602 Unknown tool: nope"},
		{"empty name", `{"name":""}`, "-32602 Unknown tool: "},
		{"name in other case", `{"name":"A"}`, "-32602 Unknown tool: A"},
		{"name with a space", `{"name":"a "}`, "-32602 Unknown tool: a "},
		{"long name", `{"name":"` + long + `"}`, "-32602 Unknown tool: " + long[:256] + "…"},
		{"long name whose cut would halve a letter", `{"name":"x` + strings.Repeat("é", 150) + `"}`, "-32602 Unknown tool: x" + strings.Repeat("é", 127) + "…"},
		{"escaped name", `{"name":"\u0061"}`, whole(`{}`)},
		{"no arguments", `{"name":"a"}`, whole(`{}`)},
		{"empty arguments", `{"name":"a","arguments":{}}`, whole(`{}`)},
		{"arguments as sent", `{"name":"a","arguments":{"n": 9007199254740993,"m":-9223372036854775808, "f":1.0}}`,
			whole(`{"n": 9007199254740993,"m":-9223372036854775808, "f":1.0}`)},
		{"arguments are null", `{"name":"a","arguments":null}`, object},
		{"arguments are a string", `{"name":"a","arguments":"{\"a\":1}"}`, object},
		{"arguments are an array", `{"name":"a","arguments":[1]}`, object},
		{"arguments are a number", `{"name":"a","arguments":0}`, object},
		{"an argument twice", `{"name":"a","arguments":{"x":1,"x":2}}`, `-32602 duplicate member "x" in params.arguments`},
		{"an argument twice, once escaped", `{"name":"a","arguments":{"x":1,"\u0078":2}}`, `-32602 duplicate member "x" in params.arguments`},
		{"Arguments is another member", `{"name":"a","Arguments":[1]}`, whole(`{}`)},
		{"members nobody knows", `{"name":"a","future":true,"NAME":"boom"}`, whole(`{}`)},
	}
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		return mcp.TextResult(string(c.Arguments())), nil
	})
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			same(t, test.name, ask(t, s, bare(f.Revision), "tools/call", test.params), test.want)
		}
	})
}

func TestArgument(t *testing.T) {
	tests := []struct{ name, arguments, asked, want string }{
		{"there", `{"a":1}`, "a", "1"},
		{"absent", `{"a":1}`, "b", ""},
		{"null is not absent", `{"a":null}`, "a", "null"},
		{"exact name", `{"A":1,"a":2}`, "a", "2"},
		{"no folding of long s", `{"ſ":1}`, "s", ""},
		{"escaped name", `{"\u0061":1}`, "a", "1"},
		{"empty name", `{"":1}`, "", "1"},
		{"beyond the first few", `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":{"g":[6]}}`, "f", `{"g":[6]}`},
		{"no arguments", ``, "a", ""},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "t"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			return mcp.TextResult(string(c.Argument(test.asked))), nil
		})
		params := `{"name":"t"}`
		if test.arguments != "" {
			params = `{"name":"t","arguments":` + test.arguments + `}`
		}
		same(t, test.name, ask(t, s, forms[0], "tools/call", params),
			`{"content":[{"type":"text","text":`+string(jsonrpc.AppendString(nil, test.want))+`}]}`)
	}
}

func TestUnknownMethods(t *testing.T) {
	s := full()
	long := strings.Repeat("m", 300)
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, method := range []string{"nonexistent/method", "tools/List", "tools/list ", "tools", "prompts/list", "initialize", "ping"} {
			same(t, method, ask(t, s, f, method, `{}`), "-32601 Method not found: "+method)
		}
		same(t, "long method", ask(t, s, f, long, `{}`), "-32601 Method not found: "+long[:256]+"…")
	})
}
