package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// onPointer has its methods on the pointer.
type onPointer struct{ n int }

func (p *onPointer) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "p%d", p.n), nil }
func (p *onPointer) IsZero() bool                 { return p.n == 7 }

type wrongJSON struct{}

func (wrongJSON) MarshalJSON() ([]byte, error) { return []byte(`{"a":`), nil }

type loop struct {
	Next *loop `json:"next"`
}

func encode[T any](v T) (string, error) {
	e, err := jsonschema.EncoderFor[T]()
	if err != nil {
		return "", err
	}
	const before = "before "
	out, err := e.Append([]byte(before), v)
	if err != nil && string(out) != before {
		return "", fmt.Errorf("with the error %w, what stood before became %q", err, out)
	}
	return strings.TrimPrefix(string(out), before), err
}

// writes returns a row of TestEncode; want "" means what encoding/json writes.
func writes[T any](v T, want string) encodeRow {
	return encodeRow{fmt.Sprintf("%T", v), want, func() (string, string, error) {
		got, err := encode(v)
		var std bytes.Buffer
		e := json.NewEncoder(&std)
		e.SetEscapeHTML(false)
		if e.Encode(&v) != nil {
			return got, "", err
		}
		return got, strings.TrimSuffix(std.String(), "\n"), err
	}}
}

type encodeRow struct {
	typ, want string
	encode    func() (got, std string, err error)
}

func TestEncode(t *testing.T) {
	when := time.Date(2026, 7, 28, 1, 2, 3, 4000, time.UTC)
	type zero struct {
		A int            `json:"a,omitempty"`
		B string         `json:"b,omitempty"`
		C []int          `json:"c,omitempty"`
		D map[string]int `json:"d,omitempty"`
		E *int           `json:"e,omitempty"`
		F any            `json:"f,omitempty"`
		G time.Time      `json:"g,omitzero"`
		H bool           `json:"h,omitempty"`
		I [0]int         `json:"i,omitempty"`
		J struct{}       `json:"j,omitempty"`
		K onPointer      `json:"k,omitzero"`
		L *time.Time     `json:"l,omitzero"`
		M float64        `json:"m,omitempty,omitzero"`
	}
	type hidden struct{ Seen, unseen int }
	tests := []encodeRow{
		writes(true, ""), writes(-5, ""), writes(uint64(math.MaxUint64), ""), writes("a<b>&\"\\\n\x01é\u2028\xff", ""),
		writes(1.5, ""), writes(1e21, ""), writes(1e-7, ""), writes(float32(0.1), ""), writes(float32(3e38), ""), writes(-0.0, ""),
		writes(math.Copysign(0, -1), ""), writes(float32(1e-7), ""),
		writes([]byte("hi"), ""), writes([2]byte{1, 2}, ""), writes([]int{1, 2}, ""), writes([]string{}, ""),
		writes(map[string]int{"b": 1, "a": 2, "é\n": 3}, ""), writes(map[int]string{2: "b", -1: "a"}, ""), writes(map[uint8]bool{3: true}, ""),
		writes(map[level]int{2: 1, 1: 2}, ""), writes(map[netip.Addr]int{netip.MustParseAddr("::1"): 1}, ""),
		writes(json.Number("1.50"), ""), writes(json.Number(""), ""),
		writes(jsonrpc.Raw(nil), ""), writes(json.RawMessage(`{"a": [1, 2]}`), ""),
		writes(when, ""), writes(date{when}, ""), writes(level(3), ""), writes(own{4}, ""),
		writes(*bigInt("-12345678901234567890123"), ""), writes(onPointer{3}, ""), writes(&onPointer{3}, ""), writes([]onPointer{{3}}, ""),
		writes((*int)(nil), ""), writes(ptr(ptr(3)), ""), writes(any(nil), ""), writes(any(map[string]any{"x": []any{1, "a", nil}}), ""),
		writes([]error{nil, nil}, ""),
		writes(zero{}, ""), writes(zero{A: 1, B: "x", C: []int{0}, D: map[string]int{"": 0}, E: ptr(0), F: 0, G: when, H: true, K: onPointer{7}, M: 1, L: ptr(time.Time{})}, ""),
		writes(hidden{1, 2}, ""),
		writes(struct {
			hidden
			base
			X int
		}{hidden{1, 2}, base{ID: "a"}, 3}, ""),
		writes(struct {
			*Other
			X int
		}{nil, 3}, ""),
		writes(struct {
			*Other
			X int
		}{&Other{4}, 3}, ""),
		writes(struct {
			A int     `json:",string"`
			B bool    `json:"b,string"`
			C string  `json:",string"`
			D *int    `json:",string"`
			E float64 `json:",string"`
		}{1, true, `x"y`, ptr(3), 0.5}, ""),
		writes(tree{Name: "a", Children: []tree{{Name: "b", Parent: &tree{}}}, Parent: &tree{}}, ``+
			`{"name":"a","children":[{"name":"b","parent":{"name":""}}],"parent":{"name":""}}`),

		// Where encoding/json has null, there is what the schema says.
		writes([]int(nil), `[]`), writes(map[string]int(nil), `{}`), writes([]byte(nil), `""`),
		writes(struct {
			A []int
			B *int
			C *int `required:"true"`
		}{}, `{"A":[],"C":null}`),
		// A method on the pointer counts wherever the value stands.
		writes(map[string]onPointer{"a": {3}}, `{"a":"p3"}`), writes(any(onPointer{3}), `"p3"`),
		writes(map[onPointer]int{{3}: 1}, `{"p3":1}`),
	}
	for _, test := range tests {
		got, std, err := test.encode()
		want := test.want
		if want == "" {
			want = std
		}
		if err != nil || got != want {
			t.Errorf("%s\n got %s, %v\nwant %s", test.typ, got, err, want)
		}
	}
}

// TestKeepNils: what is nil is null, wherever it stands, and is nil again.
func TestKeepNils(t *testing.T) {
	type nils struct {
		A []int
		B map[string]int
		C []byte
		D [1][]string
		E any
		F *int
		G []int `json:",omitempty"`
	}
	e, err := jsonschema.EncoderFor[any]()
	if err != nil {
		t.Fatal(err)
	}
	e.KeepNils()
	tests := []struct {
		in   nils
		want string
	}{
		{nils{}, `{"A":null,"B":null,"C":null,"D":[null],"E":null}`},
		{nils{A: []int{}, B: map[string]int{}, C: []byte{}, D: [1][]string{{}}, E: []any{}}, `{"A":[],"B":{},"C":"","D":[[]],"E":[]}`},
	}
	d, err := jsonschema.DecoderFor[nils]()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		got, err := e.Append(nil, test.in)
		if err != nil || string(got) != test.want {
			t.Errorf("%+v\n got %s, %v\nwant %s", test.in, got, err, test.want)
		}
		if back, err := d.Decode(got); err != nil || !reflect.DeepEqual(back, test.in) {
			t.Errorf("%s\n got %#v, %v\nwant %#v", got, back, err, test.in)
		}
	}
}

func TestEncodeFaults(t *testing.T) {
	cycle := &loop{}
	cycle.Next = cycle
	list := []any{nil}
	list[0] = list
	type self *self
	var me self
	me = &me
	around := map[string]any{}
	around["a"] = around
	tests := []encodeRow{
		writes(math.NaN(), "NaN has no form in JSON"),
		writes(struct{ F float32 }{float32(math.Inf(1))}, "+Inf has no form"),
		writes(any(make(chan int)), "a chan has no form in JSON"),
		writes(map[string]any{"a": []any{func() {}}}, "a func has no form"),
		writes(cycle, "contains itself"),
		writes(list, "contains itself"),
		writes(around, "contains itself"),
		writes(me, "contains itself"),
		writes(json.Number("x"), `"x" is no number`),
		writes(json.Number("1x"), `not a JSON value`),
		writes(jsonrpc.Raw(`{`), "not a JSON value"),
		writes(wrongJSON{}, "not a JSON value"),
		writes(&wrongJSON{}, "not a JSON value"),
		writes(map[*level]int{nil: 1}, "a nil pointer is no name"),
		writes(map[level]int{1: 1}, ""),
	}
	for _, test := range tests[:len(tests)-1] {
		got, _, err := test.encode()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\n got %s, %v\nwant an error with %q", test.typ, got, err, test.want)
		}
	}
}

// Two keys that come out the same would be a member twice.
func TestEncodeSameKeys(t *testing.T) {
	got, err := encode(map[[1]clash]int{{{1}}: 1})
	if err == nil {
		t.Errorf("got %s, want an error: no name for an array", got)
	}
	got, err = encode(map[clash]int{{1}: 1, {2}: 2})
	if err == nil || !strings.Contains(err.Error(), `have the name "same"`) {
		t.Errorf("got %s, %v, want an error about the same name", got, err)
	}
}

type clash struct{ n int }

func (clash) MarshalText() ([]byte, error) { return []byte("same"), nil }

// An encoder and a decoder are used by many at once, also for types that it finds on
// the way.
func TestEncoderAtOnce(t *testing.T) {
	e, err := jsonschema.EncoderFor[[]any]()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 8 {
		go func() {
			for i := range 50 {
				out, err := e.Append(nil, []any{i, tree{}, map[string]tree{"a": {}}, &many{}})
				if err != nil || !json.Valid(out) {
					done <- fmt.Errorf("got %s, %v", out, err)
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
