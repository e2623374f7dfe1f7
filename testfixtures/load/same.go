package load

import (
	"bytes"
	"encoding/json"

	"isthmus.internal/jsonrpc"
)

// Same reports whether two answers are the same bytes, or the same JSON: members may come in any order,
// none of them twice, and numbers are written the same.
func Same(a, b []byte) bool {
	return bytes.Equal(a, b) || json.Valid(a) && json.Valid(b) && same(bytes.TrimSpace(a), bytes.TrimSpace(b))
}

// same compares two values that are JSON.
func same(a, b jsonrpc.Raw) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case jsonrpc.KindObject:
		return sameMembers(a, b)
	case jsonrpc.KindArray:
		return sameElements(a, b)
	case jsonrpc.KindString:
		x, okX := a.Text()
		y, okY := b.Text()
		return okX && okY && x == y
	}
	return bytes.Equal(a, b)
}

func sameMembers(a, b jsonrpc.Raw) bool {
	members := map[string]jsonrpc.Raw{}
	x := jsonrpc.ReadObject(a)
	for x.Next() {
		members[string(x.Name())] = x.Value()
	}
	y := jsonrpc.ReadObject(b)
	for y.Next() {
		value, known := members[string(y.Name())]
		if !known || !same(value, y.Value()) {
			return false
		}
		delete(members, string(y.Name()))
	}
	return x.Err() == nil && y.Err() == nil && len(members) == 0
}

func sameElements(a, b jsonrpc.Raw) bool {
	x, y := jsonrpc.ReadArray(a), jsonrpc.ReadArray(b)
	for x.Next() {
		if !y.Next() || !same(x.Value(), y.Value()) {
			return false
		}
	}
	return x.Err() == nil && !y.Next() && y.Err() == nil
}
