package stdio_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"isthmus.internal/stdio"
)

// A page in a browser can send a request of its own choice to a loopback port.
func TestServeListenerRefusesOtherProtocols(t *testing.T) {
	call := modernEra.call(1, "echo", "attack") + "\n"
	tests := []struct{ name, input string }{
		{"a form", "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + call},
		{"an old one", "POST / HTTP/1.0\n\n" + call},
		{"blank lines before it", "\r\n\r\nGET /x HTTP/1.1\r\n\r\n" + call},
		{"a version to come", "GET / HTTP/1.2\r\n\r\n" + call},
		{"a lower case version", "GET / http/1.1\r\n\r\n" + call},
		{"no version, as in HTTP/0.9", "GET /\r\n" + call},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + call},
		{"a head of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03abc\n" + call},
		{"a greeting", "SSH-2.0-x\r\n" + call},
		{"JSON that is no message", "\"{\"\n" + call},
		{"a mark, and then no JSON", "\ufeffGET /\n" + call},
		{"a second mark", "\ufeff\ufeff" + call},
		{"an address longer than a line may be", "GET /" + strings.Repeat("x", 3000) + " HTTP/1.1\r\n\r\n" + call},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := startListener(t, "tcp", "127.0.0.1:0", nil, &stdio.Options{MaxMessage: 2000})
			_, conn := s.dial()
			io.WriteString(conn, tt.input)
			var got bytes.Buffer
			io.Copy(&got, conn) // ends in a reset or in order, as the system likes
			conn.Close()
			s.logs.await("opens with a line that is not JSON")
			if got.Len() > 0 {
				t.Errorf("%.100q was answered with %q", tt.input, got.String())
			}
			s.stop()
			if n := s.logs.count("level=WARN"); n != 1 {
				t.Errorf("%.100q: got %d warnings, want 1: %q", tt.input, n, s.logs.lines)
			}
		})
	}
}

// What opens with JSON may go on with anything.
func TestServeListenerTakesJSON(t *testing.T) {
	call := modernEra.call(1, "echo", "a")
	s := startListener(t, "tcp", "127.0.0.1:0", nil, nil)
	for _, before := range []string{"", " \t\r", "\ufeff", "\ufeff ", "\r\n\n \n", "\ufeff\n", "[]\n", "{bad\n"} {
		c, conn := s.dial()
		io.WriteString(conn, before+call+"\n")
		if m := c.receive(); m.Error != nil && c.receive().text() != "a" || m.Error == nil && m.text() != "a" {
			t.Errorf("a call after %q was answered with %s", before, m.line)
		}
		conn.Close()
	}
	c, conn := s.dial()
	defer conn.Close()
	for i, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"x HTTP/1.1"}`, "GET / HTTP/1.1"} {
		if m := c.ask(line); m.Error == nil {
			t.Errorf("line %d, %q, was answered with %s", i, line, m.line)
		}
	}
	if m := c.ask(call); m.text() != "a" {
		t.Errorf("a client that opens with JSON was answered with %s", m.line)
	}
	s.stop()
}
