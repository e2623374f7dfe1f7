package httpmcp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// The benchmarks put one request after the other on a connection of their own, whose client allocates nothing.
// Compare them with WireFloor: what net/http takes for the same bytes. Whole processes beside a floor are measured in
// testfixtures/bench.

// BenchmarkWireModern is a short call in the modern era.
func BenchmarkWireModern(b *testing.B) {
	hammer(b, httpmcp.Handler(benchServer(), nil), modernRequest(64))
}

// BenchmarkWireModernLong is a call with 64 KiB, which come back.
func BenchmarkWireModernLong(b *testing.B) {
	hammer(b, httpmcp.Handler(benchServer(), nil), modernRequest(64<<10))
}

// BenchmarkWireLegacy is a short call in a session of revision 2025-11-25.
func BenchmarkWireLegacy(b *testing.B) {
	hammer(b, httpmcp.Handler(benchServer(), nil), func(conn net.Conn) []byte { return legacyRequest(b, conn) })
}

// BenchmarkWireFloor answers the short call with bare net/http.
func BenchmarkWireFloor(b *testing.B) { hammer(b, bare(b, benchCall(64)), modernRequest(64)) }

// BenchmarkWireFloorLong answers the long call with bare net/http.
func BenchmarkWireFloorLong(b *testing.B) {
	hammer(b, bare(b, benchCall(64<<10)), modernRequest(64<<10))
}

func benchServer() *mcp.Server {
	s := mcp.NewServer("echo-server", "1.0.0", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Static: true})
	s.AddTool(mcp.Tool{Name: "echo", InputSchema: jsonrpc.Raw(`{"type":"object"}`)},
		func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			text, _ := c.Argument("text").Text()
			return mcp.TextResult(string(text)), nil
		})
	return s
}

// benchCall is a whole request, head and body.
func benchCall(size int) []byte {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("x", size) +
		`"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` +
		`{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n"+
		"Content-Length: %d\r\n\r\n%s", len(body), body)
}

func modernRequest(size int) func(net.Conn) []byte {
	return func(net.Conn) []byte { return benchCall(size) }
}

// legacyRequest opens a session and returns a call in it.
func legacyRequest(b *testing.B, conn net.Conn) []byte {
	b.Helper()
	post := func(session, body string) []byte {
		return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s", session, len(body), body)
	}
	opened, err := benchAsk(conn, post("", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}}`))
	_, rest, found := bytes.Cut(opened, []byte("Mcp-Session-Id: "))
	if err != nil || !found {
		b.Fatalf("%v, %.500q", err, opened)
	}
	id, _, _ := bytes.Cut(rest, []byte("\r\n"))
	return post("Mcp-Session-Id: "+string(id)+"\r\nMCP-Protocol-Version: 2025-11-25\r\n",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"`+strings.Repeat("x", 64)+`"}}}`)
}

// bare is a handler that reads the body and writes what the endpoint would.
func bare(b *testing.B, request []byte) http.Handler {
	conn := benchServe(b, httpmcp.Handler(benchServer(), nil))
	reply, err := benchAsk(conn, request)
	if err != nil {
		b.Fatal(err)
	}
	_, body, _ := bytes.Cut(reply, []byte("\r\n\r\n"))
	in := make([]byte, len(request))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.ReadFull(r.Body, in[:r.ContentLength])
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	})
}

// benchServe serves h until the benchmark ends, and returns a connection to it.
func benchServe(b *testing.B, h http.Handler) net.Conn {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- httpmcp.Serve(ctx, l, h, nil) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		conn.Close()
		end()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	return conn
}

// benchAsk sends a request and reads an answer with its length.
func benchAsk(conn net.Conn, request []byte) ([]byte, error) {
	if _, err := conn.Write(request); err != nil {
		return nil, err
	}
	in := make([]byte, 256<<10)
	for n := 0; ; {
		more, err := conn.Read(in[n:])
		if err != nil {
			return nil, err
		}
		n += more
		head, body, found := bytes.Cut(in[:n], []byte("\r\n\r\n"))
		if _, rest, has := bytes.Cut(head, []byte("Content-Length: ")); found && has {
			digits, _, _ := bytes.Cut(rest, []byte("\r\n"))
			if length, _ := strconv.Atoi(string(digits)); len(body) == length {
				return in[:n], nil
			}
		}
	}
}

// hammer puts the same request again and again. All answers must have the length of the first.
func hammer(b *testing.B, h http.Handler, prepare func(net.Conn) []byte) {
	conn := benchServe(b, h)
	request := prepare(conn)
	first, err := benchAsk(conn, request)
	if err != nil || !bytes.HasPrefix(first, []byte("HTTP/1.1 200 OK\r\n")) {
		b.Fatalf("%v, %.500q", err, first)
	}
	in := make([]byte, len(first))
	b.ReportAllocs()
	b.SetBytes(int64(len(request) + len(first)))
	for b.Loop() {
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(conn, in); err != nil {
			b.Fatal(err)
		}
	}
	if !bytes.HasSuffix(in, first[len(first)-8:]) {
		b.Errorf("got %.500q, want %.500q", in, first)
	}
}
