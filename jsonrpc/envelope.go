package jsonrpc

import "strconv"

// DefaultBatch is how many messages one batch may hold when nothing else is asked
// for.
const DefaultBatch = 1024

// MaxMembers is how many members the envelope, params and the inner objects may
// have each. They are a few; the bound keeps a hostile message from costing much more
// memory and time than its bytes. Objects further in are not bounded.
const MaxMembers = 1024

// Scanner reads messages, within bounds. The zero value is ready to use. A Scanner
// holds no state: once set it may be used from many goroutines.
//
// It is strict: RFC 8259 to the letter, UTF-8 only, no byte order mark, no text
// after the value. Member names are compared as decoded and match exactly, with no
// case folding. Members that JSON-RPC does not know are ignored.
type Scanner struct {
	// Depth is how deep arrays and objects may nest, the message itself being the
	// first level. 0 means [DefaultDepth]; more than [MaxDepth] means MaxDepth.
	Depth int
	// Batch is how many elements [Scanner.Split] takes; 0 means [DefaultBatch].
	Batch int
	// Inner names the members of params whose own members are recorded, too: two
	// at the most, further ones are passed over. Where they stand they must be
	// objects. The first should be the one that peers repeat from message to
	// message: a Message that is used again knows it again. None by default.
	Inner []string
}

// Scan reads data as one JSON-RPC message, in one pass and without allocation as
// long as params and the inner objects have at most 16 members each and no name is
// escaped. It resets m first.
//
// An error says what to tell the peer, if it may be told anything at all (a
// response or a notification is never answered). m.Kind and m.ID hold even then,
// as far as they could be read, and so does m.Method; the rest of m is not to be
// relied on. The codes (JSON-RPC 2.0, section 5.1):
//   - [ParseError]: the text is not JSON. There is neither kind nor id.
//   - [InvalidRequest]: the envelope is not what JSON-RPC asks for, has a member
//     twice or more than [MaxMembers], or the text nests too deep.
//   - [InvalidParams]: params or an inner object is not an object, has a member
//     twice or more than MaxMembers.
func (s *Scanner) Scan(data []byte, m *Message) *Error {
	m.Reset()
	m.innerNames = s.Inner[:min(len(s.Inner), maxInner)]
	e := envelope{cursor: newCursor(data, s.Depth), message: m}
	e.space()
	isObject := e.peek() == '{'
	if isObject {
		e.read()
	} else {
		e.value()
	}
	e.end()
	switch {
	case e.fault == faultDepth:
		e.classify()
		if e.id == nil && m.Kind == Notification {
			m.Kind = Invalid // the id may be in what was not read
		}
		return e.depthError()
	case e.fault != faultNone:
		m.Reset()
		return e.parseError()
	case !isObject:
		return Errorf(InvalidRequest, "message must be an object")
	}
	e.classify()
	if err := e.check(); err != nil {
		return err
	}
	if m.Kind == Response {
		return e.checkResponse()
	}
	return e.checkCall()
}

// Split returns the elements of data, a batch, as spans of it. The whole text must
// be JSON: one broken element breaks the batch. How deep each element nests, apart
// from the array, is left for Scan to judge, so that its id can be answered. An
// empty batch is no error here.
func (s *Scanner) Split(data []byte) ([]Raw, *Error) {
	most := s.Batch
	if most <= 0 {
		most = DefaultBatch
	}
	c := newCursor(data, MaxDepth)
	c.space()
	isArray := c.peek() == '['
	if !isArray {
		c.value()
		c.end()
		if c.fault != faultNone {
			return nil, c.parseError()
		}
		return nil, Errorf(InvalidRequest, "batch must be an array")
	}
	elements := []Raw{}
	tooMany := false
	for ok := c.open(']'); ok; ok = c.more(']') {
		v := c.value()
		if tooMany = len(elements) == most; !tooMany {
			elements = append(elements, v)
		}
	}
	c.end()
	switch {
	case c.fault == faultDepth:
		return nil, c.depthError()
	case c.fault != faultNone:
		return nil, c.parseError()
	case tooMany:
		return nil, Errorf(InvalidRequest, "batch must not have more than %d elements", most)
	}
	return elements, nil
}

// IsArray reports whether the first byte of data that is not space begins an array:
// if data is a message at all, it is a batch.
func IsArray(data []byte) bool {
	c := cursor{data: data}
	c.space()
	return c.peek() == '['
}

// Valid reports whether data is exactly one JSON value, of any kind, that nests no
// deeper than the scanner allows.
func (s *Scanner) Valid(data []byte) bool {
	c := newCursor(data, s.Depth)
	c.space()
	c.value()
	c.end()
	return c.fault == faultNone && !c.tooDeep
}

func (c *cursor) parseError() *Error {
	return Errorf(ParseError, "Parse error: %s at byte %d", faultText[c.fault], c.pos)
}

func (c *cursor) depthError() *Error {
	return Errorf(InvalidRequest, "message must not nest deeper than %d levels", c.limit)
}

// envelope is one scan of a message: the cursor and what it has come by so far.
// Whether the text is JSON takes precedence over everything else, so other faults
// are noted and judged at the end.
type envelope struct {
	cursor
	message *Message

	names                                       nameSet
	version, id, method, params, result, failed Raw
	idTwice                                     bool
	bad                                         *Error // a duplicate, or too many members
	badParams                                   *Error // likewise, in params or an inner object
}

// read steps over the object at pos and keeps the members that make the message.
func (e *envelope) read() {
	for ok := e.open('}'); ok; ok = e.more('}') {
		name := e.name()
		if e.names.n == MaxMembers || !e.names.add(name) {
			if e.bad == nil {
				e.bad = Errorf(InvalidRequest, "%s", whyNotAdded(&e.names, name, "message"))
			}
			e.idTwice = e.idTwice || string(name) == "id"
			e.value()
			continue
		}
		switch string(name) {
		case "jsonrpc":
			e.version = e.value()
		case "id":
			e.id = e.value()
		case "method":
			e.method = e.value()
		case "params":
			e.params = e.readParams()
		case "result":
			e.result = e.value()
		case "error":
			e.failed = e.value()
		default:
			e.value()
		}
	}
}

// readParams steps over the value of params and records its members.
func (e *envelope) readParams() Raw {
	if e.peek() != '{' {
		return e.value()
	}
	start := e.pos
	m := e.message
	for ok := e.open('}'); ok; ok = e.more('}') {
		name := e.name()
		var v Raw
		if in := m.innerObject(name); in != nil && !in.present {
			v = e.readInner(in, name)
		} else {
			v = e.value()
		}
		if m.params.names.n == MaxMembers || !m.params.add(name, v) {
			e.noteParams(whyNotAdded(&m.params.names, name, "params"))
		}
	}
	return e.data[start:e.pos:e.pos]
}

// noteParams notes what is wrong with params, unless something is already.
func (e *envelope) noteParams(what string) {
	if e.badParams == nil {
		e.badParams = Errorf(InvalidParams, "%s", what)
	}
}

// whyNotAdded says what keeps a member out of the object where.
func whyNotAdded(s *nameSet, name []byte, where string) string {
	switch {
	case s.n == MaxMembers:
		return where + " must not have more than " + strconv.Itoa(MaxMembers) + " members"
	case where == "message":
		return duplicateText(name)
	}
	return duplicateText(name) + " in " + where
}

// classify decides what the message is and whose, which holds whatever else is wrong.
func (e *envelope) classify() {
	m := e.message
	switch {
	case e.method != nil && e.id != nil:
		m.Kind = Request
	case e.method.Kind() == KindString && len(e.method) > len(`""`):
		m.Kind = Notification
	case e.method != nil: // names nothing, so it is no notification either
		m.Kind = Invalid
	case e.result != nil || e.failed != nil:
		m.Kind = Response
	}
	if !e.idTwice {
		m.ID, _ = ParseID(e.id)
	}
	if body, escaped, ok := e.method.inside(); ok && escaped {
		m.Method = appendUnescaped(nil, body)
	} else if ok {
		m.Method = body
	}
}

const noMethodName = "method must be a string that is not empty"

// check judges what all messages have in common.
func (e *envelope) check() *Error {
	switch {
	case e.bad != nil:
		return e.bad
	case e.tooDeep:
		return e.depthError()
	case !e.version.Is("2.0"):
		return Errorf(InvalidRequest, `jsonrpc must be the string "2.0"`)
	case e.message.Kind == Invalid && e.method == nil:
		return Errorf(InvalidRequest, "method is missing")
	case e.message.Kind == Invalid:
		return Errorf(InvalidRequest, noMethodName)
	}
	return nil
}

// checkCall judges a request or a notification.
func (e *envelope) checkCall() *Error {
	m := e.message
	switch {
	case m.Kind == Request && m.ID.IsZero():
		return Errorf(InvalidRequest, "id must be a string or an integer")
	case len(m.Method) == 0:
		return Errorf(InvalidRequest, noMethodName)
	case e.result != nil:
		return Errorf(InvalidRequest, "result must not stand beside method")
	case e.failed != nil:
		return Errorf(InvalidRequest, "error must not stand beside method")
	case e.params != nil && e.params.Kind() != KindObject:
		return Errorf(InvalidParams, "params must be an object")
	case e.badParams != nil:
		return e.badParams
	}
	m.Params = e.params
	return nil
}

// checkResponse judges a response. A peer that could not read a request answers
// with an error that has no id, or null (JSON-RPC 2.0, section 5).
func (e *envelope) checkResponse() *Error {
	m := e.message
	m.resetMembers()
	noID := e.id == nil || e.id.Kind() == KindNull
	switch {
	case e.result != nil && e.failed != nil:
		return Errorf(InvalidRequest, "result must not stand beside error")
	case m.ID.IsZero() && !(noID && e.failed != nil):
		return Errorf(InvalidRequest, "id must be a string or an integer")
	case e.failed != nil && !isErrorObject(e.failed):
		return Errorf(InvalidRequest, "error must be an object with an integer code and a string message")
	}
	m.Result, m.Error = e.result, e.failed
	return nil
}

// isErrorObject checks the shape of an error object (JSON-RPC 2.0, section 5.1).
func isErrorObject(r Raw) bool {
	var code, message bool
	o := ReadObject(r)
	for o.Next() {
		switch string(o.Name()) {
		case "code":
			_, code = o.Value().Int()
		case "message":
			message = o.Value().Kind() == KindString
		}
	}
	return o.Err() == nil && code && message
}
