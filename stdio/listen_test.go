package stdio_test

import (
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
