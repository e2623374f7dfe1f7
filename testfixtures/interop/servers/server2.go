package main

import (
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// server2 is server2.mjs, which is written on the second generation of the TypeScript SDK.
var server2 = server{
	pkg:  "@modelcontextprotocol/server",
	what: "a server on the TypeScript server 2.x",
	file: "server2.mjs",
	eras: []string{modern, legacy},
	starts: map[string]start{
		stdio: {},
		http:  {args: []string{"http"}, env: []string{"PORT=PORT"}, ready: " ready on ", url: "http://127.0.0.1:PORT/mcp"},
	},
	steps: map[string]func(*walk) error{
		"connect":                server2Connect,
		"ping":                   pingStep,
		"list tools":             server2Tools,
		"call":                   server2Call,
		"calls at the same time": server2Together,
		"content":                server2Content,
		"errors":                 server2Errors,
		"list resources":         server2Resources,
		"read":                   server2Read,
		"list prompts":           server2Prompts,
		"prompt":                 server2Prompt,
		"complete":               server2Complete,
		"progress":               func(w *walk) error { return w.counted("count", object{"n": 3}, 1, 2, 3) },
		"cancel":                 func(w *walk) error { return w.cancelled("wait", nil) },
		"log":                    server2Log,
		"subscribe":              server2Subscribe,
		"list changes":           server2ListChanges,
		"elicit":                 server2Elicit,
		"sample":                 server2Sample,
		"roots":                  server2Roots,
		"elicit a page":          server2Page,
		"close":                  closeStep,
	},
}

func server2Connect(w *walk) error {
	list := &mcp.ListCapability{ListChanged: true}
	return w.identity("server2", "2.0.0", "A small server", "Call add first.", mcp.ServerCapabilities{
		Tools: list, Prompts: list, Resources: &mcp.ResourcesCapability{Subscribe: true, ListChanged: true},
		Logging: true, Completions: true,
	})
}

func server2Tools(w *walk) error {
	names, err := w.toolNames()
	if err != nil {
		return err
	}
	tool, err := w.tool("add")
	if err != nil {
		return err
	}
	const integer = `{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}`
	return errors.Join(
		same("tools", names, []string{"add", "picture", "fail", "count", "wait", "greet", "page", "sample", "roots", "touch"}),
		same("title", tool.Title+": "+tool.Description, "Add: Adds two integers."),
		same("schema", string(member(member(tool.InputSchema, "properties"), "b")), integer),
		same("output schema", string(member(member(tool.OutputSchema, "properties"), "sum")), integer),
	)
}

// sum is the structured content of the tool add.
type sum struct {
	Sum int `json:"sum"`
}

func server2Call(w *walk) error {
	r, err := w.call("add", object{"a": 2, "b": 3})
	if err != nil {
		return err
	}
	typed, err := mcp.CallTool[sum](w.ctx, w.c, "add", object{"a": 9007199254740990, "b": 1}, nil)
	return errors.Join(err, same("structured", string(r.Structured), `{"sum":5}`), same("text", textOf(r), "5"), same("typed", typed.Sum, 9007199254740991))
}

func server2Together(w *walk) error {
	return w.together("add", func(i int) (object, string) { return object{"a": i, "b": 1000}, fmt.Sprint(i + 1000) })
}

func server2Content(w *walk) error {
	r, err := w.call("picture", nil)
	if err != nil {
		return err
	}
	want := []mcp.Content{
		&mcp.ImageContent{Data: []byte("\x00\x01\x02\xff"), MIMEType: "image/png"},
		&mcp.AudioContent{Data: []byte("\x00\x01\x02\xff"), MIMEType: "audio/wav"},
		&mcp.ResourceLink{Resource: mcp.Resource{URI: "note://one", Name: "one", MIMEType: "text/plain"}},
		&mcp.EmbeddedResource{Contents: &mcp.TextResource{URI: "note://one", MIMEType: "text/plain", Text: "the first note"}},
	}
	for i, block := range r.Content {
		if i >= len(want) {
			return fmt.Errorf("there are %d blocks, want %d", len(r.Content), len(want))
		}
		if err := same(fmt.Sprint("block ", i), block, want[i]); err != nil {
			return err
		}
	}
	return same("blocks", len(r.Content), len(want))
}

func server2Errors(w *walk) error {
	result, err := w.c.Do(w.ctx, "no/such", nil, nil)
	none, unknown := w.c.CallTool(w.ctx, "nobody", nil, nil)
	return errors.Join(
		w.fails("fail", nil, "as it was asked to"),
		w.fails("add", object{"a": 2, "b": "x"}, "expected number, received string"),
		wantCode(none, unknown, jsonrpc.InvalidParams),
		wantCode(result, err, jsonrpc.MethodNotFound),
	)
}

func server2Resources(w *walk) error {
	got, err := w.resourceURIs()
	return errors.Join(err, same("resources", got, []string{"note://blob", "note://one", "note://touched", "note://by/{name}"}))
}

func server2Read(w *walk) error {
	one, err := w.read("note://one")
	if err != nil {
		return err
	}
	by, err := w.read("note://by/ada")
	if err != nil {
		return err
	}
	blob, err := w.read("note://blob")
	if err != nil {
		return err
	}
	result, err := w.c.ReadResource(w.ctx, "note://nowhere/at/all", nil)
	return errors.Join(wantCode(result, err, jsonrpc.InvalidParams),
		same("text", one, &mcp.TextResource{URI: "note://one", MIMEType: "text/plain", Text: "the first note"}),
		same("template", by, &mcp.TextResource{URI: "note://by/ada", MIMEType: "text/plain", Text: "the note of ada"}),
		same("blob", blob, &mcp.BlobResource{URI: "note://blob", MIMEType: "application/octet-stream", Blob: []byte("\x00\x01\x02\xff")}),
	)
}

func server2Prompts(w *walk) error {
	got, err := w.promptNames()
	return errors.Join(err, same("prompts", got, []string{"letter(to, style?)"}))
}

func server2Prompt(w *walk) error {
	p, err := w.c.GetPrompt(w.ctx, "letter", map[string]string{"to": "Ada", "style": "formal"}, nil)
	if err != nil {
		return err
	}
	return errors.Join(same("description", p.Description, "A letter to Ada"),
		same("messages", p.Messages, []mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Write a formal letter to Ada."}}}))
}

func server2Complete(w *walk) error {
	style, err := w.c.Complete(w.ctx, &mcp.CompleteParams{Prompt: "letter", Argument: "style", Value: "f"}, nil)
	if err != nil {
		return err
	}
	name, err := w.c.Complete(w.ctx, &mcp.CompleteParams{URI: "note://by/{name}", Argument: "name", Value: "a"}, nil)
	if err != nil {
		return err
	}
	return errors.Join(
		same("styles", *style, mcp.Completion{Values: []string{"formal", "friendly"}, Total: 2}),
		same("names", *name, mcp.Completion{Values: []string{"ada", "alan"}, Total: 2}),
	)
}

func server2Log(w *walk) error {
	stepped := func(line string) bool { return line == `info "step 2"` }
	count := func(level mcp.LogLevel) error {
		if err := w.c.SetLogLevel(w.ctx, level); err != nil {
			return err
		}
		_, err := w.call("count", object{"n": 2})
		return err
	}
	empty(w.logs) // what came before there was a level
	if err := count(mcp.LogInfo); err != nil {
		return err
	}
	if err := next(w.ctx, w.logs, "log message", stepped); err != nil {
		return err
	}
	if err := count(mcp.LogError); err != nil {
		return err
	}
	return quiet(w.logs, stepped)
}

func (w *walk) touch() error {
	_, err := w.call("touch", nil)
	return err
}

func server2Subscribe(w *walk) error {
	updated := func(c mcp.Change) bool { return c == mcp.Change{Kind: mcp.ResourceUpdated, URI: "note://touched"} }
	if err := w.watched(mcp.Filter{ResourceSubscriptions: []string{"note://touched"}}, w.touch, updated); err != nil {
		return err
	}
	if w.run.era == legacy {
		return nil // where its library tells everybody of every change
	}
	empty(w.changes)
	return errors.Join(w.touch(), quiet(w.changes, updated))
}

func server2ListChanges(w *walk) error {
	return w.watched(mcp.Filter{ToolsListChanged: true}, w.touch, func(c mcp.Change) bool { return c.Kind == mcp.ToolsListChanged })
}

func server2Elicit(w *walk) error {
	question := []string{"What is your name?"}
	state := `state "` + "\u2028" + `" 1` // comes back as it was
	return errors.Join(
		w.filled(`{"name":"Ada"}`, "greet", nil, question, "Hello Ada, "+state),
		w.filled(`{"name":"Ada","loud":true}`, "greet", nil, question, "HELLO Ada, "+state),
		w.filled("", "greet", nil, question, "no name: decline"),
	)
}

func server2Page(w *walk) error {
	return w.filled("", "page", nil, []string{"Look at this. https://example.com/a"}, "opened: accept")
}

func server2Sample(w *walk) error {
	return w.filled("", "sample", nil, []string{"user: Say hi."}, "model-1 says hi")
}

func server2Roots(w *walk) error { return w.says("roots", nil, "file://"+w.dir) }
