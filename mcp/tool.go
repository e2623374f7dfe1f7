package mcp

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
)

// Tool defines a tool (2026-07-28 server/tools, Data Types).
type Tool struct {
	// Name identifies the tool on its server: 1 to 128 of A-Z a-z 0-9 _ - .
	// (2026-07-28 server/tools, Tool Names).
	Name string
	// Title is the name for people; may be empty.
	Title string
	// Description tells a model what the tool does; may be empty.
	Description string
	// InputSchema is the JSON Schema of the arguments, an object whose type is
	// "object". nil means: no arguments are described. It is kept byte for byte,
	// insignificant space aside, since every message is one line. [AddTool] enforces
	// it; [Server.AddTool] leaves that to the handler.
	InputSchema jsonrpc.Raw
	// OutputSchema is the JSON Schema of [Result.Structured], or nil. That there is
	// a structured result is enforced; that it fits, by [AddTool] alone.
	OutputSchema jsonrpc.Raw
	// Annotations hint at what the tool does to the world; may be nil.
	Annotations *ToolAnnotations
	Icons       []Icon
	Meta        Meta

	// Visible says who is shown the tool and may call it; to everybody else it does
	// not exist. It must be quick and must not change its mind within a request. nil
	// means everybody.
	Visible func(*Principal) bool
}

// ToolAnnotations are hints, not promises (2026-07-28 schema, ToolAnnotations).
// A nil pointer leaves a hint out, which is not the same as false: the
// specification gives each absent hint a meaning.
type ToolAnnotations struct {
	Title                                                        string
	ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint *bool
}

// ToolHandler answers calls of one tool. It may run many times at once.
//
// The result says how the call went. An error that is a [*jsonrpc.Error] makes
// the call fail as a protocol error, with the code that the client's revision
// allows ([CodePolicy]). Any other error becomes a result with isError set and the
// error's text as its content, for the model to read and mend its call (2026-07-28
// server/tools, Error Handling). Once ctx has ended, an error makes no such result:
// the client has cancelled and hears nothing, or the server is shutting down and
// says so.
type ToolHandler func(ctx context.Context, c *Call) (*Result, error)

// Result is what a call of a tool gave.
type Result struct {
	// Content holds the blocks in order; may be empty.
	Content []Content
	// Structured is any JSON value, or nil. Revisions before 2026-07-28 take
	// only objects and are sent Content alone otherwise, so a tool puts its
	// structured result into a text block too.
	Structured jsonrpc.Raw
	// IsError: the call failed in a way that the model can read about in Content.
	IsError bool
	Meta    Meta

	encoded bool // Structured is on one line, as [jsonrpc.AppendCompact] would have it
}

// TextResult makes a result of one text block.
func TextResult(text string) *Result {
	r := &struct { // in one allocation
		Result
		blocks [1]Content
		block  TextContent
	}{}
	r.block.Text = text
	r.blocks[0] = &r.block
	r.Content = r.blocks[:]
	return &r.Result
}

// ErrorResult makes the result of a call that failed in a way which the model can read
// about in text ([Result.IsError]). A handler returns an error instead; this is for
// middleware and for those who answer with more than a text.
func ErrorResult(text string) *Result {
	r := TextResult(text)
	r.IsError = true
	return r
}

// Ptr is a pointer to v, for the fields that know three states:
//
//	&mcp.ToolAnnotations{ReadOnlyHint: mcp.Ptr(true)}
func Ptr[T any](v T) *T { return &v }

func (r *Result) write(w *writer, f *Form) {
	w.open("content", '[')
	if len(r.Content) == 0 && r.Structured != nil && !r.writeAsText(w) {
		return
	}
	for i, c := range r.Content {
		if c == nil {
			w.fail(fmt.Sprintf("content block %d is nil", i))
			return
		}
		c.write(w, f)
	}
	w.close(']')
	switch {
	case !f.StructuredAny && !(f.StructuredObject && r.Structured.Kind() == jsonrpc.KindObject):
	case r.encoded:
		w.key("structuredContent")
		w.dst = append(w.dst, r.Structured...)
	default:
		w.raw("structuredContent", r.Structured)
	}
	w.ifTrue("isError", r.IsError)
}

// writeAsText writes the structured content as a block of text, for clients that read
// only content (2026-07-28 server/tools, Structured Content). It reports whether it
// could.
func (r *Result) writeAsText(w *writer) bool {
	text := r.Structured
	if !r.encoded {
		var err error
		if text, err = jsonrpc.AppendCompact(nil, text); err != nil {
			w.fail("the structured content is not JSON")
			return false
		}
	}
	w.dst = append(w.dst, `{"type":"text","text":`...)
	w.dst = append(jsonrpc.AppendStringBytes(w.dst, text), '}')
	return true
}

// tool is a registered tool.
type tool struct {
	entry
	Tool
	handler       ToolHandler
	input, output schema
	mirrored      []HeaderParam
}

func (t *tool) filter() func(*Principal) bool { return t.Visible }

// hasOutput reports whether the form has the tool's output schema.
func (t *tool) hasOutput(f *Form) bool {
	return t.OutputSchema != nil && (f.StructuredAny || f.StructuredObject && t.output.object)
}

// checkResult checks that a result is structured where the tool has told the
// client that it would be (2026-07-28 server/tools, Output Schema).
func (t *tool) checkResult(r *Result, f *Form) error {
	if r.IsError || !t.hasOutput(f) || r.Structured != nil && (f.StructuredAny || r.Structured.Kind() == jsonrpc.KindObject) {
		return nil
	}
	return fmt.Errorf("mcp: tool %q has an output schema, but its result is not structured accordingly", t.Name)
}

func (t *tool) write(w *writer, f *Form) {
	w.open("", '{')
	w.text("name", t.Name)
	if f.Title {
		w.optional("title", t.Title)
	}
	w.optional("description", t.Description)
	w.raw("inputSchema", t.input.in(f))
	if t.hasOutput(f) {
		w.raw("outputSchema", t.output.in(f))
	}
	if f.ToolAnnotations {
		t.Annotations.write(w)
	}
	w.icons(t.Icons, f)
	w.definitionMeta(t.Meta, f)
	w.close('}')
}

func (a *ToolAnnotations) write(w *writer) {
	if a == nil {
		return
	}
	w.open("annotations", '{')
	w.optional("title", a.Title)
	w.hint("readOnlyHint", a.ReadOnlyHint)
	w.hint("destructiveHint", a.DestructiveHint)
	w.hint("idempotentHint", a.IdempotentHint)
	w.hint("openWorldHint", a.OpenWorldHint)
	w.close('}')
}

// anyArguments is the input schema of a tool that describes none.
var anyArguments = jsonrpc.Raw(`{"type":"object"}`)

// AddTool registers a tool, after all those registered before. It panics, with
// the tool's name, when the definition is not one that may be sent or the name is
// taken: that is a fault of the program, and it shows when the program starts.
// It may be called while the server serves: clients that have asked for changes of the
// list are told.
//
// This is the low level: the schemas are told to clients and not enforced, so that a
// program whose handlers check for themselves does without a validator. To have raw
// arguments validated, use AddTool[jsonrpc.Raw, *Result].
func (s *Server) AddTool(t Tool, h ToolHandler) {
	if t.InputSchema == nil {
		t.InputSchema = anyArguments
	}
	added, err := newTool(t, h)
	if err != nil {
		panic(fmt.Sprintf("mcp: tool %q: %v", t.Name, err))
	}
	if !s.add(toolKind, t.Name, added, func(*rows) {}) {
		panic(fmt.Sprintf("mcp: tool %q is registered already", t.Name))
	}
}

// newTool checks a definition.
func newTool(definition Tool, h ToolHandler) (*tool, error) {
	t := &tool{Tool: definition, handler: h}
	var err error
	switch {
	case !isToolName(t.Name):
		return nil, errors.New("a tool's name is 1 to 128 of the characters A-Z a-z 0-9 _ - .")
	case h == nil:
		return nil, errors.New("no handler")
	}
	if t.input, err = readSchema(t.InputSchema); err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	if !t.input.object {
		return nil, errors.New(`input schema: its type must be "object"`)
	}
	if t.mirrored, err = readHeaders(t.InputSchema); err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	if t.OutputSchema != nil {
		if t.output, err = readSchema(t.OutputSchema); err != nil {
			return nil, fmt.Errorf("output schema: %w", err)
		}
	}
	return t, checkEncodes(t)
}

func isToolName(name string) bool {
	for _, b := range []byte(name) {
		if !isLetter(b) && !isDigit(b) && b != '_' && b != '-' && b != '.' {
			return false
		}
	}
	return 1 <= len(name) && len(name) <= 128
}

// isObject reports whether raw is a JSON object without duplicate members.
func isObject(raw jsonrpc.Raw) bool {
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
	}
	return o.Err() == nil
}

// listTools answers tools/list (2026-07-28 server/tools, Listing Tools).
func (s *Server) listTools(_ context.Context, c *Call) (Reply, error) {
	return list(c, toolKind, s.opts.listCache(s.opts.ToolsCache))
}

// callTool answers tools/call (2026-07-28 server/tools, Calling Tools).
func (s *Server) callTool(ctx context.Context, c *Call) (Reply, error) {
	var buf [128]byte
	name, ok := c.asked.Message.Param("name").AppendText(buf[:0])
	if !ok {
		return Reply{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.name must be a string")
	}
	t, ok := c.reg.shelves[toolKind].named[string(name)].(*tool)
	if !ok || !c.visible(t) {
		return Reply{}, jsonrpc.Errorf(jsonrpc.InvalidParams, "Unknown tool: %s", jsonrpc.Clip(name))
	}
	c.name = t.Name
	result, err := t.handler(ctx, c)
	switch {
	case err == nil && result == nil:
		return Reply{}, fmt.Errorf("mcp: tool %q returned neither a result nor an error", t.Name)
	case err == nil:
	case !isForModel(err), ctx.Err() != nil:
		return Reply{}, err
	default:
		result = ErrorResult(err.Error())
	}
	if err := t.checkResult(result, c.asked.Form); err != nil {
		return Reply{}, err
	}
	return Reply{body: result, meta: result.Meta}, nil
}

// isForModel reports whether a handler's error is one that the model reads: neither
// one of the protocol nor a fault of the server.
func isForModel(err error) bool {
	var protocol *jsonrpc.Error
	var fault unsent
	return !errors.As(err, &protocol) && !errors.As(err, &fault)
}
