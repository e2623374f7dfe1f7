package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// everything is the reference server that has all of the legacy era.
var everything = server{
	pkg:   "@modelcontextprotocol/server-everything",
	what:  "server-everything",
	file:  "node_modules/@modelcontextprotocol/server-everything/dist/index.js",
	eras:  []string{legacy},
	keeps: true,
	starts: map[string]start{
		stdio: {args: []string{"stdio"}},
		http: {args: []string{"streamableHttp"}, env: []string{"PORT=PORT"}, ready: "listening on port",
			url: "http://127.0.0.1:PORT/mcp"},
		sse: {args: []string{"sse"}, env: []string{"PORT=PORT"}, ready: "running on port",
			url: "http://127.0.0.1:PORT/sse"},
	},
	steps: map[string]func(*walk) error{
		"connect":                everythingConnect,
		"ping":                   pingStep,
		"list tools":             everythingTools,
		"call":                   everythingCall,
		"calls at the same time": everythingTogether,
		"content":                everythingContent,
		"errors":                 everythingErrors,
		"list resources":         everythingResources,
		"read":                   everythingRead,
		"list prompts":           everythingPrompts,
		"prompt":                 everythingPrompt,
		"complete":               everythingComplete,
		"progress": func(w *walk) error {
			return w.counted("trigger-long-running-operation", object{"duration": 0.3, "steps": 3}, 1, 2, 3)
		},
		"cancel": func(w *walk) error {
			return w.cancelled("trigger-long-running-operation", object{"duration": 30, "steps": 300})
		},
		"log":           everythingLog,
		"subscribe":     everythingSubscribe,
		"list changes":  everythingListChanges,
		"elicit":        everythingElicit,
		"elicit a page": everythingElicitPage,
		"sample":        everythingSample,
		"roots":         everythingRoots,
		"resume":        everythingResume,
		"close":         closeStep,
	},
}

func everythingConnect(w *walk) error {
	list := &mcp.ListCapability{ListChanged: true}
	return w.identity("mcp-servers/everything", "2.0.0", "Everything Reference Server", "# Everything Server", mcp.ServerCapabilities{
		Tools: list, Prompts: list, Resources: &mcp.ResourcesCapability{Subscribe: true, ListChanged: true},
		Logging: true, Completions: true,
	})
}

// everythingTools waits for the tools that the server adds when it knows the client.
func everythingTools(w *walk) error {
	var names []string
	for !slices.Contains(names, "get-roots-list") || !slices.Contains(names, "trigger-sampling-request") {
		var err error
		if names, err = w.toolNames(); err != nil || w.ctx.Err() != nil {
			return errors.Join(err, w.ctx.Err())
		}
	}
	for _, name := range []string{"echo", "get-sum", "get-structured-content", "trigger-elicitation-request", "trigger-url-elicitation"} {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s is missing in %q", name, names)
		}
	}
	tool, err := w.tool("echo")
	if err != nil {
		return err
	}
	yes, no := true, false
	return errors.Join(
		same("title", tool.Title+": "+tool.Description, "Echo Tool: Echoes back the input string"),
		same("schema", string(tool.InputSchema), `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",`+
			`"properties":{"message":{"type":"string","description":"Message to echo"}},"required":["message"]}`),
		same("annotations", *tool.Annotations, mcp.ToolAnnotations{ReadOnlyHint: &yes, IdempotentHint: &yes, DestructiveHint: &no, OpenWorldHint: &no}),
	)
}

// weather is the structured content of a tool.
type weather struct {
	Temperature float64 `json:"temperature"`
	Conditions  string  `json:"conditions"`
	Humidity    float64 `json:"humidity"`
}

func everythingCall(w *walk) error {
	said := "naïve ☃ <&> \u2028 \"\\\" 🎈 " + strings.Repeat("x", 300_000)
	r, err := w.call("get-structured-content", object{"location": "Chicago"})
	if err != nil {
		return err
	}
	typed, err := mcp.CallTool[weather](w.ctx, w.c, "get-structured-content", object{"location": "Chicago"}, nil)
	return errors.Join(err,
		same("structured", string(r.Structured), `{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}`),
		same("typed", typed, weather{36, "Light rain / drizzle", 82}),
		w.says("echo", object{"message": said}, "Echo: "+said),
		w.says("get-sum", object{"a": 2, "b": 3.5}, "The sum of 2 and 3.5 is 5.5."),
	)
}

func everythingTogether(w *walk) error {
	return w.together("get-sum", func(i int) (object, string) {
		return object{"a": i, "b": 1000}, fmt.Sprintf("The sum of %d and 1000 is %d.", i, i+1000)
	})
}

func everythingContent(w *walk) error {
	picture, err := w.call("get-tiny-image", nil)
	if err != nil {
		return err
	}
	image, ok := picture.Content[1].(*mcp.ImageContent)
	if !ok || image.MIMEType != "image/png" || !strings.HasPrefix(string(image.Data), "\x89PNG") {
		return fmt.Errorf("the picture: got %+v", picture.Content[1])
	}
	links, err := w.call("get-resource-links", object{"count": 2})
	if err != nil {
		return err
	}
	link, ok := links.Content[1].(*mcp.ResourceLink)
	if !ok || len(links.Content) != 3 || link.URI != "demo://resource/dynamic/blob/1" || link.Name != "Blob Resource 1" {
		return fmt.Errorf("the links: got %+v", links.Content)
	}
	inside, err := w.call("get-resource-reference", object{"resourceType": "Blob", "resourceId": 2})
	if err != nil {
		return err
	}
	embedded, ok := inside.Content[1].(*mcp.EmbeddedResource)
	if !ok {
		return fmt.Errorf("the resource: got %+v", inside.Content[1])
	}
	if blob, ok := embedded.Contents.(*mcp.BlobResource); !ok || !strings.HasPrefix(string(blob.Blob), "Resource 2: ") {
		return fmt.Errorf("the resource: got %+v", embedded.Contents)
	}
	annotated, err := w.call("get-annotated-message", object{"messageType": "error", "includeImage": true})
	if err != nil {
		return err
	}
	text, ok := annotated.Content[0].(*mcp.TextContent)
	if !ok || text.Annotations == nil || text.Annotations.Priority == nil || *text.Annotations.Priority != 1 || len(annotated.Content) != 2 {
		return fmt.Errorf("annotations: got %+v", annotated.Content[0])
	}
	return nil
}

func everythingErrors(w *walk) error {
	result, err := w.c.Do(w.ctx, "no/such", nil, nil)
	return errors.Join(
		w.fails("get-sum", object{"a": 2, "b": "x"}, "expected number, received string"),
		w.fails("nobody", nil, "Tool nobody not found"),
		wantCode(result, err, jsonrpc.MethodNotFound),
	)
}

func everythingResources(w *walk) error {
	got, err := w.resourceURIs()
	static := "demo://resource/static/document/"
	return errors.Join(err, same("resources", got, []string{
		static + "architecture.md", static + "extension.md", static + "features.md", static + "how-it-works.md",
		static + "instructions.md", static + "startup.md", static + "structure.md",
		"demo://resource/dynamic/text/{resourceId}", "demo://resource/dynamic/blob/{resourceId}",
	}))
}

func everythingRead(w *walk) error {
	dynamic, err := w.read("demo://resource/dynamic/text/7")
	if err != nil {
		return err
	}
	text, ok := dynamic.(*mcp.TextResource)
	if !ok || text.MIMEType != "text/plain" || !strings.HasPrefix(text.Text, "Resource 7: This is a plaintext resource") {
		return fmt.Errorf("the text: got %+v", dynamic)
	}
	binary, err := w.read("demo://resource/dynamic/blob/7")
	if err != nil {
		return err
	}
	if blob, ok := binary.(*mcp.BlobResource); !ok || !strings.HasPrefix(string(blob.Blob), "Resource 7: ") {
		return fmt.Errorf("the blob: got %+v", binary)
	}
	result, err := w.c.ReadResource(w.ctx, "demo://nowhere", nil)
	return wantCode(result, err, jsonrpc.InvalidParams)
}

func everythingPrompts(w *walk) error {
	got, err := w.promptNames()
	return errors.Join(err, same("prompts", got, []string{
		"simple-prompt()", "args-prompt(city, state?)", "completable-prompt(department, name)", "resource-prompt(resourceType, resourceId)",
	}))
}

func everythingPrompt(w *walk) error {
	p, err := w.c.GetPrompt(w.ctx, "args-prompt", map[string]string{"city": "Rome", "state": "Lazio"}, nil)
	if err != nil {
		return err
	}
	text, ok := p.Messages[0].Content.(*mcp.TextContent)
	if !ok || text.Text != "What's weather in Rome, Lazio?" || p.Messages[0].Role != "user" {
		return fmt.Errorf("got %+v", p.Messages)
	}
	p, err = w.c.GetPrompt(w.ctx, "resource-prompt", map[string]string{"resourceType": "Text", "resourceId": "1"}, nil)
	if err != nil {
		return err
	}
	if _, ok := p.Messages[1].Content.(*mcp.EmbeddedResource); !ok {
		return fmt.Errorf("got %+v", p.Messages[1].Content)
	}
	return nil
}

func everythingComplete(w *walk) error {
	department, err := w.c.Complete(w.ctx, &mcp.CompleteParams{Prompt: "completable-prompt", Argument: "department", Value: "E"}, nil)
	if err != nil {
		return err
	}
	name, err := w.c.Complete(w.ctx, &mcp.CompleteParams{
		Prompt: "completable-prompt", Argument: "name", Context: map[string]string{"department": "Engineering"},
	}, nil)
	if err != nil {
		return err
	}
	id, err := w.c.Complete(w.ctx, &mcp.CompleteParams{URI: "demo://resource/dynamic/text/{resourceId}", Argument: "resourceId", Value: "7"}, nil)
	if err != nil {
		return err
	}
	return errors.Join(
		same("departments", *department, mcp.Completion{Values: []string{"Engineering"}, Total: 1}),
		same("names", *name, mcp.Completion{Values: []string{"Alice", "Bob", "Charlie"}, Total: 3}),
		same("ids", id.Values, []string{"7"}),
	)
}

const watchedURI = "demo://resource/dynamic/text/1"

// everythingLog uses that the server logs each subscription, as info.
func everythingLog(w *walk) error {
	subscribed := func(line string) bool {
		return strings.Contains(line, "info ") && strings.Contains(line, "Received Subscribe Resource")
	}
	subscribe := func(level mcp.LogLevel) error {
		if err := w.c.SetLogLevel(w.ctx, level); err != nil {
			return err
		}
		s, err := w.c.Listen(w.ctx, &mcp.Filter{ResourceSubscriptions: []string{watchedURI}})
		if err != nil {
			return err
		}
		return s.Close()
	}
	if err := subscribe(mcp.LogInfo); err != nil {
		return err
	}
	if err := next(w.ctx, w.logs, "log message", subscribed); err != nil {
		return err
	}
	if err := subscribe(mcp.LogError); err != nil {
		return err
	}
	return quiet(w.logs, subscribed)
}

func everythingSubscribe(w *walk) error {
	toggle := func() error {
		_, err := w.call("toggle-subscriber-updates", nil)
		return err
	}
	updated := func(c mcp.Change) bool { return c.Kind == mcp.ResourceUpdated && c.URI == watchedURI }
	if err := w.watched(mcp.Filter{ResourceSubscriptions: []string{watchedURI}}, toggle, updated); err != nil {
		return err
	}
	empty(w.changes)
	return errors.Join(quiet(w.changes, updated), toggle())
}

func everythingListChanges(w *walk) error {
	change := func() error {
		_, err := w.call("gzip-file-as-resource", object{"name": "a.gz", "data": "data:text/plain,hello"})
		return err
	}
	if err := w.watched(mcp.Filter{ResourcesListChanged: true}, change, func(c mcp.Change) bool { return c.Kind == mcp.ResourcesListChanged }); err != nil {
		return err
	}
	uris, err := w.resourceURIs()
	if err != nil || !slices.Contains(uris, "demo://resource/session/a.gz") {
		return fmt.Errorf("the new resource is missing: %q, %v", uris, err)
	}
	return nil
}

func everythingElicit(w *walk) error {
	question := []string{"Please provide inputs for the following fields:"}
	return errors.Join(
		w.filled(`{"name":"Ada"}`, "trigger-elicitation-request", nil, question, "- Name: Ada\n- Favorite Integer: 42\n- Favorite Number: 3.14"),
		w.filled(`{"name":"Ada","integer":7}`, "trigger-elicitation-request", nil, question, "- Favorite Integer: 7"),
		w.filled("", "trigger-elicitation-request", nil, question, "declined"),
	)
}

func everythingElicitPage(w *walk) error {
	return w.filled("", "trigger-url-elicitation", object{"url": "https://example.com/a", "message": "Look at this."},
		[]string{"Look at this. https://example.com/a"}, "User completed the URL elicitation flow")
}

func everythingSample(w *walk) error {
	return w.filled("", "trigger-sampling-request", object{"prompt": "hello"},
		[]string{"user: Resource trigger-sampling-request context: hello"}, `"model": "model-1"`)
}

func everythingRoots(w *walk) error {
	r, err := w.call("get-roots-list", nil)
	if err != nil || !strings.Contains(textOf(r), "1. work\n   URI: file://"+w.dir) {
		return fmt.Errorf("got %v, %v", r, err)
	}
	return nil
}

// everythingResume has another client call through a proxy, which breaks the connection at the
// second report.
func everythingResume(w *walk) error {
	p, err := newProxy(w.url)
	if err != nil {
		return err
	}
	defer p.close()
	c, _, err := discover.Connect(w.ctx, httpmcp.Dial(p.url, nil), nil)
	if err != nil {
		return err
	}
	defer c.Close()
	var reports []float64
	o := &mcp.CallOptions{Progress: func(r mcp.ProgressParams) {
		reports = append(reports, r.Progress)
		if len(reports) == 2 {
			p.cut()
		}
	}}
	r, err := c.CallTool(w.ctx, "trigger-long-running-operation", object{"duration": 1, "steps": 5}, o)
	if err != nil {
		return err
	}
	return errors.Join(
		same("reports", reports, []float64{1, 2, 3, 4, 5}),
		same("result", textOf(r), "Long running operation completed. Duration: 1 seconds, Steps: 5."),
		same("cuts", p.cuts(), 1),
	)
}
