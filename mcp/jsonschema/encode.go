package jsonschema

import (
	"fmt"
	"reflect"
	"sync"

	"isthmus.internal/jsonrpc"
)

// Encoder writes Go values as JSON text, on one line. What there is to know of the type
// is found out once; it may be used by any number of goroutines.
//
// It writes what [encoding/json] would, with the rules of the project for JSON: nothing
// is escaped for the sake of HTML, U+2028 and U+2029 are; a nil slice is [], a nil map {}
// and a nil []byte ""; a field that is a nil pointer is left out, unless its tag says
// required:"true". So what it writes fits the schema of [InferResult].
type Encoder[T any] struct {
	plan     *encoder
	encoders *encoders
}

// EncoderFor makes an encoder. A type in T that has no form in JSON is an error that
// names type and field.
func EncoderFor[T any]() (*Encoder[T], error) {
	plan, es, err := encoderOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	return &Encoder[T]{plan, es}, nil
}

// KeepNils has a nil slice, map and []byte written as null, as [encoding/json] does, so that
// a [Decoder] makes the same value again. It is called before the encoder is used.
func (e *Encoder[T]) KeepNils() { e.encoders.keepNils = true }

// encoderOf is [EncoderFor], compiled once and not once for each type.
func encoderOf(t reflect.Type) (*encoder, *encoders, error) {
	es := &encoders{known: map[reflect.Type]*encoder{}}
	plan, err := es.of(t)
	if err != nil {
		return nil, nil, fmt.Errorf("jsonschema: %w", err)
	}
	return plan, es, nil
}

// Append appends v. What has no form in JSON, such as NaN, a channel in an any or a
// value that contains itself, is an error, and dst is returned as it was.
func (e *Encoder[T]) Append(dst []byte, v T) ([]byte, error) {
	run := struct { // in one allocation
		output
		v T
	}{output{dst: dst, encoders: e.encoders}, v}
	if err := e.plan.write(&run.output, reflect.ValueOf(&run.v).Elem()); err != nil {
		return dst, fmt.Errorf("jsonschema: %w", err)
	}
	return run.dst, nil
}

// output is one value being written.
type output struct {
	dst      []byte
	depth    int
	encoders *encoders
}

// asNull reports whether v, which can be nil, is to be written as null.
//
//go:noinline
func (w *output) asNull(v reflect.Value) bool { return w.encoders.keepNils && v.IsNil() }

// enter counts a level of nesting. A value that contains itself has no end of them.
func (w *output) enter() error {
	if w.depth++; w.depth > jsonrpc.MaxDepth {
		return fmt.Errorf("the value nests deeper than %d levels, or contains itself", jsonrpc.MaxDepth)
	}
	return nil
}

// encoder writes values of one type.
type encoder struct {
	write  func(w *output, v reflect.Value) error
	elem   *encoder // of a pointer, slice, array or map
	fields []memberEncoder
}

// encoders are those of one type, of all the types in it, and of those that its values
// have turned out to hold.
type encoders struct {
	keepNils bool

	mu    sync.RWMutex
	known map[reflect.Type]*encoder
}

// at returns the encoder of a type that was found in an interface.
func (es *encoders) at(t reflect.Type) (*encoder, error) {
	es.mu.RLock()
	e := es.known[t]
	es.mu.RUnlock()
	if e != nil {
		return e, nil
	}
	es.mu.Lock()
	defer es.mu.Unlock()
	// On its own, so that one that fails leaves nothing half made.
	fresh := &encoders{known: map[reflect.Type]*encoder{}}
	e, err := fresh.of(t)
	if err == nil {
		es.known[t] = e
	}
	return e, err
}

// of returns the encoder of t. A type that contains itself meets its own, which is not
// yet complete.
func (es *encoders) of(t reflect.Type) (*encoder, error) {
	if e, known := es.known[t]; known {
		return e, nil
	}
	e := &encoder{}
	es.known[t] = e
	return e, es.plan(e, t)
}

func (es *encoders) plan(e *encoder, t reflect.Type) (err error) {
	if t.Kind() == reflect.Pointer {
		e.elem, err = es.of(t.Elem())
		e.write = e.writePointer
		return err
	}
	switch formOf(t, writing) {
	case formRaw:
		e.write = writeRaw
	case formAny:
		e.write = writeInterface
	case formDigits:
		e.write = writeDigits
	case formBytes:
		e.write = writeBytes
	case formJSON:
		e.write = addressed(t, marshalerType, writeOwn)
	case formText:
		e.write = addressed(t, textMarshalerType, writeText)
	default:
		return es.byKind(e, t)
	}
	return nil
}

func (es *encoders) byKind(e *encoder, t reflect.Type) (err error) {
	switch t.Kind() {
	case reflect.Bool:
		e.write = writeBool
	case reflect.String:
		e.write = writeString
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.write = writeInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.write = writeUint
	case reflect.Float32, reflect.Float64:
		e.write = writeFloat
	case reflect.Slice, reflect.Array:
		e.elem, err = es.of(t.Elem())
		e.write = e.writeList
	case reflect.Map:
		if err = checkKey(t, writing); err != nil {
			return err
		}
		e.elem, err = es.of(t.Elem())
		e.write = e.writeMap
	case reflect.Struct:
		return es.structs(e, t)
	default:
		return fmt.Errorf("type %v: a %v has no form in JSON", t, t.Kind())
	}
	return err
}

// addressed has a value written by a method that wants a pointer to it, where the
// method does: a value without an address is copied for it.
func addressed(t, methods reflect.Type, write func(w *output, v reflect.Value) error) func(w *output, v reflect.Value) error {
	if t.Implements(methods) {
		return write
	}
	return func(w *output, v reflect.Value) error {
		if !v.CanAddr() {
			copied := reflect.New(t)
			copied.Elem().Set(v)
			v = copied.Elem()
		}
		return write(w, v.Addr())
	}
}
