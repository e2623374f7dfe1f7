package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"isthmus.internal/jsonrpc"
)

// Log sends a log message about the request to its client (2026-07-28
// server/utilities/logging), where that has asked for messages so grave: in the
// request, or for its session by logging/setLevel. Everywhere else it does nothing; so
// too when [ServerOptions.Logging] is not set, when level is none of the eight, when
// the handler has returned, and when the request is subscriptions/listen. It may be called
// from any goroutine.
//
// logger names the part of the program that speaks; may be empty. data is what
// encoding/json can write, best an object with the facts; a [jsonrpc.Raw] goes out as it
// is, an error as its text. The client may be anybody's: no credentials, nothing personal
// and no inner workings (2026-07-28 server/utilities/logging, Security).
//
// A request may send 100 messages at once and 50 a second beyond. How many more there
// were is told in their place.
//
// The specification deprecates logging to clients from 2026-07-28 on. What the operator
// of the server is to see goes to [Call.Logger].
func (c *Call) Log(level LogLevel, logger string, data any) {
	if !c.Logs(level) {
		return
	}
	text, err := appendData(nil, data)
	if err != nil {
		c.server.log.Warn("log message was not sent: its data cannot be written as JSON", "logger", logger, "error", err)
		return
	}
	if err := c.sendLog(level, logger, text); err != nil {
		c.server.log.Debug("log message was not sent", "error", err)
	}
}

// Logs reports whether [Call.Log] would send a message of this level now, so that data
// which costs something need not be gathered for nothing. Like that it may be called when
// the handler has returned, and then reports false.
func (c *Call) Logs(level LogLevel) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false // and the message may be another one by now
	}
	least := c.asked.LogLevel
	if c.asked.SessionLevel != nil {
		least = c.asked.SessionLevel.Level()
	}
	return c.server.opts.Logging && !c.streams() && least != 0 && least <= level && level <= LogEmergency
}

// appendData appends the data of a message as one JSON value on one line.
func appendData(dst []byte, data any) ([]byte, error) {
	switch v := data.(type) {
	case jsonrpc.Raw:
		return jsonrpc.AppendCompact(dst, v)
	case string:
		return jsonrpc.AppendString(dst, v), nil
	case error:
		return jsonrpc.AppendString(dst, v.Error()), nil
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		return dst, err
	}
	return jsonrpc.AppendCompact(dst, buf.Bytes())
}

// How many messages one request may send at once, and how often beyond (2026-07-28
// server/utilities/logging, Implementation Considerations, asks for a limit).
const (
	logBurst    = 100
	logInterval = 20 * time.Millisecond
)

// logging is what a request has logged.
type logging struct {
	pace    pace
	dropped int      // since the last message that was sent
	gravest LogLevel // of the dropped ones
	// end is [Call.sendDropped], by way of a value: see reporting.
	end func(*Call) error
}

// sendLog holds the lock while it sends, so that no message leaves after the answer.
func (c *Call) sendLog(level LogLevel, logger string, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil
	}
	if c.logging == nil {
		c.logging = &logging{end: (*Call).sendDropped}
	}
	if !c.logging.pace.allows(time.Now(), logBurst, logInterval) {
		c.logging.dropped++
		c.logging.gravest = max(c.logging.gravest, level)
		return nil
	}
	if err := c.sendDropped(); err != nil {
		return err
	}
	return c.notifyLog(level, logger, data)
}

// sendDropped tells how many messages were dropped, as gravely as the gravest of them.
// The caller holds the lock.
func (c *Call) sendDropped() error {
	l := c.logging
	if l.dropped == 0 {
		return nil
	}
	text := fmt.Sprintf("%d log messages were left out here, as they came too fast", l.dropped)
	if l.dropped == 1 {
		text = "1 log message was left out here, as it came too fast"
	}
	level := l.gravest
	l.dropped, l.gravest = 0, 0
	return c.notifyLog(level, "", jsonrpc.AppendString(nil, text))
}

func (c *Call) notifyLog(level LogLevel, logger string, data []byte) error {
	w := writer{}
	w.open("", '{')
	w.text("level", level.String())
	w.optional("logger", logger)
	w.key("data")
	w.dst = append(w.dst, data...)
	w.close('}')
	return c.asked.Peer.Notify("notifications/message", w.dst)
}
