package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/stdio"
)

// B161: an end of input with nothing before it.
func TestServeEndsWithItsInput(t *testing.T) {
	c, in, _, cancel, done := serve(t, newServer(nil, nil), stdio.Options{})
	defer cancel()
	in.Close()
	if all := c.rest(); len(all) > 0 {
		t.Errorf("no input was answered with %v", all)
	}
	end(t, done, nil)
}

// The context's end is an end of input, also while a read waits.
func TestServeEndsWithItsContext(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		gate := make(chan struct{})
		c, _, _, cancel, done := serve(t, newServer(nil, gate), stdio.Options{})
		c.open(e)
		if m := c.ask(e.call(1, "gate", "")); m.Method != "notifications/progress" {
			t.Fatalf("the call began with %s", m.line)
		}
		cancel()
		close(gate)
		if m := c.receive(); m.text() != "through" {
			t.Errorf("the call in flight was answered with %s", m.line)
		}
		end(t, done, nil)
	})
}

// A read that nothing can interrupt does not hold up the end, and what it brings
// afterwards is dropped.
func TestServeEndsBesideAReadThatCannotEnd(t *testing.T) {
	waits, gate := make(chan struct{}), make(chan struct{})
	in := io.MultiReader(
		strings.NewReader(modernEra.call(1, "echo", "a")+"\n"),
		&gated{waits, gate, strings.NewReader(modernEra.call(2, "echo", "late") + "\n")})
	c, _, _, cancel, done := serve(t, newServer(nil, nil), stdio.Options{In: in})
	if m := c.receive(); m.text() != "a" {
		t.Fatalf("a call was answered with %s", m.line)
	}
	<-waits
	cancel()
	end(t, done, nil)
	close(gate)
	if all := c.rest(); len(all) > 0 {
		t.Errorf("a request after the end was answered: %v", all)
	}
}

func TestServePeerGone(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		c, _, out, cancel, done := serve(t, newServer(nil, nil), stdio.Options{})
		defer cancel()
		c.open(e)
		out.Close()
		c.send(e.call(1, "echo", ""))
		end(t, done, stdio.ErrPeerGone)
	})
}

// fullDisk takes nothing.
type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestServeWriteError(t *testing.T) {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	err := stdio.Serve(t.Context(), newServer(nil, nil), &stdio.Options{In: in, Out: fullDisk{}})
	if !errors.Is(err, errFull) || errors.Is(err, stdio.ErrPeerGone) {
		t.Errorf("writing to a full disk ended Serve with %v, want that error and not ErrPeerGone", err)
	}
}

func TestServeReadError(t *testing.T) {
	broken := errors.New("the cable is cut")
	in := io.MultiReader(strings.NewReader("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"), &chunks{err: broken})
	var out bytes.Buffer
	err := stdio.Serve(t.Context(), newServer(nil, nil), &stdio.Options{In: in, Out: &out})
	if !errors.Is(err, broken) || out.String() != "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n" {
		t.Errorf("Serve ended with %v and wrote %q, want the read error and the answer to what came before", err, out.String())
	}
}

// B164: what is still at work at the end of the drain time is cancelled. The
// stream is in memory, so that the time is the test's.
func TestServeStreamDrain(t *testing.T) {
	tests := []struct {
		tool string
		want string // what the client hears, "" for nothing
	}{
		{"wait", "shutting down"},
		{"gate", ""},
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			eachEra(t, func(t *testing.T, e era) {
				synctest.Test(t, func(t *testing.T) {
					gate := make(chan struct{})
					defer close(gate) // only now does the handler end that ignores its context
					ours, theirs := net.Pipe()
					ctx, cancel := context.WithCancel(t.Context())
					done := make(chan error, 1)
					go func() {
						done <- stdio.ServeStream(ctx, theirs, newServer(nil, gate), &stdio.Options{Drain: time.Hour})
					}()
					c := newClient(t, ours, ours)
					c.open(e)
					if m := c.ask(e.call(1, tt.tool, "")); m.Method != "notifications/progress" {
						t.Fatalf("the call began with %s", m.line)
					}
					began := time.Now()
					cancel()
					m, answered := c.next()
					if answered != (tt.want != "") || !strings.Contains(m.line, tt.want) {
						t.Errorf("%s was answered %v with %q, want %q", tt.tool, answered, m.line, tt.want)
					}
					end(t, done, jsonrpc.ErrDrain)
					if took := time.Since(began); took < time.Hour || took > time.Hour+time.Minute {
						t.Errorf("a drain of an hour took %v", took)
					}
					if _, more := c.next(); more {
						t.Error("the stream is not closed in the end")
					}
				})
			})
		})
	}
}

// noDeadline hides the deadlines of a stream.
type noDeadline struct{ io.ReadWriteCloser }

func TestServeStreamWithoutDeadlines(t *testing.T) {
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- stdio.ServeStream(ctx, noDeadline{theirs}, newServer(nil, nil), nil) }()
	c := newClient(t, ours, ours)
	if m := c.ask(modernEra.call(1, "echo", "a")); m.text() != "a" {
		t.Errorf("a call was answered with %s", m.line)
	}
	cancel()
	end(t, done, nil)
	if _, more := c.next(); more {
		t.Error("the stream is not closed in the end")
	}
}

// stickyClose is a stream whose Close fails.
type stickyClose struct {
	io.Reader
	io.Writer
}

var errClose = errors.New("cannot close")

func (stickyClose) Close() error { return errClose }

func TestServeStreamCloseError(t *testing.T) {
	err := stdio.ServeStream(t.Context(), stickyClose{strings.NewReader(""), io.Discard}, newServer(nil, nil), nil)
	if !errors.Is(err, errClose) {
		t.Errorf("ServeStream ended with %v, want the error of Close", err)
	}
}

// breaking is a stream whose writes fail after some of them.
type breaking struct {
	io.ReadCloser
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	if b.left == 0 {
		return 0, syscall.EPIPE
	}
	b.left--
	return len(p), nil
}

// However many writes a stream takes before it breaks, the server ends, says why,
// and leaves nothing behind.
func TestServeStreamBreaks(t *testing.T) {
	const n = 12
	eachEra(t, func(t *testing.T, e era) {
		for writes := range n {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				ours, theirs := net.Pipe()
				done := make(chan error, 1)
				go func() {
					done <- stdio.ServeStream(t.Context(), &breaking{theirs, writes}, newServer(nil, gate), nil)
				}()
				go func() {
					defer close(gate)
					lines := append([]string{}, e.open...)
					for id := range n {
						lines = append(lines, e.call(id+1, []string{"gate", "echo", "wait"}[id%3], ""))
					}
					for _, line := range lines {
						if _, err := io.WriteString(ours, line+"\n"); err != nil {
							return // the server has closed the stream
						}
						synctest.Wait()
					}
				}()
				end(t, done, stdio.ErrPeerGone)
			})
		}
	})
}

// A client that never reads holds up the end no longer than the drain time and
// what is given to handlers beyond it.
func TestServeStreamNobodyReads(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- stdio.ServeStream(ctx, theirs, newServer(nil, nil), nil) }()
			c := newClient(t, ours, ours)
			c.send(append(e.open, "")...)
			for id := range 100 {
				c.send(e.call(id, "echo", "x"))
			}
			synctest.Wait()
			cancel()
			if err := <-done; err == nil {
				t.Error("the server ended in good order although nobody has read the answers")
			}
		})
	})
}
