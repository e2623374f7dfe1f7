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

// httpEnd is the client's end of connections with a server of package httpmcp, all of them in
// memory.
type httpEnd struct {
	t         testing.TB
	o         *Options
	transport *http.Transport
	pipes     *pipes

	in    chan string   // messages of the server; takes none before the client receives
	gone  chan struct{} // by cut
	leave sync.Once
	over  chan struct{} // the server has ended, and no answer is left to read
	stop  context.CancelFunc
	done  chan error

	readers sync.WaitGroup // of answers

	mu    sync.Mutex
	ended bool
}

// longestName is room for Mcp-Name, which is as long as what a test names.
const longestName = 16 << 20

func newHTTPEnd(t testing.TB, s *mcp.Server, o *Options, endpoint http.Handler) *httpEnd {
	ctx, stop := context.WithCancel(context.Background())
	e := &httpEnd{
		t: t, o: o, pipes: newPipes(o.Faults),
		in: make(chan string), gone: make(chan struct{}), over: make(chan struct{}),
		stop: stop, done: make(chan error, 1),
	}
	e.transport = &http.Transport{DialContext: e.pipes.dial, DisableCompression: true, MaxIdleConnsPerHost: 64}
	go func() {
		err := httpmcp.Serve(ctx, e.pipes, &watched{endpoint, e.pipes}, &httpmcp.ServeOptions{Logger: s.Logger(), MaxHeader: longestName})
		e.transport.CloseIdleConnections()
		e.readers.Wait()
		close(e.over)
		e.done <- err
	}()
	return e
}

// endpointOptions are those of a server for this client.
func (o *Options) endpointOptions() *httpmcp.Options {
	return &httpmcp.Options{Principal: func(*http.Request) *mcp.Principal { return o.Principal }}
}

// begin counts an answer to come, and reports false when the link has ended.
func (e *httpEnd) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ended {
		e.readers.Add(1)
	}
	return !e.ended
}

// settle gives the server the time to do what follows from a message: in a bubble of
// synctest the clock stands still until it has nothing more to do.
func settle() { <-time.After(1) }

// receive implements [link].
func (e *httpEnd) receive() (string, error) {
	select {
	case line := <-e.in:
		return line, nil
	case <-e.over:
	case <-e.gone:
	}
	return "", io.EOF
}

// put hands a message of the server over, unless ctx has ended: then the client has hung up and
// hears nothing more, though something may be on its way.
func (e *httpEnd) put(ctx context.Context, line string) {
	if ctx.Err() != nil {
		return
	}
	select {
	case e.in <- line:
	case <-ctx.Done():
	case <-e.gone:
	}
}

// end shuts the server down: there is no other way to tell it that nothing more comes.
func (e *httpEnd) end() {
	e.mu.Lock()
	e.ended = true
	e.mu.Unlock()
	e.stop()
}

func (e *httpEnd) cut() {
	e.leave.Do(func() { close(e.gone) })
	e.pipes.cut()
}

func (e *httpEnd) served() <-chan error { return e.done }

// isOver reports whether connections may fail: they were cut, or the server ends.
func (e *httpEnd) isOver() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.gone:
		return true
	default:
		return e.ended || e.o.Faults.any()
	}
}

// fault fails the test for what an answer to a message has and must not have.
func (e *httpEnd) fault(line, format string, args ...any) {
	e.t.Helper()
	e.t.Errorf(e.o.Revision+" over http: "+format+"\n%s", append(args, line)...)
}
