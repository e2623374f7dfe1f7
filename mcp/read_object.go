package mcp

import (
	"bytes"
	"encoding/base64"
	"time"

	"isthmus.internal/jsonrpc"
)

// objectReader reads the members of one object into the fields of a Go value. The
// first fault sticks and ends the reading, so that a reader is one loop:
//
//	r := readObject(raw, "name")
//	for r.next() {
//		switch string(r.name()) {
//		case "name":
//			r.text(&t.Name)
//		}
//	}
//	return r.end()
//
// What the loop does not take is passed over.
type objectReader struct {
	object jsonrpc.Object
	raw    jsonrpc.Raw
	needed [mostNeeded]string // the members that must be there, then empty ones
	needs  int                // how many those are
	seen   uint               // bit i: needed[i] was there
	fault  *Malformed
}

// mostNeeded is how many members an object may need. They stand in the reader itself, so
// that none has to be allocated.
const mostNeeded = 4

// readObject begins to read raw, whose members needed must be there. It is made where it
// is used, on the stack, as its methods keep nothing of it.
func readObject(raw jsonrpc.Raw, needed ...string) *objectReader {
	r := new(objectReader)
	r.begin(raw, needed)
	return r
}

// begin stands in many places: inlined it is more code in each than the call.
//
//go:noinline
func (r *objectReader) begin(raw jsonrpc.Raw, needed []string) {
	r.object, r.raw, r.needs = jsonrpc.ReadObject(raw), raw, len(needed)
	copy(r.needed[:len(needed)], needed)
}

func (r *objectReader) next() bool {
	if r.fault != nil || !r.object.Next() {
		return false
	}
	for i, name := range r.needed[:r.needs] {
		if string(r.name()) == name {
			r.seen |= 1 << i
		}
	}
	return true
}

// name is that of the member at hand.
func (r *objectReader) name() []byte { return r.object.Name() }

// value is that of the member at hand.
func (r *objectReader) value() jsonrpc.Raw { return r.object.Value() }

// fail notes that the member at hand is not what it must be.
func (r *objectReader) fail(m *Malformed) {
	if r.fault == nil {
		r.fault = m.inside(r.name())
	}
}

// end returns the first fault, nil when there is none.
func (r *objectReader) end() *Malformed {
	switch {
	case r.fault != nil:
		return r.fault
	case r.object.Err() != nil && r.raw == nil:
		return must("be an object: it is missing")
	case r.object.Err() != nil && r.raw.Kind() != jsonrpc.KindObject:
		return must("be an object")
	case r.object.Err() != nil:
		return r.broken()
	}
	for i, name := range r.needed[:r.needs] {
		if r.seen&(1<<i) == 0 {
			return must("be there").inside([]byte(name))
		}
	}
	return nil
}

// broken says what is wrong with a text that begins as an object.
func (r *objectReader) broken() *Malformed {
	if _, err := jsonrpc.AppendCompact(nil, r.raw); err != nil {
		return must("be JSON")
	}
	return &Malformed{Want: "has a member twice"}
}

// text takes a string.
func (r *objectReader) text(to *string) {
	text, ok := r.object.Text()
	if !ok {
		r.fail(must("be a string"))
	}
	*to = text
}

// optionalText takes a string whose absence says something else than "".
func (r *objectReader) optionalText(to **string) {
	*to = new(string)
	r.text(*to)
}

// word takes a string that must be the given one, such as the type of a block.
func (r *objectReader) word(want string) {
	if !r.value().Is(want) {
		r.fail(must(`be "` + want + `"`))
	}
}

// boolean takes true or false.
func (r *objectReader) boolean(to *bool) {
	value, ok := r.value().Bool()
	if !ok {
		r.fail(must("be true or false"))
	}
	*to = value
}

// hint takes a boolean of three states, the third of which is absence.
func (r *objectReader) hint(to **bool) {
	*to = new(bool)
	r.boolean(*to)
}

// number takes a number.
func (r *objectReader) number(to *float64) {
	value, ok := r.value().Float()
	if !ok {
		r.fail(must("be a number"))
	}
	*to = value
}

// optionalNumber takes a number whose absence says something else than 0.
func (r *objectReader) optionalNumber(to **float64) {
	*to = new(float64)
	r.number(*to)
}

// count takes an integer that is not negative. JSON has one type of number, so 5.0 is
// an integer, too, where a float64 holds it exactly.
func (r *objectReader) count(to *int64) {
	const exact = 1 << 53
	value, ok := r.value().Int()
	if f, isNumber := r.value().Float(); !ok && isNumber && 0 <= f && f <= exact && f == float64(int64(f)) {
		value, ok = int64(f), true
	}
	if !ok || value < 0 {
		r.fail(must("be an integer, not negative"))
	}
	*to = value
}

// base64 takes bytes in the standard alphabet with padding (RFC 4648, section 4).
func (r *objectReader) base64(to *[]byte) {
	text, ok := r.object.Text()
	data, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil {
		r.fail(must("be a string in base64"))
	}
	*to = data
}

// time takes a point in time. It is a hint that the specification only advises to
// write as ISO 8601, so one that cannot be understood counts as none (2026-07-28
// schema, Annotations).
func (r *objectReader) time(to *time.Time) {
	var text string
	r.text(&text)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			*to = at
			return
		}
	}
}

// any takes any value, as it came.
func (r *objectReader) any(to *jsonrpc.Raw) { *to = bytes.Clone(r.value()) }

// keep takes an object as it came: what stands in it is for others to read.
func (r *objectReader) keep(to *jsonrpc.Raw) {
	if r.value().Kind() != jsonrpc.KindObject {
		r.fail(must("be an object"))
	}
	r.any(to)
}

// id takes an id or a token: a string or an integer.
func (r *objectReader) id(to *jsonrpc.Raw) {
	if _, ok := jsonrpc.ParseID(r.value()); !ok {
		r.fail(must("be a string or an integer"))
	}
	r.any(to)
}

// other keeps a member that the type does not know.
func (r *objectReader) other(to *map[string]jsonrpc.Raw) {
	if *to == nil {
		*to = make(map[string]jsonrpc.Raw)
	}
	(*to)[string(r.name())] = bytes.Clone(r.value())
}

// raws takes an object as a map of the values as they came.
func (r *objectReader) raws(to *map[string]jsonrpc.Raw) {
	inner := readObject(r.value())
	*to = make(map[string]jsonrpc.Raw)
	for inner.next() {
		name := MetaServerInfo // in every result of the modern era, so it costs nothing
		if string(inner.name()) != name {
			name = string(inner.name())
		}
		(*to)[name] = bytes.Clone(inner.value())
	}
	if m := inner.end(); m != nil {
		r.fail(m)
	}
}

// settings takes an object of objects, as they came.
func (r *objectReader) settings(to *map[string]jsonrpc.Raw) {
	inner := readObject(r.value())
	*to = make(map[string]jsonrpc.Raw)
	for inner.next() {
		var value jsonrpc.Raw
		inner.keep(&value)
		(*to)[string(inner.name())] = value
	}
	if m := inner.end(); m != nil {
		r.fail(m)
	}
}

// textMap takes an object of strings.
func (r *objectReader) textMap(to *map[string]string) {
	inner := readObject(r.value())
	*to = make(map[string]string)
	for inner.next() {
		var value string
		inner.text(&value)
		(*to)[string(inner.name())] = value
	}
	if m := inner.end(); m != nil {
		r.fail(m)
	}
}

// meta takes _meta, whose members are free.
func (r *objectReader) meta(to *Meta) { r.raws((*map[string]jsonrpc.Raw)(to)) }

// inside has v read the member at hand.
func (r *objectReader) inside(v interface{ readJSON(jsonrpc.Raw) *Malformed }) {
	if m := v.readJSON(r.value()); m != nil {
		r.fail(m)
	}
}

// texts takes an array of strings.
// Inlined, it would be a closure more in each place.
//
//go:noinline
func (r *objectReader) texts(to *[]string) {
	*to = []string{}
	r.each(func(value jsonrpc.Raw) *Malformed {
		text, ok := value.Text()
		if !ok {
			return must("be a string")
		}
		*to = append(*to, text)
		return nil
	})
}

// each calls take for each element of the array at hand.
func (r *objectReader) each(take func(value jsonrpc.Raw) *Malformed) {
	a := r.object.Array()
	for i := 0; a.Next(); i++ {
		if m := take(a.Value()); m != nil {
			r.fail(m.element(i))
			return
		}
	}
	if a.Err() != nil {
		r.fail(must("be an array"))
	}
}

// readList takes an array of values of one type. Absent and empty are nil and empty.
func readList[T any, P interface {
	*T
	readJSON(jsonrpc.Raw) *Malformed
}](r *objectReader, to *[]T) {
	*to = []T{}
	r.each(func(value jsonrpc.Raw) *Malformed {
		*to = append(*to, *new(T))
		return P(&(*to)[len(*to)-1]).readJSON(value)
	})
}

// readPointer takes a value whose absence says something.
func readPointer[T any, P interface {
	*T
	readJSON(jsonrpc.Raw) *Malformed
}](r *objectReader, to **T) {
	*to = new(T)
	r.inside(P(*to))
}
