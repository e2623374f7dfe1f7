package mcptest

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// httpLink is a client of a server of package httpmcp, with connections in memory between
// them. Each message is a POST. What the server sends comes in the answers to these, and,
// in a legacy session, in the answer to one GET.
type httpLink struct {
	t         testing.TB
	o         *Options
	server    *mcp.Server
	transport *http.Transport
	pipes     *pipes

	in    chan string   // messages of the server; takes none before the client receives
	gone  chan struct{} // by cut
	leave sync.Once
	over  chan struct{} // the server has ended, and no answer is left to read
	stop  context.CancelFunc
	done  chan error

	readers sync.WaitGroup // of answers

	mu      sync.Mutex
	ended   bool
	session string // the id, "" without one
	version string // that the session has negotiated, "" before
	posts   map[string]*post
	hears   bool // the stream of the session is open, or being opened
}

// longestName is room for Mcp-Name, which is as long as what a test names.
const longestName = 16 << 20

func dialHTTP(t testing.TB, s *mcp.Server, o *Options) link {
	ctx, stop := context.WithCancel(context.Background())
	l := &httpLink{
		t: t, o: o, server: s, pipes: newPipes(o.Faults),
		in: make(chan string), gone: make(chan struct{}), over: make(chan struct{}),
		stop: stop, done: make(chan error, 1), posts: make(map[string]*post),
	}
	l.transport = &http.Transport{DialContext: l.pipes.dial, DisableCompression: true, MaxIdleConnsPerHost: 64}
	e := httpmcp.Handler(s, &httpmcp.Options{Principal: func(*http.Request) *mcp.Principal { return o.Principal }})
	go func() {
		err := httpmcp.Serve(ctx, l.pipes, &watched{e, l.pipes}, &httpmcp.ServeOptions{Logger: s.Logger(), MaxHeader: longestName})
		l.transport.CloseIdleConnections()
		l.readers.Wait()
		close(l.over)
		l.done <- err
	}()
	return l
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
	if !l.begin(p) {
		return errCut
	}
	go p.run()
	select {
	case <-p.taken:
	case <-p.ended:
	}
	switch {
	case !p.request, p.method == "initialize":
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

// settle gives the server the time to do what follows from a message: in a bubble of
// synctest the clock stands still until it has nothing more to do.
func settle() { <-time.After(1) }

// begin counts an answer to come, and reports false when the link has ended.
func (l *httpLink) begin(p *post) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.readers.Add(1)
	if p.request && p.modern {
		l.posts[p.key] = p
	}
	return true
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

// receive implements [link].
func (l *httpLink) receive() (string, error) {
	select {
	case line := <-l.in:
		return line, nil
	case <-l.over:
	case <-l.gone:
	}
	return "", io.EOF
}

// put hands a message of the server over, unless the client has hung up: then it hears
// nothing more, though something may be on its way.
func (p *post) put(line string) {
	if p.ctx.Err() != nil {
		return
	}
	select {
	case p.link.in <- line:
	case <-p.ctx.Done():
	case <-p.link.gone:
	}
}

// end shuts the server down: there is no other way to tell it that nothing more comes.
func (l *httpLink) end() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.stop()
}

func (l *httpLink) cut() {
	l.leave.Do(func() { close(l.gone) })
	l.pipes.cut()
}

func (l *httpLink) served() <-chan error { return l.done }

// isOver reports whether connections may fail: they were cut, or the server ends.
func (l *httpLink) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.gone:
		return true
	default:
		return l.ended || l.o.Faults.any()
	}
}

// fault fails the test for what an answer has and must not have.
func (l *httpLink) fault(p *post, format string, args ...any) {
	l.t.Helper()
	l.t.Errorf(l.o.Revision+" over http: "+format+"\n%s", append(args, p.line)...)
}
