package jsonschema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// decodes returns a row of TestDecode: text must become want.
func decodes[T any](text string, want T) decodeRow {
	return decodeRow{typ[T](), text, fmt.Sprintf("%#v", want), func(text string) (string, error) {
		d, err := jsonschema.DecoderFor[T]()
		if err != nil {
			return "", err
		}
		raw := jsonrpc.Raw(text)
		got, err := d.Decode(raw)
		clear(raw) // what was made must not hold the text
		if err == nil && !reflect.DeepEqual(got, want) {
			return fmt.Sprintf("%#v", got), nil
		}
		return fmt.Sprintf("%#v", want), err
	}}
}

type decodeRow struct {
	typ        reflect.Type
	text, want string
	decode     func(text string) (string, error)
}

func bigInt(s string) *big.Int { n, _ := new(big.Int).SetString(s, 10); return n }

func ptr[T any](v T) *T { return &v }

type many struct{ A, B, C, D, E, F, G, H, I, J int }

func TestDecode(t *testing.T) {
	when := time.Date(2026, 7, 28, 1, 2, 3, 0, time.UTC)
	type inner struct {
		N int `json:"n"`
	}
	type Promoted struct {
		X int `json:"x"`
	}
	type outer struct {
		*Promoted
		In *inner `json:"in"`
	}
	tests := []decodeRow{
		decodes(`true`, true),
		decodes(`null`, false),
		decodes(`"a\u00e9\n"`, "aé\n"),
		decodes(`"\ud800"`, "\uFFFD"),
		decodes(`"a\\"`, `a\`),
		decodes(` 1 `, 1),
		decodes(`1.0`, 1),
		decodes(`2e0`, 2),
		decodes(`20E-1`, 2),
		decodes(`-0.0`, 0),
		decodes(`0e99999999999999999999`, 0),
		decodes(`9007199254740993`, int64(9007199254740993)),
		decodes(`-9223372036854775808`, int64(math.MinInt64)),
		decodes(`-9.223372036854775808e18`, int64(math.MinInt64)),
		decodes(`18446744073709551615`, uint64(math.MaxUint64)),
		decodes(`1844674407370955161.5e1`, uint64(math.MaxUint64)),
		decodes(`-0`, uint(0)),
		decodes(`127`, int8(127)),
		decodes(`1e-7`, 1e-7),
		decodes(`0.1`, float32(0.1)),
		decodes(`1.50`, json.Number("1.50")),
		decodes(`"aGk="`, []byte("hi")),
		decodes(`null`, []byte(nil)),
		decodes(`""`, []byte{}),
		decodes(`[1, 2 ,3]`, []int{1, 2, 3}),
		decodes(`[]`, []int{}),
		decodes(`null`, []int(nil)),
		decodes(`[[],[1]]`, [][]int{{}, {1}}),
		decodes(`[1,2]`, [2]int{1, 2}),
		decodes(`["a",null]`, []*string{ptr("a"), nil}),
		decodes(`{"a":1,"\u0062":2}`, map[string]int{"a": 1, "b": 2}),
		decodes(`{}`, map[string]int{}),
		decodes(`null`, map[string]int(nil)),
		decodes(`{"-1":true}`, map[int]bool{-1: true}),
		decodes(`{"200":true}`, map[uint8]bool{200: true}),
		decodes(`{"level 3":1}`, map[level]int{3: 1}),
		decodes(`"level 7"`, level(7)),
		decodes(`"2026-07-28T01:02:03Z"`, when),
		decodes(`"2026-07-28T01:02:03Z"`, date{when}),
		decodes(`null`, date{}),
		decodes(`{"a":[1]}`, own{9}),
		decodes(`-123456789012345678901234567890`, *bigInt("-123456789012345678901234567890")),
		decodes(`{"a": 1}`, jsonrpc.Raw(`{"a": 1}`)),
		decodes(`null`, jsonrpc.Raw(`null`)),
		decodes(` "x" `, json.RawMessage(`"x"`)),
		decodes(`{"a":[1.0,"b",true,null,{}],"n":12345678901234567890.50}`, any(map[string]any{
			"a": []any{json.Number("1.0"), "b", true, nil, map[string]any{}}, "n": json.Number("12345678901234567890.50")})),
		decodes(`null`, any(nil)),
		// Structs: exact names, and members that no field has are passed over.
		decodes(`{"N":1,"n":2,"ⁿ":3}`, inner{2}),
		decodes(`{"x":{"n":[1,{"n":"}"}]},"n":2,"y":"\"}"}`, inner{2}),
		decodes(`{"in":null}`, outer{}),
		decodes(`{"in":{"n":1},"x":5}`, outer{&Promoted{5}, &inner{1}}),
		decodes(`{"J":10,"A":1,"E":5,"a":2}`, many{A: 1, E: 5, J: 10}),
		decodes(`{"name":"a","children":[{"name":"b"}],"parent":{"name":"c"},"by":{"d":null}}`,
			tree{Name: "a", Children: []tree{{Name: "b"}}, Parent: &tree{Name: "c"}, By: map[string]*tree{"d": nil}}),
		decodes(`{"A":"1","B":"true","C":"\"x\""}`, struct {
			A int    `json:",string"`
			B *bool  `json:",string"`
			C string `json:",string"`
		}{1, ptr(true), "x"}),
	}
	for _, test := range tests {
		got, err := test.decode(test.text)
		if err != nil || got != test.want {
			t.Errorf("%v from %s\n got %s, %v\nwant %s", test.typ, test.text, got, err, test.want)
		}
	}
}

// refuses returns a row of TestDecodeFaults.
func refuses[T any](text, want string) decodeRow {
	return decodeRow{typ[T](), text, want, func(text string) (string, error) {
		d, err := jsonschema.DecoderFor[T]()
		if err != nil {
			return "", err
		}
		_, err = d.Decode(jsonrpc.Raw(text))
		var e *jsonschema.Error
		if !errors.As(err, &e) {
			return fmt.Sprintf("no *Error: %v", err), nil
		}
		return e.Path + ": " + e.Expected + " / " + e.Got, nil
	}}
}

func TestDecodeFaults(t *testing.T) {
	type in struct {
		A []struct {
			B int8 `json:"b"`
		} `json:"a/x"`
	}
	tests := []decodeRow{
		refuses[bool](`1`, `: true or false / the number 1`),
		refuses[string](`1`, `: a string / the number 1`),
		refuses[int](`1.5`, `: an integer from -9223372036854775808 to 9223372036854775807 / the number 1.5`),
		refuses[int](`"1"`, `: an integer from -9223372036854775808 to 9223372036854775807 / the string "1"`),
		refuses[int](`9223372036854775808`, `: an integer from -9223372036854775808 to 9223372036854775807 / the number 9223372036854775808`),
		refuses[int](`1e999999999999999999999`, `: an integer from -9223372036854775808 to 9223372036854775807 / the number 1e999999999999999999999`),
		refuses[int](`1e400`, `: an integer from -9223372036854775808 to 9223372036854775807 / the number 1e400`),
		refuses[uint8](`-1`, `: an integer from 0 to 255 / the number -1`),
		refuses[uint8](`256`, `: an integer from 0 to 255 / the number 256`),
		refuses[uint64](`18446744073709551616`, `: an integer from 0 to 18446744073709551615 / the number 18446744073709551616`),
		refuses[float64](`1e400`, `: a number that 64 bits of floating point hold / the number 1e400`),
		refuses[float32](`1e40`, `: a number that 32 bits of floating point hold / the number 1e40`),
		refuses[json.Number](`"1"`, `: a number / the string "1"`),
		refuses[[]byte](`"?"`, `: a string of base64 / the string "?"`),
		refuses[[]byte](`[1]`, `: a string of base64 / the array [1]`),
		refuses[[]int](`{}`, `: an array / an empty object`),
		refuses[[2]int](`[1]`, `: an array of 2 items / one of another length`),
		refuses[[2]int](`[1,2,3]`, `: an array of 2 items / one of another length`),
		refuses[map[string]int](`[]`, `: an object / an empty array`),
		refuses[map[string]int](`{"a":1,"\u0061":2}`, `/a: the member once / it twice`),
		refuses[map[int8]int](`{"a":1}`, `/a: a name that is an integer / "a"`),
		refuses[map[int8]int](`{"128":1}`, `/128: a name that is an integer / "128"`),
		refuses[map[uint8]int](`{"-1":1}`, `/-1: a name that is an integer / "-1"`),
		refuses[any](`{"a":[{"b":1,"b":2}]}`, `/a/0/b: the member once / it twice`),
		refuses[level](`"x"`, `: a text that can be read (input does not match format) / the string "x"`),
		refuses[map[level]int](`{"x":1}`, `/x: a name that can be read (input does not match format) / "x"`),
		refuses[own](`13`, `: another form of value / the number 13`),
		refuses[big.Int](`1.5`, `: an integer without fraction and exponent / the number 1.5`),
		refuses[time.Time](`"2026-07-28T01:02:03,5Z"`, `: a date-time as in "2006-01-02T15:04:05Z" / the string "2026-07-28T01:02:03,5Z"`),
		refuses[time.Time](`7`, `: a date-time as in "2006-01-02T15:04:05Z" / the number 7`),
		refuses[time.Time](`"yesterday"`, `: a date-time as in "2006-01-02T15:04:05Z" / the string "yesterday"`),
		refuses[in](`{"a/x":[{"b":1},{"b":300}]}`, `/a~1x/1/b: an integer from -128 to 127 / the number 300`),
		refuses[in](`{"a/x":[],"a\/x":[]}`, `/a~1x: the member once / it twice`),
		refuses[in](`"x"`, `: an object / the string "x"`),
		refuses[struct {
			A int `json:",string"`
		}](`{"A":1}`, `/A: a string with the value in it / the number 1`),
		refuses[struct {
			A int `json:",string"`
		}](`{"A":"1 2"}`, `/A: a string with one value in it / the string "1 2"`),
		refuses[struct {
			A string `json:",string"`
		}](`{"A":"x"}`, `/A: a string with a JSON string in it / the string "x"`),
	}
	for _, test := range tests {
		got, err := test.decode(test.text)
		if err != nil || got != test.want {
			t.Errorf("%v from %s\n got %s, %v\nwant %s", test.typ, test.text, got, err, test.want)
		}
	}
}

func TestDecoderFaults(t *testing.T) {
	for _, test := range []struct {
		err  func() error
		want string
	}{
		{func() error { _, err := jsonschema.DecoderFor[chan int](); return err }, "a chan has no form in JSON"},
		{func() error { _, err := jsonschema.DecoderFor[struct{ A []fmt.Stringer }](); return err }, "field A: type fmt.Stringer: nothing tells"},
		{func() error { _, err := jsonschema.DecoderFor[onlyOut](); return err }, "none that read it"},
		{func() error { _, err := jsonschema.DecoderFor[map[bool]int](); return err }, "a key of type bool"},
		{func() error { _, err := jsonschema.EncoderFor[struct{ A func() }](); return err }, "field A: type func(): a func has no form"},
		{func() error { _, err := jsonschema.EncoderFor[map[bool]int](); return err }, "a key of type bool"},
	} {
		if err := test.err(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want an error with %q", err, test.want)
		}
	}
}

func TestWithoutNulls(t *testing.T) {
	type in struct {
		A *int            `json:"a"`
		B string          `json:"b,omitempty"`
		C string          `json:"c"`
		D []in            `json:"d,omitempty"`
		E map[string]in   `json:"e,omitempty"`
		F jsonrpc.Raw     `json:"f"`
		G map[string]*int `json:"g,omitempty"`
		H *in             `json:"h"`
	}
	tests := []struct{ text, want string }{
		{`{"a":1, "b":"null"}`, `{"a":1, "b":"null"}`},
		{`{"a":null,"b":null,"c":null}`, `{"c":null}`},
		{`{"c":"x","d":[{"a":null,"c":"y"},{"c":"z"}]}`, `{"c":"x","d":[{"c":"y"},{"c":"z"}]}`},
		{`{"e":{"\u0061":{"a":null}}}`, `{"e":{"a":{}}}`},
		{`{"f":{"a":null},"g":{"x":null},"zz":null}`, `{"f":{"a":null},"g":{"x":null},"zz":null}`},
		{`{"h":{"h":{"b":null}}}`, `{"h":{"h":{}}}`},
		{`[null]`, `[null]`},
	}
	d, err := jsonschema.DecoderFor[in]()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if got := string(d.WithoutNulls(jsonrpc.Raw(test.text))); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}
