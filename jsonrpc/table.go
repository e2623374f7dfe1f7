package jsonrpc

// Table maps methods to what answers them. H is the handler type of the layer
// above, which may hold data about the method beside the function. The zero
// value is an empty table.
//
// A table is filled before it is used: Add is not safe beside other calls, Lookup is
// safe beside itself.
type Table[H any] struct {
	entries map[string]H
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
	return true
}

// Lookup finds a method by its exact name.
func (t *Table[H]) Lookup(method []byte) (h H, ok bool) {
	h, ok = t.entries[string(method)]
	return h, ok
}
