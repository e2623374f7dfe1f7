package httpmcp

import (
	"bytes"
	"context"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// sseStream is one client's stream, and the connection that runs over it.
type sseStream struct {
	owner  *mcp.Principal
	events *eventWriter
	router *discover.Router
	conn   *jsonrpc.Conn
	inbox  *inbox
}

// endless is a time that is never over: what ends the wait for handlers here is the end of
// their contexts.
const endless = 365 * 24 * time.Hour

// newStream makes the connection of a stream. It is one like any other: its messages come
// out of an inbox, and leave as events.
func (e *SSEEndpoint) newStream(owner *mcp.Principal, events *eventWriter) *sseStream {
	out := &streamOutlet{}
	s := &sseStream{owner: owner, events: events, inbox: newInbox(e.opts.maxSessionInFlight(), e.opts.maxBody())}
	s.router = discover.NewRouter(e.server, &discover.RouterOptions{Principal: owner, Outlet: out})
	s.conn = jsonrpc.NewConn(s.inbox, &lineEvents{events: events}, s.router, &jsonrpc.Options{
		Logger:      e.log,
		Inner:       discover.Inner(),
		MaxInFlight: e.opts.maxSessionInFlight(),
		Drain:       endless,
		InOrder:     s.router.InOrder,
		LongLived:   s.router.LongLived,
		Abandoned:   s.router.Abandoned,
	})
	out.conn = s.conn
	return s
}

// abort ends the stream of a client that is gone, or is not waited for any longer. It does
// not wait.
func (s *sseStream) abort() {
	s.conn.Abort()
	s.events.cut()
}

// lineEvents turns the lines that a connection writes into events. A long line comes in
// several pieces. Only one goroutine at a time writes.
type lineEvents struct {
	events *eventWriter
	part   []byte // of a line
}

// Write implements [io.Writer].
func (l *lineEvents) Write(b []byte) (int, error) {
	for rest := b; ; {
		line, behind, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			l.part = append(l.part, rest...)
			return len(b), nil
		}
		if len(l.part) > 0 {
			line = append(l.part, line...)
			l.part = nil
		}
		if err := l.events.event("", line); err != nil {
			return 0, err
		}
		rest = behind
	}
}

// streamOutlet sends on a connection that is made after what sends on it.
type streamOutlet struct{ conn *jsonrpc.Conn }

func (o *streamOutlet) Notify(method string, params []byte) error { return o.conn.Post(method, params) }

// endingContext ends when a channel is closed. Unlike one of [context.WithCancel] it
// registers nowhere, so thousands of streams can wait for the same end.
type endingContext struct {
	context.Context
	ending <-chan struct{}
}

func (c endingContext) Done() <-chan struct{} { return c.ending }

func (c endingContext) Err() error {
	select {
	case <-c.ending:
		return context.Canceled
	default:
		return nil
	}
}
