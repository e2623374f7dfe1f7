package jsonschema

import (
	"fmt"
	"reflect"

	"isthmus.internal/jsonrpc"
)

// Decoder makes Go values of JSON text. What there is to know of the type is found out
// once, when the decoder is made; it may be used by any number of goroutines.
//
// Unlike [encoding/json] it knows a member by its exact name alone, reads 1.0 and 2e0
// into integers, since JSON Schema calls them that, refuses members that stand twice,
// keeps the digits of numbers (one that becomes an any is a [json.Number]), and takes a
// time only if it is the date-time that its schema says. For the rest it does as encoding/json: a null leaves alone what cannot be nil, members that
// no field has are passed over, an UnmarshalJSON or UnmarshalText does what it does. What
// an UnmarshalText says of a text that it refuses is part of the error, and so reaches
// peers; what an UnmarshalJSON says is not.
// What it makes holds none of the text's memory.
type Decoder[T any] struct {
	plan  *decoder
	exact bool
}

// DecoderFor makes a decoder. That values of T, or of a field in it, cannot be read is
// an error that names type and field.
func DecoderFor[T any]() (*Decoder[T], error) {
	plan, exact, err := decoderOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	return &Decoder[T]{plan, exact}, nil
}

// decoderOf is [DecoderFor], compiled once and not once for each type.
func decoderOf(t reflect.Type) (plan *decoder, exact bool, err error) {
	if plan, err = (decoders{}).of(t); err != nil {
		return nil, false, fmt.Errorf("jsonschema: %w", err)
	}
	return plan, isExact(t, map[reflect.Type]bool{}), nil
}

// Decode reads v, which is JSON: text of a scanned message, or checked otherwise. It
// need not have been validated, but a value that fits the schema of [Infer] fails only
// where that says less than the Go type: an integer beyond 64 bits, a text that an
// UnmarshalText refuses. The error is an [*Error].
func (d *Decoder[T]) Decode(v jsonrpc.Raw) (T, error) {
	into, _, err := d.decode(reader{text: v})
	if err != nil { // which must not be a nil *Error
		return into, err
	}
	return into, nil
}

// DecodeValid is Decode where reading the value is enough to know that it fits the schema
// of [Infer], formats included, once the defaults of the schema are added, which it adds, too. With false it
// is not known whether it does, and what was decoded is of no use.
func (d *Decoder[T]) DecodeValid(v jsonrpc.Raw) (into T, ok bool) {
	if !d.exact {
		return into, false
	}
	into, lenient, err := d.decode(reader{text: v, complete: true})
	return into, err == nil && !lenient
}

func (d *Decoder[T]) decode(r reader) (into T, lenient bool, err *Error) {
	run := struct { // in one allocation
		reader
		into T
	}{reader: r}
	err = d.plan.read(&run.reader, reflect.ValueOf(&run.into).Elem())
	return run.into, run.lenient, err
}

// WithoutNulls returns v without the members that are null and belong to optional
// fields: peers that mean "absent" send such, although no schema of ours says that they
// may. Without any it is v itself.
func (d *Decoder[T]) WithoutNulls(v jsonrpc.Raw) jsonrpc.Raw {
	dst, dropped := d.plan.withoutNulls(nil, v)
	if !dropped {
		return v
	}
	return dst
}

// decoder reads values of one type.
type decoder struct {
	read func(r *reader, v reflect.Value) *Error

	shape    reflect.Kind    // Invalid for a form that is not that of the kind
	elem     *decoder        // of a pointer, slice, array or map
	fields   []memberDecoder // of a struct
	expected int             // how many of them a value has that needs no default
	names    map[string]int  // of its fields, when they are many
}

// decoders are those of one type and all the types in it.
type decoders map[reflect.Type]*decoder

// of returns the decoder of t. A type that contains itself meets its own, which is not
// yet complete.
func (ds decoders) of(t reflect.Type) (*decoder, error) {
	if d, known := ds[t]; known {
		return d, nil
	}
	d := &decoder{}
	ds[t] = d
	return d, ds.plan(d, t)
}

func (ds decoders) plan(d *decoder, t reflect.Type) (err error) {
	if t.Kind() == reflect.Pointer {
		d.shape = reflect.Pointer
		d.elem, err = ds.of(t.Elem())
		d.read = d.readPointer
		return err
	}
	switch formOf(t, reading) {
	case formRaw:
		d.read = readRaw
	case formAny:
		d.read = readInterface
	case formDigits:
		d.read = readDigits
	case formBytes:
		d.read = readBytes
	case formJSON:
		switch {
		case isTime(t):
			d.read = readTime
		case isBigInt(t):
			d.read = readOwn("an integer without fraction and exponent")
		default:
			d.read = readOwn("another form of value")
		}
	case formText:
		d.read = readText
	case formNone:
		return unreadable(t)
	default:
		return ds.byKind(d, t)
	}
	return nil
}

func (ds decoders) byKind(d *decoder, t reflect.Type) (err error) {
	d.shape = t.Kind()
	switch d.shape {
	case reflect.Bool:
		d.read = readBoolean
	case reflect.String:
		d.read = readString
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.read = readInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		d.read = readUint
	case reflect.Float32, reflect.Float64:
		d.read = readFloat
	case reflect.Slice:
		d.elem, err = ds.of(t.Elem())
		d.read = d.readSlice
	case reflect.Array:
		d.elem, err = ds.of(t.Elem())
		d.read = d.readArray
	case reflect.Map:
		if err = checkKey(t, reading); err != nil {
			return err
		}
		d.elem, err = ds.of(t.Elem())
		d.read = d.readMap
		if isTextKey(t.Key(), reading) {
			d.read = d.readTextMap
		}
	case reflect.Struct:
		return ds.structs(d, t)
	default:
		return fmt.Errorf("type %v: a %v has no form in JSON", t, t.Kind())
	}
	return err
}
