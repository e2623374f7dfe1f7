package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
)

// TestWants holds each kind of want against values that are close to it. What
// the tour itself shows of them is in tour_test.go.
func TestWants(t *testing.T) {
	tests := []struct {
		name string
		want want
		text string
		got  string // "" for no value
		ok   bool
	}{
		{"equal, order of members", equal, `{"a":1,"b":[true,null]}`, `{ "b": [true,null], "a": 1 }`, true},
		{"equal, spelling of a string", equal, `"é"`, `"\u00e9"`, true},
		{"equal, other digits", equal, `1`, `1.0`, false},
		{"equal, other kind", equal, `1`, `"1"`, false},
		{"equal, member more", equal, `{"a":1}`, `{"a":1,"b":2}`, false},
		{"equal, member of another name", equal, `{"a":1}`, `{"b":1}`, false},
		{"equal, null member is a member", equal, `{}`, `{"a":null}`, false},
		{"equal, order of elements", equal, `[1,2]`, `[2,1]`, false},
		{"equal, element less", equal, `[1,2]`, `[1]`, false},
		{"equal, no value", equal, `null`, ``, false},
		{"text with JSON, space", holdsJSON, `{"a":1,"b":2}`, `"{ \"a\": 1,\n\"b\": 2 }"`, true},
		{"text with JSON, order", holdsJSON, `{"a":1,"b":2}`, `"{\"b\":2,\"a\":1}"`, false},
		{"text with JSON, no text", holdsJSON, `{"a":1}`, `{"a":1}`, false},
		{"text with JSON, no JSON", holdsJSON, `{"a":1}`, `"a"`, false},
		{"mentions both", mentions, "a, b", `"b a"`, true},
		{"mentions one", mentions, "a, b", `"a"`, false},
		{"mentions, no text", mentions, "a", `["a"]`, false},
		{"length", length, "0", `[]`, true},
		{"length of an object", length, "0", `{}`, false},
		{"length, no value", length, "0", ``, false},
		{"text", filled, "", `"a"`, true},
		{"text, empty", filled, "", `""`, false},
		{"text, no text", filled, "", `["a"]`, false},
		{"natural 0", natural, "", `0`, true},
		{"natural, negative", natural, "", `-1`, false},
		{"natural, fraction", natural, "", `1.5`, false},
		{"one of", oneOf, "a, b", `"b"`, true},
		{"one of, another", oneOf, "a, b", `"c"`, false},
		{"absent", absent, "", ``, true},
		{"null is not absent", absent, "", `null`, false},
		{"absent or", absentOrEqual, `false`, ``, true},
		{"absent or false", absentOrEqual, `false`, `false`, true},
		{"absent or true", absentOrEqual, `false`, `true`, false},
		{"without", without, "a, b c", `{"b":{"d":1}}`, true},
		{"without, deep", without, "a, b c", `{"b":{"c":1}}`, false},
		{"without, no object", without, "a", `[]`, false},
		{"reply", reply, "result 1", `{"id":1,"result":{},"jsonrpc":"2.0"}`, true},
		{"reply, id of another type", reply, "result 1", `{"id":"1","result":{},"jsonrpc":"2.0"}`, false},
		{"reply, other version", reply, "result 1", `{"id":1,"result":{},"jsonrpc":"1.0"}`, false},
		{"reply, result is no object", reply, "result 1", `{"id":1,"result":[],"jsonrpc":"2.0"}`, false},
		{"reply, error too", reply, "result 1", `{"id":1,"result":{},"error":{},"jsonrpc":"2.0"}`, false},
		{"reply, member twice", reply, "result 1", `{"id":1,"id":1,"result":{},"jsonrpc":"2.0"}`, false},
		{"reply, text after it", reply, "result 1", `{"id":1,"result":{},"jsonrpc":"2.0"}{}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got jsonrpc.Raw
			if test.got != "" {
				got = jsonrpc.Raw(test.got)
			}
			if ok := test.want.holds(test.text, got); ok != test.ok {
				t.Errorf("%s wanted, %s given: got %v, want %v", test.want.words(test.text), test.got, ok, test.ok)
			}
		})
	}
}

func TestAt(t *testing.T) {
	const raw = `{"a":{"b c/d":1,"e":[10,{"f":"g"}]},"0":"zero"}`
	tests := []struct{ path, want string }{
		{"", raw}, {"a e 1 f", `"g"`}, {"a e 0", `10`}, {"0", `"zero"`},
		{"b", ""}, {"a e 2", ""}, {"a e -1", ""}, {"a e f", ""}, {"a e 1 f h", ""}, {"0 0", ""},
	}
	for _, test := range tests {
		if got := at(jsonrpc.Raw(raw), test.path); string(got) != test.want {
			t.Errorf("at(%s, %q)\ngot  %s\nwant %s", raw, test.path, got, test.want)
		}
	}
}

// TestColours shows that the colours of a terminal go around the tag alone, and
// that a file gets none.
func TestColours(t *testing.T) {
	var out bytes.Buffer
	p := &printer{w: &out, colours: true}
	p.line(green, "PASS ", "it holds")
	p.line(plain, "", "the end")
	if want := "\x1b[32mPASS \x1b[0mit holds\nthe end\n"; out.String() != want {
		t.Errorf("got  %q\nwant %q", &out, want)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if newPrinter(f).colours || newPrinter(&out).colours {
		t.Error("got colours for what is no terminal, want none")
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestPrinterKeepsTheFailure(t *testing.T) {
	p := newPrinter(full{})
	if p.failure() != nil {
		t.Errorf("before: got %v, want nil", p.failure())
	}
	p.line(plain, "", "x")
	if p.failure() == nil {
		t.Error("after: got nil, want the error of the write")
	}
}

func TestTextThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"help"}, {"version"}, {"version", "-h"}, {"completion", "bash"}, {"completion", "-h"}} {
		var log strings.Builder
		if status := run(args, full{}, &log); status == 0 || !strings.Contains(log.String(), "cannot be written") {
			t.Errorf("mcp %q: status %d, %q", args, status, log.String())
		}
	}
}

func TestVersion(t *testing.T) {
	tests := []struct {
		args      []string
		status    int
		out, said string // which begin so
	}{
		{[]string{"version"}, 0, "mcp of Isthmus, of ", ""},
		{[]string{"--version"}, 0, "mcp of Isthmus, of ", ""},
		{[]string{"version", "--help"}, 0, "mcp version prints ", ""},
		{[]string{"help", "version"}, 0, "mcp version prints ", ""},
		{[]string{"version", "2"}, 2, "", `mcp version: "2" is too much`},
	}
	for _, tt := range tests {
		var out, log strings.Builder
		status := run(tt.args, &out, &log)
		if status != tt.status || !begins(out.String(), tt.out) || !begins(log.String(), tt.said) {
			t.Errorf("mcp %q: status %d, printed %q, said %q; want %d, %q, %q", tt.args, status, out.String(), log.String(), tt.status, tt.out, tt.said)
		}
	}
}

// begins reports whether a text begins so, and is empty where nothing is wanted.
func begins(text, with string) bool {
	return strings.HasPrefix(text, with) && (text == "") == (with == "")
}
