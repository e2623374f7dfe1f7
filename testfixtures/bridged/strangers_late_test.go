package bridged_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/mcptest"
)

// TestLateLog: what a server says of a call that its client has cancelled is told to nobody else.
// Afterwards logs pass again where another connection to the server is made, or the call has not asked
// for any of a modern one.
func TestLateLog(t *testing.T) {
	tests := []struct {
		name, upstream, capabilities, level string
		then                                int // logs that the other client is told of its next call
	}{
		{"legacy", "2025-11-25", `{}`, "debug", 1},
		{"legacy, that may ask", "2025-11-25", `{"elicitation":{}}`, "debug", 1},
		{"modern", "2026-07-28", `{}`, "debug", 0},
		{"modern, that may ask", "2026-07-28", `{"elicitation":{}}`, "debug", 0},
		{"modern, without logs", "2026-07-28", `{}`, "", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &unruly{began: make(chan struct{}, 2)}
				s.quiet = test.level == ""
				b := s.bridged(t, bridge.Options{Version: test.upstream}, nil)
				o := mcptest.Options{Capabilities: test.capabilities, LogLevel: test.level, Unchecked: true}
				one := mcptest.Dial(t, b.Server(), &o)
				o.LogLevel = "debug"
				other := mcptest.Dial(t, b.Server(), &o)
				call := one.StartCall("wait", `{}`)
				soon(t, s.began, "the call")
				hold := other.Start("com.example/hold", `{}`)
				soon(t, s.began, "the other call")
				call.Cancel() // upon which the server says something, and answers the other one
				hold.Wait()
				if notes := other.Notes(); len(notes) > 0 {
					t.Errorf("another client is told %s", notes[0].Line)
				}
				synctest.Wait() // until the cancelled call is over here, too
				same(t, "the next call", other.Call("log", `{}`).Text(), "done")
				if notes := other.Notes(); len(notes) != test.then {
					t.Errorf("of its next call the other client is told %v, want %d logs", notes, test.then)
				}
				one.Close()
				other.Close()
			})
		})
	}
}

// TestQuestionBehindAnswer: a question that a server has asked before it answered the call of one
// client is put to no other one, however long it takes to look at the question.
func TestQuestionBehindAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &unruly{began: make(chan struct{}, 2)}
		b := s.bridged(t, bridge.Options{Era: mcp.Legacy, Logger: quiet()}, release)
		one, other := mcptest.Dial(t, b.Server(), nil), mcptest.Dial(t, b.Server(), nil)
		same(t, "the first call", one.Call("ask", `{}`).Text(), "done")
		synctest.Wait() // until its connection is free for the other client
		call := other.StartCall("wait", `{}`)
		soon(t, s.began, "the other call")
		close(release) // and the server answers the other call when its question is answered
		if r := call.Wait(); r.InputRequired() || r.Text() != "No request of the client is under way that this could be asked for" {
			t.Errorf("another client gets %.300s", r)
		}
		one.Close()
		other.Close()
	})
}

// unruly is a server that speaks of calls that are over for their clients.
type unruly struct {
	serving sync.WaitGroup
	began   chan struct{} // takes one for each call that is not answered at once
	quiet   bool          // it logs nothing of a call that is cancelled
}

// bridged is a bridge to the server, which gives its questions on when release is closed; nil for at
// once.
func (s *unruly) bridged(t *testing.T, o bridge.Options, release <-chan struct{}) *bridge.Bridge {
	t.Helper()
	b, err := bridge.New(t.Context(), func() discover.Transport {
		near, far := net.Pipe()
		s.serving.Go(func() { s.serve(far) })
		return &slow{stdio.Stream(near, nil), release}
	}, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.Close() // an error would only be about its end
		s.serving.Wait()
	})
	return b
}

func (s *unruly) serve(far net.Conn) {
	defer far.Close()
	say := func(format string, args ...any) { fmt.Fprintf(far, `{"jsonrpc":"2.0",`+format+"}\n", args...) }
	answer := func(id json.RawMessage, result string) { say(`"id":%s,"result":%s`, id, result) }
	text := func(s string) string {
		return fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":%q}]}`, s)
	}
	log := func() {
		say(`"method":"notifications/message","params":{"level":"error","data":"the secret of one client"}`)
	}
	var wait, hold json.RawMessage
	for lines := bufio.NewScanner(far); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
			Error  struct{ Message string }
		}
		_ = json.Unmarshal(lines.Bytes(), &m)
		switch what := strings.TrimSpace(m.Method + " " + m.Params.Name); what {
		case "server/discover":
			answer(m.ID, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"logging":{}},"ttlMs":0,"cacheScope":"private"}`)
		case "initialize":
			answer(m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"unruly","version":"1"}}`)
		case "logging/setLevel":
			answer(m.ID, `{}`)
		case "tools/call wait":
			wait = m.ID
			s.began <- struct{}{}
		case "com.example/hold":
			hold = m.ID
			s.began <- struct{}{}
		case "tools/call log":
			log()
			answer(m.ID, text("done"))
		case "tools/call ask":
			say(`"id":"q","method":"elicitation/create","params":{"message":"What is the password of the first client?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`)
			answer(m.ID, text("done"))
		case "notifications/cancelled":
			if !s.quiet {
				log()
			}
			say(`"method":"notifications/com.example/late","params":{}`)
			if hold != nil {
				answer(hold, `{"resultType":"complete"}`)
			}
		case "": // its question is answered
			answer(wait, text(m.Error.Message))
		}
	}
}

// slow is a transport of a client that looks at a question when release is closed; nil for at once.
type slow struct {
	discover.Transport
	release <-chan struct{}
}

func (s *slow) Legacy(ctx context.Context, h jsonrpc.Handler, log *slog.Logger) (mcp.Link, error) {
	if s.release != nil {
		h = &slowHandler{h, s.release}
	}
	return s.Transport.Legacy(ctx, h, log)
}

type slowHandler struct {
	jsonrpc.Handler
	release <-chan struct{}
}

func (h *slowHandler) Arrive(ctx context.Context) context.Context {
	return jsonrpc.Arrive(ctx, h.Handler)
}

func (h *slowHandler) Request(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	<-h.release
	return h.Handler.Request(ctx, m, p, dst)
}
