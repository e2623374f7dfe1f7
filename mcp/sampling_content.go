package mcp

import (
	"fmt"

	"isthmus.internal/jsonrpc"
)

// SamplingContent is one block of a message to or from a model: a pointer to
// [TextContent], [ImageContent], [AudioContent], [ToolUse] or [ToolResult] (2026-07-28
// schema, SamplingMessageContentBlock).
type SamplingContent interface {
	sampling()
	write(w *writer, f *Form)
}

func (*TextContent) sampling()  {}
func (*ImageContent) sampling() {}
func (*AudioContent) sampling() {}
func (*ToolUse) sampling()      {}
func (*ToolResult) sampling()   {}

// ToolUse is what a model wants a tool to do (2026-07-28 schema, ToolUseContent).
type ToolUse struct {
	// ID tells it from other uses in the conversation.
	ID   string
	Name string
	// Input are the arguments, an object.
	Input jsonrpc.Raw
	// Meta should go back to the client unchanged with the conversation.
	Meta Meta
}

// ToolResult is what a tool has given a model (2026-07-28 schema, ToolResultContent).
type ToolResult struct {
	// ToolUseID is the ID of the [ToolUse].
	ToolUseID string
	Content   []Content
	// Structured is any JSON value, or nil.
	Structured jsonrpc.Raw
	IsError    bool
	Meta       Meta
}

func (u *ToolUse) write(w *writer, f *Form) {
	w.open("", '{')
	w.text("type", "tool_use")
	w.text("id", u.ID)
	w.text("name", u.Name)
	input := u.Input
	if input == nil {
		input = noArguments
	}
	if !isObject(input) {
		w.fail("the input of a tool use is no object")
	}
	w.raw("input", input)
	w.definitionMeta(u.Meta, f)
	w.close('}')
}

func (r *ToolResult) write(w *writer, f *Form) {
	w.open("", '{')
	w.text("type", "tool_result")
	w.text("toolUseId", r.ToolUseID)
	w.open("content", '[')
	for i, block := range r.Content {
		if block == nil {
			w.fail(fmt.Sprintf("content block %d of a tool result is nil", i))
			return
		}
		block.write(w, f)
	}
	w.close(']')
	if f.StructuredAny || r.Structured.Kind() == jsonrpc.KindObject {
		w.raw("structuredContent", r.Structured)
	}
	w.ifTrue("isError", r.IsError)
	w.definitionMeta(r.Meta, f)
	w.close('}')
}

// write writes the params of sampling/createMessage. context says that the client has
// declared to understand includeContext.
func (r *SampleRequest) write(w *writer, f *Form, context bool) {
	w.open("", '{')
	w.open("messages", '[')
	for _, m := range r.Messages {
		m.write(w, f)
	}
	w.close(']')
	if r.Preferences != nil {
		w.key("modelPreferences")
		r.Preferences.writeJSON(w, f)
	}
	w.optional("systemPrompt", r.SystemPrompt)
	if context || !f.SamplingTools || r.IncludeContext == "none" {
		w.optional("includeContext", r.IncludeContext)
	}
	if r.Temperature != nil {
		w.number("temperature", *r.Temperature)
	}
	w.integer("maxTokens", int64(r.MaxTokens))
	w.texts("stopSequences", r.StopSequences)
	w.raw("metadata", r.Metadata)
	if len(r.Tools) > 0 {
		w.open("tools", '[')
		for _, t := range r.Tools {
			made, err := describedTool(t)
			if err != nil {
				w.fail(err.Error())
				return
			}
			made.write(w, f)
		}
		w.close(']')
	}
	if r.ToolChoice != "" {
		w.open("toolChoice", '{')
		w.text("mode", r.ToolChoice)
		w.close('}')
	}
	w.close('}')
}

// write writes a message; where a revision has one block in each, as several messages of
// one role.
func (m *SamplingMessage) write(w *writer, f *Form) {
	if !f.SamplingTools {
		for _, block := range m.Content {
			w.open("", '{')
			w.text("role", string(m.Role))
			w.key("content")
			block.write(w, f)
			w.close('}')
		}
		return
	}
	w.open("", '{')
	m.writeMembers(w, f)
	w.close('}')
}

// writeMembers writes the members of a message, one block of content as it is.
func (m *SamplingMessage) writeMembers(w *writer, f *Form) {
	w.text("role", string(m.Role))
	if len(m.Content) == 1 {
		w.key("content")
		m.Content[0].write(w, f)
	} else {
		w.open("content", '[')
		for _, block := range m.Content {
			block.write(w, f)
		}
		w.close(']')
	}
	w.definitionMeta(m.Meta, f)
}
