package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
)

var fuzzSeeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	`{"jsonrpc":"2.0","method":"x","params":{"a":[1,-2.5e+3,true,false,null],"_meta":{"b":"\u00e9\ud83d\ude00\n"}}}`,
	`{"id":"\u0061","result":{},"jsonrpc":"2.0"}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
	`{"m\u0065thod":"p\u0069ng","method":"x","a":1,"a":2}`,
	"\"天地 \x7f é\"", "\"\xed\xa0\x80\"", `"\ud800"`, `[[[[{"a":[{}]}]]]]`, ` [ 1 , 2 ] `, `{"a":{"b":{"c":{}}}}`, `-0`, `01`, `1.e1`, ``, `{`, `"\`,
}

// inside reports whether span is a part of data, or absent.
func inside(data []byte, span jsonrpc.Raw) bool {
	if len(span) == 0 {
		return span == nil
	}
	for i := range data {
		if &data[i] == &span[0] {
			return i+len(span) <= len(data)
		}
	}
	return false
}

func FuzzScan(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	deep := jsonrpc.Scanner{Depth: jsonrpc.MaxDepth}
	f.Fuzz(func(t *testing.T, data []byte) {
		// The standard library goes deeper, and takes text that is not UTF-8.
		valid := json.Valid(data) && utf8.Valid(data)
		if got := deep.Valid(data); got != valid && bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) <= jsonrpc.MaxDepth {
			t.Fatalf("Valid(%q) = %v, want %v", data, got, valid)
		}
		var m, used jsonrpc.Message
		mcpScanner.Scan([]byte(`{"jsonrpc":"2.0","method":"x","params":{"_meta":{"b":1}}}`), &used)
		err := mcpScanner.Scan(data, &m)
		if err != nil && (err.Code == jsonrpc.ParseError) != (!valid) {
			t.Fatalf("Scan(%q) = %v, while valid is %v", data, err, valid)
		}
		if err != nil && err.Code == jsonrpc.ParseError && (m.Kind != jsonrpc.Invalid || !m.ID.IsZero()) {
			t.Fatalf("Scan(%q) leaves kind %v and id %v with a parse error", data, m.Kind, m.ID)
		}
		for _, span := range []jsonrpc.Raw{m.ID.Raw(), m.Params, m.Result, m.Error, m.Param("a"), m.Param("_meta")} {
			if !inside(data, span) || span != nil && !deep.Valid(span) {
				t.Fatalf("Scan(%q) gives the span %q", data, span)
			}
		}
		if in := m.Inner("_meta", "b"); in != nil && (!bytes.Contains(data, in) || !deep.Valid(in)) {
			t.Fatalf("Scan(%q) gives the inner member %q", data, in)
		}
		if err == nil {
			checkAgainstMap(t, data, &m)
		}
		// A message that is used again knows _meta again, and must not be wrong.
		for range 2 {
			again := mcpScanner.Scan(data, &used)
			if fmt.Sprint(again) != fmt.Sprint(err) || used.Kind != m.Kind || string(used.ID.Raw()) != string(m.ID.Raw()) {
				t.Fatalf("Scan(%q) = %v into a new message, %v into a used one", data, err, again)
			}
			if err == nil && string(used.Inner("_meta", "b")) != string(m.Inner("_meta", "b")) {
				t.Fatalf("Scan(%q): the inner member is %q in a new message, %q in a used one", data, m.Inner("_meta", "b"), used.Inner("_meta", "b"))
			}
		}
		if !m.ID.IsZero() {
			again, ok := jsonrpc.ParseID(m.ID.Raw())
			if !ok || again.Key() != m.ID.Key() {
				t.Fatalf("the id %s of %q reads again as %v, %v", m.ID, data, again, ok)
			}
		}
		elements, err := mcpScanner.Split(data)
		for _, e := range elements {
			if !inside(data, e) || !deep.Valid(e) {
				t.Fatalf("Split(%q) gives the element %q", data, e)
			}
		}
		if err == nil && !valid {
			t.Fatalf("Split(%q) accepts what is not JSON", data)
		}
	})
}

// checkAgainstMap compares a message that was accepted with what the standard
// library reads into a map, whose keys are exact.
func checkAgainstMap(t *testing.T, data []byte, m *jsonrpc.Message) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatalf("Scan accepts %q: %v", data, err)
	}
	var method string
	json.Unmarshal(members["method"], &method)
	if string(m.Method) != method || m.Kind != jsonrpc.Response && string(m.Params) != string(members["params"]) {
		t.Fatalf("Scan(%q) gives method %q and params %q, want %q and %q", data, m.Method, m.Params, method, members["params"])
	}
	var inParams map[string]json.RawMessage
	json.Unmarshal(m.Params, &inParams)
	for name, want := range inParams {
		// A name with a lone surrogate, and one with U+FFFD, are alike to both.
		if got := m.Param(name); string(got) != string(want) {
			t.Fatalf("Scan(%q) gives %q as params.%s, want %q", data, got, name, want)
		}
	}
}

func FuzzObject(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seen := map[string]bool{}
		o := jsonrpc.ReadObject(data)
		for o.Next() {
			if seen[string(o.Name())] || !json.Valid(o.Value()) || !inside(data, o.Value()) {
				t.Fatalf("ReadObject(%q) gives %q: %q", data, o.Name(), o.Value())
			}
			if got, want := elementsOf(o.Array()), elementsOf(jsonrpc.ReadArray(o.Value())); got != want {
				t.Fatalf("in %q the Array of %q has %s, want %s", data, o.Name(), got, want)
			}
			seen[string(o.Name())] = true
		}
		var members map[string]json.RawMessage
		bad := json.Unmarshal(data, &members)
		if o.Err() == nil && (bad != nil || len(members) != len(seen)) {
			t.Fatalf("ReadObject(%q) accepts %d members, want %d, %v", data, len(seen), len(members), bad)
		}
		elements := 0
		a := jsonrpc.ReadArray(data)
		for a.Next() {
			elements++
			if !json.Valid(a.Value()) || !inside(data, a.Value()) {
				t.Fatalf("ReadArray(%q) gives %q", data, a.Value())
			}
		}
		var list []json.RawMessage
		bad = json.Unmarshal(data, &list)
		if a.Err() == nil && (bad != nil || len(list) != elements) {
			t.Fatalf("ReadArray(%q) accepts %d elements, want %d, %v", data, elements, len(list), bad)
		}
	})
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add(seed)
	}
	f.Add("before \u2028 after \u2029 end, <b>&amp;</b>\x00\x1f")
	f.Fuzz(func(t *testing.T, text string) {
		encoded := jsonrpc.AppendString(nil, text)
		want := string([]rune(text))
		var read string
		if err := json.Unmarshal(encoded, &read); err != nil || read != want {
			t.Fatalf("AppendString(%q) = %s, which reads as %q, %v, want %q", text, encoded, read, err, want)
		}
		raw := jsonrpc.Raw(encoded)
		if read, ok := raw.Text(); !ok || read != want || !raw.Is(want) {
			t.Fatalf("AppendString(%q) = %s, whose Text is %q, %v, want %q", text, encoded, read, ok, want)
		}
		if bytes.ContainsAny(encoded, "\n\r\u2028\u2029") {
			t.Fatalf("AppendString(%q) = %q, which is more than one line", text, encoded)
		}
		// The text as the inside of a JSON string, where it happens to be one.
		raw = jsonrpc.Raw(`"` + text + `"`)
		if got, ok := raw.Text(); ok {
			if err := json.Unmarshal(raw, &read); err != nil || read != got || !raw.Is(got) {
				t.Fatalf("Text of %q = %q, want %q, %v", raw, got, read, err)
			}
		}
	})
}

func FuzzCompact(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Add([]byte("[\"\u2028\", \"\u2029\"]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := jsonrpc.AppendCompact(nil, data)
		if err != nil {
			if len(got) > 0 {
				t.Fatalf("AppendCompact(%q) = %q with an error", data, got)
			}
			return
		}
		var compact bytes.Buffer
		err = json.Compact(&compact, data)
		want := strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(compact.String())
		if err != nil || want != string(got) {
			t.Fatalf("AppendCompact(%q) = %q, want %q, %v", data, got, want, err)
		}
	})
}
