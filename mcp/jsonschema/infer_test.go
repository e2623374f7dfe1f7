package jsonschema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// Types of the tests.
type (
	named   string
	color   string
	level   int
	onlyOut struct{ n int }
	own     struct{ n int }
	date    struct{ time.Time }
	dateOf  struct {
		time.Time
		Zone string
	}
	dateOwn struct{ time.Time }

	base struct {
		ID   string `json:"id" mcp:"who"`
		Note string `json:"note,omitempty"`
	}
	Other struct {
		ID int `json:"id"`
	}
	tree struct {
		Name     string           `json:"name"`
		Children []tree           `json:"children,omitempty"`
		Parent   *tree            `json:"parent"`
		By       map[string]*tree `json:"by,omitempty"`
	}
	forest struct {
		Oak, Elm tree
	}
	list       []list
	pair       struct{ A, B *twin }
	twin       struct{ Of *pair }
	box[T any] struct {
		Of   T
		Next *box[T] `json:"next"`
	}
)

func (color) JSONSchema() jsonrpc.Raw {
	return jsonrpc.Raw(`{"type":"string", "enum":["red","green"]}`)
}
func (l level) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("level %d", int(l))), nil }
func (l *level) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "level %d", (*int)(l))
	return err
}
func (onlyOut) MarshalJSON() ([]byte, error) { return []byte(`[1, 2]`), nil }
func (o own) MarshalJSON() ([]byte, error)   { return json.Marshal([]int{o.n}) }
func (dateOwn) MarshalJSON() ([]byte, error) { return []byte(`{"at":"x"}`), nil }
func (o *own) UnmarshalJSON(text []byte) error {
	if string(text) == "13" {
		return errors.New("unlucky")
	}
	o.n = len(text)
	return nil
}

func typ[T any]() reflect.Type { return reflect.TypeFor[T]() }

func TestInfer(t *testing.T) {
	const closed = `,"additionalProperties":false}`
	tests := []struct {
		typ  reflect.Type
		want string
	}{
		{typ[bool](), `{"type":"boolean"}`},
		{typ[string](), `{"type":"string"}`},
		{typ[named](), `{"type":"string"}`},
		{typ[int](), `{"type":"integer"}`},
		{typ[int64](), `{"type":"integer"}`},
		{typ[int8](), `{"type":"integer","minimum":-128,"maximum":127}`},
		{typ[int32](), `{"type":"integer","minimum":-2147483648,"maximum":2147483647}`},
		{typ[uint](), `{"type":"integer","minimum":0}`},
		{typ[uint16](), `{"type":"integer","minimum":0,"maximum":65535}`},
		{typ[float32](), `{"type":"number"}`},
		{typ[float64](), `{"type":"number"}`},
		{typ[json.Number](), `{"type":"number"}`},
		{typ[big.Int](), `{"type":"integer"}`},
		{typ[**int](), `{"type":"integer"}`},
		{typ[time.Time](), `{"type":"string","format":"date-time"}`},
		{typ[date](), `{"type":"string","format":"date-time"}`},
		{typ[dateOf](), `{"type":"string","format":"date-time"}`},
		{typ[time.Duration](), `{"type":"integer"}`},
		{typ[[]byte](), `{"type":"string","contentEncoding":"base64"}`},
		{typ[[4]byte](), `{"type":"array","minItems":4,"maxItems":4,"items":{"type":"integer","minimum":0,"maximum":255}}`},
		{typ[[]int](), `{"type":"array","items":{"type":"integer"}}`},
		{typ[[][]named](), `{"type":"array","items":{"type":"array","items":{"type":"string"}}}`},
		{typ[any](), `{}`},
		{typ[json.RawMessage](), `{}`},
		{typ[jsonrpc.Raw](), `{}`},
		{typ[[]any](), `{"type":"array","items":{}}`},
		{typ[map[string]any](), `{"type":"object"}`},
		{typ[map[named]int](), `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{typ[map[int]bool](), `{"type":"object","propertyNames":{"pattern":"^-?(0|[1-9][0-9]*)$"},"additionalProperties":{"type":"boolean"}}`},
		{typ[map[uint8]bool](), `{"type":"object","propertyNames":{"pattern":"^(0|[1-9][0-9]*)$"},"additionalProperties":{"type":"boolean"}}`},
		{typ[map[level]bool](), `{"type":"object","additionalProperties":{"type":"boolean"}}`},
		{typ[level](), `{"type":"string"}`},
		{typ[netip.Addr](), `{"type":"string"}`},
		{typ[own](), `{}`},
		{typ[color](), `{"type":"string","enum":["red","green"]}`},
		{typ[struct{}](), `{"type":"object"` + closed},
		{typ[struct{ a, B int }](), `{"type":"object","properties":{"B":{"type":"integer"}},"required":["B"]` + closed},
		{typ[struct {
			A *string        `json:"a,omitempty"`
			B []string       `json:"b,omitempty"`
			C map[string]int `json:"c"`
			D *bool          `json:"d"`
			E date           `json:"e,omitzero"`
			F int            `json:"f" default:"10"`
			G int            `json:"g" required:"false"`
			H *int           `json:"h" required:"true"`
			I int            `json:"-"`
			J int            `json:"-,"`
			K int            `json:",string"`
		}](), `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"string"}},` +
			`"c":{"type":"object","additionalProperties":{"type":"integer"}},"d":{"type":"boolean"},` +
			`"e":{"type":"string","format":"date-time"},"f":{"type":"integer","default":10},"g":{"type":"integer"},"h":{"type":"integer"},` +
			`"-":{"type":"integer"},"K":{"type":"string","pattern":"^-?(0|[1-9][0-9]*)$"}},"required":["c","h","-","K"]` + closed},
		// Embedded structs: the shallower field wins, and its place is that of the source.
		{typ[struct {
			base
			Own int `json:"own"`
		}](), `{"type":"object","properties":{"id":{"type":"string","description":"who"},"note":{"type":"string"},"own":{"type":"integer"}},"required":["id","own"]` + closed},
		{typ[struct {
			base
			ID bool `json:"id"`
		}](), `{"type":"object","properties":{"note":{"type":"string"},"id":{"type":"boolean"}},"required":["id"]` + closed},
		{typ[struct {
			base
			*Other
		}](), `{"type":"object","properties":{"note":{"type":"string"}}` + closed},
		{typ[struct {
			*Other
		}](), `{"type":"object","properties":{"id":{"type":"integer"}}` + closed},
		{typ[struct {
			Other `json:"other"`
		}](), `{"type":"object","properties":{"other":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false}},"required":["other"]` + closed},
		// Types that contain themselves.
		{typ[tree](), `{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}},` +
			`"parent":{"$ref":"#"},"by":{"type":"object","additionalProperties":{"$ref":"#"}}},"required":["name"]` + closed},
		{typ[forest](), `{"type":"object","$defs":{"tree":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/tree"}},` +
			`"parent":{"$ref":"#/$defs/tree"},"by":{"type":"object","additionalProperties":{"$ref":"#/$defs/tree"}}},"required":["name"],"additionalProperties":false}},` +
			`"properties":{"Oak":{"$ref":"#/$defs/tree"},"Elm":{"$ref":"#/$defs/tree"}},"required":["Oak","Elm"]` + closed},
		{typ[list](), `{"type":"array","items":{"$ref":"#"}}`},
		{typ[pair](), `{"type":"object","properties":{"A":{"type":"object","properties":{"Of":{"$ref":"#"}},"additionalProperties":false},` +
			`"B":{"type":"object","properties":{"Of":{"$ref":"#"}},"additionalProperties":false}}` + closed},
		{typ[struct{ A box[int] }](), `{"type":"object","$defs":{"box_int_":{"type":"object","properties":{"Of":{"type":"integer"},"next":{"$ref":"#/$defs/box_int_"}},"required":["Of"],"additionalProperties":false}},` +
			`"properties":{"A":{"$ref":"#/$defs/box_int_"}},"required":["A"]` + closed},
	}
	for _, test := range tests {
		for range 2 { // the same each time
			got, err := jsonschema.Infer(test.typ)
			if err != nil || string(got) != test.want {
				t.Errorf("Infer(%v)\n got %s, %v\nwant %s", test.typ, got, err, test.want)
			}
		}
	}
}

// What is written can have another form than what is read, and its objects are open.
func TestInferResult(t *testing.T) {
	tests := []struct {
		typ  reflect.Type
		want string
	}{
		{typ[onlyOut](), `{}`},
		{typ[dateOwn](), `{}`},
		{typ[level](), `{"type":"string"}`},
		{typ[fmt.Stringer](), `{}`},
		{typ[struct{}](), `{"type":"object"}`},
		{typ[struct {
			A *int `json:"a"`
			B error
		}](), `{"type":"object","properties":{"a":{"type":"integer"},"B":{}},"required":["B"]}`},
	}
	for _, test := range tests {
		got, err := jsonschema.InferResult(test.typ)
		if err != nil || string(got) != test.want {
			t.Errorf("InferResult(%v)\n got %s, %v\nwant %s", test.typ, got, err, test.want)
		}
	}
}

func TestInferFaults(t *testing.T) {
	type noJSON struct{ C chan int }
	type (
		ten          struct{ A, B, C, D, E, F, G, H, I, J int }
		hundred      struct{ A, B, C, D, E, F, G, H, I, J ten }
		thousand     struct{ A, B, C, D, E, F, G, H, I, J hundred }
		tenThousand  struct{ A, B, C, D, E, F, G, H, I, J thousand }
		manyMillions struct {
			A, B, C, D, E, F, G, H, I, J [9]struct{ A, B, C, D, E, F, G, H, I, J tenThousand }
		}
	)
	tests := []struct {
		typ  reflect.Type
		want string
	}{
		{nil, "no type"},
		{typ[manyMillions](), "the schema of jsonschema_test.manyMillions has more than 50000 parts"},
		{typ[chan int](), "type chan int: a chan has no form in JSON"},
		{typ[func()](), "a func has no form"},
		{typ[complex64](), "a complex64 has no form"},
		{typ[noJSON](), "type jsonschema_test.noJSON, field C: type chan int: a chan has no form in JSON"},
		{typ[struct{ A []noJSON }](), "field A: type jsonschema_test.noJSON, field C: type chan int"},
		{typ[fmt.Stringer](), "nothing tells which type to make"},
		{typ[onlyOut](), "it has methods that write it and none that read it"},
		{typ[map[float64]int](), "a key of type float64 is no name"},
		{typ[map[struct{}]int](), "a key of type struct {} is no name"},
	}
	for _, test := range tests {
		got, err := jsonschema.Infer(test.typ)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Infer(%v)\n got %s, %v\nwant an error with %q", test.typ, got, err, test.want)
		}
	}
}

func TestFor(t *testing.T) {
	got, err := jsonschema.For[struct {
		Text string `json:"text" mcp:"what to send back"`
	}]()
	const want = `{"type":"object","properties":{"text":{"type":"string","description":"what to send back"}},"required":["text"],"additionalProperties":false}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}
