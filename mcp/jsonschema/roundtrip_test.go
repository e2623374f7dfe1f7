package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
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

// kept has bounds that a decoded value shows to be kept.
type kept struct {
	E    named     `json:"e" enum:"a,b"`
	N    *int      `json:"n" minimum:"1" maximum:"9"`
	U    uint64    `json:"u,omitempty" minimum:"1" maximum:"18446744073709551615"`
	S    string    `json:"s,omitempty" minLength:"1" maxLength:"3"`
	L    []*string `json:"l,omitempty" minItems:"1" maxItems:"2" enum:"x,y" maxLength:"1"`
	A    [2]int8   `json:"a,omitzero" maximum:"5"`
	H    int       `json:"h,omitempty" x-mcp-header:"H"`
	Name string    `json:"name" default:"é" maxLength:"1"`
	M    *named    `json:"m" format:"email"`
	Days []string  `json:"days,omitempty" format:"date"`
	Own  string    `json:"own,omitempty" format:"own-format"` // which says nothing
}

// formed has formats where a decoded value does not show the text.
type formed struct {
	L level     `json:"l,omitzero" format:"email"`
	B []byte    `json:"b,omitempty" format:"date"`
	T time.Time `json:"t,omitzero" format:"date-time"`
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
	`{"b":true,"f":0.5,"s":"x","any":{},"id":"me","list":[{"b":true,"f":0.5,"s":"x","any":{},"id":"me"}]}`,
	`{"b":true,"f":0.5,"s":"x","any":{}}`,
	`{"b":null,"i":null,"f":1,"s":"x","any":1,"id":"me"}`,
	`{"b":true,"i":1.0,"f":1,"s":"x","any":1,"id":"me","at":null}`,
	`{"b":true,"i":128,"f":1e39,"s":"x","any":1,"id":"me"}`,
	`{"b":true,"i":1,"f":1,"s":"x","any":1,"id":"me","B":2}`,
	`{"b":true,"i":1,"f":1,"s":"x","any":{"a":1,"a":2},"id":"me","map":{"a":null}}`,
	`{"e":"a","n":0,"raw":{"a":1,"a":2},"keys":{"+1":"x","01":"y"},"q":"7"}`,
	`{"e":"a","n":2,"raw":[1 , 2],"keys":{"-1":"x"},"q":"-7"}`,
	`{"e":"a","n":1.0,"u":18446744073709551615,"s":"\ud83d\ude00éx","l":["x"],"a":[1,5],"h":-9007199254740991,"name":"","m":"a@example.com","days":["2026-07-28"],"own":"x"}`,
	`{"e":"b"}`, `{"e":"b","n":0}`, `{"e":"b","n":10}`, `{"e":"b","u":0}`, `{"e":"b","s":""}`, `{"e":"b","s":"1234"}`, `{"e":"b","l":[]}`,
	`{"e":"b","l":["x","x","x"]}`, `{"e":"b","l":["yy"]}`, `{"e":"b","l":[null]}`, `{"e":"b","a":[6,0]}`, `{"e":"b","h":9007199254740992}`,
	`{"e":"b","m":"a"}`, `{"e":"b","m":""}`, `{"e":"b","days":["2026-07-28","2026-02-30"]}`,
	`{"l":"level 3"}`, `{"l":"level@3"}`, `{"b":"aGk="}`, `{"t":"2026-07-28T01:02:03Z"}`, `{"t":"2026-07-28T23:59:60Z"}`, `{"t":"2026-07-28"}`,
	`{"e":"b","name":"ab"}`, `{"e":"b","n":null}`, `{"e":"b","s":"\ud800\ud800é\udc00"}`,
	`{"b":true,"f":1,"s":"x","any":1,"id":"me","at":"2026-07-28t01:02:03.5z","on":"2026-07-28T01:02:03+23:59"}`,
	`{"b":true,"f":1,"s":"x","any":1,"id":"me","at":"2026-07-28T01:02:03,5Z"}`,
	`{"b":true,"f":1,"s":"x","any":1,"id":"me","at":"2026-07-28T01:02:03+24:00"}`,
	`{"b":true,"f":1,"s":"x","any":1,"id":"me","at":"2026-07-28T1:02:03Z"}`, `{"b":true,"f":1,"s":"x","any":1,"id":"me","on":"2026-12-31T23:59:60Z"}`,
	`{"e":"c"}`, `{}`, `[]`, `null`, `"x"`, `1e999999`, ` { } `,
}

// agree holds decoder, encoder and schemas of one type to each other.
func agree[T any](t testing.TB) func(t *testing.T, text string) {
	decoder, err := jsonschema.DecoderFor[T]()
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := jsonschema.EncoderFor[T]()
	if err != nil {
		t.Fatal(err)
	}
	in, out := compiled(t, jsonschema.Infer, typ[T](), &jsonschema.Options{AssertFormat: true}), compiled(t, jsonschema.InferResult, typ[T](), nil)
	return func(t *testing.T, text string) {
		value, ok := decoder.DecodeValid(jsonrpc.Raw(text))
		raw, fault := in.ApplyDefaults(jsonrpc.Raw(text))
		if fault == nil {
			fault = in.Validate(raw)
		}
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
		if fault := out.Validate(written); fault != nil && encoder.AlwaysFits() {
			t.Errorf("%v from %s: written as %s, which does not fit: %v", typ[T](), text, written, fault)
		}
	}
}

func compiled(t testing.TB, infer func(reflect.Type) (jsonrpc.Raw, error), typ reflect.Type, o *jsonschema.Options) *jsonschema.Schema {
	text, err := infer(typ)
	if err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.Compile(text, o)
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

// TestAgreeMutated is a short walk of what FuzzAgree does, the same each time: values in
// the samples are put in the place of others.
func TestAgreeMutated(t *testing.T) {
	checks := allAgree(t)
	values := regexp.MustCompile(`"[^"]*"(:?)|-?[0-9][0-9.eE+-]*|true|false|null|\[\]|\{\}`)
	var pool []string
	for _, text := range samples {
		pool = append(pool, values.FindAllString(text, -1)...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var scanner jsonrpc.Scanner
	tried := 0
	for range 1500 {
		text := samples[r.IntN(len(samples))]
		for range 1 + r.IntN(2) {
			if at := values.FindAllStringIndex(text, -1); len(at) > 0 {
				span := at[r.IntN(len(at))]
				text = text[:span[0]] + pool[r.IntN(len(pool))] + text[span[1]:]
			}
		}
		if !scanner.Valid([]byte(text)) {
			continue
		}
		tried++
		for _, check := range checks {
			check(t, text)
		}
	}
	if tried < 500 {
		t.Errorf("only %d of 1500 texts were JSON", tried)
	}
}

func allAgree(t testing.TB) []func(t *testing.T, text string) {
	return []func(t *testing.T, text string){agree[wide](t), agree[bounded](t), agree[kept](t), agree[formed](t), agree[tree](t), agree[any](t), agree[many](t)}
}

// FuzzAgree: what decoding vouches for is valid, and what the encoder vouches for, too.
func FuzzAgree(f *testing.F) {
	for _, text := range samples {
		f.Add(text)
	}
	checks := allAgree(f)
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

// block makes structs with many fields.
type block struct{ A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q int }

type huge struct {
	W, X, Y, Z block
	Own        struct {
		A1, A2, A3, A4, A5, A6, A7, A8, A9, B1, B2, B3, B4, B5, B6, B7, B8, B9             int
		C1, C2, C3, C4, C5, C6, C7, C8, C9, D1, D2, D3, D4, D5, D6, D7, D8, D9             int
		E1, E2, E3, E4, E5, E6, E7, E8, E9, F1, F2, F3, F4, F5, F6, F7, F8, F9, G1, G2, G3 int
		H1, H2, H3, H4, H5, H6, H7, H8, H9                                                 int
		Last                                                                               int `default:"7"`
		After                                                                              int `required:"false"`
	}
}

// A struct may have more fields than a word has bits.
func TestManyFields(t *testing.T) {
	d, err := jsonschema.DecoderFor[huge]()
	if err != nil {
		t.Fatal(err)
	}
	e, err := jsonschema.EncoderFor[huge]()
	if err != nil {
		t.Fatal(err)
	}
	var v huge
	v.W.Q, v.Own.G3, v.Own.Last, v.Own.After = 1, 2, 3, 4
	text, err := e.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := d.DecodeValid(text); !ok || got != v {
		t.Errorf("%s\n got %+v, %v\nwant %+v", text, got, ok, v)
	}
	without := strings.Replace(string(text), `,"Last":3`, "", 1)
	v.Own.Last = 7
	if got, ok := d.DecodeValid(jsonrpc.Raw(without)); !ok || got != v {
		t.Errorf("%s\n got %+v, %v\nwant %+v", without, got, ok, v)
	}
	for _, part := range []string{`,"After":4`, `,"G3":2`} {
		twice := strings.Replace(string(text), part, part+part, 1)
		if got, err := d.Decode(jsonrpc.Raw(twice)); err == nil {
			t.Errorf("%s\n got %+v, want an error", twice, got)
		}
		missing := strings.Replace(string(text), part, "", 1)
		if _, ok := d.DecodeValid(jsonrpc.Raw(missing)); ok != (part == `,"After":4`) {
			t.Errorf("%s\n got %v, want it the other way", missing, ok)
		}
	}
}

// TestDecodeValid: which values are found good by decoding alone.
func TestDecodeValid(t *testing.T) {
	d, err := jsonschema.DecoderFor[wide]()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, true, false, false, false, false, false, false} {
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

// TestDecodeKept: bounds that a decoded value shows need no validator.
func TestDecodeKept(t *testing.T) {
	d, err := jsonschema.DecoderFor[kept]()
	if err != nil {
		t.Fatal(err)
	}
	first := slices.IndexFunc(samples, func(s string) bool { return strings.HasPrefix(s, `{"e":"a","n":1.0`) })
	for i, text := range samples[first : first+17+9] {
		if _, got := d.DecodeValid(jsonrpc.Raw(text)); got != (i < 2) {
			t.Errorf("%s\n got %v, want %v", text, got, i < 2)
		}
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
