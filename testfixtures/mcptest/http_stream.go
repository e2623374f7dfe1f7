package mcptest

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// httpLink is a client of Streamable HTTP. Each message is a POST. What the server sends
// comes in the answers to these, and, in a legacy session, in the answer to one GET.
type httpLink struct {
	*httpEnd
	server *mcp.Server

	// Under the lock of the end:
	session string // the id, "" without one
	version string // that the session has negotiated, "" before
	posts   map[string]*post
	hears   bool // the stream of the session is open, or being opened
}

func dialHTTP(t testing.TB, s *mcp.Server, o *Options) link {
	if o.Revision < "2025-03-26" {
		return dialSSE(t, s, o, httpmcp.SSEHandler(s, o.endpointOptions()))
	}
	return dialStreamable(t, s, o, httpmcp.Handler(s, o.endpointOptions()))
}

func dialStreamable(t testing.TB, s *mcp.Server, o *Options, endpoint http.Handler) link {
	return &httpLink{httpEnd: newHTTPEnd(t, s, o, endpoint), server: s, posts: make(map[string]*post)}
}

// send posts one message, and returns when the server has read it. What is not a request has
// been answered by then. Over connections of their own messages have no order, but a test
// sends one after the other and means it.
func (l *httpLink) send(line string) error {
	p := l.newPost(line)
	if p.cancels != "" && l.hangUp(p.cancels) {
		settle()
		return nil
	}
	if !l.begin() {
		return errCut
	}
	l.remember(p)
	go p.run()
	select {
	case <-p.taken:
	case <-p.ended:
	}
	if !p.request || p.method == "initialize" {
		select { // what comes next depends on it
		case <-p.answered:
		case <-p.ended:
		}
	}
	if p.method == "notifications/initialized" && !p.modern && l.mayListen() {
		l.listen()
	}
	settle()
	return nil
}

// mayListen reports whether there is a session whose stream is to be opened: it has one.
func (l *httpLink) mayListen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	may := l.session != "" && !l.hears
	l.hears = l.hears || may
	return may
}

// hangUp cancels a request as the modern revision has it: by closing the stream of its
// answer (2026-07-28 basic/patterns/cancellation, Transport-Specific Cancellation). It
// reports whether there is such a request.
func (l *httpLink) hangUp(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.posts[key]
	if p != nil {
		delete(l.posts, key)
		p.cancel()
	}
	return p != nil
}

// remember keeps a request that can be cancelled.
func (l *httpLink) remember(p *post) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.request && p.modern {
		l.posts[p.key] = p
	}
}

// get asks for a stream: the one of the session, or the rest of the one that an event
// belonged to.
func (l *httpLink) get(ctx context.Context, last string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, endpointURL, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/event-stream")
	l.sessionHeaders(r.Header)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	return l.transport.RoundTrip(r)
}

// learn takes what an answer says of the session.
func (l *httpLink) learn(p *post, a *http.Response) {
	if p.modern || p.method != "initialize" || a.StatusCode != http.StatusOK {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = a.Header.Get("Mcp-Session-Id")
	l.version = l.o.Revision // or else the handshake fails
}

var errNoStream = errors.New("mcptest: the server gives no stream")

// listen opens the stream of a legacy session (2025-11-25 basic/transports, Listening for
// Messages from the Server), and comes back for it while the session lasts.
func (l *httpLink) listen() {
	p := l.newPost("GET")
	if !l.begin() {
		return
	}
	open := make(chan error, 1)
	go func() {
		defer l.readers.Done()
		defer p.cancel()
		a, err := l.get(p.ctx, "")
		if err == nil && !isStream(a) {
			a.Body.Close()
			err = errNoStream
		}
		open <- err
		if err == nil {
			p.readStream(a)
		}
	}()
	if err := <-open; err != nil && !l.isOver() {
		l.fault(p.line, "%v", err)
	}
}
