package httpmcp_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
)

// dialRaw opens a connection that is written and read byte by byte.
func (w *world) dialRaw(t testing.TB) net.Conn {
	t.Helper()
	c, err := w.http.Transport.(*http.Transport).DialContext(w.ctx, "tcp", "127.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The time of a body is over with the body: a call may take longer, and its client is not taken for gone.
func TestBodyTimeIsTheBody(t *testing.T) {
	inEach(t, &httpmcp.Options{BodyTime: time.Second}, "", func(t *testing.T, c *legacyClient, w *world, s *workshop) {
		modern := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait",` + modernMeta + `}}`
		for name, call := range map[string]func() *http.Response{
			"legacy": func() *http.Response { return c.do("POST", tool("1", "wait", "")) },
			"modern": func() *http.Response {
				reply, err := w.http.Do(post(t, c.url, "tools/call", "wait", modern).WithContext(w.ctx))
				if err != nil {
					t.Fatal(err)
				}
				return reply
			},
		} {
			go func() {
				<-time.After(5 * time.Second)
				s.open <- struct{}{}
			}()
			got := text(t, call())
			if err := <-s.ended; err != nil || !strings.Contains(got, `"text":"waited"`) {
				t.Errorf("%s: the handler ended with %v; got %s", name, err, got)
			}
		}
	})
}

// What is refused for its headers is told so although the body does not come, and long before the time of a body is over.
func TestRefusalDoesNotWaitForTheBody(t *testing.T) {
	inBubble(t, tools(t), &httpmcp.Options{BodyTime: time.Hour}, func(t *testing.T, w *world) {
		for _, header := range []string{"Content-Type: text/plain", "Content-Type: application/json\r\nAccept: text/html", "Content-Type: application/json\r\nOrigin: https://evil.example"} {
			conn := w.dialRaw(t)
			conn.SetDeadline(time.Now().Add(time.Minute))
			fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\nContent-Length: 10\r\n\r\n{", header)
			got, err := io.ReadAll(conn)
			conn.Close()
			if !strings.HasPrefix(string(got), "HTTP/1.1 4") || err != nil {
				t.Errorf("%s: got %q, %v, want a status and the end", header, got, err)
			}
		}
	})
}

// A client that does not read its answer has its connection closed after the time of a write.
func TestUnreadAnswer(t *testing.T) {
	inBubble(t, tools(t), &httpmcp.Options{WriteTime: time.Second, AllowedOrigins: []string{"https://app.example"}}, func(t *testing.T, w *world) {
		const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		c := w.dial(t, "2025-11-25", "")
		const head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
		modern := modernCall("1", "echo", "")
		for name, request := range map[string]string{
			"modern":        head + fmt.Sprintf("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\nContent-Length: %d\r\n\r\n%s", len(modern), modern),
			"legacy":        head + fmt.Sprintf("Mcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", c.session, len(ping), ping),
			"no message":    head + "Content-Length: 1\r\n\r\n{",
			"refused":       "PUT / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
			"preflight":     "OPTIONS / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n\r\n",
			"taken":         head + fmt.Sprintf("Mcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", c.session, len(initialized), initialized),
			"taken, modern": head + fmt.Sprintf("MCP-Protocol-Version: 2026-07-28\r\nContent-Length: %d\r\n\r\n%s", len(initialized), initialized),
			"DELETE":        fmt.Sprintf("DELETE / HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: %s\r\n\r\n", w.dial(t, "2025-11-25", "").session),
		} {
			conn := w.dialRaw(t)
			io.WriteString(conn, request)
			<-time.After(time.Minute)
			conn.SetDeadline(time.Now().Add(time.Minute))
			if n, err := conn.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("%s: got %d bytes and %v, want the end", name, n, err)
			}
			conn.Close()
		}
	})
}
