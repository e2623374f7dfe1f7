package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
)

// readObject returns name=value for each member, joined with |, and the error.
func readObject(raw string) (string, error) {
	var got []string
	o := jsonrpc.ReadObject(jsonrpc.Raw(raw))
	for o.Next() {
		got = append(got, string(o.Name())+"="+string(o.Value()))
		text, ok := o.Text()
		if got, want := elementsOf(o.Array()), elementsOf(jsonrpc.ReadArray(o.Value())); got != want {
			return fmt.Sprintf("Array has %s, and that of the value %s", got, want), nil
		}
		if want, isText := o.Value().Text(); text != want || ok != isText {
			return fmt.Sprintf("Text is %q, %v, and that of the value %q, %v", text, ok, want, isText), nil
		}
	}
	if _, ok := o.Text(); ok || o.Next() || o.Name() != nil || o.Value() != nil {
		return "the object goes on after its end", nil
	}
	return strings.Join(got, "|"), o.Err()
}

func elementsOf(a jsonrpc.Array) string {
	var got []string
	for a.Next() {
		got = append(got, string(a.Value()))
	}
	return fmt.Sprint(strings.Join(got, "|"), " ", a.Err())
}

func readArray(raw string) (string, error) {
	var got []string
	a := jsonrpc.ReadArray(jsonrpc.Raw(raw))
	for a.Next() {
		got = append(got, string(a.Value()))
	}
	if a.Next() || a.Value() != nil {
		return "the array goes on after its end", nil
	}
	return strings.Join(got, "|"), a.Err()
}

// readRow is one text, what is read of it, and the error at its end.
type readRow struct{ raw, want, err string }

func (row readRow) check(t *testing.T, read func(string) (string, error)) {
	t.Helper()
	got, err := read(row.raw)
	var text string
	if err != nil {
		text = strings.TrimPrefix(err.Error(), "jsonrpc: ")
	}
	if got != row.want || text != row.err {
		t.Errorf("reading %.60q\n got %s, error %q\nwant %s, error %q", row.raw, got, text, row.want, row.err)
	}
}

func TestObject(t *testing.T) {
	for _, row := range []readRow{
		{`{}`, ``, ``},
		{` { } `, ``, ``},
		{`{"a":1}`, `a=1`, ``},
		{`{ "a" : [ 1 , {} ] , "b" : "x" }`, `a=[ 1 , {} ]|b="x"`, ``},
		{`{"a":"","b":"\n","c":"é\"\ud83d\ude00\\"}`, `a=""|b="\n"|c="é\"\ud83d\ude00\\"`, ``},
		{`{"a":["\"","\\",{"b\"":"\\\"]","c":["","é",1,null]},"\\\\\\"]}`,
			`a=["\"","\\",{"b\"":"\\\"]","c":["","é",1,null]},"\\\\\\"]`, ``},
		{`{"A":1,"a":2,"\u0061\u0000":3,"":4}`, "A=1|a=2|a\x00=3|=4", ``},
		{`{"k":1,"` + "\u212a" + `":2}`, "k=1|\u212a=2", ``}, // the sign for kelvin folds to k

		{`{"a":1,"a":2}`, `a=1`, `duplicate member "a"`},
		{`{"a":1,"b":2,"\u0061":3}`, `a=1|b=2`, `duplicate member "a"`},
		{``, ``, `the value is not an object`},
		{`null`, ``, `the value is not an object`},
		{`["a"]`, ``, `the value is not an object`},
		{`{"a":1`, `a=1`, `not a JSON value: unexpected end at byte 6`},
		{`{"a":1]`, `a=1`, `not a JSON value: unexpected character at byte 6`},
		{`{"a":1,}`, `a=1`, `not a JSON value: unexpected character at byte 7`},
		{`{"a":1} x`, `a=1`, `not a JSON value: text after the value at byte 8`},
		{`{} x`, ``, `not a JSON value: text after the value at byte 3`},
		{`{`, ``, `not a JSON value: unexpected end at byte 1`},
		{`{"a"}`, ``, `not a JSON value: unexpected character at byte 4`},
		{`{"a":}`, ``, `not a JSON value: unexpected character at byte 5`},
		{`{"a":` + strings.Repeat("[", 5000), ``, `not a JSON value: too many levels at byte 4100`},
	} {
		row.check(t, readObject)
	}
}

func TestMember(t *testing.T) {
	for _, row := range []struct{ name, raw, want string }{
		{"there", `{"a":1,"b":{"c":2}}`, `{"c":2}`},
		{"escaped", `{"\u0062":3}`, `3`},
		{"null", `{"b":null}`, `null`},
		{"another spelling", `{"B":1}`, ``},
		{"deeper", `{"a":{"b":1}}`, ``},
		{"the first of two", `{"b":1,"b":2}`, `1`},
		{"before a fault", `{"b":1,`, `1`},
		{"behind a fault", `{"a":1,,"b":2}`, ``},
		{"no object", `["b"]`, ``},
		{"nothing", ``, ``},
	} {
		got := jsonrpc.Raw(row.raw).Member("b")
		if string(got) != row.want || (got == nil) != (row.want == "") {
			t.Errorf("%s: member b of %s: got %q, want %q", row.name, row.raw, got, row.want)
		}
	}
}

func TestObjectOfManyMembers(t *testing.T) {
	var raw, want strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&raw, `,"%d":%d`, i, i)
		fmt.Fprintf(&want, "|%d=%d", i, i)
	}
	text, read := "{"+raw.String()[1:], want.String()[1:]
	readRow{text + "}", read, ``}.check(t, readObject)
	readRow{text + `,"999":0}`, read, `duplicate member "999"`}.check(t, readObject)
	readRow{text + `,"3":0}`, read, `duplicate member "3"`}.check(t, readObject)
}

func TestArray(t *testing.T) {
	for _, row := range []readRow{
		{`[]`, ``, ``},
		{` [ 1 , "a" , [ ] , {} ] `, `1|"a"|[ ]|{}`, ``},
		{``, ``, `the value is not an array`},
		{`{}`, ``, `the value is not an array`},
		{`[1,2`, `1|2`, `not a JSON value: unexpected end at byte 4`},
		{`[1,,2]`, `1`, `not a JSON value: unexpected character at byte 3`},
		{`[1}`, `1`, `not a JSON value: unexpected character at byte 2`},
		{`[1] 2`, `1`, `not a JSON value: text after the value at byte 4`},
	} {
		row.check(t, readArray)
	}
}

func TestObjectAllocatesNothing(t *testing.T) {
	var list strings.Builder
	for i := range 16 {
		fmt.Fprintf(&list, `,"p%d":[{"x":"\n"}]`, i)
	}
	raw := jsonrpc.Raw("{" + list.String()[1:] + "}")
	got := testing.AllocsPerRun(100, func() {
		o := jsonrpc.ReadObject(raw)
		for o.Next() {
			for a := jsonrpc.ReadArray(o.Value()); a.Next(); {
				inner := jsonrpc.ReadObject(a.Value())
				for inner.Next() {
				}
			}
		}
		if o.Err() != nil {
			t.Fatal(o.Err())
		}
	})
	if got != 0 {
		t.Errorf("%v allocations for 16 members, want none", got)
	}
}
