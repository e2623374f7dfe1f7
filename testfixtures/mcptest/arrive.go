package mcptest

import (
	"fmt"
	"regexp"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/revisions"
)

// foreign is text that no peer may read: Go's types, its way of formatting, stacks and
// file names.
var foreign = regexp.MustCompile(`%!|struct field|unmarshal|goroutine \d|\.go:\d|0x[0-9a-f]{8}|nil pointer|runtime error`)

// arrived takes in one message of the server.
func (c *Client) arrived(line string) {
	var m jsonrpc.Message
	scanner := jsonrpc.Scanner{Inner: []string{"_meta"}}
	if err := scanner.Scan([]byte(line), &m); err != nil {
		c.t.Errorf("%s: the server sends what is no message: %v: %q", c.name(), err, line)
		return
	}
	if strings.ContainsAny(line, "\u2028\u2029") {
		c.t.Errorf("%s: a line separator stands as it is: %q", c.name(), line)
	}
	switch m.Kind {
	case jsonrpc.Request:
		a := Ask{Method: string(m.Method), Params: m.Params}
		c.hold("", line)
		c.mu.Lock()
		if a.Method != "ping" {
			c.asks = append(c.asks, a)
		}
		c.mu.Unlock()
		c.speak.asked(c, string(m.ID.Raw()), line, a)
	case jsonrpc.Notification:
		c.hold("", line)
		c.noted(Note{string(m.Method), m.Params, line})
	default:
		c.answered(&m, line)
	}
}

// answered gives an answer to who waits for it.
func (c *Client) answered(m *jsonrpc.Message, line string) {
	r := &Response{Line: line, Result: m.Result, Rounds: 1}
	if m.Error != nil {
		r.Error = jsonrpc.ReadError(m.Error)
		if foreign.MatchString(r.Error.Message) {
			c.t.Errorf("%s: an error says what no peer should read: %s", c.name(), line)
		}
	}
	p, stream, why := c.take(m.ID, r)
	switch {
	case p == nil && m.ID.IsZero():
		c.loose(r)
		return
	case p == nil:
		c.t.Errorf("%s: %s: %s", c.name(), why, line)
		return
	case string(m.ID.Raw()) != p.id:
		c.t.Errorf("%s: the id %s came back as %s", c.name(), p.id, m.ID)
	}
	c.hold(p.method, line)
	p.done <- r
	if stream != nil {
		stream.wake()
	}
}

// take finds the request that an answer is for, and the stream that the request opened, if
// it did; or else says why there is none. The response gets the notes about the request.
func (c *Client) take(id jsonrpc.ID, r *Response) (p *Pending, stream *Stream, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := id.Key()
	p, ok := c.waiting[key]
	if !ok {
		if why = c.gone[key]; why != "" {
			return nil, nil, "the request is answered although " + why
		}
		return nil, nil, "an answer that nothing in flight asks for"
	}
	delete(c.waiting, key)
	r.Notes = p.notes
	c.forgetLocked(p.n)
	for _, s := range c.streams {
		if s.byID && s.id == p.id {
			stream = s
		}
	}
	return p, stream, ""
}

// loose keeps an answer without an id: an error about a line that could not be read. Only
// what a test sent itself with [Client.Send] can be such a line.
func (c *Client) loose(r *Response) {
	c.hold("", r.Line)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, Note{Method: "error", Params: jsonrpc.Raw(r.Line), Line: r.Line})
}

// noted takes in a notification: it belongs to a stream, to a request, or to nobody.
func (c *Client) noted(n Note) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n.Method == "notifications/progress" {
		c.progressLocked(n)
		return
	}
	streams, fault := c.streamsForLocked(n)
	for _, s := range streams {
		s.keepLocked(n)
	}
	if len(streams) == 0 {
		fault = c.speak.unasked(c, n)
		c.notes = append(c.notes, n)
	}
	if n.Method == "notifications/message" {
		for _, p := range c.waiting {
			p.notes = append(p.notes, n)
		}
	}
	if fault != "" {
		c.t.Errorf("%s: %s: %s", c.name(), fault, n.Line)
	}
}

// progressLocked gives progress to the request that has its token. The values grow
// (2026-07-28 basic/patterns/progress, Behavior Requirements).
func (c *Client) progressLocked(n Note) {
	token := string(n.At(mcp.MetaProgressToken))
	for _, p := range c.waiting {
		if p.token == "" || p.token != token {
			continue
		}
		now, _ := n.At("progress").Float()
		for _, before := range p.notes {
			if last, ok := before.At("progress").Float(); ok && before.Method == n.Method && last >= now {
				c.t.Errorf("%s: progress goes from %v to %v: %s", c.name(), last, now, n.Line)
			}
		}
		p.notes = append(p.notes, n)
		return
	}
	c.t.Errorf("%s: progress for a token that no request in flight has: %s", c.name(), n.Line)
}

// hold holds a message against the table of what the revision knows.
func (c *Client) hold(method, line string) {
	if c.o.Record != nil {
		c.o.Record(method, line)
	}
	if c.o.Unchecked {
		return
	}
	for _, fault := range revisions.Check(c.o.Revision, method, []byte(line)) {
		c.t.Errorf("%s: %s: %s\n%s", c.name(), method, fault, line)
	}
}

// checkEnd looks at what is left when the connection has ended.
func (c *Client) checkEnd() {
	c.t.Helper()
	if c.faulty() {
		return
	}
	if c.err != nil {
		c.t.Errorf("%s: serving ended with %v, want nil", c.name(), c.err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.waiting {
		c.t.Errorf("%s: %s with id %s was never answered", c.name(), p.method, p.id)
	}
}

// mayAsk says why the server may not ask this, "" when it may: the client has declared
// that it can be asked (2026-07-28 basic/patterns/mrtr, Server Requirements).
func (c *Client) mayAsk(a Ask) string {
	capability, mode := "", ""
	switch a.Method {
	case "ping":
		return ""
	case "elicitation/create":
		capability, mode = "elicitation", text(a.At("mode"))
	case "sampling/createMessage":
		capability = "sampling"
		if a.At("tools") != nil {
			mode = "tools"
		}
	case "roots/list":
		capability = "roots"
	default:
		return fmt.Sprintf("nothing that a client can be asked is called %s", a.Method)
	}
	declared := At(jsonrpc.Raw(c.o.Capabilities), capability)
	switch {
	case declared == nil:
		return "the client has not declared " + capability
	case (mode == "url" || mode == "tools") && At(declared, mode) == nil:
		return "the client has not declared " + capability + "." + mode
	}
	return ""
}

// answer has the test answer an ask.
func (c *Client) answer(a Ask) (string, *jsonrpc.Error) {
	if c.o.Answer == nil {
		c.t.Errorf("%s: the server asks, and the test has no answer: %s %s", c.name(), a.Method, a.Params)
		return "", jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found: %s", a.Method)
	}
	return c.o.Answer(a)
}
