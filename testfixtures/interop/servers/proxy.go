package main

import (
	"io"
	"net"
	"net/url"
	"sync"
)

// proxy passes connections on to a server, and breaks them on request.
type proxy struct {
	url    string // of the server, through the proxy
	server string // its address
	l      net.Listener
	all    sync.WaitGroup

	mu    sync.Mutex
	open  map[net.Conn]bool // both ends of what is passed on
	broke int               // how often connections were cut
	ended bool
}

// newProxy stands before the server at a URL. It must be closed.
func newProxy(server string) (*proxy, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{server: u.Host, l: l, open: make(map[net.Conn]bool)}
	u.Host = l.Addr().String()
	p.url = u.String()
	p.all.Go(p.accept)
	return p, nil
}

func (p *proxy) accept() {
	for {
		client, err := p.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil || !p.add(client, server) {
			client.Close()
			continue
		}
		p.all.Go(func() { p.pass(client, server) })
		p.all.Go(func() { p.pass(server, client) })
	}
}

// add notes both ends of a connection, unless the proxy is closed.
func (p *proxy) add(ends ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range ends {
		if p.ended {
			c.Close()
			continue
		}
		p.open[c] = true
	}
	return !p.ended
}

func (p *proxy) pass(to, from net.Conn) {
	io.Copy(to, from)
	to.Close()
	from.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, to)
	delete(p.open, from)
}

// cut breaks all connections that are open. New ones pass.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broke++
	for c := range p.open {
		c.Close()
	}
}

// cuts is how often connections were cut.
func (p *proxy) cuts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broke
}

func (p *proxy) close() {
	p.l.Close()
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.cut()
	p.all.Wait()
}
