package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"isthmus.internal/jsonrpc"
)

// server is a server process, as the tour drives it.
type server interface {
	// greeting is the first line that it tells people.
	greeting() (string, error)
	// send gives it one message.
	send(line string, headers ...string) error
	// receive waits for its next message.
	receive(until time.Time) (string, error)
	// close ends it.
	close() ending
}

// webServer is a server that serves HTTP. Each message goes out in a POST of its own, with the
// headers of its era, and whatever comes back on any stream is received as one message
// after the other. One goroutine uses it; what the answers tell of the session is under mu.
type webServer struct {
	*child
	say    func(line string) // tells how a message travelled
	url    string
	client *http.Client
	came   chan string

	ctx    context.Context
	cancel context.CancelFunc
	posts  sync.WaitGroup

	mu      sync.Mutex
	session string                        // of the legacy session, once there is one
	version string                        // that was negotiated there
	open    map[string]context.CancelFunc // modern requests that are not answered, by id
}

// serveWeb starts argv as a server that serves HTTP, until ctx ends.
func serveWeb(ctx context.Context, argv []string, deadline time.Duration, say func(line string)) (*webServer, error) {
	c, err := start(ctx, argv, deadline, say)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	return &webServer{
		child: c, say: say, ctx: ctx, cancel: cancel,
		client: &http.Client{Transport: &http.Transport{}},
		came:   make(chan string),
		open:   map[string]context.CancelFunc{},
	}, nil
}

// greeting takes the URL from the ready line.
func (w *webServer) greeting() (string, error) {
	line, err := w.child.greeting()
	if err != nil {
		return line, err
	}
	_, rest, _ := strings.Cut(line, "ready on ")
	w.url, _, _ = strings.Cut(rest, ": ")
	if !strings.HasPrefix(w.url, "http://") {
		w.child.giveUp()
		return line, errors.New("no URL in: " + line)
	}
	return line, nil
}

// send posts one message. What the reply depends on has happened when it returns: the
// stream of a session is open once the server has been told that the client is ready.
func (w *webServer) send(line string, headers ...string) error {
	if w.child.lost != nil {
		return w.child.lost
	}
	raw := jsonrpc.Raw(line)
	if w.cancels(raw) {
		return nil
	}
	ctx, cancel := context.WithCancel(w.ctx)
	r, err := w.request(ctx, raw, headers)
	if err != nil {
		cancel()
		return err
	}
	if id := at(raw, "id"); id != nil && r.Header.Get("Mcp-Session-Id") == "" {
		w.mu.Lock()
		w.open[string(id)] = cancel
		w.mu.Unlock()
	}
	w.say(shown(r))
	sent := make(chan struct{})
	w.posts.Go(func() {
		defer cancel()
		w.exchange(r, func() { close(sent) })
	})
	if at(raw, "id") == nil {
		<-sent
	}
	if at(raw, "method").Is("notifications/initialized") {
		return w.listen()
	}
	return nil
}

// cancels ends the request that a cancellation names, if it is a modern one: over HTTP that
// is done by closing its stream (2026-07-28 basic/patterns/cancellation).
func (w *webServer) cancels(raw jsonrpc.Raw) bool {
	if !at(raw, "method").Is("notifications/cancelled") {
		return false
	}
	w.mu.Lock()
	cancel, known := w.open[string(at(raw, "params requestId"))]
	w.mu.Unlock()
	if known {
		w.say("the stream of the request is closed, which cancels it")
		cancel()
	}
	return known
}

// request makes the POST of one message: a modern one says in headers what it says in its
// body (2026-07-28 basic/transports/streamable-http, Request Metadata), a legacy one names
// its session (2025-11-25 basic/transports, Session Management).
func (w *webServer) request(ctx context.Context, raw jsonrpc.Raw, headers []string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, "POST", w.url, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w.mu.Lock()
	session, negotiated := w.session, w.version
	w.mu.Unlock()
	if version, modern := at(raw, "params _meta io.modelcontextprotocol/protocolVersion").Text(); modern {
		r.Header.Set("MCP-Protocol-Version", version)
		method, _ := at(raw, "method").Text()
		r.Header.Set("Mcp-Method", method)
		for _, source := range []string{"params name", "params uri"} {
			if name, ok := at(raw, source).Text(); ok {
				r.Header.Set("Mcp-Name", name)
			}
		}
	} else if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("MCP-Protocol-Version", negotiated)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	return r, nil
}

// shown is how a request travels, for people.
func shown(r *http.Request) string {
	text := r.Method + " " + r.URL.Path
	for _, name := range []string{"MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-ID"} {
		if value := r.Header.Get(name); value != "" {
			text += "  " + name + ": " + value
		}
	}
	return text
}

// exchange sends one request and takes in what comes of it. answered is called once the
// status is there, or never will be.
func (w *webServer) exchange(r *http.Request, answered func()) {
	reply, err := w.client.Do(r)
	if err != nil {
		answered()
		if r.Context().Err() == nil {
			w.say(err.Error())
		}
		return
	}
	defer reply.Body.Close()
	kind, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	w.say(strings.TrimSpace(fmt.Sprintf("%s %s", reply.Status, kind)))
	w.join(reply)
	answered()
	switch kind {
	case "application/json":
		body, err := io.ReadAll(io.LimitReader(reply.Body, maxLine))
		if err == nil {
			w.arrived(string(body))
		}
	case "text/event-stream":
		eachEvent(reply.Body, w.arrived)
	}
}

// join notes the session that a reply opens.
func (w *webServer) join(reply *http.Response) {
	id := reply.Header.Get("Mcp-Session-Id")
	if id == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session = id
}

// arrived hands a message over.
func (w *webServer) arrived(message string) {
	if version, ok := at(jsonrpc.Raw(message), "result protocolVersion").Text(); ok {
		w.mu.Lock()
		w.version = version
		w.mu.Unlock()
	}
	select {
	case w.came <- message:
	case <-w.ctx.Done():
	}
}

// eachEvent reads a stream of events to its end (WHATWG HTML, Server-sent events).
func eachEvent(stream io.Reader, do func(data string)) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxLine)
	data := ""
	for lines.Scan() {
		line := lines.Text()
		if text, found := strings.CutPrefix(line, "data:"); found {
			data += strings.TrimPrefix(text, " ")
		}
		if line == "" && data != "" {
			do(data)
			data = ""
		}
	}
}

// listen opens the stream of the session, on which comes what belongs to no request
// (2025-11-25 basic/transports, Listening for Messages from the Server).
func (w *webServer) listen() error {
	w.mu.Lock()
	session, version := w.session, w.version
	w.mu.Unlock()
	r, err := http.NewRequestWithContext(w.ctx, "GET", w.url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	r.Header.Set("MCP-Protocol-Version", version)
	w.say(shown(r))
	open := make(chan struct{})
	w.posts.Go(func() { w.exchange(r, func() { close(open) }) })
	<-open
	return nil
}

// receive implements [server].
func (w *webServer) receive(until time.Time) (string, error) {
	if w.child.lost != nil {
		return "", w.child.lost
	}
	late := time.NewTimer(time.Until(until))
	defer late.Stop()
	select {
	case message := <-w.came:
		return message, nil
	case <-late.C:
		w.child.giveUp()
	case <-w.ctx.Done():
		w.child.lost = errEnded
	}
	return "", w.child.lost
}

// close ends the session, and the server by SIGTERM.
func (w *webServer) close() ending {
	w.mu.Lock()
	session := w.session
	w.mu.Unlock()
	if w.child.lost == nil && session != "" {
		if r, err := http.NewRequestWithContext(w.ctx, "DELETE", w.url, nil); err == nil {
			r.Header.Set("Mcp-Session-Id", session)
			w.say(shown(r))
			w.exchange(r, func() {})
		}
	}
	w.child.cmd.Process.Signal(syscall.SIGTERM)
	e := w.child.close()
	w.cancel()
	w.posts.Wait()
	w.client.CloseIdleConnections()
	e.asked = "after SIGTERM"
	return e
}
