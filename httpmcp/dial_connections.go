package httpmcp

import (
	"context"
	"net"
	"sync"
	"time"
)

// connections are those of the links of one [Dial]. They are closed with the last of these: net/http
// closes only those that nothing uses, and over HTTP/2 what has been given up uses its own for a
// little longer.
type connections struct {
	dialer net.Dialer

	mu    sync.Mutex
	links int
	open  map[*connection]struct{}
}

// dialTime bounds how long a connection may take to come about.
const dialTime = 30 * time.Second

func newConnections() *connections {
	return &connections{dialer: net.Dialer{Timeout: dialTime}, open: make(map[*connection]struct{})}
}

// connection is one of them.
type connection struct {
	net.Conn
	of *connections
}

// dial is the DialContext of an [http.Transport].
func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.links == 0 { // whoever wanted it has gone
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	own := &connection{conn, c}
	c.open[own] = struct{}{}
	return own, nil
}

// Close implements [net.Conn].
func (o *connection) Close() error {
	o.of.mu.Lock()
	delete(o.of.open, o)
	o.of.mu.Unlock()
	return o.Conn.Close()
}

// link counts one link more.
func (c *connections) link() {
	c.mu.Lock()
	c.links++
	c.mu.Unlock()
}

// unlink counts one link less, and closes all with the last one.
func (c *connections) unlink() {
	var left []*connection
	c.mu.Lock()
	if c.links--; c.links == 0 {
		for o := range c.open {
			left = append(left, o)
		}
	}
	c.mu.Unlock()
	for _, o := range left {
		_ = o.Close() // nothing is waited for
	}
}
