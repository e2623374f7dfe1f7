package jsonrpc

import "bytes"

// maxInner is how many inner objects a scan records.
const maxInner = 2

// keptText is the longest text, in bytes, of an inner object that is kept.
const keptText = 512

// inner is one inner object of a message: see [Scanner.Inner].
//
// A client of MCP says the same of itself in every request. So the text of the
// first inner object, which for MCP is _meta, is kept beyond its message, and when
// the next message has the very same text in its place, it is known to be an
// object, and where its members are, and is stepped over as a whole.
type inner struct {
	present bool // in the message
	members members

	text  []byte
	size  int // bytes of text that are kept, then all spans of members are in text; 0: none
	limit int // of the scan that found them in order
}

// at is where a member stands in the text of its object.
type at struct{ name, value int }

// find returns the member of this name, nil when there is none.
func (in *inner) find(name string) Raw {
	if in == nil || !in.present {
		return nil
	}
	return in.members.find(name)
}

// reset is for the next message. What is kept stays.
func (in *inner) reset() {
	in.present = false
	if in.size == 0 {
		in.members.reset()
	}
}

// isKept reports whether data begins with the object that is kept.
func (in *inner) isKept(data []byte, limit int) bool {
	return in.size > 0 && in.limit == limit && bytes.HasPrefix(data, in.text[:in.size])
}

// keep copies the text of the object, and has the members point into the copy.
func (in *inner) keep(text Raw, places []at, limit int) {
	in.text = append(in.text[:0], text...)
	in.size, in.limit = len(text), limit
	names, values := in.members.names.few[:len(places)], in.members.values[:len(places)]
	for i, p := range places {
		names[i] = in.text[p.name : p.name+len(names[i])]
		end := p.value + len(values[i])
		values[i] = in.text[p.value:end:end]
	}
}

// readInner steps over the value of params[object] and records its members.
func (e *envelope) readInner(in *inner, object []byte) Raw {
	in.present = true
	start := e.pos
	if e.fault == faultNone && in.isKept(e.data[start:], e.limit) {
		e.pos += in.size
		return e.data[start:e.pos:e.pos]
	}
	in.size = 0
	in.members.reset()
	if e.peek() != '{' {
		e.noteParams("params." + string(object) + " must be an object")
		return e.value()
	}
	var places [fewMembers]at
	plain := true // no name holds escapes
	for ok := e.open('}'); ok; ok = e.more('}') {
		p := at{name: e.pos + 1 - start}
		name, escaped := e.skipName()
		if escaped {
			name, plain = appendUnescaped(make([]byte, 0, len(name)), name), false
		}
		p.value = e.pos - start
		n := in.members.names.n
		if v := e.value(); n == MaxMembers || !in.members.add(name, v) {
			e.noteParams(whyNotAdded(&in.members.names, name, "params."+string(object)))
		} else if n < fewMembers {
			places[n] = p
		}
	}
	text := e.data[start:e.pos:e.pos]
	n := in.members.names.n
	if in == e.message.inner[0] && plain && n <= fewMembers && len(text) <= keptText && e.fault == faultNone && !e.tooDeep && e.badParams == nil {
		in.keep(text, places[:n], e.limit)
	}
	return text
}
