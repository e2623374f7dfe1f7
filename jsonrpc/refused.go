package jsonrpc

import (
	"context"
	"log/slog"
)

// logFault logs that a message is not what it should be. Its method and its id, as far
// as they could be read, tell the operator which one it was.
func (c *Conn) logFault(m *Message, told *Error) {
	var attrs []slog.Attr
	if len(m.Method) > 0 {
		attrs = append(attrs, slog.String("method", Clip(m.Method)))
	}
	if !m.ID.IsZero() {
		attrs = append(attrs, slog.String("id", Clip(m.ID.Raw())))
	}
	attrs = append(attrs, slog.Int("code", int(told.Code)), slog.String("reason", told.Message))
	c.log.LogAttrs(context.Background(), slog.LevelWarn, "message refused", attrs...)
}
