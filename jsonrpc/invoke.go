package jsonrpc

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
)

// ErrClosed is the cause of a handler's context, and the error of a call, when
// the connection has come to its end.
var ErrClosed = errors.New("jsonrpc: connection closed")

// Requester answers requests, as [Handler] says of its Request.
type Requester interface {
	Request(ctx context.Context, m *Message, p Peer, dst []byte) ([]byte, error)
}

// Invoke runs h on the request m and returns dst with the result appended, or
// dst as it was and what the peer is told. This is the one place where a
// handler's fault becomes an answer:
//
//   - an [*Error], wrapped or not, is told as it is;
//   - any other error, and a panic, are told as [InternalError] with a
//     correlation id and nothing else; log holds the error, the stack and the
//     same id.
//
// It serves every transport. log must not be nil.
func Invoke(ctx context.Context, h Requester, m *Message, p Peer, dst []byte, log *slog.Logger) (out []byte, told *Error) {
	defer func() {
		if v := recover(); v != nil {
			out, told = dst, panicked(v, m, log)
		}
	}()
	out, err := h.Request(ctx, m, p, dst)
	if err == nil && len(out) > len(dst) {
		return out, nil
	}
	return dst, tell(ctx, err, m, log)
}

// panicked is what the peer is told of a handler that panicked with v.
func panicked(v any, m *Message, log *slog.Logger) *Error {
	return hidden(log, m, "handler panicked", slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
}

// tell is what the peer is told of the error of a handler, nil for one that has given
// nothing at all. It is apart from [Invoke] because that is on the stack of every handler,
// those that wait for hours too.
func tell(ctx context.Context, err error, m *Message, log *slog.Logger) *Error {
	var e *Error
	switch {
	case err == nil:
		return hidden(log, m, "handler gave neither result nor error")
	case errors.As(err, &e) && e != nil && e.Code != 0:
		return presentable(e, m, log)
	case errors.Is(context.Cause(ctx), ErrClosed):
		return Errorf(InternalError, "Request ended: the server is shutting down")
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		// The peer cancelled and hears nothing: no fault worth a log line.
		return Errorf(InternalError, "Request cancelled")
	}
	return hidden(log, m, "handler failed", slog.Any("error", err))
}

// presentable returns e with its data on one line. Data that is not JSON would
// break the message it is in, so it stays behind.
func presentable(e *Error, m *Message, log *slog.Logger) *Error {
	if e.Data == nil {
		return e
	}
	data, err := AppendCompact(nil, e.Data)
	if err != nil {
		log.Error("handler gave an error whose data is not JSON", "method", string(m.Method), "error", err)
		data = nil
	}
	return &Error{Code: e.Code, Message: e.Message, Data: data}
}

// Noticer takes notifications in, as [Handler] says of its Notification.
type Noticer interface {
	Notification(ctx context.Context, m *Message, p Peer)
}

// Notice runs h on the notification m. A panic ends in the log. It serves every transport.
func Notice(ctx context.Context, h Noticer, m *Message, p Peer, log *slog.Logger) {
	defer func() {
		if v := recover(); v != nil {
			hidden(log, m, "notification handler panicked",
				slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
		}
	}()
	h.Notification(ctx, m, p)
}

// hidden logs a fault in full under a fresh correlation id and returns the error
// that tells the peer that id and no more.
func hidden(log *slog.Logger, m *Message, what string, attrs ...slog.Attr) *Error {
	id := strconv.FormatUint(rand.Uint64(), 36) // to be found again, not to be guessed: nothing hangs on it
	attrs = append([]slog.Attr{
		slog.String("correlation", id), slog.String("method", string(m.Method)), slog.String("id", m.ID.String()),
	}, attrs...)
	log.LogAttrs(context.Background(), slog.LevelError, what, attrs...)
	return Errorf(InternalError, "Internal error (correlation id %s)", id)
}
