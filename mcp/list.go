package mcp

import (
	"isthmus.internal/jsonrpc"
)

// listKey names the encoded bytes of one list in one form.
type listKey struct {
	member string
	form   *Form
}

// list answers a list request: the member of this name with the definitions in
// the order of registration, encoded once per form and kept until the registry
// changes (2026-07-28 server/tools, Capabilities, asks for one order).
func (c *Call) list(member string, write func(reg *registry, w *writer, f *Form)) (Reply, error) {
	if err := checkCursor(c.asked.Message.Param("cursor")); err != nil {
		return Reply{}, err
	}
	hint := c.server.opts.cache()
	key := listKey{member, c.asked.Form}
	if encoded, ok := c.reg.lists.Load(key); ok {
		return Reply{body: encoded.(members), cache: &hint}, nil
	}
	w := &writer{}
	w.open(member, '[')
	write(c.reg, w, c.asked.Form)
	w.close(']')
	if w.err != nil {
		return Reply{}, w.err
	}
	encoded := members(w.dst)
	c.reg.lists.Store(key, encoded)
	return Reply{body: encoded, cache: &hint}, nil
}

// checkCursor refuses every cursor: a list is one page, so none was ever given
// out (2026-07-28 server/utilities/pagination, Error Handling).
func checkCursor(cursor jsonrpc.Raw) error {
	switch cursor.Kind() {
	case jsonrpc.KindAbsent:
		return nil
	case jsonrpc.KindString:
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "params.cursor is not one that this server gave out")
	}
	return jsonrpc.Errorf(jsonrpc.InvalidParams, "params.cursor must be a string")
}
