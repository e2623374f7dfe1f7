package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"time"

	"isthmus.internal/jsonrpc"
)

// NewLogHandler makes a handler for a [slog.Logger] whose records go to the client of
// c, as [Call.Log] sends them: at the level that the client asked for, under its bounds,
// and no longer than c lives.
//
//	log := slog.New(mcp.NewLogHandler(c, "import"))
//	log.Info("row skipped", "row", 7)
//
// The data is one object: msg and the attributes, groups as objects in it. slog.LevelInfo
// is info, slog.LevelWarn warning, slog.LevelError error; what is two above info is a
// notice, and each four above error is a step graver.
func NewLogHandler(c *Call, logger string) slog.Handler { return &logHandler{call: c, logger: logger} }

type logHandler struct {
	call   *Call
	logger string
	with   []func(slog.Handler) slog.Handler // the attributes and groups so far
}

// Enabled implements [slog.Handler].
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return h.call.Logs(levelOf(level))
}

// Handle implements [slog.Handler]. The time is left to the client, which knows when a
// message came.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	var text bytes.Buffer
	var inner slog.Handler = slog.NewJSONHandler(&text, &slog.HandlerOptions{ReplaceAttr: withoutLevel})
	for _, add := range h.with {
		inner = add(inner)
	}
	r.Time = time.Time{}
	if err := inner.Handle(ctx, r); err != nil {
		return err
	}
	h.call.Log(levelOf(r.Level), h.logger, jsonrpc.Raw(text.Bytes()))
	return nil
}

// withoutLevel drops the level that the JSON handler adds: the message has its own.
func withoutLevel(groups []string, a slog.Attr) slog.Attr {
	if _, ok := a.Value.Any().(slog.Level); ok && len(groups) == 0 && a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}

// WithAttrs implements [slog.Handler].
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.adding(func(inner slog.Handler) slog.Handler { return inner.WithAttrs(attrs) })
}

// WithGroup implements [slog.Handler].
func (h *logHandler) WithGroup(name string) slog.Handler {
	return h.adding(func(inner slog.Handler) slog.Handler { return inner.WithGroup(name) })
}

func (h *logHandler) adding(add func(slog.Handler) slog.Handler) slog.Handler {
	next := *h
	next.with = append(slices.Clip(h.with), add)
	return &next
}

// levelOf is the level that stands for one of slog's.
func levelOf(level slog.Level) LogLevel {
	switch {
	case level < slog.LevelInfo:
		return LogDebug
	case level < slog.LevelInfo+2:
		return LogInfo
	case level < slog.LevelWarn:
		return LogNotice
	case level < slog.LevelError:
		return LogWarning
	case level < slog.LevelError+4:
		return LogError
	case level < slog.LevelError+8:
		return LogCritical
	case level < slog.LevelError+12:
		return LogAlert
	}
	return LogEmergency
}
