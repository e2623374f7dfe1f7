package mcptest

import (
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// modern speaks the revision without a handshake: each request says who asks and what
// it can do, and what the server wants to know it asks in its answer.
type modern struct{}

// open sends nothing: the first request opens the era.
func (modern) open(*Client) {}

// params adds the fields of the protocol to _meta (2026-07-28 basic/index, Per-request
// protocol fields). What the test has put there itself stays.
func (modern) params(o *Options, given, token string) string {
	own := At(jsonrpc.Raw(given), "_meta")
	fields := []string{inside(own)}
	for _, f := range []struct{ name, value string }{
		{mcp.MetaProtocolVersion, quote(o.Revision)},
		{mcp.MetaClientInfo, o.Info},
		{mcp.MetaClientCapabilities, o.Capabilities},
		{mcp.MetaLogLevel, o.level()},
		{mcp.MetaProgressToken, token},
	} {
		if At(own, f.name) == nil {
			fields = append(fields, member(f.name, f.value))
		}
	}
	return object(inside(jsonrpc.Raw(given), "_meta"), member("_meta", object(fields...)))
}

// level is that of the log, as JSON.
func (o *Options) level() string {
	if o.LogLevel == "" {
		return ""
	}
	return quote(o.LogLevel)
}

// mostRounds bounds how often one request is tried again.
const mostRounds = 20

// settle answers what the result asks and tries again, with a new id, the same params,
// the answers and, to the byte, the state (2026-07-28 basic/patterns/mrtr, Client
// Requirements).
func (modern) settle(p *Pending, r *Response) *Response {
	c := p.c
	c.t.Helper()
	for r.Rounds = 1; r.InputRequired() && c.o.Answer != nil; {
		if r.Rounds == mostRounds {
			c.t.Fatalf("%s: %s %s still asks after %d rounds: %s", c.name(), p.method, p.given, mostRounds, r)
		}
		retry := c.retry(p.given, r)
		next := c.another().Start(p.method, retry).Wait()
		next.Rounds = r.Rounds + 1
		next.Notes = append(r.Notes, next.Notes...)
		r = next
	}
	return r
}

// retry is the params of the next round.
func (c *Client) retry(given string, r *Response) string {
	c.t.Helper()
	var answers []string
	for o := jsonrpc.ReadObject(r.At("inputRequests")); o.Next(); {
		a := Ask{Key: string(o.Name()), Method: text(At(o.Value(), "method")), Params: At(o.Value(), "params")}
		if fault := c.mayAsk(a); fault != "" {
			c.t.Errorf("%s: %s: %s", c.name(), fault, r.Line)
		}
		c.mu.Lock()
		c.asks = append(c.asks, a)
		c.mu.Unlock()
		result, err := c.answer(a)
		if err != nil {
			c.t.Errorf("%s: the test answers %s with an error, which this revision cannot: %v", c.name(), a.Method, err)
			continue
		}
		answers = append(answers, member(a.Key, result))
	}
	responses := ""
	if len(answers) > 0 {
		responses = member("inputResponses", object(answers...))
	}
	return object(inside(jsonrpc.Raw(given), "inputResponses", "requestState"), responses,
		member("requestState", string(r.At("requestState"))))
}

// another is the client for a retry: this one, or one of a replica.
func (c *Client) another() *Client {
	c.t.Helper()
	if c.o.Replica == nil {
		return c
	}
	o := *c.o
	o.Replica = nil
	r := Dial(c.t, c.o.Replica(), &o)
	c.mu.Lock()
	c.replicas = append(c.replicas, r)
	c.mu.Unlock()
	return r
}

// asked refuses all: servers send no requests (2026-07-28 basic/patterns/mrtr).
func (modern) asked(c *Client, _, line string, _ Ask) {
	c.t.Errorf("%s: the server sends a request, which this revision does not have: %s", c.name(), line)
}

// unasked lets log messages through while a request wants them; all else belongs to a
// stream (2026-07-28 server/utilities/logging and basic/patterns/subscriptions).
func (modern) unasked(c *Client, n Note) string {
	if id := n.At("_meta", mcp.MetaSubscriptionID); id != nil {
		if p := c.waiting[keyOf(string(id))]; p != nil && p.method == "subscriptions/listen" {
			return "" // a stream that the test looks after itself
		}
	}
	if n.Method != "notifications/message" {
		return "no subscription of the client has this id, or none is named"
	}
	for _, p := range c.waiting {
		if p.level != "" && severity(text(n.At("level"))) >= severity(p.level) {
			return ""
		}
	}
	return "no request in flight asks for log messages of this level"
}

// severity is the place of a level, or less than all for none.
func severity(level string) int {
	if level == "" {
		return -1
	}
	return strings.Index("debug info notice warning error critical alert emergency", level)
}

func (modern) names() bool { return true }

func (modern) listen(s *Stream) {
	s.c.t.Helper()
	s.pending = s.c.StartAs(s.id, "subscriptions/listen", object(member("notifications", s.asked.json())))
	s.awaitAcknowledged()
}

// close cancels the stream (2026-07-28 basic/patterns/subscriptions, Cancellation).
func (modern) close(s *Stream) {
	s.c.t.Helper()
	s.c.drop(s)
	s.pending.Cancel()
}

func (modern) setLevel(c *Client, level string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.o.LogLevel = level
}

func (modern) foreign() []string {
	return []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
}

func (modern) pinged(r *Response) string {
	if r.Code() != jsonrpc.MethodNotFound {
		return "ping is answered with " + r.String() + ", want the error -32601"
	}
	return ""
}

func (modern) badLevel() (method, params string) {
	return "server/discover", `{"_meta":{"` + mcp.MetaLogLevel + `":"loud"}}`
}

// noResource is 2026-07-28 server/resources, Error Handling.
func (modern) noResource() jsonrpc.Code { return jsonrpc.InvalidParams }

// grants opens a stream of everything. A server that declares no change at all may not know
// the method.
func (modern) grants(k *kit, wants, can Filter) string {
	if can.json() == `{}` {
		return ""
	}
	s := k.Listen(wants)
	defer s.Close()
	if granted := s.Granted(); !granted.within(can) || !can.within(granted) {
		return "the server grants " + granted.json() + ", and declares what comes to " + can.json()
	}
	return ""
}
