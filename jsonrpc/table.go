package jsonrpc

import "iter"

// Table maps methods to what answers them. H is the handler type of the layer
// above, which may hold data about the method beside the function. The zero
// value is an empty table.
//
// A table is filled before it is used: Add is not safe beside other calls,
// Lookup and All are safe beside each other.
type Table[H any] struct {
	entries map[string]H
	order   []string
}

// Add enters a method. It reports false, and changes nothing, when the method is
// empty or already there.
func (t *Table[H]) Add(method string, h H) bool {
	if _, taken := t.entries[method]; taken || method == "" {
		return false
	}
	if t.entries == nil {
		t.entries = make(map[string]H)
	}
	t.entries[method] = h
	t.order = append(t.order, method)
	return true
}

// Lookup finds a method by its exact name.
func (t *Table[H]) Lookup(method []byte) (h H, ok bool) {
	h, ok = t.entries[string(method)]
	return h, ok
}

// All yields the methods in the order in which they were added.
func (t *Table[H]) All() iter.Seq2[string, H] {
	return func(yield func(string, H) bool) {
		for _, method := range t.order {
			if !yield(method, t.entries[method]) {
				return
			}
		}
	}
}
