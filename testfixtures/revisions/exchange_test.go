package revisions_test

import (
	"encoding/json"
	"testing"

	"isthmus.internal/testfixtures/transcripts"
)

// exchange is a message of a server, with the revision in which it was said and the
// request that it answers.
type exchange struct {
	where    string
	revision string
	method   string // of the request, "" when it has none that can be read
	request  string
	message  string
}

// line is what is looked at in a message of either end.
type line struct {
	ID                    json.RawMessage
	Method                string
	Params, Result, Error json.RawMessage
}

// param is a member of params by its path; nil when it is not there.
func (l line) param(path ...string) json.RawMessage {
	value := l.Params
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return nil
		}
		value = object[name]
	}
	return value
}

const modern = "2026-07-28"

// conversation finds the exchanges among the lines of one connection, each answer
// anywhere behind its request.
type conversation struct {
	where string
	// session is the revision of what does not say its own: that which is negotiated
	// before the first line, or "" where one of the lines does that, or none.
	session  string
	requests map[string]exchange // by id, the last one with it
	tokens   map[string]string   // the revisions of requests by their progress tokens
	all      []exchange
}

// pair finds the exchanges of a whole connection.
func pair(t *testing.T, where, session string, lines []transcripts.Entry) []exchange {
	t.Helper()
	c := conversation{where: where, session: session, requests: map[string]exchange{}, tokens: map[string]string{}}
	for _, e := range lines {
		for _, text := range elements(e.Text) {
			switch e.Kind {
			case transcripts.Received:
				c.receive(t, text)
			case transcripts.Sent:
				c.send(text)
			}
		}
	}
	return c.all
}

// send takes a message of the client, if it is a request, or is meant to be one.
func (c *conversation) send(text string) {
	var l line
	if json.Unmarshal([]byte(text), &l) != nil || l.ID == nil || l.Result != nil || l.Error != nil {
		return
	}
	x := exchange{revision: c.session, method: l.Method, request: text}
	switch {
	case l.param("_meta", "io.modelcontextprotocol/protocolVersion") != nil:
		x.revision = modern
	case c.session == "":
		x.revision = "2025-11-25" // of no era: the newest that has no _meta
	}
	c.requests[string(l.ID)] = x
	if token := l.param("_meta", "progressToken"); token != nil {
		c.tokens[string(token)] = x.revision
	}
}

// receive takes a message of the server.
func (c *conversation) receive(t *testing.T, text string) {
	t.Helper()
	var l line
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		t.Fatalf("%s: %v: %s", c.where, err, text)
	}
	x := exchange{revision: c.revisionOf(l)}
	if l.Method == "" {
		x = c.answered(l)
	}
	x.where, x.message = c.where, text
	c.all = append(c.all, x)
}

// answered finds what a response answers.
func (c *conversation) answered(l line) exchange {
	x := c.requests[string(l.ID)]
	if x.method == "initialize" && l.Result != nil {
		var result struct{ ProtocolVersion string }
		if json.Unmarshal(l.Result, &result) == nil && result.ProtocolVersion != "" {
			c.session = result.ProtocolVersion
			x.revision = c.session
		}
	}
	if l.ID == nil && l.Error != nil && x.revision < "2025-11-25" {
		// Up to 2025-06-18 the schema has no error without an id, although JSON-RPC
		// knows requests whose id cannot be read. 2025-11-25 has repaired it.
		x.revision = "2025-11-25"
	}
	return x
}

// revisionOf is the revision of a request or notification of the server.
func (c *conversation) revisionOf(l line) string {
	switch token := c.tokens[string(l.param("progressToken"))]; {
	case token != "":
		return token
	case l.param("_meta", "io.modelcontextprotocol/subscriptionId") != nil, c.session == "":
		return modern
	}
	return c.session
}

// elements takes a batch apart.
func elements(line string) []string {
	var batch []json.RawMessage
	if json.Unmarshal([]byte(line), &batch) != nil {
		return []string{line}
	}
	var all []string
	for _, e := range batch {
		all = append(all, string(e))
	}
	return all
}
