package jsonschema

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
)

// memberDecoder reads one field of a struct.
type memberDecoder struct {
	*decoder
	name     string
	key      []byte // the name as it is mostly written, with its colon
	at       int    // of a field of the struct's own
	index    []int  // of a promoted one; nil otherwise
	optional bool
	expected bool   // the schema requires it, or gives it a default
	initial  []byte // that default
	bounds   bound  // what its tags say of a value; nil for nothing
}

// few is how many fields are looked through one by one.
const few = 8

func (ds decoders) structs(d *decoder, t reflect.Type) error {
	fields, err := fieldsOf(t, reading)
	if err != nil {
		return err
	}
	d.read = d.readStruct
	d.fields = make([]memberDecoder, 0, len(fields))
	for i, f := range fields {
		m := memberDecoder{name: f.name, key: f.key, at: f.index[0], optional: f.optional()}
		if m.initial, err = f.initial(); err != nil {
			return fmt.Errorf("type %v, field %s: %w", t, t.FieldByIndex(f.index).Name, err)
		}
		m.bounds, _ = f.bounds()
		if m.expected = !m.optional || m.initial != nil; m.expected {
			d.expected++
		}
		if len(f.index) > 1 {
			m.index = f.index
		}
		if m.decoder, err = ds.of(f.typ); err != nil {
			return fmt.Errorf("type %v, field %s: %w", t, t.FieldByIndex(f.index).Name, err)
		}
		if f.quoted {
			m.decoder = &decoder{read: quotedReader(m.decoder)}
		}
		d.fields = append(d.fields, m)
		if len(fields) > few {
			if d.names == nil {
				d.names = make(map[string]int, len(fields))
			}
			d.names[f.name] = i
		}
	}
	return nil
}

// field steps over a member's name and returns which field has it, -1 for none. Most
// clients send members in the order of the schema, without space, so the field behind
// the last is tried first.
func (d *decoder) field(r *reader, next int) int {
	r.peek()
	if next < len(d.fields) && bytes.HasPrefix(r.text[r.pos:], d.fields[next].key) {
		r.pos += len(d.fields[next].key)
		return next
	}
	name := r.name()
	if d.names != nil {
		if i, ok := d.names[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range d.fields {
		if d.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}

// seen are the fields that have been read: a bit for each.
type seen struct {
	first uint64
	rest  []bool
}

// add reports whether i was not seen before.
func (s *seen) add(i, n int) bool {
	if i < 64 {
		known := s.first>>i&1 == 1
		s.first |= 1 << i
		return !known
	}
	if s.rest == nil {
		s.rest = make([]bool, n)
	}
	known := s.rest[i]
	s.rest[i] = true
	return !known
}

// has reports whether i was seen.
func (s *seen) has(i int) bool {
	if i < 64 {
		return s.first>>i&1 == 1
	}
	return s.rest != nil && s.rest[i]
}

func (d *decoder) readStruct(r *reader, v reflect.Value) *Error {
	if r.peek() != '{' {
		return r.unless(r.null(), "an object")
	}
	var known seen
	next, expected := 0, 0
	for err, more := r.open('}'); more || err != nil; more = r.more('}') {
		if err != nil {
			return err
		}
		i := d.field(r, next)
		if i < 0 {
			r.lenient = true
			r.value()
			continue
		}
		next = i + 1
		f := &d.fields[i]
		if f.expected {
			expected++
		}
		if !known.add(i, len(d.fields)) {
			return twice(f.name)
		}
		member := f.of(v)
		if err := f.read(r, member); err != nil {
			return err.inMember(f.name)
		}
		if r.complete && f.bounds != nil && !f.bounds(member) {
			r.lenient = true
		}
	}
	if expected < d.expected && !(r.complete && d.setDefaults(v, &known)) {
		r.lenient = true
	}
	return nil
}

// setDefaults gives the fields that were not there their defaults, and reports whether
// nothing is missing then.
func (d *decoder) setDefaults(v reflect.Value, known *seen) bool {
	for i := range d.fields {
		f := &d.fields[i]
		if !f.expected || known.has(i) {
			continue
		}
		r := reader{text: f.initial}
		if f.initial == nil || f.read(&r, f.of(v)) != nil || r.lenient {
			return false
		}
	}
	return true
}

// twice is the error about a member that stands twice.
func twice(name string) *Error {
	return (&Error{Expected: "the member once", Got: "it twice"}).inMember(name)
}

// of returns the field in the struct v, making the embedded structs on the way.
func (f *memberDecoder) of(v reflect.Value) reflect.Value {
	if f.index == nil {
		return v.Field(f.at)
	}
	for i, at := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(at)
	}
	return v
}

// quotedReader reads a value that stands in a string, for the option string.
func quotedReader(inner *decoder) func(r *reader, v reflect.Value) *Error {
	return func(r *reader, v reflect.Value) *Error {
		if r.null() {
			return nil
		}
		if r.peek() != '"' {
			return r.wrong("a string with the value in it")
		}
		start := *r
		text, _ := r.str().Text()
		if inner.shape == reflect.String && !strings.HasPrefix(text, `"`) {
			return start.wrong("a string with a JSON string in it")
		}
		within := reader{text: []byte(text), depth: r.depth}
		err := inner.read(&within, v)
		if err == nil && within.peek() != 0 {
			err = start.wrong("a string with one value in it")
		}
		return err
	}
}
