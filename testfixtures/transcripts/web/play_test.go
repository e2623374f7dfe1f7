package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/testfixtures/transcripts/web"
)

// player plays one transcript, in a bubble of synctest.
type player struct {
	*testing.T
	endpoint endpoint
	listener *pipes
	session  string // its id, once there is one
	open     map[string]*connection
	order    []string
	played   web.Transcript
}

// endpoint is one of either transport.
type endpoint interface {
	http.Handler
	Shutdown(context.Context) error
}

// pipes is a listener without a network.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// loopback is a connection with the address that the guard looks at.
type loopback struct {
	net.Conn
	at net.Addr
}

func (l loopback) LocalAddr() net.Addr { return l.at }

// connection is the client's end of one.
type connection struct {
	net.Conn
	mu   sync.Mutex
	came bytes.Buffer
	body body
}

// body is what is known of the response under way.
type body struct {
	begun   bool
	chunked bool
	left    int // bytes of a body with a length
}

// play sends the requests of a transcript, one after the other, and returns it with what
// came back in place of what should. All that comes of a request has come before the next
// one is sent.
func play(t *testing.T, script web.Transcript) web.Transcript {
	s, err := script.Server()
	if err != nil {
		t.Fatal(err)
	}
	p := &player{
		T:        t,
		endpoint: httpmcp.Handler(s, script.Options()),
		listener: &pipes{accept: make(chan net.Conn), closed: make(chan struct{})},
		open:     map[string]*connection{},
		played:   web.Transcript{Name: script.Name},
	}
	if script.Deprecated() {
		p.endpoint = httpmcp.SSEHandler(s, script.Options())
	}
	server := &http.Server{Handler: p.endpoint}
	done := make(chan error, 1)
	go func() { done <- server.Serve(p.listener) }()
	for lines := script.Lines; len(lines) > 0; {
		lines = p.step(lines)
	}
	for _, c := range p.open {
		c.Close()
	}
	if err := p.endpoint.Shutdown(context.Background()); err != nil {
		t.Errorf("Shutdown ended with %v, want nil", err)
	}
	server.Close()
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("the server ended with %v", err)
	}
	return p.played
}

// step does what the next line says, or the lines of the next request, and returns the rest.
func (p *player) step(lines []web.Line) []web.Line {
	line := lines[0]
	switch line.Kind {
	case web.Received, web.Ended:
		return lines[1:]
	case web.Sent:
		n := 1
		for n < len(lines) && lines[n].Kind == web.Sent && lines[n].Connection == line.Connection {
			n++
		}
		p.request(lines[:n])
		return lines[n:]
	case web.Closed:
		p.keep(line)
		p.open[line.Connection].Close()
		p.gather()
	case web.Shutdown:
		p.keep(line)
		go p.endpoint.Shutdown(context.Background())
		p.gather()
	default:
		p.keep(line)
	}
	return lines[1:]
}

func (p *player) keep(line web.Line) { p.played.Lines = append(p.played.Lines, line) }

// request sends one request: a head, an empty line and, where there is one, a body.
func (p *player) request(lines []web.Line) {
	name := lines[0].Connection
	lines = slices.DeleteFunc(slices.Clone(lines), func(l web.Line) bool { return strings.HasPrefix(l.Text, "Content-Length:") })
	gap := slices.IndexFunc(lines, func(l web.Line) bool { return l.Text == "" })
	if gap < 0 {
		p.Fatalf("a request without the empty line behind its head: %v", lines)
	}
	if gap+1 < len(lines) {
		length := web.Line{Kind: web.Sent, Connection: name, Text: fmt.Sprintf("Content-Length: %d", len(lines[gap+1].Text))}
		lines = slices.Insert(lines, gap, length)
		gap++
	}
	var text strings.Builder
	for i, l := range lines {
		p.keep(l)
		text.WriteString(strings.ReplaceAll(l.Text, "{session}", p.session))
		if i <= gap {
			text.WriteString("\r\n")
		}
	}
	if _, err := io.WriteString(p.connection(name), text.String()); err != nil {
		p.Fatalf("connection %s: %v", name, err)
	}
	p.gather()
}

// connection finds a connection, or opens it.
func (p *player) connection(name string) *connection {
	if c := p.open[name]; c != nil {
		return c
	}
	ours, theirs := net.Pipe()
	c := &connection{Conn: ours}
	p.open[name] = c
	p.order = append(p.order, name)
	p.listener.accept <- loopback{theirs, p.listener.Addr()}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := ours.Read(buf)
			c.mu.Lock()
			c.came.Write(buf[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return c
}

// gather takes in what has come on all connections.
func (p *player) gather() {
	<-time.After(time.Second) // of the bubble
	synctest.Wait()
	for _, name := range p.order {
		c := p.open[name]
		c.mu.Lock()
		text := c.came.String()
		c.came.Reset()
		c.mu.Unlock()
		for text != "" {
			text = p.response(name, &c.body, text)
		}
	}
}

// sessionID is where a session's id is told: in a header, or in the first event of 2024-11-05.
var sessionID = regexp.MustCompile(`(?m)^(?:Mcp-Session-Id: |data: \S+\?sessionId=)(\S+)`)

// response takes in a part of a response, and returns what is left behind it.
func (p *player) response(name string, b *body, text string) string {
	if !b.begun {
		head, rest, _ := strings.Cut(text, "\r\n\r\n")
		p.received(name, strings.ReplaceAll(head, "\r\n", "\n")+"\n")
		*b = body{begun: true, chunked: strings.Contains(head, "Transfer-Encoding: chunked")}
		for line := range strings.SplitSeq(head, "\r\n") {
			if n, found := strings.CutPrefix(line, "Content-Length: "); found {
				b.left, _ = strconv.Atoi(n)
			}
		}
		if b.left > 0 || b.chunked {
			p.received(name, "")
		}
		text = rest
	}
	if b.chunked {
		return p.chunk(name, b, text)
	}
	whole := text[:min(b.left, len(text))]
	b.left -= len(whole)
	if whole != "" {
		p.received(name, whole)
	}
	if b.left == 0 {
		*b = body{}
		p.keep(web.Line{Kind: web.Ended, Connection: name})
	}
	return text[len(whole):]
}

// chunk takes one chunk in (RFC 9112 section 7.1).
func (p *player) chunk(name string, b *body, text string) string {
	if text == "" {
		return ""
	}
	size, rest, _ := strings.Cut(text, "\r\n")
	n, err := strconv.ParseInt(size, 16, 32)
	if err != nil || len(rest) < int(n)+2 {
		p.Fatalf("connection %s: no chunk: %q", name, text)
	}
	if n == 0 {
		*b = body{}
		p.keep(web.Line{Kind: web.Ended, Connection: name})
	} else {
		p.received(name, rest[:n])
	}
	return rest[n+2:]
}

// received keeps lines that came.
func (p *player) received(name, text string) {
	if id := sessionID.FindStringSubmatch(text); id != nil {
		p.session = strings.TrimSpace(id[1])
	}
	if p.session != "" {
		text = strings.ReplaceAll(text, p.session, "{session}")
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		p.keep(web.Line{Kind: web.Received, Connection: name, Text: line})
	}
}
