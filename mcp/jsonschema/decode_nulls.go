package jsonschema

import (
	"reflect"
	"slices"

	"isthmus.internal/jsonrpc"
)

// withoutNulls appends v without the nulls of optional fields, and reports whether
// there were any.
func (d *decoder) withoutNulls(dst []byte, v jsonrpc.Raw) ([]byte, bool) {
	switch kind := v.Kind(); {
	case d.shape == reflect.Pointer:
		return d.elem.withoutNulls(dst, v)
	case kind == jsonrpc.KindObject && (d.shape == reflect.Struct || d.shape == reflect.Map):
		return d.membersWithoutNulls(dst, v)
	case kind == jsonrpc.KindArray && (d.shape == reflect.Slice || d.shape == reflect.Array):
		dropped := false
		dst = append(dst, '[')
		for a := jsonrpc.ReadArray(v); a.Next(); {
			if dst[len(dst)-1] != '[' {
				dst = append(dst, ',')
			}
			var some bool
			dst, some = d.elem.withoutNulls(dst, a.Value())
			dropped = dropped || some
		}
		return append(dst, ']'), dropped
	}
	return append(dst, v...), false
}

func (d *decoder) membersWithoutNulls(dst []byte, v jsonrpc.Raw) ([]byte, bool) {
	dropped := false
	w := members{dst: append(dst, '{')}
	for o := jsonrpc.ReadObject(v); o.Next(); {
		name, value := o.Name(), o.Value()
		of := d.elem // of a map
		if d.shape == reflect.Struct {
			i := slices.IndexFunc(d.fields, func(f memberDecoder) bool { return f.name == string(name) })
			if i >= 0 && d.fields[i].optional && value.Kind() == jsonrpc.KindNull {
				dropped = true
				continue
			}
			if i >= 0 {
				of = d.fields[i].decoder
			}
		}
		w.name(string(name))
		if of == nil {
			w.dst = append(w.dst, value...)
			continue
		}
		var some bool
		w.dst, some = of.withoutNulls(w.dst, value)
		dropped = dropped || some
	}
	return append(w.dst, '}'), dropped
}
