package soak

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// attack is one turn of a client that does not behave. Nobody minds what it is answered; what it is told to
// expect, it says.
type attack struct {
	name string
	turn func(ctx context.Context, p *peer) error
}

// attacks are all kinds of them.
var attacks = []attack{
	{"vanishes in the head", func(_ context.Context, p *peer) error { return p.part(1 + p.chance.IntN(60)) }},
	{"vanishes in the body", func(_ context.Context, p *peer) error { return p.part(-1 - p.chance.IntN(60)) }},
	{"vanishes while it is answered", vanish},
	{"vanishes from a stream of progress", vanishFromStream},
	{"never reads", stall},
	{"sends garbage", garbage},
	{"sends garbage as a body", garbageBody},
	{"claims more than it sends", claimMore},
	{"claims less than it sends", claimLess},
	{"claims a size beyond all", claimBeyond},
	{"sends its head byte by byte", func(ctx context.Context, p *peer) error { return p.drip(ctx, "POST /mcp HTTP/1.1\r\nHost: ") }},
	{"sends its body byte by byte", func(ctx context.Context, p *peer) error { return p.drip(ctx, p.head(1000, "")+"{") }},
	{"goes on byte by byte with what was refused", func(ctx context.Context, p *peer) error {
		return p.drip(ctx, strings.Replace(p.head(1000, ""), "application/json\r\nAccept", "text/plain\r\nAccept", 1))
	}},
	{"sends a GET with a body byte by byte", func(ctx context.Context, p *peer) error {
		return p.drip(ctx, strings.Replace(p.head(1000, ""), "POST", "GET", 1))
	}},
	{"sends too much", oversize},
	{"sends chunks without end", endless},
	{"nests without end", nest},
	{"opens streams without end", openStreams},
	{"opens sessions without end", openSessions},
}

// peer is a client on a bare connection.
type peer struct {
	host   string
	chance *rand.Rand
	conn   net.Conn
}

// dial opens a connection afresh. Whatever happens on it is over in twenty seconds.
func (p *peer) dial() error {
	p.hang()
	conn, err := net.Dial("tcp", p.host)
	if err != nil {
		return err
	}
	p.conn = conn
	return conn.SetDeadline(time.Now().Add(20 * time.Second))
}

// hang closes the connection without a word.
func (p *peer) hang() {
	if p.conn != nil {
		p.conn.Close()
	}
}

// head is that of a request of the modern era, with a length of the body as claimed.
func (p *peer) head(length int, more string) string {
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: waste\r\n%sContent-Length: %d\r\n\r\n", p.host, more, length)
}

// call is a request that calls a tool, good in every way.
func (p *peer) call(tool, more string) string {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"text":"x"},%s}}`, tool, meta)
	return strings.Replace(p.head(len(body), more), "waste", tool, 1) + body
}

// send opens a connection and writes to it.
func (p *peer) send(text string) error {
	if err := p.dial(); err != nil {
		return err
	}
	io.WriteString(p.conn, text)
	return nil
}

// part sends so many bytes of a request, or all but so many, and vanishes.
func (p *peer) part(n int) error {
	text := p.call("waste", "")
	if n < 0 {
		n += len(text)
	}
	return p.send(text[:n])
}

func vanish(ctx context.Context, p *peer) error {
	if err := p.send(p.call("waste", "")); err != nil {
		return err
	}
	pause(ctx, time.Duration(p.chance.IntN(60))*time.Millisecond)
	return nil
}

func vanishFromStream(_ context.Context, p *peer) error {
	if err := p.send(p.call("waste", "")); err != nil {
		return err
	}
	p.conn.Read(make([]byte, 10))
	return nil
}

// stall asks for a long answer and reads nothing of it, until the server must have given it up.
func stall(ctx context.Context, p *peer) error {
	if err := p.dial(); err != nil {
		return err
	}
	p.conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	io.WriteString(p.conn, p.call("big", ""))
	pause(ctx, 3*time.Second) // more than WriteTime
	return nil
}

func garbage(_ context.Context, p *peer) error {
	text := make([]byte, 1+p.chance.IntN(5000))
	for i := range text {
		text[i] = byte(p.chance.Uint32())
	}
	if err := p.send(string(text)); err != nil {
		return err
	}
	return p.refused()
}

func garbageBody(_ context.Context, p *peer) error {
	text := p.call("waste", "")
	bad := []byte(text)
	for range 1 + p.chance.IntN(10) {
		bad[len(text)-1-p.chance.IntN(200)] = byte(p.chance.Uint32()) // in the body, which is longer
	}
	if err := p.send(string(bad)); err != nil {
		return err
	}
	http.ReadResponse(newReader(p), nil) // by chance it may be good
	return nil
}

func claimMore(_ context.Context, p *peer) error {
	if err := p.send(p.head(maxBody-1, "") + `{"jsonrpc":`); err != nil {
		return err
	}
	return p.refused()
}

func claimLess(_ context.Context, p *peer) error {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"waste",%s}}`, meta)
	if err := p.send(p.head(len(body)-40, "") + body); err != nil {
		return err
	}
	return p.refused()
}

func claimBeyond(_ context.Context, p *peer) error {
	if err := p.send(p.head(1<<60, "")); err != nil {
		return err
	}
	return p.refused()
}

// refused expects an answer that is an error, or the end of the connection.
func (p *peer) refused() error {
	answer, err := http.ReadResponse(newReader(p), nil)
	if err == nil && answer.StatusCode < 400 {
		return fmt.Errorf("got %s, want a refusal", answer.Status)
	}
	return nil
}

// drip sends the beginning of a request and goes on byte by byte until the server has had enough.
func (p *peer) drip(ctx context.Context, text string) error {
	if err := p.send(text); err != nil {
		return err
	}
	for range 200 {
		if !pause(ctx, 50*time.Millisecond) {
			return nil
		}
		if _, err := io.WriteString(p.conn, "a"); err != nil {
			return nil
		}
	}
	return fmt.Errorf("after ten seconds the server still reads what began with %.30q", text)
}

func oversize(_ context.Context, p *peer) error {
	if err := p.send(p.head(maxBody+1, "") + strings.Repeat(" ", maxBody+1)); err != nil {
		return err
	}
	return p.refused()
}

func endless(ctx context.Context, p *peer) error {
	head := p.head(0, "Transfer-Encoding: chunked\r\n")
	if err := p.send(strings.Replace(head, "Content-Length: 0\r\n", "", 1)); err != nil {
		return err
	}
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 16<<10, strings.Repeat(" ", 16<<10))
	for sent := 0; ctx.Err() == nil; sent += len(chunk) {
		if _, err := io.WriteString(p.conn, chunk); err != nil {
			return nil
		}
		if sent > 64*maxBody {
			return fmt.Errorf("the server has read %d bytes of a body, want at most %d", sent, maxBody)
		}
	}
	return nil
}

func nest(_ context.Context, p *peer) error {
	body := strings.Repeat([]string{"[", `{"a":`, `[{"params":`}[p.chance.IntN(3)], maxBody/16)
	if err := p.send(p.head(len(body), "") + body); err != nil {
		return err
	}
	return p.refused()
}

// openStreams opens subscriptions until there is no more room, holds them for a moment, and drops them.
func openStreams(ctx context.Context, p *peer) error {
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for ctx.Err() == nil && len(open) < 200 {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},%s}}`, meta)
		head := strings.Replace(p.head(len(body), ""), "Mcp-Name: waste\r\n", "", 1)
		if err := p.send(strings.Replace(head, "tools/call", "subscriptions/listen", 1) + body); err != nil {
			return err
		}
		open, p.conn = append(open, p.conn), nil
		answer, err := http.ReadResponse(bufio.NewReader(open[len(open)-1]), nil)
		if err != nil {
			return nil // too many connections
		}
		if answer.StatusCode != http.StatusOK {
			break
		}
	}
	pause(ctx, 200*time.Millisecond)
	return nil
}

// openSessions opens legacy sessions on one connection, with a stream for some, and forgets them.
func openSessions(ctx context.Context, p *peer) error {
	body := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	request := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
		p.host, len(body), body)
	if err := p.dial(); err != nil {
		return err
	}
	in := bufio.NewReader(p.conn)
	var session string
	for range 10 {
		io.WriteString(p.conn, request)
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return nil
		}
		io.Copy(io.Discard, answer.Body)
		if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		} else if answer.StatusCode != http.StatusServiceUnavailable {
			return fmt.Errorf("initialize: %s", answer.Status)
		}
	}
	fmt.Fprintf(p.conn, "GET /mcp HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\nMCP-Protocol-Version: 2025-11-25\r\n\r\n", p.host, session)
	pause(ctx, 500*time.Millisecond+time.Duration(p.chance.IntN(500))*time.Millisecond)
	return nil
}

func newReader(p *peer) *bufio.Reader { return bufio.NewReader(p.conn) }
