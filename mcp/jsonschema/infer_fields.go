package jsonschema

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// field is a field of a struct that has a member in JSON.
type field struct {
	name   string // of the member
	key    []byte // the name as it is written, with its colon
	typ    reflect.Type
	index  []int // through embedded structs
	tagged bool  // the name stands in a tag
	absent bool  // with an embedded pointer that is nil

	omitEmpty, omitZero, quoted bool
	tags                        tags
}

// optional reports whether a value may lack the field: a pointer, a field that is left
// out when it is empty or zero, one behind an embedded pointer, one with a default, or
// one that says so itself.
func (f *field) optional() bool {
	if f.tags.required != nil {
		return !*f.tags.required
	}
	return f.typ.Kind() == reflect.Pointer || f.absent || f.omitEmpty || f.omitZero || f.tags.has("default")
}

// initial is the default in the field's tag as JSON, nil when there is none.
func (f *field) initial() (jsonrpc.Raw, error) {
	if !f.tags.has("default") {
		return nil, nil
	}
	w := newWalk(f.typ, reading)
	n, err := w.fieldNode(f)
	if err != nil {
		return nil, err
	}
	return n.keyword("default"), nil
}

// embedded is a struct whose fields are promoted.
type embedded struct {
	typ    reflect.Type
	index  []int
	absent bool // it, or one around it, is behind a pointer
}

// fieldsOf lists the fields of the struct t with a member in JSON, in the order of
// the source. Fields of embedded structs are promoted as the documentation of
// [encoding/json] has it: the least deep field wins, among those equally deep the only
// one with a name in its tag; otherwise there is none of that name.
func fieldsOf(t reflect.Type, d direction) ([]*field, error) {
	var all []*field
	settled := map[string]bool{}
	seen := map[reflect.Type]bool{}
	for level := []embedded{{typ: t}}; len(level) > 0; {
		var found []*field
		var next []embedded
		times := map[reflect.Type]int{}
		for _, e := range level {
			own, deeper, err := e.fields(d)
			if err != nil {
				return nil, err
			}
			found = append(found, own...)
			for _, e := range deeper {
				// Two of a kind cancel each other out; more add nothing.
				if times[e.typ]++; times[e.typ] <= 2 {
					next = append(next, e)
				}
			}
		}
		all = append(all, dominant(found, settled)...)
		for _, e := range level {
			seen[e.typ] = true
		}
		level = slices.DeleteFunc(next, func(e embedded) bool { return seen[e.typ] })
	}
	slices.SortFunc(all, func(a, b *field) int { return slices.Compare(a.index, b.index) })
	return all, nil
}

// dominant returns those of the fields, all equally deep, that are seen, and settles
// their names, so that deeper ones are not.
func dominant(found []*field, settled map[string]bool) []*field {
	var kept []*field
	byName := slices.Clone(found)
	slices.SortFunc(byName, func(a, b *field) int { // equals cancel each other out, in any order
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(tagRank(a), tagRank(b)))
	})
	for len(byName) > 0 {
		n := 1
		for n < len(byName) && byName[n].name == byName[0].name {
			n++
		}
		first := byName[0]
		alone := n == 1 || first.tagged && !byName[1].tagged
		if alone && !settled[first.name] {
			kept = append(kept, first)
		}
		settled[first.name] = true
		byName = byName[n:]
	}
	return kept
}

func tagRank(f *field) int {
	if f.tagged {
		return 0
	}
	return 1
}

// fields lists the fields of one struct, and the structs embedded in it.
func (e embedded) fields(d direction) (own []*field, deeper []embedded, err error) {
	names := map[string]bool{}
	for i := range e.typ.NumField() {
		sf := e.typ.Field(i)
		inner := sf.Type
		if inner.Kind() == reflect.Pointer && inner.Name() == "" {
			inner = inner.Elem()
		}
		if !sf.IsExported() && !(sf.Anonymous && inner.Kind() == reflect.Struct) {
			continue
		}
		index := append(slices.Clone(e.index), i)
		f, skip, err := newField(sf, index)
		if err != nil {
			return nil, nil, fmt.Errorf("type %v, field %s: %w", e.typ, sf.Name, err)
		}
		switch {
		case skip:
		case sf.Anonymous && f.tagged && !sf.IsExported():
			err = fmt.Errorf("type %v, field %s: an embedded struct with a member of its own must be exported", e.typ, sf.Name)
		case sf.Anonymous && !f.tagged && inner.Kind() == reflect.Struct:
			switch {
			case d == reading && !sf.IsExported() && sf.Type.Kind() == reflect.Pointer:
				err = fmt.Errorf("type %v, field %s: a pointer to an unexported struct cannot be set; embed the struct itself", e.typ, sf.Name)
			case len(f.tags.list) > 0 || f.tags.required != nil:
				err = fmt.Errorf("type %v, field %s: tag %s: the fields of an embedded struct are described each for itself", e.typ, sf.Name, f.tags.first())
			}
			deeper = append(deeper, embedded{inner, index, e.absent || sf.Type.Kind() == reflect.Pointer})
		case names[f.name]:
			err = fmt.Errorf("type %v, field %s: another field has the name %q, too", e.typ, sf.Name, f.name)
		default:
			names[f.name], f.absent = true, e.absent
			own = append(own, f)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return own, deeper, nil
}

// newField reads the tags of a field. skip is set when it has no member.
func newField(sf reflect.StructField, index []int) (f *field, skip bool, err error) {
	f = &field{name: sf.Name, typ: sf.Type, index: index}
	pairs, err := splitTag(string(sf.Tag))
	if err != nil {
		return f, false, err
	}
	text, _ := pairs.lookup("json")
	if text == "-" {
		return f, true, nil
	}
	if err := f.readJSONTag(text); err != nil {
		return f, false, err
	}
	f.key = append(jsonrpc.AppendString(nil, f.name), ':')
	f.tags, err = readTags(pairs)
	return f, false, err
}

// readJSONTag reads what stands behind the key json: a name and options. Options that
// nobody knows are refused, since they would change nothing.
func (f *field) readJSONTag(text string) error {
	name, options, _ := strings.Cut(text, ",")
	if name != "" {
		if strings.ContainsAny(name, "\"\\'") || !isPrintable(name) {
			return fmt.Errorf("tag json: %q is no name for a member", name)
		}
		f.name, f.tagged = name, true
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "omitempty":
			f.omitEmpty = true
		case "omitzero":
			f.omitZero = true
		case "string":
			switch deref(f.typ).Kind() {
			case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
				reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
				reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
				f.quoted = true
			default:
				return fmt.Errorf("tag json: the option string is for strings, numbers and booleans, not for %v", f.typ)
			}
		default:
			return fmt.Errorf("tag json: the option %q is none of omitempty, omitzero, string", option)
		}
	}
	return nil
}

func isPrintable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F || r == 0xFFFD }) < 0
}
