package mcp

import "isthmus.internal/jsonrpc"

// readSample reads the answer to sampling/createMessage.
func readSample(answer jsonrpc.Raw) (*SampleResult, error, badAnswer) {
	result := &SampleResult{}
	return result, nil, result.readJSON(answer).bad()
}

// readMember takes the member at hand, if it is one of a message.
func (m *SamplingMessage) readMember(o *objectReader) {
	switch string(o.name()) {
	case "role":
		o.text((*string)(&m.Role))
		if m.Role != RoleUser && m.Role != RoleAssistant {
			o.fail(must(`be "user" or "assistant"`))
		}
	case "content":
		m.readContent(o)
	case "_meta":
		o.meta(&m.Meta)
	}
}

// readContent takes one block, or an array of them.
func (m *SamplingMessage) readContent(o *objectReader) {
	take := func(value jsonrpc.Raw) *Malformed {
		var r samplingReader
		bad := r.readJSON(value)
		m.Content = append(m.Content, r.SamplingContent)
		return bad
	}
	if o.value().Kind() == jsonrpc.KindArray {
		o.each(take)
		return
	}
	if bad := take(o.value()); bad != nil {
		o.fail(bad)
	}
}

// samplingReader reads a block of whichever kind it says it is. A kind that is not
// known is refused: a handler could do nothing with it.
type samplingReader struct{ SamplingContent }

func (s *samplingReader) readJSON(raw jsonrpc.Raw) *Malformed {
	var kind string
	o := readObject(raw, "type")
	for o.next() {
		if string(o.name()) == "type" {
			o.text(&kind)
		}
	}
	if m := o.end(); m != nil {
		return m
	}
	var block interface {
		SamplingContent
		readJSON(jsonrpc.Raw) *Malformed
	}
	switch kind {
	case "text":
		block = &TextContent{}
	case "image":
		block = &ImageContent{}
	case "audio":
		block = &AudioContent{}
	case "tool_use":
		block = &ToolUse{}
	case "tool_result":
		block = &ToolResult{}
	default:
		return must(`be "text", "image", "audio", "tool_use" or "tool_result"`).inside([]byte("type"))
	}
	s.SamplingContent = block
	return block.readJSON(raw)
}

func (u *ToolUse) readJSON(raw jsonrpc.Raw) *Malformed {
	o := readObject(raw, "type", "id", "name", "input")
	for o.next() {
		switch string(o.name()) {
		case "type":
			o.word("tool_use")
		case "id":
			o.text(&u.ID)
		case "name":
			o.text(&u.Name)
		case "input":
			o.keep(&u.Input)
		case "_meta":
			o.meta(&u.Meta)
		}
	}
	return o.end()
}

func (r *ToolResult) readJSON(raw jsonrpc.Raw) *Malformed {
	o := readObject(raw, "type", "toolUseId", "content")
	for o.next() {
		switch string(o.name()) {
		case "type":
			o.word("tool_result")
		case "toolUseId":
			o.text(&r.ToolUseID)
		case "content":
			o.contents(&r.Content)
		case "structuredContent":
			o.any(&r.Structured)
		case "isError":
			o.boolean(&r.IsError)
		case "_meta":
			o.meta(&r.Meta)
		}
	}
	return o.end()
}
