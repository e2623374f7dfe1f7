package mcptest

import (
	"bytes"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Client is one client on a connection of its own. Its methods may be called from
// several goroutines at once; those that fail the test at once ([testing.TB.Fatalf]) by
// the goroutine of the test alone.
type Client struct {
	t      testing.TB
	o      *Options
	server *mcp.Server
	speak  speaker
	link   link

	resume  chan struct{} // closed when what comes may be read
	resumed sync.Once
	ended   sync.Once
	isCut   atomic.Bool    // by the test, or because the server does not answer
	all     sync.WaitGroup // the reader, and those who answer asks

	mu       sync.Mutex
	lastID   int64
	sent     int64               // requests so far
	waiting  map[string]*Pending // by the key of the id
	gone     map[string]string   // ids that must not be answered any more, and why
	streams  []*Stream
	notes    []Note // those that belong to nothing
	asks     []Ask
	replicas []*Client
	declared jsonrpc.Raw // what the server can do
	closing  bool
	err      error // what serving ended with
}

// Dial connects a client with a server and opens its session, where the revision has
// one. When the test ends the client is closed: see [Client.Close].
func Dial(t testing.TB, s *mcp.Server, o *Options) *Client {
	t.Helper()
	c := dial(t, s, o)
	c.speak.open(c)
	return c
}

// dial connects without opening.
func dial(t testing.TB, s *mcp.Server, o *Options) *Client {
	f := o.filled()
	c := &Client{
		t: t, o: f, server: s, speak: speakerOf(f.Revision),
		link:    f.Transport.dial(t, s, f),
		resume:  make(chan struct{}),
		waiting: make(map[string]*Pending),
		gone:    make(map[string]string),
	}
	if !f.Faults.Unread {
		c.Resume()
	}
	c.all.Add(1)
	go c.read()
	t.Cleanup(c.Close)
	return c
}

// DialRaw connects a client that says nothing of itself before the test does: no
// handshake is made. Use it with [Client.Send].
func DialRaw(t testing.TB, s *mcp.Server, o *Options) *Client { return dial(t, s, o) }

// Revision is the one that the client speaks.
func (c *Client) Revision() string { return c.o.Revision }

// Server is the one that the client is connected with.
func (c *Client) Server() *mcp.Server { return c.server }

// Resume lets a client begin to read that was made with [Faults.Unread].
func (c *Client) Resume() { c.resumed.Do(func() { close(c.resume) }) }

// Close ends the input of the server, waits until it has said its last, and fails the test
// when it ends with an error, unless the connection has [Faults]. It may be called more
// than once.
func (c *Client) Close() {
	c.t.Helper()
	c.ended.Do(func() {
		c.t.Helper()
		c.mu.Lock()
		c.closing = true
		replicas := c.replicas
		c.mu.Unlock()
		c.link.end()
		if c.faulty() {
			c.link.cut()
			c.Resume()
		}
		c.err = <-c.link.served() // a handler that does not end is given up, at the end of the drain time
		c.all.Wait()
		c.link.cut()
		for _, r := range replicas {
			r.Close()
		}
		c.checkEnd()
	})
}

func (c *Client) isClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing
}

// Cut breaks the connection off, as a client does that is killed. [Client.Close] does
// not mind then how the server ended.
func (c *Client) Cut() {
	c.isCut.Store(true)
	c.link.cut()
}

// faulty reports whether the connection cannot be expected to end well.
func (c *Client) faulty() bool { return c.o.Faults.any() || c.isCut.Load() }

// ServeError is what serving ended with, after [Client.Close].
func (c *Client) ServeError() error { return c.err }

// Send sends a line as it is.
func (c *Client) Send(line string) {
	c.t.Helper()
	if err := c.link.send(line); err != nil && !c.faulty() {
		c.t.Errorf("sending %s: %v", line, err)
	}
}

// reply sends the answer to what the server has asked, which hears nothing more from a client that
// closes meanwhile.
func (c *Client) reply(line string) {
	if c.isClosing() {
		return
	}
	if err := c.link.send(line); err != nil && !c.faulty() && !c.isClosing() {
		c.t.Errorf("answering %s: %v", line, err)
	}
}

// Notify sends a notification. params is an object or "".
func (c *Client) Notify(method, params string) {
	c.t.Helper()
	var p []byte
	if params != "" {
		p = []byte(params)
	}
	c.Send(string(jsonrpc.AppendMessage(nil, jsonrpc.ID{}, method, p)))
}

// Request sends a request and waits for its answer. params is an object, or "" for none;
// what each request of the revision carries is put into it.
func (c *Client) Request(method, params string) *Response {
	c.t.Helper()
	return c.Start(method, params).Wait()
}

// Start sends a request and does not wait.
func (c *Client) Start(method, params string) *Pending {
	c.t.Helper()
	c.mu.Lock()
	c.lastID++
	id := strconv.FormatInt(c.lastID, 10)
	c.mu.Unlock()
	return c.StartAs(id, method, params)
}

// StartAs is [Client.Start] with an id of the test's choice, a JSON string or integer.
func (c *Client) StartAs(id, method, params string) *Pending {
	c.t.Helper()
	var token string
	if c.o.Progress {
		token = quote("progress of " + id)
	}
	p := &Pending{c: c, id: id, method: method, given: params, done: make(chan *Response, 1)}
	c.mu.Lock()
	now := *c.o // SetLevel may change it meanwhile
	c.mu.Unlock()
	sent := c.speak.params(&now, params, token)
	p.token = string(At(jsonrpc.Raw(sent), "_meta", mcp.MetaProgressToken))
	p.level = text(At(jsonrpc.Raw(sent), "_meta", mcp.MetaLogLevel))
	c.mustBeJSON("params", params)
	line := object(`"jsonrpc":"2.0"`, member("id", id), member("method", quote(method)), member("params", sent))
	c.mu.Lock()
	c.sent++
	p.n = c.sent
	c.waiting[keyOf(id)] = p
	c.mu.Unlock()
	c.Send(line)
	return p
}

// keyOf is the key of an id.
func keyOf(id string) string {
	parsed, _ := jsonrpc.ParseID(jsonrpc.Raw(id))
	return parsed.Key()
}

// Pending is a request that was sent.
type Pending struct {
	c      *Client
	id     string
	n      int64 // of all requests
	method string
	given  string // params, before what each request carries
	token  string // of progress, "" for none
	level  string // from which on it wants to be told, "" for none
	done   chan *Response
	notes  []Note
}

// ID is the id, as sent.
func (p *Pending) ID() string { return p.id }

// Wait waits for the answer. A test that waits longer than [Options.Patience] fails at
// once, and its connection is cut.
func (p *Pending) Wait() *Response {
	p.c.t.Helper()
	t := time.NewTimer(p.c.o.Patience)
	defer t.Stop()
	select {
	case r := <-p.done:
		p.done <- r // for who asks again
		return r
	case <-t.C:
		p.c.Cut()
		p.c.t.Fatalf("%s: no answer within %v to %s with id %s %s", p.c.name(), p.c.o.Patience, p.method, p.id, p.given)
		return nil
	}
}

// Answered reports whether the answer is there.
func (p *Pending) Answered() bool { return len(p.done) > 0 }

// Cancel tells the server that the answer is not wanted any more. Whatever comes for the
// request from now on fails the test, so the test must know that it is still worked on.
func (p *Pending) Cancel() {
	p.c.t.Helper()
	p.c.giveUp(p.id, "it was cancelled")
	p.c.Notify("notifications/cancelled", object(member("requestId", p.id), `"reason":"the test says so"`))
}

// giveUp notes that a request must not be answered any more.
func (c *Client) giveUp(id, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := keyOf(id)
	if _, ok := c.waiting[key]; ok {
		delete(c.waiting, key)
		c.gone[key] = why
	}
}

// Notes returns the notifications so far that belong to no request and no [Stream].
func (c *Client) Notes() []Note {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Note(nil), c.notes...)
}

// Asks returns what the server has asked so far, in the order of arrival.
func (c *Client) Asks() []Ask {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := append([]Ask(nil), c.asks...)
	for _, r := range c.replicas {
		all = append(all, r.Asks()...)
	}
	return all
}

// read takes in what comes, to the end.
func (c *Client) read() {
	defer c.all.Done()
	<-c.resume
	for {
		line, err := c.link.receive()
		if err != nil {
			if line != "" && !c.faulty() {
				c.t.Errorf("%s: the output ends within a line: %q", c.name(), line)
			}
			return
		}
		raw := jsonrpc.Raw(bytes.TrimSpace([]byte(line)))
		if raw.Kind() != jsonrpc.KindArray {
			c.arrived(line)
			continue
		}
		for _, e := range Elements(raw) { // a batch
			c.arrived(string(e))
		}
	}
}

// name says in failures which client it is.
func (c *Client) name() string { return c.o.Revision + " over " + c.o.Transport.Name }
