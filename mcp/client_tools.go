package mcp

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// errHeaderMismatch is matched by the error of a server for a request whose headers are not
// those that its body asks for (2026-07-28 basic/transports/streamable-http, Server
// Validation).
var errHeaderMismatch = &jsonrpc.Error{Code: -32020}

// HeaderParams are the arguments that clients repeat in headers of each call of the tool,
// as its InputSchema marks them with x-mcp-header; nil for most tools. The error says how a
// mark breaks the rules: clients leave out a tool that has one (2026-07-28 server/tools,
// x-mcp-header).
func (t *Tool) HeaderParams() ([]HeaderParam, error) { return readHeaders(t.InputSchema) }

// knownTools is what the lists that a client has seen have told of tools.
type knownTools struct {
	mu    sync.Mutex
	named map[string]*knownTool
	bytes int  // of the texts in it
	holds bool // one of them has an output schema
	turns int  // how often the server has said that the list is another one
}

// knownTool is what a call of a tool needs to know. It is not changed. Nothing is known of
// a tool that is nil.
type knownTool struct {
	marks  []HeaderParam
	output *outputSchema // nil for none
}

// outputSchema is what results of a tool are held against, compiled for the first of them.
type outputSchema struct {
	text    jsonrpc.Raw
	compile func() (*jsonschema.Schema, error)
	warned  sync.Once // that nothing is checked
}

// The bounds of what is known. A server that has more tools, or longer names, marks and
// schemas, has them called as if they had never been listed.
const (
	mostKnown      = 16384
	mostBytesKnown = 16 << 20
)

// turn is which list the server has at the moment.
func (k *knownTools) turn() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.turns
}

// know keeps what a page tells that was asked for at this turn. A page that is the whole list
// tells what is not in it, too.
func (k *knownTools) know(turn int, tools []Tool, marks [][]HeaderParam, whole bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.named
	if whole || k.named == nil {
		k.named, k.bytes = make(map[string]*knownTool, len(tools)), 0
	}
	for i := range tools {
		t := &tools[i]
		known := &knownTool{marks: marks[i]}
		if turn == k.turns {
			known.output = before[t.Name].outputFor(t.OutputSchema)
		}
		k.put(t.Name, known)
	}
}

// outputFor is the schema with this text: the one that is known if it is the same.
func (t *knownTool) outputFor(text jsonrpc.Raw) *outputSchema {
	switch {
	case text == nil:
		return nil
	case t != nil && t.output != nil && bytes.Equal(t.output.text, text):
		return t.output
	}
	return &outputSchema{text: text, compile: sync.OnceValues(func() (*jsonschema.Schema, error) {
		return jsonschema.Compile(text, nil) // formats aside, as AddTool has it
	})}
}

// size is what the tool of this name counts for in bytes.
func (t *knownTool) size(name string) int {
	if t == nil {
		return 0
	}
	n := len(name)
	if t.output != nil {
		n += len(t.output.text)
	}
	for _, mark := range t.marks {
		n += len(mark.Name)
		for _, step := range mark.Path {
			n += len(step)
		}
	}
	return n
}

// put keeps what is known of one tool, within the bounds.
func (k *knownTools) put(name string, t *knownTool) {
	k.bytes -= k.named[name].size(name)
	delete(k.named, name)
	if size := t.size(name); len(k.named) < mostKnown && k.bytes+size <= mostBytesKnown {
		k.named[name] = t
		k.bytes += size
		k.holds = k.holds || t.output != nil
	}
}

// of is what is known of a tool, nil for one that was never listed.
func (k *knownTools) of(name string) *knownTool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.named[name]
}

// changed: the list is another one now, and results may be so, too. The marks stay: where
// they are wrong the server says so. A server may say this as often as it likes: where no schema has
// come since the last time it costs nothing.
func (k *knownTools) changed() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.turns++
	if !k.holds {
		return
	}
	k.holds, k.bytes = false, 0
	for name, t := range k.named {
		without := &knownTool{marks: t.marks}
		k.named[name] = without
		k.bytes += without.size(name)
	}
}

// forget: the server may be another one.
func (k *knownTools) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.named, k.bytes, k.holds = nil, 0, false
	k.turns++
}

// readMarks reads the marks of the tools of a page that was asked for at this turn, takes out
// those that break the rules, and keeps what calls need to know.
func (c *Client) readMarks(ctx context.Context, turn int, page *Page[Tool], first bool) {
	kept := page.Items[:0]
	marks := make([][]HeaderParam, 0, len(page.Items))
	for _, t := range page.Items {
		var found []HeaderParam
		if f := c.form(); f != nil && f.HeaderParams {
			var err error
			if found, err = t.HeaderParams(); err != nil {
				c.log.WarnContext(ctx, "a tool is left out: it marks its arguments for headers against the rules",
					"tool", jsonrpc.Clip([]byte(t.Name)), "error", err)
				continue
			}
		}
		kept, marks = append(kept, t), append(marks, found)
	}
	clear(page.Items[len(kept):])
	page.Items = kept
	c.tools.know(turn, kept, marks, first && page.NextCursor == nil)
}

// headers are the marks of the arguments; nil for none, and of a tool of which nothing is known.
func (t *knownTool) headers() []HeaderParam {
	if t == nil {
		return nil
	}
	return t.marks
}

// checkOutput holds a result against the output schema of its tool. The result of a call
// that has failed need not fit it (2026-07-28 server/tools, Output Schema). No result fits a
// schema in a dialect that is not known, or with a reference to elsewhere: it is not taken for one
// that allows everything (2026-07-28 basic/index, Implementation Requirements and $ref
// Resolution). By a schema that is wrong in itself nothing is checked, and the log says so.
func (c *Client) checkOutput(name string, tool *knownTool, r *Result) error {
	if c.opts.NoOutputCheck || tool == nil || tool.output == nil || r.IsError {
		return nil
	}
	if r.Structured == nil {
		return &InvalidResult{name, r, "the tool has an output schema, but there is no structuredContent"}
	}
	schema, err := tool.output.compile()
	switch {
	case errors.Is(err, jsonschema.ErrForeign):
		return &InvalidResult{name, r, "the tool's output schema cannot be used: " + err.Error()}
	case err != nil:
		tool.output.warned.Do(func() {
			c.log.Warn("results of a tool are not checked: its output schema cannot be used", "tool", jsonrpc.Clip([]byte(name)), "error", err)
		})
		return nil
	}
	var e *jsonschema.Error
	if err = schema.Validate(r.Structured); errors.As(err, &e) {
		return &InvalidResult{name, r, e.In("structuredContent")}
	}
	return err
}
