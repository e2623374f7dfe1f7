package stdio_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/stdio"
)

// networks are those that this system serves, with an address to listen on.
func networks(t *testing.T) map[string]string {
	m := map[string]string{"tcp": "127.0.0.1:0"}
	if runtime.GOOS != "windows" {
		m["unix"] = filepath.Join(t.TempDir(), "s")
	}
	return m
}

func eachNetwork(t *testing.T, f func(t *testing.T, network, address string)) {
	t.Helper()
	for network, address := range networks(t) {
		t.Run(network, func(t *testing.T) { f(t, network, address) })
	}
}

// logs keeps what is logged, and lets a test wait for it.
type logs struct {
	mu    sync.Mutex
	cond  sync.Cond
	lines []string
}

func newLogs() (*logs, *slog.Logger) {
	l := &logs{}
	l.cond.L = &l.mu
	return l, slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(b))
	l.cond.Broadcast()
	return len(b), nil
}

// await returns the first line, from the index on, that holds text.
func (l *logs) await(text string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := 0; ; i++ {
		for i == len(l.lines) {
			l.cond.Wait()
		}
		if strings.Contains(l.lines[i], text) {
			return l.lines[i]
		}
	}
}

// count counts the lines that hold text.
func (l *logs) count(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		n += strings.Count(line, text)
	}
	return n
}

// listening is a server on a socket.
type listening struct {
	t      *testing.T
	addr   net.Addr
	cancel func()
	done   chan error
	logs   *logs
}

func startListener(t *testing.T, network, address string, gate <-chan struct{}, o *stdio.Options) *listening {
	t.Helper()
	l, err := stdio.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	logs, log := newLogs()
	s := &listening{t, l.Addr(), cancel, make(chan error, 1), logs}
	go func() { s.done <- stdio.ServeListener(ctx, l, newServer(log, gate), o) }()
	return s
}

func (s *listening) dial() (*client, net.Conn) {
	s.t.Helper()
	c, err := net.Dial(s.addr.Network(), s.addr.String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return newClient(s.t, c, c), c
}

// stop ends the server, which must end in good order.
func (s *listening) stop() {
	s.t.Helper()
	s.cancel()
	end(s.t, s.done, nil)
}

func TestListenRefuses(t *testing.T) {
	tests := []struct{ name, network, address, says string }{
		{"every interface", "tcp", "0.0.0.0:0", "only loopback is served"},
		{"every interface, short", "tcp", ":0", "only loopback is served"},
		{"every interface, IPv6", "tcp", "[::]:0", "only loopback is served"},
		{"an address of a network", "tcp", "192.168.1.1:0", "only loopback is served"},
		{"a name", "tcp", "example.com:80", "only loopback is served"},
		{"a name that looks local", "tcp", "localhost.example.com:80", "only loopback is served"},
		{"no port", "tcp", "127.0.0.1", "must be HOST:PORT"},
		{"a bad port", "tcp", "127.0.0.1:http-or-so", "port"},
		{"another network", "udp", "127.0.0.1:0", `use "unix" or "tcp"`},
		{"no network", "", "127.0.0.1:0", `use "unix" or "tcp"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := stdio.Listen(tt.network, tt.address)
			if err == nil {
				l.Close()
				t.Fatalf("Listen(%q, %q) listens on %v", tt.network, tt.address, l.Addr())
			}
			if text := err.Error(); !strings.Contains(text, tt.says) || !strings.HasPrefix(text, "stdio: listen on "+tt.network+" "+tt.address) {
				t.Errorf("Listen(%q, %q) says %q, want the address named and %q", tt.network, tt.address, text, tt.says)
			}
		})
	}
}

func TestListenLoopback(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "LocalHost:0", "[::1]:0"} {
		l, err := stdio.Listen("tcp", address)
		if err != nil && strings.HasPrefix(address, "[") {
			t.Logf("this system has no IPv6: %v", err)
			continue
		}
		if err != nil {
			t.Errorf("Listen on %s: %v", address, err)
			continue
		}
		if a := l.Addr().(*net.TCPAddr); !a.IP.IsLoopback() || a.Port == 0 {
			t.Errorf("Listen on %s listens on %v, want a loopback port", address, a)
		}
		l.Close()
	}
}

// Two clients of one server have sessions of their own, beside modern requests.
func TestServeListenerSessions(t *testing.T) {
	eachNetwork(t, func(t *testing.T, network, address string) {
		s := startListener(t, network, address, nil, nil)
		a, aConn := s.dial()
		b, _ := s.dial()
		ask := func(c *client, line, want string) {
			t.Helper()
			if m := c.ask(line); m.text() != want {
				t.Errorf("%s was answered with %q, want %q", line, m.text(), want)
			}
		}
		ask(a, modernEra.call(1, "who", ""), "new 2026-07-28")
		if m := a.ask(initialize(2, "2025-03-26", "a")); m.Result == nil {
			t.Errorf("initialize of a was answered with %s", m.line)
		}
		if m := b.ask(legacyEra.call(1, "who", "")); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("b has not initialized, and its call was answered with %s", m.line)
		}
		if m := b.ask(initialize(2, "2025-11-25", "b")); m.Result == nil {
			t.Errorf("initialize of b was answered with %s", m.line)
		}
		ask(a, legacyEra.call(3, "who", ""), "a 2025-03-26")
		ask(b, legacyEra.call(3, "who", ""), "b 2025-11-25")
		ask(b, modernEra.call(4, "who", ""), "new 2026-07-28")
		aConn.Close()
		ask(b, legacyEra.call(5, "who", ""), "b 2025-11-25")
		s.stop()
		if all := b.rest(); len(all) > 0 {
			t.Errorf("at the server's end b received %v", all)
		}
	})
}

// An end of input of one side alone is answered, as on standard streams.
func TestServeListenerHalfClose(t *testing.T) {
	eachNetwork(t, func(t *testing.T, network, address string) {
		eachEra(t, func(t *testing.T, e era) {
			s := startListener(t, network, address, nil, nil)
			c, conn := s.dial()
			c.send(e.open...)
			c.send("", e.call(7, "echo", "before the end"))
			conn.(interface{ CloseWrite() error }).CloseWrite()
			if all := c.rest(); all["7"].text() != "before the end" {
				t.Errorf("the call was answered with %v", all)
			}
			s.stop()
		})
	})
}

func TestServeListenerDrains(t *testing.T) {
	eachNetwork(t, func(t *testing.T, network, address string) {
		eachEra(t, func(t *testing.T, e era) {
			gate := make(chan struct{})
			s := startListener(t, network, address, gate, nil)
			busy, _ := s.dial()
			idle, _ := s.dial()
			busy.open(e)
			idle.open(e)
			idle.ask(e.call(1, "echo", "")) // it has been accepted by now
			if m := busy.ask(e.call(1, "gate", "")); m.Method != "notifications/progress" {
				t.Fatalf("the call began with %s", m.line)
			}
			s.cancel()
			if all := idle.rest(); len(all) > 0 {
				t.Errorf("the idle client received %v", all)
			}
			close(gate)
			if m := busy.receive(); m.text() != "through" {
				t.Errorf("the call in flight was answered with %s", m.line)
			}
			end(t, s.done, nil)
			if _, err := net.Dial(network, s.addr.String()); err == nil {
				t.Error("after the end somebody still listens")
			}
		})
	})
}

func TestServeListenerMaxConnections(t *testing.T) {
	eachNetwork(t, func(t *testing.T, network, address string) {
		s := startListener(t, network, address, nil, &stdio.Options{MaxConnections: 1})
		first, conn := s.dial()
		first.ask(modernEra.call(1, "echo", ""))
		second, _ := s.dial()
		if all := second.rest(); len(all) > 0 {
			t.Errorf("a connection too many received %v, want its end", all)
		}
		s.logs.await("too many at once")
		if m := first.ask(modernEra.call(2, "echo", "still here")); m.text() != "still here" {
			t.Errorf("the first connection was answered with %s", m.line)
		}
		conn.Close()
		s.logs.await("msg=disconnected")
		for served := false; !served; { // the place is free a moment after that line
			third, _ := s.dial()
			io.WriteString(third.w, modernEra.call(3, "echo", "third")+"\n")
			m, ok := third.maybe()
			if served = ok; ok && m.text() != "third" {
				t.Errorf("the third connection was answered with %s", m.line)
			}
		}
		s.stop()
	})
}

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
			s.logs.await("opens with a line that is not JSON")
			var got bytes.Buffer
			io.Copy(&got, conn) // ends in a reset or in order, as the system likes
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

// A client that goes without a word is its own affair, busy or idle.
func TestServeListenerPeerReset(t *testing.T) {
	for _, tool := range []string{"gate", "echo"} {
		t.Run(tool, func(t *testing.T) { testPeerReset(t, tool) })
	}
}

func testPeerReset(t *testing.T, tool string) {
	gate := make(chan struct{})
	s := startListener(t, "tcp", "127.0.0.1:0", gate, nil)
	c, conn := s.dial()
	c.ask(modernEra.call(1, tool, ""))
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
	close(gate)
	if line := s.logs.await("disconnected"); !strings.Contains(line, "by the peer") {
		t.Errorf("a reset was logged as %s", line)
	}
	s.stop()
}
