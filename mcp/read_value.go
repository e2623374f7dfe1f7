package mcp

import (
	"strconv"
	"strings"

	"isthmus.internal/jsonrpc"
)

// Value is a pointer to one of the types of the vocabulary: a definition such as
// [Tool], a block of content such as [TextContent], the result of a request such as
// [Result] or [Page], the params of a request such as [CallToolParams]. [Read] reads
// it and [Append] writes it.
type Value interface {
	// readJSON fills the value, which is zero, from raw. It keeps no span of raw.
	readJSON(raw jsonrpc.Raw) *Malformed
	// writeJSON appends the value as one JSON value.
	writeJSON(w *writer, f *Form)
}

// Malformed is the error of [Read]: a peer has sent what the specification does not
// let it send.
type Malformed struct {
	// Where names the place, e.g. "result.tools[3].name".
	Where string
	// Want says what must stand there, e.g. "must be a string".
	Want string
}

// Error names the place and says what must stand there.
func (m *Malformed) Error() string { return "mcp: " + m.Where + " " + m.Want }

// Refusal is what a peer whose request cannot be read is told: -32602 with the place
// and what must stand there.
func (m *Malformed) Refusal() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: m.Where + " " + m.Want}
}

// Read reads a value of the vocabulary that a peer has sent:
//
//	tools, err := mcp.Read[mcp.Page[mcp.Tool]](raw, "result")
//
// where is the name of raw in the error, which is a [*Malformed]. Members that the
// specification requires must be there, and those that it knows must have their type.
// What it does not know is passed over, so that a peer may be newer; a block of
// content of an unknown kind is kept as [UnknownContent]. Two members of one name are
// refused. All five revisions are read; what only some of them have is optional.
//
// The value shares no memory with raw.
func Read[T any, P interface {
	*T
	Value
}](raw jsonrpc.Raw, where string) (T, error) {
	var v T
	if m := P(&v).readJSON(raw); m != nil {
		var none T
		return none, m.at(where)
	}
	return v, nil
}

// ReadContent reads one block of content, of any kind (see [Read]).
func ReadContent(raw jsonrpc.Raw, where string) (Content, error) {
	var c contentReader
	if m := c.readJSON(raw); m != nil {
		return nil, m.at(where)
	}
	return c.Content, nil
}

// ReadResourceContents reads what a resource holds, text or bytes (see [Read]).
func ReadResourceContents(raw jsonrpc.Raw, where string) (ResourceContents, error) {
	var c contentsReader
	if m := c.readJSON(raw); m != nil {
		return nil, m.at(where)
	}
	return c.ResourceContents, nil
}

// Append appends v, as the form f has it, to dst: one JSON value on one line. The
// error says what of v cannot be sent, and dst is returned as it was.
func Append(dst []byte, v Value, f *Form) ([]byte, error) {
	// The writer looks at what it has written to know where a comma belongs, so it
	// begins with nothing.
	w := writer{}
	v.writeJSON(&w, f)
	if w.err != nil {
		return dst, w.err
	}
	return append(dst, w.dst...), nil
}

// at puts the place of the value itself before that inside it. Like [writer.close] it
// stands in many places.
//
//go:noinline
func (m *Malformed) at(where string) *Malformed {
	m.Where = strings.TrimPrefix(where+m.Where, ".")
	return m
}

// inside notes that the fault lies in the member of this name.
func (m *Malformed) inside(name []byte) *Malformed {
	if m != nil {
		m.Where = step(name) + m.Where
	}
	return m
}

// element notes that the fault lies in this element of an array.
func (m *Malformed) element(i int) *Malformed {
	if m != nil {
		m.Where = "[" + string(jsonrpc.AppendInt(nil, int64(i))) + "]" + m.Where
	}
	return m
}

// step is how a path goes on to a member of this name: .name, or ["any name"].
func step(name []byte) string {
	plain := len(name) > 0
	for i, b := range name {
		plain = plain && (isLetter(b) || b == '_' || i > 0 && (isDigit(b) || b == '-'))
	}
	if plain {
		return "." + jsonrpc.Clip(name)
	}
	return "[" + strconv.Quote(jsonrpc.Clip(name)) + "]"
}

// must is a fault of the value itself. Like [writer.close] it
// stands in many places.
//
//go:noinline
func must(want string) *Malformed { return &Malformed{Want: "must " + want} }
