package replicas

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/fixture/fixturetest"
)

const revision = "2025-11-25"

// session is a legacy session as its client sees it.
type session struct {
	*cluster
	header []string // what each message of it carries
	by     turns
	lastID int
}

// open opens a session, and has the replica that answers and the one that takes the notification
// noted.
func (c *cluster) open() *session {
	c.t.Helper()
	s := &session{cluster: c}
	a := s.take(fixturetest.Initialize(revision))
	if a.result() == nil {
		c.t.Fatalf("initialize: got status %d and no result", a.status)
	}
	s.header = []string{"Mcp-Protocol-Version", revision}
	if id := a.header.Get("Mcp-Session-Id"); id != "" {
		s.header = append(s.header, "Mcp-Session-Id", id)
	}
	a = s.take(fixturetest.Initialized)
	a.body.Close()
	if a.status != http.StatusAccepted {
		c.t.Errorf("initialized: got status %d, want 202", a.status)
	}
	return s
}

// take sends a message and notes who has answered.
func (s *session) take(message string) *answer {
	s.t.Helper()
	a := s.again(message, s.header...)
	s.by.add(s.cluster, a)
	return a
}

// request sends a request and reads its result.
func (s *session) request(method, params string) result {
	s.t.Helper()
	s.lastID++
	return read(s.t, s.take(fixturetest.Request(fmt.Sprint(s.lastID), method, params)))
}

// calls goes through what a session is for, until all replicas have answered more than once.
func (s *session) calls() {
	s.t.Helper()
	var names int
	for cursor := ""; ; {
		r := s.request("tools/list", cursor)
		names += len(r.Tools)
		if r.NextCursor == "" {
			break
		}
		cursor = fmt.Sprintf(`"cursor":%q`, r.NextCursor)
	}
	if names < 20 {
		s.t.Errorf("the pages of tools have %d names", names)
	}
	for range size {
		if r := s.request("tools/call", `"name":"add","arguments":{"a":1,"b":2}`); len(r.Content) != 1 {
			s.t.Errorf("add: got %+v", r)
		}
	}
}

// TestSealedSession: a session whose id is sealed goes on at whichever replica its messages reach,
// also when the one that has opened it is gone.
func TestSealedSession(t *testing.T) {
	c := start(t, "-page", "7")
	s := c.open()
	if len(s.header) != 4 {
		t.Fatal("initialize gives no Mcp-Session-Id")
	}
	s.calls()
	if got := distinct(s.by); len(got) != size {
		t.Errorf("%v have answered, want all %d", got, size)
	}
	c.kill(s.by[0])
	s.by = nil
	s.calls()
	if got := distinct(s.by); len(got) != size-1 {
		t.Errorf("%v have answered, want the %d that are left", got, size-1)
	}
}

// TestSealedSessionRefuses: an id that was altered is unknown everywhere, so that the client opens
// a new session, and what a sealed session cannot do is said.
func TestSealedSessionRefuses(t *testing.T) {
	c := start(t)
	s := c.open()
	if r := s.request("tools/call", `"name":"ask"`); !r.IsError || len(r.Content) != 1 || !strings.Contains(r.Content[0].Text, "cannot be asked") {
		t.Errorf("ask: got %+v, want an error that says that the client cannot be asked", r)
	}
	id := []byte(s.header[3])
	id[len(id)/2] ^= 1 // of these characters none becomes one that no id has
	s.header[3] = string(id)
	for range size {
		a := s.take(fixturetest.Request("2", "ping", ""))
		a.body.Close()
		if a.status != http.StatusNotFound {
			t.Errorf("an altered id: got status %d from %s, want 404", a.status, a.by)
		}
	}
}

// TestStateless: without sessions each request stands for itself.
func TestStateless(t *testing.T) {
	c := start(t, "-stateless", "-page", "7")
	s := c.open()
	if len(s.header) != 2 {
		t.Errorf("there is a session: %q", s.header)
	}
	s.calls()
	if got := distinct(s.by); len(got) != size {
		t.Errorf("%v have answered, want all %d", got, size)
	}
}
