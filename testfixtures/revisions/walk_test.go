package revisions_test

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/asks"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/mcptest"
	"isthmus.internal/testfixtures/notes"
	"isthmus.internal/testfixtures/revisions"
)

// walked are the servers that a client of each revision walks through. To add one, say
// how to make it and what its tools and prompts must be given.
var walked = []walk{
	{name: "rich", server: func(testing.TB) *mcp.Server { return richServer() },
		prompts: map[string]string{"p": `{"a":"1","b":"2"}`}, says: all},
	{name: "everything", server: func(testing.TB) *mcp.Server {
		return everything.NewServer(&everything.Options{Logger: slog.New(slog.DiscardHandler)})
	},
		tools: map[string]string{
			"add": `{"a":1,"b":2}`, "big": `{"n":3}`, "echo": `{"a":[1.0]}`, "slow": `{"ms":120}`, "test_sampling": `{"prompt":"p"}`,
			"test_elicitation": `{"message":"m"}`, "json_schema_2020_12_tool": `{"name":"n"}`, "test_x_mcp_header": `{"region":"r"}`,
		},
		prompts: map[string]string{
			"test_prompt_with_arguments": `{"arg1":"1","arg2":"2"}`, "test_prompt_with_embedded_resource": `{"resourceUri":"a:b"}`, "greet": `{"name":"n"}`,
		},
		reads: []string{"test://template/1/data", "file://docs/readme"}, says: all},
	{name: "paged", server: pagedServer},
	{name: "asks", server: func(testing.TB) *mcp.Server { return asks.NewServer(nil, nil).Server },
		left: map[string]string{"endless": "it never ends to ask"}},
	{name: "echo", server: func(testing.TB) *mcp.Server { return echo.NewServer(slog.New(slog.DiscardHandler)) }},
	{name: "notes", server: func(testing.TB) *mcp.Server { return notes.NewServer(slog.New(slog.DiscardHandler), nil) }},
}

// all is what a server says that offers everything.
var all = map[string]span{
	"tools/call":                           {"2024-11-05", ""},
	"prompts/get":                          {"2024-11-05", ""},
	"completion/complete":                  {"2024-11-05", ""},
	"resources/read":                       {"2024-11-05", ""},
	"notifications/progress":               {"2024-11-05", ""},
	"notifications/message":                {"2024-11-05", ""},
	"notifications/tools/list_changed":     {"2024-11-05", ""},
	"notifications/prompts/list_changed":   {"2024-11-05", ""},
	"notifications/resources/list_changed": {"2024-11-05", ""},
	"notifications/resources/updated":      {"2024-11-05", ""},
	"subscriptions/listen":                 {"2026-07-28", ""},
	"roots/list":                           {"2024-11-05", "2025-11-25"},
	"sampling/createMessage":               {"2024-11-05", "2025-11-25"},
	"elicitation/create":                   {"2025-06-18", "2025-11-25"},
	"input_required":                       {"2026-07-28", ""},
}

// walk is a way through all that a server offers.
type walk struct {
	name   string
	server func(testing.TB) *mcp.Server
	// tools and prompts are the arguments for those that need some.
	tools, prompts map[string]string
	// left are tools that are not called, each with the reason.
	left map[string]string
	// reads are uris to read that are not listed.
	reads []string
	// says is what must have been said, and in which revisions: see check.
	says map[string]span
}

// TestWalks walks through each server in each revision and holds every message against the
// table.
func TestWalks(t *testing.T) {
	for _, w := range walked {
		t.Run(w.name, func(t *testing.T) {
			for _, revision := range revisions.All {
				t.Run(revision, func(t *testing.T) {
					checkSaid(t, revision, check(t, w.run(t, revision)), w.says)
				})
			}
		})
	}
}

// walkMessages are the exchanges of all walks in a revision.
func walkMessages(t *testing.T, revision string) []exchange {
	t.Helper()
	var all []exchange
	for _, w := range walked {
		all = append(all, w.run(t, revision)...)
	}
	return all
}

// run walks once and returns what the server said.
func (w *walk) run(t *testing.T, revision string) []exchange {
	t.Helper()
	var (
		mu  sync.Mutex
		all []exchange
	)
	o := &mcptest.Options{Revision: revision, Progress: true, Answer: agree, Record: func(method, line string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, exchange{where: w.name + " in " + revision, revision: revision, method: method, message: line})
	}}
	synctest.Test(t, func(t *testing.T) {
		c := mcptest.Dial(t, w.server(t), o)
		if mcptest.At(c.ServerCapabilities(), "logging") != nil {
			c.SetLevel("debug")
		}
		w.lists(c)
		if bytes.Contains(c.ServerCapabilities(), []byte(`"listChanged":true`)) {
			w.changes(c)
		}
		c.Close()
	})
	return all
}

// lists walks through what is listed.
func (w *walk) lists(c *mcptest.Client) {
	for _, template := range mcptest.Names(w.list(c, "resources/templates/list", "resources"), "uriTemplate") {
		for _, variable := range variable.FindAllString(template, -1) {
			c.CompleteResource(template, strings.Trim(variable, "{}"), "", "")
		}
	}
	for _, uri := range append(mcptest.Names(w.list(c, "resources/list", "resources"), "uri"), w.reads...) {
		c.Read(uri)
	}
	for _, prompt := range w.list(c, "prompts/list", "prompts") {
		name := mcptest.Names([]jsonrpc.Raw{prompt}, "name")[0]
		c.Prompt(name, w.prompts[name])
		for _, argument := range arguments(prompt) {
			c.CompletePrompt(name, argument, "", "")
		}
	}
	for _, name := range mcptest.Names(w.list(c, "tools/list", "tools"), "name") {
		if w.left[name] == "" {
			c.Call(name, w.tools[name])
		}
	}
}

// variable is a simple variable in a template.
var variable = regexp.MustCompile(`\{\w+\}`)

// arguments are the names of the arguments of a prompt.
func arguments(prompt jsonrpc.Raw) []string {
	return mcptest.Names(mcptest.Elements(mcptest.At(prompt, "arguments")), "name")
}

// list returns what the server lists, where it declares to.
func (w *walk) list(c *mcptest.Client, method, capability string) []jsonrpc.Raw {
	if mcptest.At(c.ServerCapabilities(), capability) == nil {
		return nil
	}
	return c.List(method)
}

// changes has the server tell of everything that can change, and leaves the stream open for
// the server to end.
func (w *walk) changes(c *mcptest.Client) {
	uris := mcptest.Names(w.list(c, "resources/list", "resources"), "uri")
	stream := c.Listen(mcptest.Filter{Tools: true, Prompts: true, Resources: true, URIs: uris})
	s := c.Server()
	const name = "walk-added"
	s.AddTool(mcp.Tool{Name: name}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult(""), nil })
	s.AddPrompt(mcp.Prompt{Name: name}, func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return mcp.PromptText(""), nil })
	s.AddResource(mcp.Resource{URI: "walk:added", Name: name}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{URI: "walk:added"}}, nil
	})
	waiting := map[string]bool{}
	granted := stream.Granted()
	for method, told := range map[string]bool{"tools": granted.Tools, "prompts": granted.Prompts, "resources": granted.Resources} {
		if told {
			waiting["notifications/"+method+"/list_changed"] = true
		}
	}
	for _, uri := range granted.URIs {
		s.ResourceUpdated(uri)
		waiting[uri] = true
	}
	for len(waiting) > 0 { // a change that is never told of ends the test by its bubble
		n := stream.Next()
		uri, _ := n.At("uri").Text()
		delete(waiting, n.Method)
		delete(waiting, uri)
	}
}

// agree answers what a server asks, in the simplest way that says yes.
func agree(a mcptest.Ask) (string, *jsonrpc.Error) {
	switch a.Method {
	case "elicitation/create":
		content := ""
		o := jsonrpc.ReadObject(a.At("requestedSchema", "properties"))
		for o.Next() {
			content += "," + string(jsonrpc.AppendString(nil, string(o.Name()))) + ":" + string(fill(o.Value()))
		}
		if content == "" {
			return `{"action":"accept"}`, nil
		}
		return `{"action":"accept","content":{` + content[1:] + `}}`, nil
	case "sampling/createMessage":
		return `{"role":"assistant","content":{"type":"text","text":"yes"},"model":"none"}`, nil
	}
	return `{"roots":[{"uri":"file:///walk","name":"walk"}]}`, nil
}

// fill is a value for a field of a form.
func fill(schema jsonrpc.Raw) jsonrpc.Raw {
	for _, path := range [][]any{{"default"}, {"enum", 0}, {"oneOf", 0, "const"}, {"minimum"}} {
		if v := mcptest.At(schema, path...); v != nil {
			return v
		}
	}
	switch kind, _ := mcptest.At(schema, "type").Text(); kind {
	case "integer", "number":
		return jsonrpc.Raw(`1`)
	case "boolean":
		return jsonrpc.Raw(`true`)
	case "array":
		return jsonrpc.Raw(`[]`)
	}
	switch format, _ := mcptest.At(schema, "format").Text(); format {
	case "email":
		return jsonrpc.Raw(`"walk@a.example"`)
	case "uri":
		return jsonrpc.Raw(`"walk:a"`)
	case "date":
		return jsonrpc.Raw(`"2026-07-28"`)
	case "date-time":
		return jsonrpc.Raw(`"2026-07-28T00:00:00Z"`)
	}
	return jsonrpc.Raw(`"walk"`)
}
