package stdio_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/stdio"
)

// An end that finds unread input cuts no answer: the client sees all of them and
// then the end of the stream, not a reset.
func TestServeListenerClosesAfterUnreadInput(t *testing.T) {
	eachNetwork(t, func(t *testing.T, network, address string) {
		gate := make(chan struct{})
		s := startListener(t, network, address, gate, nil)
		busy, conn := s.dial()
		if m := busy.ask(modernEra.call(1, "gate", "")); m.Method != "notifications/progress" {
			t.Fatalf("the call began with %s", m.line)
		}
		idle, idleConn := s.dial()
		idle.ask(modernEra.call(1, "echo", ""))
		s.cancel()
		idle.rest()
		idleConn.Close()
		io.WriteString(conn, strings.Repeat("x", 32<<10)) // half a line
		close(gate)
		if m := busy.receive(); m.text() != "through" {
			t.Errorf("the call in flight was answered with %s", m.line)
		}
		if all := busy.rest(); len(all) > 0 {
			t.Errorf("after it came %v", all)
		}
		conn.Close()
		end(t, s.done, nil)
	})
}

// halfPipe is a stream in memory that counts as one with two halves.
type halfPipe struct {
	net.Conn
	steps []string
}

func (h *halfPipe) CloseWrite() error {
	h.steps = append(h.steps, "CloseWrite")
	return nil
}

func (h *halfPipe) Close() error {
	h.steps = append(h.steps, "Close")
	return h.Conn.Close()
}

// The wait for the peer is bounded, and there is none once the peer has closed.
func TestServeStreamLingers(t *testing.T) {
	tests := []struct {
		name   string
		peer   func(net.Conn) // after the end of the output
		linger time.Duration
	}{
		{"the peer has closed", func(c net.Conn) { c.Close() }, 0},
		{"the peer does nothing", func(net.Conn) {}, 500 * time.Millisecond},
		{"the peer sends on", func(c net.Conn) {
			for _, err := c.Write([]byte("x")); err == nil; _, err = c.Write([]byte("x")) {
				<-time.After(time.Millisecond)
			}
		}, 500 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				stream := &halfPipe{Conn: theirs}
				began := time.Now()
				var peer sync.WaitGroup
				peer.Go(func() { tt.peer(ours) })
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				err := stdio.ServeStream(ctx, stream, newServer(nil, nil), nil)
				if took := time.Since(began); err != nil || took != tt.linger {
					t.Errorf("the end took %v and gave %v, want %v and no error", took, err, tt.linger)
				}
				ours.Close()
				peer.Wait()
				if got := strings.Join(stream.steps, ", "); got != "CloseWrite, Close" {
					t.Errorf("the stream saw %s, want CloseWrite, Close", got)
				}
			})
		})
	}
}
