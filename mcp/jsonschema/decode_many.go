package jsonschema

import (
	"encoding"
	"reflect"
	"strconv"
)

// inItem says that e is about an item of an array.
func (e *Error) inItem(i int) *Error {
	e.Path = "/" + strconv.Itoa(i) + e.Path
	return e
}

func (d *decoder) readSlice(r *reader, v reflect.Value) *Error {
	if r.peek() != '[' {
		return r.toNil(v, "an array")
	}
	n := 0
	for err, more := r.open(']'); more || err != nil; more = r.more(']') {
		if err != nil {
			return err
		}
		if n == v.Cap() {
			v.Grow(max(2, n))
		}
		v.SetLen(n + 1)
		if err := d.elem.read(r, v.Index(n)); err != nil {
			return err.inItem(n)
		}
		n++
	}
	if n == 0 {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0)) // not nil: an empty list was sent
	}
	return nil
}

func (d *decoder) readArray(r *reader, v reflect.Value) *Error {
	if r.peek() != '[' {
		return r.unless(r.null(), "an array")
	}
	start := *r
	n := 0
	for err, more := r.open(']'); more || err != nil; more = r.more(']') {
		switch {
		case err != nil:
			return err
		case n == v.Len():
			return start.wrongLength(v.Len())
		}
		if err := d.elem.read(r, v.Index(n)); err != nil {
			return err.inItem(n)
		}
		n++
	}
	if n < v.Len() {
		return start.wrongLength(v.Len())
	}
	return nil
}

func (r *reader) wrongLength(n int) *Error {
	return &Error{Expected: "an array of " + strconv.Itoa(n) + " items", Got: "one of another length"}
}

func (d *decoder) readMap(r *reader, v reflect.Value) *Error {
	key := func(name string, into reflect.Value) *Error {
		switch kind := into.Kind(); {
		case kind == reflect.String:
			into.SetString(name)
			return nil
		case kind >= reflect.Uint:
			n, err := strconv.ParseUint(name, 10, 64)
			if err == nil && !into.OverflowUint(n) {
				into.SetUint(n)
				return nil
			}
		default:
			n, err := strconv.ParseInt(name, 10, 64)
			if err == nil && !into.OverflowInt(n) {
				into.SetInt(n)
				return nil
			}
		}
		return (&Error{Expected: "a name that is an integer", Got: quoted(name)}).inMember(name)
	}
	return d.readMembers(r, v, key)
}

// readTextMap reads a map whose keys read their text themselves.
func (d *decoder) readTextMap(r *reader, v reflect.Value) *Error {
	return d.readMembers(r, v, func(name string, into reflect.Value) *Error {
		if err := into.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(name)); err != nil {
			expected := "a name that can be read (" + clipped(oneLine(err.Error()), longestPath) + ")"
			return (&Error{Expected: expected, Got: quoted(name)}).inMember(name)
		}
		return nil
	})
}

func (d *decoder) readMembers(r *reader, v reflect.Value, readKey func(name string, into reflect.Value) *Error) *Error {
	if r.peek() != '{' {
		return r.toNil(v, "an object")
	}
	t := v.Type()
	v.Set(reflect.MakeMap(t))
	for err, more := r.open('}'); more || err != nil; more = r.more('}') {
		if err != nil {
			return err
		}
		name := string(r.name())
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err := readKey(name, key); err != nil {
			return err
		}
		if v.MapIndex(key).IsValid() {
			return twice(name)
		}
		if err := d.elem.read(r, value); err != nil {
			return err.inMember(name)
		}
		v.SetMapIndex(key, value)
	}
	return nil
}
