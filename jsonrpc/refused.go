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
	c.logRefused("message refused", told, nil, attrs...)
}

// logRefused logs that a text, nil when it is not known, is no message. How it begins shows who has
// started a server what that is, or what else it prints; a server keeps nothing of its clients' in
// the log.
func (c *Conn) logRefused(what string, told *Error, text []byte, attrs ...slog.Attr) {
	attrs = append(attrs, slog.Int("code", int(told.Code)), slog.String("reason", told.Message))
	if c.client && len(text) > 0 {
		attrs = append(attrs, slog.String("begins", Clip(text)))
	}
	c.log.LogAttrs(context.Background(), slog.LevelWarn, what, attrs...)
}
