package mcp

import "isthmus.internal/jsonrpc"

func (q *SampleRequest) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "messages", "maxTokens")
	for r.next() {
		switch string(r.name()) {
		case "messages":
			readList(r, &q.Messages)
		case "maxTokens":
			var most int64
			r.count(&most)
			q.MaxTokens = int(most)
		case "systemPrompt":
			r.text(&q.SystemPrompt)
		case "modelPreferences":
			readPointer(r, &q.Preferences)
		case "includeContext":
			r.text(&q.IncludeContext)
		case "temperature":
			r.optionalNumber(&q.Temperature)
		case "stopSequences":
			r.texts(&q.StopSequences)
		case "metadata":
			r.keep(&q.Metadata)
		case "tools":
			readList(r, &q.Tools)
		case "toolChoice":
			r.inside((*toolChoice)(&q.ToolChoice))
		}
	}
	return r.end()
}

func (q *SampleRequest) writeJSON(w *writer, f *Form) {
	if err := q.check(); err != nil {
		w.fail(err.Error())
		return
	}
	q.write(w, f, true)
}

// toolChoice is how a model may use tools: one without a mode leaves it to the model
// (2026-07-28 schema, ToolChoice).
type toolChoice string

func (c *toolChoice) readJSON(raw jsonrpc.Raw) *Malformed {
	*c = "auto"
	r := readObject(raw)
	for r.next() {
		if string(r.name()) == "mode" {
			r.text((*string)(c))
		}
	}
	return r.end()
}

func (p *ModelPreferences) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		switch string(r.name()) {
		case "hints":
			var hints []modelHint
			readList(r, &hints)
			for _, hint := range hints {
				if hint != "" { // one that does not say a name says nothing yet
					p.Hints = append(p.Hints, string(hint))
				}
			}
		case "costPriority":
			r.optionalNumber(&p.CostPriority)
		case "speedPriority":
			r.optionalNumber(&p.SpeedPriority)
		case "intelligencePriority":
			r.optionalNumber(&p.IntelligencePriority)
		}
	}
	return r.end()
}

func (p *ModelPreferences) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	if len(p.Hints) > 0 {
		w.open("hints", '[')
		for _, name := range p.Hints {
			w.open("", '{')
			w.text("name", name)
			w.close('}')
		}
		w.close(']')
	}
	for _, priority := range []struct {
		name  string
		value *float64
	}{{"costPriority", p.CostPriority}, {"speedPriority", p.SpeedPriority}, {"intelligencePriority", p.IntelligencePriority}} {
		if priority.value != nil {
			w.number(priority.name, *priority.value)
		}
	}
	w.close('}')
}

// modelHint is the name, or a part of it, of a model.
type modelHint string

func (h *modelHint) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		if string(r.name()) == "name" {
			r.text((*string)(h))
		}
	}
	return r.end()
}

func (m *SamplingMessage) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "role", "content")
	for r.next() {
		m.readMember(r)
	}
	return r.end()
}

func (m *SamplingMessage) writeJSON(w *writer, f *Form) {
	if err := m.check(); err != nil {
		w.fail(err.Error())
		return
	}
	if !m.fits(w, f) {
		return
	}
	w.open("", '{')
	m.writeMembers(w, f)
	w.close('}')
}

// fits notes where a message cannot be one message in the form. Among others it would be
// several ([SampleRequest]).
func (m *SamplingMessage) fits(w *writer, f *Form) bool {
	if !f.SamplingTools && len(m.Content) > 1 {
		w.fail("a message of revision " + f.Revision + " has one block of content")
		return false
	}
	return true
}

func (s *SampleResult) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "role", "content", "model")
	for r.next() {
		switch string(r.name()) {
		case "model":
			r.text(&s.Model)
		case "stopReason":
			r.text(&s.StopReason)
		default:
			s.readMember(r)
		}
	}
	return r.end()
}

func (s *SampleResult) writeJSON(w *writer, f *Form) {
	if err := s.check(); err != nil {
		w.fail(err.Error())
		return
	}
	if !s.fits(w, f) {
		return
	}
	w.open("", '{')
	s.writeMembers(w, f)
	w.text("model", s.Model)
	w.optional("stopReason", s.StopReason)
	w.close('}')
}

func (u *ToolUse) writeJSON(w *writer, f *Form)    { u.write(w, f) }
func (r *ToolResult) writeJSON(w *writer, f *Form) { r.write(w, f) }

// readSample reads the answer to sampling/createMessage.
func readSample(answer jsonrpc.Raw) (*SampleResult, error, badAnswer) {
	result := &SampleResult{}
	return result, nil, result.readJSON(answer).bad()
}

// readMember takes the member at hand, if it is one of a message.
func (m *SamplingMessage) readMember(o *objectReader) {
	switch string(o.name()) {
	case "role":
		o.role(&m.Role)
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
	var short [24]byte
	kind, m := readKind(short[:0], raw)
	if m != nil {
		return m
	}
	var block interface {
		SamplingContent
		readJSON(jsonrpc.Raw) *Malformed
	}
	switch string(kind) {
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
