package mcptest

import (
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// legacy speaks the revisions with a handshake: a session, asks of the server as
// requests, changes to all who opened one.
type legacy struct{}

// open makes the handshake (2025-11-25 basic/lifecycle, Initialization).
func (l legacy) open(c *Client) {
	c.t.Helper()
	if c.o.Faults.Unread {
		// Nobody would read the answer.
		c.Start("initialize", l.hello(c.o))
		return
	}
	r := c.Request("initialize", l.hello(c.o))
	if got := text(r.At("protocolVersion")); got != c.o.Revision {
		c.t.Fatalf("%s: initialize was answered with %s, want the revision", c.name(), r)
	}
	c.mu.Lock()
	c.declared = r.At("capabilities")
	c.mu.Unlock()
	c.Notify("notifications/initialized", "")
	if c.o.LogLevel != "" {
		l.setLevel(c, c.o.LogLevel)
	}
}

// hello is the params of initialize.
func (legacy) hello(o *Options) string {
	return object(member("protocolVersion", quote(o.Revision)), member("capabilities", o.Capabilities), member("clientInfo", o.Info))
}

func (legacy) params(_ *Options, given, token string) string {
	if token == "" || At(jsonrpc.Raw(given), "_meta", mcp.MetaProgressToken) != nil {
		return given
	}
	meta := object(member(mcp.MetaProgressToken, token), inside(At(jsonrpc.Raw(given), "_meta")))
	return object(inside(jsonrpc.Raw(given), "_meta"), member("_meta", meta))
}

// settle has nothing to do: what was asked was asked before the answer.
func (legacy) settle(_ *Pending, r *Response) *Response { return r }

// asked answers a request of the server, on a goroutine of its own, since an answer may
// take its time and nothing behind the request may wait for it.
func (legacy) asked(c *Client, id, line string, a Ask) {
	if fault := c.mayAsk(a); fault != "" {
		c.t.Errorf("%s: %s: %s", c.name(), fault, line)
	}
	c.all.Add(1)
	go func() {
		defer c.all.Done()
		if a.Method == "ping" {
			c.reply(object(`"jsonrpc":"2.0"`, member("id", id), `"result":{}`))
			return
		}
		result, err := c.answer(a)
		if err != nil {
			parsed, _ := jsonrpc.ParseID(jsonrpc.Raw(id))
			c.reply(string(jsonrpc.AppendError(nil, parsed, err)))
			return
		}
		c.reply(object(`"jsonrpc":"2.0"`, member("id", id), member("result", result)))
	}()
}

// unasked lets those notifications through that the server has declared.
func (legacy) unasked(c *Client, n Note) string {
	list, kind := strings.CutSuffix(strings.TrimPrefix(n.Method, "notifications/"), "/list_changed")
	switch {
	case n.Method == "notifications/message":
		if At(c.declared, "logging") == nil {
			return "the server has not declared logging"
		}
		return ""
	case kind:
		if ok, _ := At(c.declared, list, "listChanged").Bool(); ok {
			return ""
		}
		return "the server has not declared that the list changes"
	case n.Method == "notifications/cancelled": // an ask whose answer is not needed any more
		return ""
	case n.Method == "notifications/resources/updated":
		return "the client has not subscribed to the resource"
	}
	return "no legacy revision has this notification"
}

func (legacy) names() bool { return false }

func (legacy) listen(s *Stream) {
	s.c.t.Helper()
	for _, uri := range s.asked.URIs {
		if r := s.c.Request("resources/subscribe", object(member("uri", quote(uri)))); r.Error != nil {
			s.c.t.Errorf("%s: resources/subscribe of %s: %s", s.c.name(), uri, r)
		}
	}
	s.acknowledge(s.asked)
}

func (legacy) close(s *Stream) {
	s.c.t.Helper()
	s.c.drop(s)
	for _, uri := range s.asked.URIs {
		if r := s.c.Request("resources/unsubscribe", object(member("uri", quote(uri)))); r.Error != nil {
			s.c.t.Errorf("%s: resources/unsubscribe of %s: %s", s.c.name(), uri, r)
		}
	}
}

func (legacy) setLevel(c *Client, level string) {
	c.t.Helper()
	if r := c.Request("logging/setLevel", object(member("level", quote(level)))); string(r.Result) != `{}` {
		c.t.Errorf("%s: logging/setLevel %s was answered with %s, want {}", c.name(), level, r)
	}
}

func (legacy) foreign() []string { return []string{"server/discover", "subscriptions/listen"} }

func (legacy) pinged(r *Response) string {
	if string(r.Result) != `{}` {
		return "ping is answered with " + r.String() + ", want {}"
	}
	return ""
}

func (legacy) badLevel() (method, params string) { return "logging/setLevel", `{"level":"loud"}` }

// noResource is 2025-11-25 server/resources, Error Handling.
func (legacy) noResource() jsonrpc.Code { return -32002 }

// grants subscribes to a resource, where that is declared.
func (legacy) grants(k *kit, _, can Filter) string {
	if len(can.URIs) > 0 {
		k.Listen(Filter{URIs: can.URIs}).Close()
	}
	return ""
}
