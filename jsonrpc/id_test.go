package jsonrpc_test

import (
	"testing"

	"isthmus.internal/jsonrpc"
)

func TestParseID(t *testing.T) {
	for _, raw := range []string{`0`, `1`, `-1`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"0"`, `"é\u0000"`, `"\ud800"`} {
		id, ok := jsonrpc.ParseID(jsonrpc.Raw(raw))
		if !ok || id.IsZero() || string(id.Raw()) != raw || id.String() != raw || string(id.Clone().Raw()) != raw {
			t.Errorf("ParseID(%s) = %v, %v, want it as it is", raw, id, ok)
		}
	}
	for _, raw := range []string{``, `null`, `true`, `1.0`, `1.5`, `1e0`, `1E400`, `-0`, `-`, `01`, `-01`, `+1`, `{}`, `[1]`, `"`, `"a`, `"a"b`, "\"\n\""} {
		if id, ok := jsonrpc.ParseID(jsonrpc.Raw(raw)); ok || !id.IsZero() {
			t.Errorf("ParseID(%q) = %v, %v, want none", raw, id, ok)
		}
	}
}

func TestIDConstructors(t *testing.T) {
	for _, row := range []struct {
		id   jsonrpc.ID
		want string
	}{
		{jsonrpc.IntID(0), `0`}, {jsonrpc.IntID(-7), `-7`}, {jsonrpc.StringID(""), `""`}, {jsonrpc.StringID("a\n\"é"), `"a\n\"é"`},
	} {
		if got := string(row.id.Raw()); got != row.want || row.id.IsZero() {
			t.Errorf("the id is %s, want %s", got, row.want)
		}
	}
	var none jsonrpc.ID
	if !none.IsZero() || none.Raw() != nil || none.Key() != "" || none.String() != "none" || !none.Clone().IsZero() {
		t.Errorf("the zero id is %v with key %q", none, none.Key())
	}
}

func TestIDClone(t *testing.T) {
	raw := jsonrpc.Raw(`"a"`)
	id, _ := jsonrpc.ParseID(raw)
	clone := id.Clone()
	raw[1] = 'b'
	if id.String() != `"b"` || clone.String() != `"a"` {
		t.Errorf("id %v, clone %v; want the clone alone to keep its bytes", id, clone)
	}
}

// Two ids are the same when they are the same value, of the same type.
func TestIDKey(t *testing.T) {
	groups := [][]string{ // each group is one id
		{`1`}, {`"1"`, `"\u0031"`}, {`-1`}, {`"-1"`}, {`0`}, {`""`},
		{`"a"`, `"\u0061"`}, {`"A"`}, {`"é"`, `"\u00e9"`, `"\u00E9"`}, {`"e\u0301"`},
		{`"😀"`, `"\ud83d\ude00"`}, {`"/"`, `"\/"`}, {`"\""`}, {`"\\"`}, {`"\n"`, `"\u000A"`},
		{`"\ud800"`, `"\uD800"`}, {`"\ud801"`}, {`"\udc00"`}, {`"\udc00\ud800"`}, {`"\ud800\ud800"`}, {"\"\uFFFD\"", `"\ufffd"`},
	}
	seen := map[string]string{}
	for _, group := range groups {
		first, _ := jsonrpc.ParseID(jsonrpc.Raw(group[0]))
		if other, dup := seen[first.Key()]; dup {
			t.Errorf("ids %s and %s share the key %q", group[0], other, first.Key())
		}
		seen[first.Key()] = group[0]
		for _, raw := range group {
			id, ok := jsonrpc.ParseID(jsonrpc.Raw(raw))
			if !ok || id.Key() != first.Key() {
				t.Errorf("key of %s = %q, want %q as for %s", raw, id.Key(), first.Key(), group[0])
			}
			if got := string(id.AppendKey([]byte("x"))); got != "x"+id.Key() {
				t.Errorf("AppendKey(x) of %s = %q, want x%s", raw, got, id.Key())
			}
		}
	}
}

func TestIDAppendKeyAllocatesNothing(t *testing.T) {
	id, _ := jsonrpc.ParseID(jsonrpc.Raw(`"req-\u0061-\ud83d"`))
	inFlight := map[string]bool{id.Key(): true}
	buf := make([]byte, 0, 64)
	got := testing.AllocsPerRun(100, func() {
		if !inFlight[string(id.AppendKey(buf[:0]))] {
			t.Fatal("the id is not found by its key")
		}
	})
	if got != 0 {
		t.Errorf("%v allocations, want none", got)
	}
}
