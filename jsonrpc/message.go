package jsonrpc

// MessageKind is what a JSON-RPC message is.
type MessageKind uint8

// The kinds of messages (JSON-RPC 2.0, sections 4 and 5).
const (
	// Invalid: not JSON, or nothing that tells what it is meant to be.
	Invalid MessageKind = iota
	// Request: it has a method and an id, though the id may be unusable.
	Request
	// Notification: it has a method and no id. It is never answered.
	Notification
	// Response: it has a result or an error, and no method. It is never answered.
	Response
)

// String names the kind, in lower case.
func (k MessageKind) String() string {
	switch k {
	case Request:
		return "request"
	case Notification:
		return "notification"
	case Response:
		return "response"
	}
	return "invalid"
}

// Message is one JSON-RPC message as [Scanner.Scan] found it. All of it aliases the
// scanned text, or the Message itself, and is good until either is used again. A
// Message may be used for one scan after the other, by one
// goroutine at a time; it is large, so pass it by pointer.
type Message struct {
	// Kind is what the message is, or is meant to be when Scan has found a fault.
	Kind MessageKind
	// ID is zero when the id is absent, null or unusable.
	ID ID
	// Method is the decoded name, for requests and notifications.
	Method []byte
	// Params is an object, or nil when absent. Requests and notifications only.
	Params Raw
	// Result is any value, or nil when absent. Responses only.
	Result Raw
	// Error is an error object, or nil when absent. Responses only.
	Error Raw
	// Batched says that the message came as an element of a batch. Whoever took
	// the batch apart sets it, after Scan.
	Batched bool

	params     members
	inner      [maxInner]*inner // the objects that innerNames names; nil until one has been there
	innerNames []string
}

// Param returns the member of params with exactly this name, nil when absent.
func (m *Message) Param(name string) Raw { return m.params.find(name) }

// Inner returns the member, with exactly this name, of the object params[object],
// which must be one that [Scanner.Inner] names; nil when either is absent.
func (m *Message) Inner(object, name string) Raw {
	for i, known := range m.innerNames {
		if known == object {
			return m.inner[i].find(name) // of nil, too
		}
	}
	return nil
}

// innerObject is where the object params[name] is recorded; nil when it is not.
func (m *Message) innerObject(name []byte) *inner {
	for i, known := range m.innerNames {
		if known == string(name) {
			if m.inner[i] == nil {
				m.inner[i] = new(inner)
			}
			return m.inner[i]
		}
	}
	return nil
}

// Reset empties the message, so that it holds on to no text that was scanned.
func (m *Message) Reset() {
	m.Kind, m.ID, m.Batched = Invalid, ID{}, false
	m.Method, m.Params, m.Result, m.Error = nil, nil, nil, nil
	m.resetMembers()
	m.innerNames = nil
}

func (m *Message) resetMembers() {
	m.params.reset()
	for _, in := range m.inner {
		if in != nil {
			in.reset()
		}
	}
}

// members is the recorded members of one object.
type members struct {
	names  nameSet
	values [fewMembers]Raw
	rest   []member
}

// member is one beyond the first few.
type member struct {
	name  []byte
	value Raw
}

// add records a member. It reports whether the name is new; the first one stays.
func (l *members) add(name []byte, value Raw) bool {
	i := l.names.n
	if !l.names.add(name) {
		return false
	}
	if i < fewMembers {
		l.values[i] = value
	} else {
		l.rest = append(l.rest, member{name, value})
	}
	return true
}

// find is the value of the member with exactly this name, nil when there is none. It
// stands in many places: inlined it is more code in each than the call.
//
//go:noinline
func (l *members) find(name string) Raw {
	for i, known := range l.names.few[:min(l.names.n, fewMembers)] {
		if string(known) == name {
			return l.values[i]
		}
	}
	for i := range l.rest {
		if string(l.rest[i].name) == name {
			return l.rest[i].value
		}
	}
	return nil
}

func (l *members) reset() {
	if l.names.n == 0 {
		return
	}
	n := min(l.names.n, fewMembers)
	clear(l.names.few[:n])
	clear(l.values[:n])
	l.names.n, l.names.rest, l.rest = 0, nil, nil
}
