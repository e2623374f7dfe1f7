package mcp

import (
	"encoding/binary"
	"time"

	"isthmus.internal/jsonrpc"
)

// cursorPurpose is what cursors are sealed for.
const cursorPurpose = "cursor"

// nextCursor makes the cursor of the page behind an item. It never expires: what it says
// stays true.
func (c *Call) nextCursor(last uint64, scope []byte) string {
	return c.server.opts.Keys.Seal(cursorPurpose, time.Time{}, scope, binary.BigEndian.AppendUint64(nil, last))
}

// cursor reads which item stands before the page that is asked for, 0 for the first
// page. A cursor that this server has not given out within the scope is refused
// (2026-07-28 server/utilities/pagination, Error Handling).
func (c *Call) cursor(scope []byte) (after uint64, err error) {
	raw := c.asked.Message.Param("cursor")
	if raw == nil {
		return 0, nil
	}
	text, ok := raw.Text()
	if !ok {
		return 0, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.cursor must be a string")
	}
	if c.server.opts.PageSize > 0 {
		plain, err := c.server.opts.Keys.Open(cursorPurpose, time.Now(), scope, text)
		if err == nil && len(plain) == 8 {
			return binary.BigEndian.Uint64(plain), nil
		}
	}
	return 0, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.cursor is not one that this server gave out")
}

// cursorScope is what a cursor is good for: one list and one principal. A page that
// shared caches may serve to anyone takes its cursor to anyone, so there the principal
// does not count; and the pages of one list agree in who may keep them (2026-07-28
// server/utilities/caching, Interaction with Pagination).
func (c *Call) cursorScope(member string, public bool) []byte {
	if c.server.opts.PageSize <= 0 {
		return nil
	}
	if public {
		return []byte(member) // no name of a list has a NUL
	}
	return append(append([]byte(member), 0), c.Principal().id()...)
}
