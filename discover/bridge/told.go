package bridge

import (
	"context"
	"strconv"
	"strings"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// logged passes a log message of the server to the client whose request it may be about.
func (l *line) logged(m *mcp.LogMessageParams) {
	if of := l.newest(aLog); of != nil {
		of.tell(len(m.Logger)+len(m.Data), func(c *mcp.Call) { c.Log(m.Level, m.Logger, m.Data) })
		return
	}
	l.bridge.log.Debug("a log message of the server is not passed on: it may be about the request of any client", "level", m.Level.String())
}

// noticed passes a notification of the server that the protocol does not know to the client whose
// request it may be about.
func (l *line) noticed(method string, params jsonrpc.Raw) {
	if id, flush := strings.CutPrefix(method, flushMethod); flush {
		l.flushedTo(id)
		return
	}
	of := l.newest(aNotice)
	if of == nil || strings.HasPrefix(method, "notifications/elicitation/") {
		l.bridge.log.Debug("a notification of the server is not passed on", "method", jsonrpc.Clip([]byte(method)))
		return
	}
	of.tell(len(method)+len(params), func(c *mcp.Call) {
		if err := c.Notify(method, params); err != nil {
			l.bridge.log.Debug("a notification of the server was not passed on", "method", jsonrpc.Clip([]byte(method)), "error", err)
		}
	})
}

// flushMethod begins a method that no server has. What is heard under it comes from flush, and
// stands behind all that was heard before.
const flushMethod = "isthmus/flushed/"

// flushTime bounds the wait for that: it is long only where a client does not read.
const flushTime = time.Second

// flush waits until what the server has told so far was passed on, since nothing can be behind
// the answer.
func (l *line) flush(client *mcp.Client) {
	over := make(chan struct{})
	l.mu.Lock()
	l.flushed++
	id := strconv.Itoa(l.flushed)
	l.flushes[id] = over
	l.mu.Unlock()
	client.Hear(context.Background(), flushMethod+id, nil)
	timer := time.NewTimer(flushTime)
	defer timer.Stop()
	select {
	case <-over:
		return
	case <-timer.C:
	case <-client.Done():
	}
	l.mu.Lock()
	delete(l.flushes, id)
	l.mu.Unlock()
}

// flushedTo ends the flush that has this number.
func (l *line) flushedTo(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if over := l.flushes[id]; over != nil {
		close(over)
		delete(l.flushes, id)
	}
}

// notice takes what a client tells. What is the protocol's own is about the connection of the
// client with the bridge, but for its roots, which a legacy server asks for.
func (b *Bridge) notice(_ context.Context, c *mcp.Call) {
	switch method := c.Method(); method {
	case "notifications/initialized":
		if c.Session() == nil {
			return // it can be told of no changes
		}
		of, err := b.lines.session(c)
		if err != nil {
			b.log.Warn("a client is told of no changes", "error", err)
			return
		}
		of.follow()
	case "notifications/roots/list_changed":
		if c.Session() != nil && !b.modern() { // else nobody has been told that they may change
			b.tell(c, 0, func(ctx context.Context, server *mcp.Client) error { return server.RootsChanged(ctx) })
		}
	case "notifications/progress", "notifications/message":
	default:
		b.passNotice(c)
	}
}

// passNotice passes a notification of a client to the server.
func (b *Bridge) passNotice(c *mcp.Call) {
	method, params := c.Method(), paramsOf(c).members
	b.tell(c, len(method)+len(params), func(ctx context.Context, client *mcp.Client) error {
		return client.Notify(ctx, method, params)
	})
}

// tell tells the server something for a client, behind what it was told before. The client does
// not wait for that, so what is too much is dropped.
func (b *Bridge) tell(c *mcp.Call, size int, say func(context.Context, *mcp.Client) error) {
	method := jsonrpc.Clip([]byte(c.Method()))
	l, done, err := b.lines.route(b.ctx, c, forNotice)
	if err != nil {
		b.log.Debug("a notification of a client is not passed on", "method", method, "error", err)
		return
	}
	if !l.notices.add(size, func() {
		defer done()
		client, err := l.get(l.ctx)
		if err == nil {
			err = say(l.ctx, client)
		}
		if err != nil {
			b.log.Debug("a notification of a client was not passed on", "method", method, "error", err)
		}
	}) {
		done()
		b.log.Debug("a notification of a client is not passed on: the server takes them in too slowly", "method", method)
	}
}
