package stdio_test

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// serve runs Serve over pipes of the system until the test cancels or closes in.
func serve(t *testing.T, s *mcp.Server, o stdio.Options) (c *client, in, out *os.File, cancel func(), done chan error) {
	t.Helper()
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); out.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	done = make(chan error, 1)
	if o.In == nil {
		o.In = theirIn
	}
	o.Out = theirOut
	go func() {
		err := stdio.Serve(ctx, s, &o)
		theirIn.Close()
		theirOut.Close()
		done <- err
	}()
	return newClient(t, out, in), in, out, cancel, done
}

// B160: input that ends at once behind the requests: each is answered.
func TestServeAnswersWhatCameBeforeTheEnd(t *testing.T) {
	const n = 1000
	eachEra(t, func(t *testing.T, e era) {
		for range 5 {
			c, in, _, cancel, done := serve(t, newServer(nil, nil), stdio.Options{})
			go func() {
				lines := e.open
				for id := range n {
					lines = append(lines, e.call(id+1, "echo", strconv.Itoa(id)))
				}
				io.WriteString(in, strings.Join(lines, "\n")) // the last line has no LF
				in.Close()
			}()
			all := c.rest()
			for id := range n {
				if m, want := all[strconv.Itoa(id+1)], strconv.Itoa(id); m.text() != want {
					t.Fatalf("request %d of %d was answered with %q, want %q", id+1, n, m.text(), want)
				}
			}
			if len(all) != n+e.replies {
				t.Errorf("%d answers for %d requests", len(all), n+e.replies)
			}
			end(t, done, nil)
			cancel()
		}
	})
}

// Framing faults, seen from the client: one error each, and the next line served.
func TestServeGoesOnAfterBadLines(t *testing.T) {
	tests := []struct {
		name, input string
		code        int // of the one error, 0 for none
	}{
		{"B05 not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{\"s\":\"a\xFF\xFE\"}}\n", -32700},
		{"B25 not JSON", "{bad json\n", -32700},
		{"B26 byte order mark", "\xEF\xBB\xBF", 0},
		{"B28 blank lines", "\n   \n\t\n \r\n", 0},
		{"B34 two on a line", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n", -32700},
		{"B35 an error", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}` + "\n", 0},
		{"B35 a response nobody waits for", `{"jsonrpc":"2.0","id":5,"result":{}}` + "\n", 0},
		{"a line too long", strings.Repeat("x", 3000) + "\n", -32600},
		{"a long line of space", strings.Repeat(" ", 3000) + "\n", -32600},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, in, _, cancel, done := serve(t, newServer(nil, nil), stdio.Options{MaxMessage: 2000})
			defer cancel()
			io.WriteString(in, tt.input)
			if tt.code != 0 {
				if m := c.receive(); m.Error == nil || m.Error.Code != tt.code || len(m.ID) > 0 {
					t.Errorf("input %.100q was answered with %s want one error %d without id", tt.input, m.line, tt.code)
				}
			}
			if m := c.ask(`{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\r"); string(m.ID) != "99" || m.Result == nil {
				t.Errorf("after %.100q a ping was answered with %s", tt.input, m.line)
			}
			in.Close()
			end(t, done, nil)
		})
	}
}

// B29: no limit of a line reader's in either direction.
func TestServeLongLines(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		c, in, _, cancel, done := serve(t, newServer(nil, nil), stdio.Options{})
		defer cancel()
		c.open(e)
		for id, size := range []int{70_000, 5 << 20, 10} {
			text := strings.Repeat("x", size)
			go io.WriteString(in, e.call(id+1, "echo", text)+"\n")
			if m := c.receive(); m.text() != text {
				t.Errorf("a text of %d bytes came back as %.100q, %d bytes", size, m.text(), len(m.text()))
			}
		}
		in.Close()
		end(t, done, nil)
	})
}

// B07: the separators of Unicode lines go in raw and come out escaped.
func TestServeUnicodeLines(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		c, in, _, cancel, done := serve(t, newServer(nil, nil), stdio.Options{})
		defer cancel()
		c.open(e)
		const text = "before \u2028 after \u2029 end"
		request := strings.ReplaceAll(e.call(1, "echo", "TEXT"), "TEXT", text)
		m := c.ask(request)
		if m.text() != text || strings.ContainsAny(m.line, "\u2028\u2029") {
			t.Errorf("%q came back as %q in %q, want the same text, escaped", text, m.text(), m.line)
		}
		in.Close()
		end(t, done, nil)
	})
}

// B31: half a request waits while others are answered.
func TestServeHalfALine(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		gate := make(chan struct{})
		c, in, _, cancel, done := serve(t, newServer(nil, gate), stdio.Options{})
		defer cancel()
		c.open(e)
		for id := 1; id <= 2; id++ {
			c.send(e.call(id, "gate", ""))
			if m := c.receive(); m.Method != "notifications/progress" {
				t.Fatalf("call %d began with %s", id, m.line)
			}
		}
		ping := e.call(3, "echo", "whole")
		io.WriteString(in, ping[:len(ping)/2])
		close(gate)
		for range 2 {
			if m := c.receive(); m.text() != "through" {
				t.Errorf("a call was answered with %s", m.line)
			}
		}
		if m := c.ask(ping[len(ping)/2:]); m.text() != "whole" {
			t.Errorf("the halves were answered with %s", m.line)
		}
		in.Close()
		end(t, done, nil)
	})
}

// B86: one process, both eras, message by message.
func TestServeBothErasOnOneStream(t *testing.T) {
	c, in, _, cancel, done := serve(t, newServer(nil, nil), stdio.Options{})
	defer cancel()
	steps := []struct{ send, want string }{
		{modernEra.call(1, "who", ""), "new 2026-07-28"},
		{initialize(2, "2025-03-26", "old"), ""},
		{legacyEra.call(3, "who", ""), "old 2025-03-26"},
		{modernEra.call(4, "who", ""), "new 2026-07-28"},
		{legacyEra.call(5, "who", ""), "old 2025-03-26"},
	}
	for _, step := range steps {
		m := c.ask(step.send)
		if step.want == "" {
			if m.Result == nil {
				t.Errorf("%s was answered with %s", step.send, m.line)
			}
		} else if m.text() != step.want {
			t.Errorf("%s was answered with %q, want %q", step.send, m.text(), step.want)
		}
	}
	in.Close()
	end(t, done, nil)
}

// B91: nothing is said about a cancelled request; B166: a panic stays inside.
func TestServeCancelAndPanic(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		c, in, _, cancel, done := serve(t, newServer(nil, nil), stdio.Options{})
		defer cancel()
		c.open(e)
		if m := c.ask(e.call(3, "wait", "")); m.Method != "notifications/progress" {
			t.Fatalf("the call began with %s", m.line)
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
		m := c.ask(e.call(4, "boom", ""))
		if m.Error == nil || m.Error.Code != -32603 || strings.Contains(m.line, "secret") || string(m.ID) != "4" {
			t.Errorf("a handler that panics gave %s", m.line)
		}
		if m := c.ask(e.call(5, "echo", "on")); m.text() != "on" {
			t.Errorf("after a panic a call was answered with %s", m.line)
		}
		in.Close()
		if all := c.rest(); len(all) > 0 {
			t.Errorf("the cancelled request was answered: %v", all)
		}
		end(t, done, nil)
	})
}

// B169: messages from many goroutines leave whole.
func TestServeManyAtOnce(t *testing.T) {
	const n, size = 32, 64 << 10
	eachEra(t, func(t *testing.T, e era) {
		gate := make(chan struct{})
		c, in, _, cancel, done := serve(t, newServer(nil, gate), stdio.Options{})
		defer cancel()
		c.open(e)
		var sending sync.WaitGroup
		var one sync.Mutex
		for id := range n {
			sending.Go(func() {
				tool := []string{"echo", "gate"}[id%2]
				line := e.call(id+1, tool, strings.Repeat("y", size)) + "\n"
				one.Lock()
				defer one.Unlock()
				io.WriteString(in, line)
			})
		}
		go func() {
			sending.Wait()
			close(gate)
			in.Close()
		}()
		all := c.rest()
		for id := range n {
			want := []string{strings.Repeat("y", size), "through"}[id%2]
			if m := all[strconv.Itoa(id+1)]; m.text() != want {
				t.Errorf("request %d was answered with %.100q", id+1, m.text())
			}
		}
		end(t, done, nil)
	})
}

func TestServeInFlightLimit(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		gate := make(chan struct{})
		c, in, _, cancel, done := serve(t, newServer(nil, gate), stdio.Options{MaxInFlight: 1})
		defer cancel()
		c.open(e)
		c.ask(e.call(1, "gate", ""))
		if m := c.ask(e.call(2, "echo", "")); m.Error == nil || string(m.ID) != "2" {
			t.Errorf("a request over the limit was answered with %s", m.line)
		}
		close(gate)
		if m := c.receive(); m.text() != "through" {
			t.Errorf("the request in flight was answered with %s", m.line)
		}
		in.Close()
		end(t, done, nil)
	})
}
