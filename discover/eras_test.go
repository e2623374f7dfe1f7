package discover_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// era is one way in which a client speaks.
type era struct {
	version string
	modern  bool
}

// eras are all five. A test that leaves some out says why.
var eras = []era{{"2024-11-05", false}, {"2025-03-26", false}, {"2025-06-18", false}, {"2025-11-25", false}, {"2026-07-28", true}}

// meta returns the members of _meta that make a request a modern one.
func meta(version string) string {
	return `"io.modelcontextprotocol/protocolVersion":"` + version +
		`","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}`
}

// modernMeta is the _meta of requests that need nothing special in it.
var modernMeta = `"_meta":{` + meta("2026-07-28") + `}`

// request is the line of a request. params holds the members of params; a modern
// one has _meta added.
func (e era) request(id, method, params string) string {
	if e.modern {
		params = join(params, modernMeta)
	}
	return request(id, method, params)
}

// withMeta is request for a request that has members of _meta itself.
func (e era) withMeta(id, method, params, members string) string {
	if e.modern {
		members = join(members, meta("2026-07-28"))
	}
	return request(id, method, join(params, `"_meta":{`+members+`}`))
}

func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "," + b
}

const (
	identity  = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test-server","version":"1.2.3"}}`
	cacheable = `"ttlMs":0,"cacheScope":"private"`
)

// result is the line of a result, with what a modern one has around its members.
func (e era) result(id, members string) string {
	if e.modern {
		members = join(join(`"resultType":"complete"`, members), identity)
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{` + members + `}}`
}

// cached is a result that clients may cache.
func (e era) cached(id, members string) string {
	if e.modern {
		return e.result(id, join(members, cacheable))
	}
	return e.result(id, members)
}

// text is the result of a tool that is one text.
func (e era) text(id, text string) string {
	return e.result(id, `"content":[{"type":"text","text":`+quote(text)+`}]`)
}

// failure is the line of an error; data is "" for none.
func failure(id string, code int, message, data string) string {
	line := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + fmt.Sprint(code) + `,"message":` + quote(message)
	if data != "" {
		line += `,"data":` + data
	}
	return line + `}}`
}

// unreadable is an error whose request has no usable id.
func unreadable(code int, message string) string {
	return strings.Replace(failure("", code, message, ""), `"id":,`, "", 1)
}

// noSuchResource is the error for a uri that nothing answers to.
func (e era) noSuchResource(id, uri string) string {
	code := -32002
	if e.modern {
		code = -32602
	}
	return failure(id, code, "Unknown resource: "+uri, `{"uri":`+quote(uri)+`}`)
}

func quote(text string) string { return string(jsonrpc.AppendString(nil, text)) }

// initialize is the request that opens a legacy session; its id is 0.
func initialize(version string) string {
	return request("0", "initialize", `"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"0"}`)
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// initializeResult is the answer to it from [fixture].
func initializeResult(version string) string {
	return `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"` + version +
		`","capabilities":{"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}},"serverInfo":{"name":"test-server","version":"1.2.3"}}}`
}

// inEras runs f as a subtest in each era, on a wire that is ready for requests of it.
func inEras(t *testing.T, f func(w *wire, e era)) {
	for _, e := range eras {
		t.Run(e.version, func(t *testing.T) {
			bubble(t, fixture, func(w *wire) {
				if !e.modern {
					w.want("handshake", initialize(e.version), initializeResult(e.version))
					w.want("ready", initialized)
				}
				f(w, e)
			})
		})
	}
}

// fixture is the server of the tests: what quick has, and two tools that wait until
// they are cancelled. One obeys; the other has more to say even then.
func fixture() *mcp.Server {
	s := quick()
	s.AddTool(mcp.Tool{Name: "slow"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s.AddTool(mcp.Tool{Name: "stubborn"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		<-ctx.Done()
		c.Progress(2, 0, "")
		return mcp.TextResult("late"), nil
	})
	return s
}

// quick has a tool for each way in which a call can go at once, a text resource and
// a template.
func quick() *mcp.Server {
	s := mcp.NewServer("test-server", "1.2.3", &mcp.ServerOptions{Logger: quiet()})
	tools := []struct {
		name string
		run  mcp.ToolHandler
	}{
		{"echo", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			return mcp.TextResult(string(c.Arguments())), nil
		}},
		{"boom", func(context.Context, *mcp.Call) (*mcp.Result, error) { panic("secret") }},
		{"nothing", func(context.Context, *mcp.Call) (*mcp.Result, error) { return nil, nil }},
		{"fail", func(context.Context, *mcp.Call) (*mcp.Result, error) { return nil, errors.New("the disk is full") }},
		{"protocol", func(context.Context, *mcp.Call) (*mcp.Result, error) { return nil, jsonrpc.Errorf(-32602, "told") }},
		{"report", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Progress(0.25, 1, "")
			c.Progress(0.25, 1, "")
			c.Progress(1, 1, "")
			return mcp.TextResult("done"), nil
		}},
		{"who", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			k := c.ClientCapabilities()
			return mcp.TextResult(fmt.Sprintf("%s %s roots=%t other=%s", c.ProtocolVersion(), c.ClientInfo(), k.Roots != nil, k.Other["future"])), nil
		}},
	}
	for _, tool := range tools {
		s.AddTool(mcp.Tool{Name: tool.name}, tool.run)
	}
	s.AddResource(mcp.Resource{URI: "test:text", Name: "text"}, func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), Text: "x"}}, nil
	})
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "file://docs/{name}", Name: "docs"}, func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		if c.Variable("name") == "gone" {
			return nil, mcp.ErrResourceNotFound
		}
		return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), Text: c.Variable("name")}}, nil
	})
	return s
}
