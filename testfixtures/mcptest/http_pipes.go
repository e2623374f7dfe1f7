package mcptest

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing/iotest"
)

// pipes are connections in memory: the listener of the server, and the dialer of the
// client.
type pipes struct {
	faults Faults
	writes atomic.Int64 // of the server so far
	fresh  chan net.Conn
	closed chan struct{} // of the listener, or of all by cut
	close  sync.Once

	mu   sync.Mutex
	all  []*clientEnd
	dead bool
}

func newPipes(f Faults) *pipes {
	return &pipes{faults: f, fresh: make(chan net.Conn), closed: make(chan struct{})}
}

// dial makes a connection.
func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	server := &serverEnd{Conn: far, pipes: p, from: far}
	if p.faults.OneByte {
		server.from = iotest.OneByteReader(far)
	}
	client := &clientEnd{near, make(chan struct{}, 1)}
	p.mu.Lock()
	p.all = append(p.all, client)
	server.port = len(p.all)
	dead := p.dead
	p.mu.Unlock()
	if !dead {
		select {
		case p.fresh <- server:
			return client, nil
		case <-p.closed:
		case <-ctx.Done():
		}
	}
	client.Close()
	return nil, errCut
}

// cut breaks all connections.
func (p *pipes) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	for _, c := range p.all {
		c.Close()
	}
}

// Accept implements [net.Listener].
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.fresh:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (p *pipes) Close() error {
	p.close.Do(func() { close(p.closed) })
	return nil
}

// Addr implements [net.Listener]: it is one of this host alone.
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// clientEnd is the client's end of a connection.
type clientEnd struct {
	net.Conn
	taken chan struct{} // holds one when the server has read a whole body
}

// serverEnd is the server's end, with its faults.
type serverEnd struct {
	net.Conn
	pipes *pipes
	from  io.Reader
	port  int // of the client
}

func (e *serverEnd) LocalAddr() net.Addr { return e.pipes.Addr() }

func (e *serverEnd) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: e.port}
}

func (e *serverEnd) Read(b []byte) (int, error) { return e.from.Read(b) }

func (e *serverEnd) Write(b []byte) (int, error) {
	if n := e.pipes.faults.BreakWrite; n > 0 && e.pipes.writes.Add(1) >= int64(n) {
		return 0, errCut
	}
	return e.Conn.Write(b)
}

// client finds the client's end of a connection by its address, as the server sees it.
func (p *pipes) client(address string) *clientEnd {
	_, port, _ := net.SplitHostPort(address)
	n, _ := strconv.Atoi(port)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[n-1]
}

// watched is an endpoint that tells when it has read the body of a request.
type watched struct {
	http.Handler
	pipes *pipes
}

func (h *watched) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = &watchedBody{r.Body, h.pipes.client(r.RemoteAddr)}
	h.Handler.ServeHTTP(w, r)
}

type watchedBody struct {
	io.ReadCloser
	client *clientEnd
}

func (b *watchedBody) Read(to []byte) (int, error) {
	n, err := b.ReadCloser.Read(to)
	if err == io.EOF {
		select {
		case b.client.taken <- struct{}{}:
		default:
		}
	}
	return n, err
}
