package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// wide has a field of every form whose schema decoding alone can vouch for.
type wide struct {
	B    bool              `json:"b"`
	I    int8              `json:"i" default:"5"`
	U    uint64            `json:"u,omitempty"`
	F    float32           `json:"f"`
	S    string            `json:"s" mcp:"a string"`
	N    json.Number       `json:"n,omitempty"`
	Any  any               `json:"any"`
	By   []byte            `json:"by,omitempty"`
	At   time.Time         `json:"at,omitzero"`
	On   *date             `json:"on"`
	L    level             `json:"l,omitzero"`
	List []*wide           `json:"list,omitempty"`
	Map  map[string]*uint8 `json:"map,omitempty"`
	Two  [2]int            `json:"two,omitempty" required:"false"`
	base
}

// bounded has what decoding alone does not find.
type bounded struct {
	E    string         `json:"e" enum:"a,b"`
	N    int            `json:"n,omitempty" minimum:"1"`
	Raw  jsonrpc.Raw    `json:"raw,omitempty"`
	Keys map[int]string `json:"keys,omitempty"`
	Q    int            `json:"q,omitempty,string"`
}

var samples = []string{
	`{"b":true,"f":0.5,"s":"x","any":{"a":[1.0,null]},"id":"me","i":3}`,
	`{"b":true,"i":5,"f":0.5,"s":"x","any":null,"id":"me","u":18446744073709551615,"n":1.50,"by":"aGk=","at":"2026-07-28T01:02:03Z",` +
		`"on":"2026-07-28T01:02:03.5+01:00","l":"level 3","list":[{"b":false,"i":0,"f":1e3,"s":"","any":0,"id":""}],"map":{"a":1,"é":255},"two":[1,2],"note":"n"}`,
	`{"b":null,"i":null,"f":1,"s":"x","any":1,"id":"me"}`,
	`{"b":true,"i":1.0,"f":1,"s":"x","any":1,"id":"me","at":null}`,
	`{"b":true,"i":128,"f":1e39,"s":"x","any":1,"id":"me"}`,
	`{"b":true,"i":1,"f":1,"s":"x","any":1,"id":"me","B":2}`,
	`{"b":true,"i":1,"f":1,"s":"x","any":{"a":1,"a":2},"id":"me","map":{"a":null}}`,
	`{"e":"a","n":0,"raw":{"a":1,"a":2},"keys":{"+1":"x","01":"y"},"q":"7"}`,
	`{"e":"a","n":2,"raw":[1 , 2],"keys":{"-1":"x"},"q":"-7"}`,
	`{"e":"c"}`, `{}`, `[]`, `null`, `"x"`, `1e999999`, ` { } `,
}

// agree holds decoder, encoder and schemas of one type to each other.
func agree[T any](t *testing.T) func(t *testing.T, text string) {
	decoder, err := jsonschema.DecoderFor[T]()
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := jsonschema.EncoderFor[T]()
	if err != nil {
		t.Fatal(err)
	}
	in, out := compiled(t, jsonschema.Infer, typ[T]()), compiled(t, jsonschema.InferResult, typ[T]())
	return func(t *testing.T, text string) {
		raw := jsonrpc.Raw(text)
		fault := in.Validate(raw)
		value, ok := decoder.DecodeValid(raw)
		if ok && fault != nil {
			t.Errorf("%v: DecodeValid takes %s, which does not fit: %v", typ[T](), text, fault)
		}
		again, err := decoder.Decode(raw)
		switch {
		case ok && err != nil:
			t.Errorf("%v: DecodeValid takes %s, and Decode does not: %v", typ[T](), text, err)
		case ok && !reflect.DeepEqual(value, again):
			t.Errorf("%v from %s: DecodeValid gives %+v, Decode %+v", typ[T](), text, value, again)
		case err != nil:
			return
		}
		written, err := encoder.Append(nil, again)
		if err != nil {
			t.Errorf("%v from %s: %+v cannot be written: %v", typ[T](), text, again, err)
			return
		}
		compact, err := jsonrpc.AppendCompact(nil, written)
		if err != nil || !bytes.Equal(compact, written) {
			t.Errorf("%v from %s: written as %s, which is not one line of JSON: %v", typ[T](), text, written, err)
		}
		if fault := out.Validate(written); fault != nil && (encoder.AlwaysFits() || ok) {
			t.Errorf("%v from %s: written as %s, which does not fit: %v", typ[T](), text, written, fault)
		}
	}
}

func compiled(t *testing.T, infer func(reflect.Type) (jsonrpc.Raw, error), typ reflect.Type) *jsonschema.Schema {
	text, err := infer(typ)
	if err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.Compile(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAgree(t *testing.T) {
	for _, check := range allAgree(t) {
		for _, text := range samples {
			check(t, text)
		}
	}
}

func allAgree(t *testing.T) []func(t *testing.T, text string) {
	return []func(t *testing.T, text string){agree[wide](t), agree[bounded](t), agree[tree](t), agree[any](t), agree[many](t)}
}

// FuzzAgree: what decoding vouches for is valid, and what the encoder vouches for, too.
func FuzzAgree(f *testing.F) {
	for _, text := range samples {
		f.Add(text)
	}
	checks := allAgree(&testing.T{})
	f.Fuzz(func(t *testing.T, text string) {
		var scanner jsonrpc.Scanner
		if !scanner.Valid([]byte(text)) {
			// Text that is no JSON must not harm either.
			d, err := jsonschema.DecoderFor[wide]()
			if err != nil {
				t.Fatal(err)
			}
			_, _ = d.Decode(jsonrpc.Raw(text))
			d.WithoutNulls(jsonrpc.Raw(text))
			return
		}
		for _, check := range checks {
			check(t, text)
		}
	})
}

// TestDecodeValid: which values are found good by decoding alone.
func TestDecodeValid(t *testing.T) {
	d, err := jsonschema.DecoderFor[wide]()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, false, false, false, false} {
		if _, got := d.DecodeValid(jsonrpc.Raw(samples[i])); got != want {
			t.Errorf("%s\n got %v, want %v", samples[i], got, want)
		}
	}
	b, err := jsonschema.DecoderFor[bounded]()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := b.DecodeValid(jsonrpc.Raw(`{"e":"a"}`)); ok {
		t.Error("the decoder vouches for an enum that it does not look at")
	}
}

// TestAlwaysFits: for which types the encoder vouches.
func TestAlwaysFits(t *testing.T) {
	if e, err := jsonschema.EncoderFor[tree](); err != nil || e.AlwaysFits() {
		t.Errorf("a map of pointers, which may be nil: got %v", err)
	}
	type good struct {
		A *wideless `json:"a"`
		B []string
	}
	if e, err := jsonschema.EncoderFor[good](); err != nil || !e.AlwaysFits() {
		t.Errorf("a struct of plain fields: not vouched for, %v", err)
	}
	for name, fits := range map[string]func() (bool, error){
		"bound":   func() (bool, error) { return fitsOf[bounded]() },
		"pointer": func() (bool, error) { return fitsOf[*sumLike]() },
		"required": func() (bool, error) {
			return fitsOf[struct {
				A *int `required:"true"`
			}]()
		},
		"left out": func() (bool, error) {
			return fitsOf[struct {
				A int `json:",omitempty" required:"true"`
			}]()
		},
		"described": func() (bool, error) { return fitsOf[[]color]() },
	} {
		if got, err := fits(); err != nil || got {
			t.Errorf("%s: got %v, %v, want false", name, got, err)
		}
	}
}

type (
	wideless struct{ X, Y int }
	sumLike  struct{ Sum int }
)

func fitsOf[T any]() (bool, error) {
	e, err := jsonschema.EncoderFor[T]()
	if err != nil {
		return false, err
	}
	return e.AlwaysFits(), nil
}
