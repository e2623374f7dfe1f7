package cases_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// stats is what slow has counted.
func stats(c *mcptest.Client) string { return c.Call("stats", "").Text() }

// B91, B92: a cancelled call ends, and nothing is ever sent for it, whatever its id; the
// client fails when something is.
func TestB91Cancel(t *testing.T) {
	m := &mcptest.Matrix{Options: mcptest.Options{Progress: true}}
	m.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		for i, id := range []string{`3000`, `0`, `""`, `"a\u0062"`} {
			p := c.StartAs(id, "tools/call", `{"name":"slow","arguments":{"ms":600000}}`)
			c.Settle()
			p.Cancel()
			synctest.Wait()
			same(t, "after "+id, stats(c), fmt.Sprintf(`{"started":%d,"done":0,"cancelled":%d}`, i+1, i+1))
			c.Settle() // in which nothing may come
		}
	})
}

// B97, B98, B100: every token comes back with its type and digits, fractions stay, and
// without a token nothing is sent.
func TestB97Progress(t *testing.T) {
	server := with(func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "report"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Progress(0.25, 1, "")
			return mcp.TextResult("done"), nil
		})
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		for _, token := range []string{`0`, `""`, `"abc"`, `9007199254740993`, `-1`} {
			r := c.Request("tools/call", `{"name":"report","_meta":{"progressToken":`+token+`}}`)
			notes := r.Of("notifications/progress")
			if len(notes) != 1 {
				t.Fatalf("token %s: %d notifications, want 1", token, len(notes))
			}
			same(t, token, string(notes[0].Params), `{"progressToken":`+token+`,"progress":0.25,"total":1}`)
		}
		for _, token := range []string{`null`, `1.5`, `{}`, `true`} {
			if r := c.Request("tools/call", `{"name":"report","_meta":{"progressToken":`+token+`}}`); r.Code() != jsonrpc.InvalidParams {
				t.Errorf("token %s: %s, want -32602", token, r)
			}
		}
		if r := c.Call("report", ""); len(r.Notes) != 0 {
			t.Errorf("without a token: %v", r.Notes)
		}
	})
}

// B166, B167: a panic and a handler that returns nothing are internal errors that say
// nothing; everything goes on.
func TestB166Panic(t *testing.T) {
	server := with(func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "boom"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { panic("a secret") })
		s.AddTool(mcp.Tool{Name: "nil"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return nil, nil })
		s.AddTool(mcp.Tool{Name: "fine"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("fine"), nil })
		for name, h := range map[string]mcp.ResourceHandler{
			"boom": func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { panic("a secret") },
			"nil":  func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, nil },
		} {
			s.AddResource(mcp.Resource{URI: "x:" + name, Name: name}, h)
		}
		complete := func(context.Context, *mcp.Call, mcp.Completing) (*mcp.Completion, error) { panic("a secret") }
		for name, h := range map[string]mcp.PromptHandler{
			"boom": func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { panic("a secret") },
			"nil":  func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return nil, nil },
		} {
			s.AddPrompt(mcp.Prompt{Name: name, Arguments: []mcp.PromptArgument{{Name: "a", Complete: complete}}}, h)
		}
		s.HandleNotification("notifications/boom", mcp.Both, func(context.Context, *mcp.Notice) { panic("a secret") })
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		for what, r := range map[string]*mcptest.Response{
			"tool": c.Call("boom", ""), "tool nil": c.Call("nil", ""), "resource": c.Read("x:boom"), "resource nil": c.Read("x:nil"),
			"prompt": c.Prompt("boom", ""), "prompt nil": c.Prompt("nil", ""), "completion": c.CompletePrompt("boom", "a", "", ""),
		} {
			if r.Code() != jsonrpc.InternalError || !strings.HasPrefix(r.Error.Message, "Internal error (correlation id ") || r.Error.Data != nil {
				t.Errorf("%s: %s, want an internal error that says no more", what, r.Line)
			}
		}
		c.Notify("notifications/boom", `{}`)
		same(t, "afterwards", c.Call("fine", "").Text(), "fine")
	})
}

// B169: many goroutines send much at once, and every line is whole, which the client
// looks at.
func TestB169Whole(t *testing.T) {
	server := with(func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "much"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Progress(1, 0, strings.Repeat("p", 64<<10))
			c.Log(mcp.LogError, "", strings.Repeat("l", 64<<10))
			return mcp.TextResult(strings.Repeat("x", 64<<10)), nil
		})
	})
	// The table of members is left out: it would take most of the time.
	m := &mcptest.Matrix{Options: mcptest.Options{Progress: true, LogLevel: "debug", Unchecked: true}}
	m.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		var calls sync.WaitGroup
		for range 32 {
			calls.Go(func() {
				if got := len(c.Call("much", "").Text()); got != 64<<10 {
					t.Errorf("%d bytes, want %d", got, 64<<10)
				}
			})
		}
		calls.Wait()
	})
}

// B170: two calls at once on one connection, one of which asks for log messages: it alone
// is told, and the client fails when the other one is.
func TestB170LevelsOfRequests(t *testing.T) {
	release := make(chan struct{})
	server := with(func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "log"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			<-release
			c.Log(mcp.LogInfo, "", c.Argument("who"))
			return mcp.TextResult("x"), nil
		})
	})
	m := &mcptest.Matrix{Except: map[string]string{
		"2024-11-05": "its level is the session's", "2025-03-26": "its level is the session's",
		"2025-06-18": "its level is the session's", "2025-11-25": "its level is the session's",
	}}
	m.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		release = make(chan struct{})
		const level = `"_meta":{"io.modelcontextprotocol/logLevel":"debug"}`
		told := c.Start("tools/call", `{"name":"log","arguments":{"who":"told"},`+level+`}`)
		silent := c.Start("tools/call", `{"name":"log","arguments":{"who":"silent"}}`)
		c.Settle()
		close(release)
		told.Wait()
		silent.Wait()
		var heard []string
		for _, n := range c.Notes() {
			heard = append(heard, string(n.At("data")))
		}
		same(t, "heard", strings.Join(heard, " "), `"told"`)
	})
}

// B172: a handler asks the client while notifications flood in.
func TestB172AskInFlood(t *testing.T) {
	m := &mcptest.Matrix{Options: mcptest.Options{Answer: func(mcptest.Ask) (string, *jsonrpc.Error) {
		return `{"role":"assistant","content":{"type":"text","text":"Paris"},"model":"m"}`, nil
	}}}
	m.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		var flood sync.WaitGroup
		flood.Go(func() {
			for range 500 {
				c.Notify("notifications/roots/list_changed", `{}`)
			}
		})
		for range 20 {
			same(t, "the call", c.Call("test_sampling", `{"prompt":"x"}`).Text(), "LLM response: Paris")
		}
		flood.Wait()
	})
}

// B178: a long uri that matches no template is refused at once. That the work grows with
// the length alone is for the tests of the templates. A template whose values nobody can
// tell apart is none.
func TestB178LongURI(t *testing.T) {
	func() {
		const template = "res://{a}{b}{c}"
		defer func() {
			if said := fmt.Sprint(recover()); !strings.Contains(said, template) {
				t.Errorf("registering %s: %s, want a panic that names it", template, said)
			}
		}()
		mcp.NewServer("cases", "1", nil).AddResourceTemplate(mcp.ResourceTemplate{URITemplate: template, Name: "n"},
			func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return nil, nil })
	}()
	server := with(func(s *mcp.Server) {
		for i, template := range []string{"res://x{/ids*}", "res://y/{a}-{b}-{c}"} {
			s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: template, Name: fmt.Sprint(i)},
				func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
					return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), Text: "found"}}, nil
				})
		}
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		for _, uri := range []string{
			"res://x" + strings.Repeat("/a", 50_000) + "^", "res://x" + strings.Repeat(",", 50_000) + "^",
			"res://y/" + strings.Repeat("-", 50_000) + "^",
		} {
			if r := c.Read(uri); r.Error == nil {
				t.Errorf("%.20s… is found", uri)
			}
		}
		same(t, "one that matches", string(c.Read("res://x/1/2").At("contents", 0, "text")), `"found"`)
	})
}

// B179: a schema that branches without end costs no more than its budget: 2^30 ways lead
// to its one type. Where their outcomes can be kept, the value is judged as it should be;
// where marks of what is evaluated make each way another one, it is refused.
func TestB179Branches(t *testing.T) {
	var defs strings.Builder
	for i := range 30 {
		fmt.Fprintf(&defs, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	schema := `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"},"b":{"$ref":"#/$defs/d0","unevaluatedProperties":false}},` +
		`"$defs":{` + defs.String() + `"d30":{"type":"string"}}}`
	server := with(func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "deep", InputSchema: jsonrpc.Raw(schema)},
			func(context.Context, *mcp.Call, jsonrpc.Raw) (string, error) { return "ran", nil })
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		const wrong = "Invalid arguments for tool deep: "
		for arguments, want := range map[string]string{
			`{"a":"x"}`:     "ran",
			`{"a":1}`:       wrong + "arguments.a: expected a string, got the number 1",
			`{"b":{"x":1}}`: wrong + `arguments: expected a value that can be checked within the bounds, got the object {"b":{"x":1}}, which takes too many steps`,
		} {
			same(t, arguments, c.Call("deep", arguments).Text(), want)
		}
	})
}
