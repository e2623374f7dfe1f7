package jsonschema

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"

	"isthmus.internal/jsonrpc"
)

func (w *output) null() error {
	w.dst = append(w.dst, "null"...)
	return nil
}

func writeBool(w *output, v reflect.Value) error {
	w.dst = jsonrpc.AppendBool(w.dst, v.Bool())
	return nil
}

func writeString(w *output, v reflect.Value) error {
	w.dst = jsonrpc.AppendString(w.dst, v.String())
	return nil
}

func writeInt(w *output, v reflect.Value) error {
	w.dst = jsonrpc.AppendInt(w.dst, v.Int())
	return nil
}

func writeUint(w *output, v reflect.Value) error {
	w.dst = strconv.AppendUint(w.dst, v.Uint(), 10)
	return nil
}

// writeFloat writes the shortest number that reads back as v in v's own precision.
func writeFloat(w *output, v reflect.Value) error {
	f := v.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("%v has no form in JSON", f)
	}
	if v.Kind() == reflect.Float32 {
		// The digits of the shortest float32 make a float64 with the same digits.
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', -1, 32), 64)
	}
	w.dst = jsonrpc.AppendFloat(w.dst, f)
	return nil
}

func writeBytes(w *output, v reflect.Value) error {
	if w.asNull(v) {
		return w.null()
	}
	w.dst = append(w.dst, '"')
	w.dst = base64.StdEncoding.AppendEncode(w.dst, v.Bytes())
	w.dst = append(w.dst, '"')
	return nil
}

func writeRaw(w *output, v reflect.Value) error {
	if v.IsNil() {
		return w.null()
	}
	return w.compact(v.Bytes(), v.Type())
}

// compact writes text that should be JSON.
func (w *output) compact(text []byte, t reflect.Type) (err error) {
	if w.dst, err = jsonrpc.AppendCompact(w.dst, text); err != nil {
		return fmt.Errorf("type %v: %w", t, err)
	}
	return nil
}

func writeDigits(w *output, v reflect.Value) error {
	text := jsonrpc.Raw(v.String())
	if len(text) == 0 {
		text = jsonrpc.Raw("0") // the zero value of a number
	}
	if text.Kind() != jsonrpc.KindNumber {
		return fmt.Errorf("%q is no number", v.String())
	}
	return w.compact(text, v.Type())
}

func writeOwn(w *output, v reflect.Value) error {
	text, err := v.Interface().(json.Marshaler).MarshalJSON()
	if err != nil {
		return fmt.Errorf("type %v: %w", v.Type(), err)
	}
	return w.compact(text, v.Type())
}

func writeText(w *output, v reflect.Value) error {
	text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
	if err != nil {
		return fmt.Errorf("type %v: %w", v.Type(), err)
	}
	w.dst = jsonrpc.AppendStringBytes(w.dst, text)
	return nil
}

func (e *encoder) writePointer(w *output, v reflect.Value) error {
	if v.IsNil() {
		return w.null()
	}
	if err := w.enter(); err != nil { // a pointer can point to itself
		return err
	}
	err := e.elem.write(w, v.Elem())
	w.depth--
	return err
}

func writeInterface(w *output, v reflect.Value) error {
	if v.IsNil() {
		return w.null()
	}
	v = v.Elem()
	e, err := w.encoders.at(v.Type())
	if err != nil {
		return err
	}
	if err := w.enter(); err != nil {
		return err
	}
	err = e.write(w, v)
	w.depth--
	return err
}

func (e *encoder) writeList(w *output, v reflect.Value) error {
	if v.Kind() == reflect.Slice && w.asNull(v) {
		return w.null()
	}
	if err := w.enter(); err != nil {
		return err
	}
	w.dst = append(w.dst, '[')
	for i := range v.Len() {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		if err := e.elem.write(w, v.Index(i)); err != nil {
			return err
		}
	}
	w.dst = append(w.dst, ']')
	w.depth--
	return nil
}

// writtenMember is a member of a map.
type writtenMember struct {
	name  []byte // written
	value reflect.Value
}

// writtenMembers are sorted by name. Sorting through an interface is one function for all
// types, where slices.SortFunc is one for each, of many kilobytes.
type writtenMembers []writtenMember

func (m writtenMembers) Len() int           { return len(m) }
func (m writtenMembers) Less(i, j int) bool { return bytes.Compare(m[i].name, m[j].name) < 0 }
func (m writtenMembers) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }

// writeMap writes the members sorted by name, so that equal maps give equal bytes.
func (e *encoder) writeMap(w *output, v reflect.Value) error {
	if w.asNull(v) {
		return w.null()
	}
	if err := w.enter(); err != nil {
		return err
	}
	members := make(writtenMembers, 0, v.Len())
	for i := v.MapRange(); i.Next(); {
		name, err := nameOf(i.Key())
		if err != nil {
			return err
		}
		members = append(members, writtenMember{jsonrpc.AppendString(nil, name), i.Value()})
	}
	sort.Sort(members)
	w.dst = append(w.dst, '{')
	for i, m := range members {
		if i > 0 {
			if bytes.Equal(m.name, members[i-1].name) {
				return fmt.Errorf("two keys of %v have the name %s", v.Type(), m.name)
			}
			w.dst = append(w.dst, ',')
		}
		w.dst = append(append(w.dst, m.name...), ':')
		if err := e.elem.write(w, m.value); err != nil {
			return err
		}
	}
	w.dst = append(w.dst, '}')
	w.depth--
	return nil
}

// nameOf returns the name that a key of a map stands for.
func nameOf(key reflect.Value) (string, error) {
	kind := key.Kind()
	switch {
	case kind == reflect.String:
		return key.String(), nil
	case hasMethods(key.Type(), textMarshalerType):
		if kind == reflect.Pointer && key.IsNil() {
			return "", errors.New("a nil pointer is no name for a member")
		}
		copied := reflect.New(key.Type())
		copied.Elem().Set(key)
		m, ok := copied.Elem().Interface().(encoding.TextMarshaler)
		if !ok {
			m = copied.Interface().(encoding.TextMarshaler)
		}
		text, err := m.MarshalText()
		return string(text), err
	case kind <= reflect.Int64:
		return strconv.FormatInt(key.Int(), 10), nil
	}
	return strconv.FormatUint(key.Uint(), 10), nil
}
