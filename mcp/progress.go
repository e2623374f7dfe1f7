package mcp

import (
	"math"
	"time"

	"isthmus.internal/jsonrpc"
)

// Progress tells the client how far the request is (2026-07-28
// basic/patterns/progress). total may be 0 for unknown, message may be empty.
// It is a harmless no-op where nothing may be sent: the client gave no token, the
// value does not exceed the last one or is no number, the handler has returned, or the
// request is subscriptions/listen. It may be called from any goroutine.
//
// Call it as often as there is something to tell. The first ten reports leave at once,
// later ones no faster than [ServerOptions.ProgressInterval] allows: of those that come
// between, the last one leaves with the answer, unless a newer one did before.
func (c *Call) Progress(progress, total float64, message string) {
	if math.IsNaN(progress) || math.IsInf(progress, 0) {
		return
	}
	if err := c.report(report{progress, total, message}); err != nil {
		c.server.log.Debug("progress was not sent", "error", err)
	}
}

// progressBurst is how many reports of a request leave at once.
const progressBurst = 10

// report is what a handler says of its progress.
type report struct {
	progress, total float64
	message         string
}

// reporting is what a request has reported.
type reporting struct {
	pace pace
	last report
	held bool // last has not been sent
	// end is [Call.sendHeld], by way of a value: so the end of a request has nothing of it
	// in a program that reports nothing.
	end func(*Call) error
}

// report holds the lock while it sends, so that values leave in the order in which
// they grow and none leaves after the answer.
func (c *Call) report(r report) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.streams() || c.asked.Message.Inner("_meta", MetaProgressToken) == nil {
		return nil
	}
	switch {
	case c.reporting == nil:
		c.reporting = &reporting{end: (*Call).sendHeld}
	case r.progress <= c.reporting.last.progress:
		return nil
	}
	c.reporting.last = r
	c.reporting.held = !c.reporting.pace.allows(time.Now(), progressBurst, c.server.opts.progressInterval())
	if c.reporting.held {
		return nil
	}
	return c.notifyProgress(r)
}

// sendHeld sends a report that was held back. The caller holds the lock.
func (c *Call) sendHeld() error {
	if !c.reporting.held {
		return nil
	}
	c.reporting.held = false
	return c.notifyProgress(c.reporting.last)
}

func (c *Call) notifyProgress(r report) error {
	w := writer{}
	w.open("", '{')
	w.raw("progressToken", c.asked.Message.Inner("_meta", MetaProgressToken))
	w.key("progress")
	w.dst = jsonrpc.AppendFloat(w.dst, r.progress)
	if r.total > 0 && !math.IsInf(r.total, 0) {
		w.key("total")
		w.dst = jsonrpc.AppendFloat(w.dst, r.total)
	}
	if c.asked.Form.ProgressMessage {
		w.optional("message", r.message)
	}
	w.close('}')
	return c.asked.Peer.Notify("notifications/progress", w.dst)
}
