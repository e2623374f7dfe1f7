package bridged_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/mcptest"
)

// TestStreamsKeepNobodyOut: connections that are held by streams alone are free for calls, and
// the streams are told that they end; a further stream is refused.
func TestStreamsKeepNobodyOut(t *testing.T) {
	o := observe()
	b, _ := bridging(t, o.Server, bridge.Options{Version: "2025-11-25", Connections: 2})
	client := func(name string) *mcptest.Client {
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Info: `{"name":"` + name + `","version":"1"}`, Transport: mcptest.Stdio()})
		t.Cleanup(c.Close)
		return c
	}
	one, two, three := client("one"), client("two"), client("three")
	first, second := one.Listen(mcptest.Filter{URIs: []string{"test:a"}}), two.Listen(mcptest.Filter{})
	if r := three.Request("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`); r.Code() != jsonrpc.InternalError || !strings.Contains(r.Error.Message, "Too many") {
		t.Errorf("a third stream: %s", r)
	}
	same(t, "a call", three.Call("a", `{}`).Text(), "a")
	for began := time.Now(); first.Ended() == nil; one.List("tools/list") {
		if time.Since(began) > 20*time.Second {
			t.Fatal("the first stream does not end")
		}
	}
	if second.Ended() != nil {
		t.Error("the second stream has ended")
	}
}

// TestStreamsOfCallers: a stream is not ended for a call of somebody else where its connection would
// not be free by that, since a call is under way there, whatever streams there were before.
func TestStreamsOfCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := bridging(t, waiting(nil), bridge.Options{Version: "2025-11-25", Connections: 1})
		client := func(name string) *mcptest.Client {
			return mcptest.Dial(t, b.Server(), &mcptest.Options{Info: `{"name":"` + name + `","version":"1"}`, Capabilities: "{}", Transport: mcptest.Stdio()})
		}
		one, two := client("one"), client("two")
		one.Listen(mcptest.Filter{Tools: true}).Close()
		synctest.Wait()
		stream, call := one.Listen(mcptest.Filter{Tools: true}), one.StartCall("wait", `{}`)
		synctest.Wait()
		if r := two.Call("quick", `{}`); r.Code() != jsonrpc.InternalError || !strings.Contains(r.Error.Message, "Too many") {
			t.Errorf("another client: got %s, want it refused", r)
		}
		synctest.Wait()
		if stream.Ended() != nil {
			t.Error("the stream has ended")
		}
		call.Cancel()
		synctest.Wait()
		same(t, "the other client, when the call has ended", two.Call("quick", `{}`).Text(), "done")
		synctest.Wait()
		if stream.Ended() == nil {
			t.Error("the stream has not ended")
		}
		one.Close()
		two.Close()
		_ = b.Close() // in the bubble
	})
}

// TestAwayKeepsItsPlace: who listens or tells something has no call given up whose client is to
// come back.
func TestAwayKeepsItsPlace(t *testing.T) {
	b, _ := bridging(t, waiting(nil), bridge.Options{Version: "2025-11-25", Connections: 1})
	client := func(name string) *mcptest.Client {
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Info: `{"name":"` + name + `","version":"1"}`})
		t.Cleanup(c.Close)
		return c
	}
	one, two := client("one"), client("two")
	asked := one.Call("ask", `{}`)
	if !asked.InputRequired() {
		t.Fatalf("got %s, want a question", asked)
	}
	if r := two.Request("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`); r.Code() != jsonrpc.InternalError || !strings.Contains(r.Error.Message, "Too many") {
		t.Errorf("a stream: %s", r)
	}
	two.Notify("notifications/com.example/x", `{}`)
	two.Request("server/discover", `{}`) // answered by the bridge itself, after the notification
	retry := fmt.Sprintf(`{"name":"ask","arguments":{},"inputResponses":{"ask-1":{"action":"accept","content":{"name":"Ada"}}},"requestState":%s}`, asked.At("requestState"))
	same(t, "the client that comes back", one.Request("tools/call", retry).Text(), "Ada")
}

// tardy is a legacy server, behind a bridge, that answers a subscribe when it is told to and knows
// what it tells of.
type tardy struct {
	bridge  *bridge.Bridge
	serving sync.WaitGroup
	asked   chan string   // the uris
	agree   chan struct{} // closed when it answers

	mu    sync.Mutex
	far   net.Conn // the last one
	tells map[string]bool
}

func beTardy(t *testing.T) *tardy {
	t.Helper()
	s := &tardy{asked: make(chan string, 9), agree: make(chan struct{}), tells: make(map[string]bool)}
	b, err := bridge.New(t.Context(), func() discover.Transport {
		near, far := net.Pipe()
		s.mu.Lock()
		s.far = far
		s.mu.Unlock()
		s.serving.Go(func() { s.serve(far) })
		return stdio.Stream(near, nil)
	}, &bridge.Options{Version: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	s.bridge = b
	return s
}

func (s *tardy) close() {
	_ = s.bridge.Close()
	s.serving.Wait()
}

func (s *tardy) serve(far net.Conn) {
	defer s.change(func(tells map[string]bool) { clear(tells) }) // with the connection all ends that it tells of there
	defer far.Close()
	for lines := bufio.NewScanner(far); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ URI string }
		}
		_ = json.Unmarshal(lines.Bytes(), &m)
		result := `{}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true}},"serverInfo":{"name":"tardy","version":"1"}}`
		case "resources/subscribe":
			s.asked <- m.Params.URI
			<-s.agree
			s.change(func(tells map[string]bool) { tells[m.Params.URI] = true })
		case "resources/unsubscribe":
			s.change(func(tells map[string]bool) { delete(tells, m.Params.URI) })
		}
		if m.ID != nil {
			fmt.Fprintf(far, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
	}
}

func (s *tardy) change(f func(tells map[string]bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.tells)
}

// TestSubscribeUndone: a subscription that its client gives up, undoes or leaves with before the
// server has agreed is none, and holds up nothing.
func TestSubscribeUndone(t *testing.T) {
	const modern, old = "2026-07-28", "2025-11-25"
	tests := []struct {
		name, revision string
		undo           func(c *mcptest.Client, p *mcptest.Pending)
		want           string // of the answer
	}{
		{"cancelled", old, func(_ *mcptest.Client, p *mcptest.Pending) { p.Cancel() }, ""},
		{"unsubscribed", old, func(c *mcptest.Client, _ *mcptest.Pending) { c.Request("resources/unsubscribe", `{"uri":"a:b"}`) }, `{}`},
		{"a stream that is cancelled", modern, func(_ *mcptest.Client, p *mcptest.Pending) { p.Cancel() }, ""},
		{"left", old, func(c *mcptest.Client, _ *mcptest.Pending) { c.Cut() }, ""},
		{"a stream that is left", modern, func(c *mcptest.Client, _ *mcptest.Pending) { c.Cut() }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := beTardy(t)
				c := mcptest.Dial(t, s.bridge.Server(), &mcptest.Options{Revision: test.revision, Transport: mcptest.Stdio(), Unchecked: true})
				var p *mcptest.Pending
				if test.revision == modern {
					p = c.Start("subscriptions/listen", `{"notifications":{"resourceSubscriptions":["a:b"]}}`)
				} else {
					p = c.Start("resources/subscribe", `{"uri":"a:b"}`)
				}
				<-s.asked
				began := time.Now()
				test.undo(c, p)
				if test.want != "" {
					same(t, "the answer", p.Wait().String(), test.want)
				}
				synctest.Wait()
				if took := time.Since(began); took > time.Second {
					t.Errorf("it took %v", took)
				}
				close(s.agree)
				<-time.After(time.Minute)
				synctest.Wait()
				s.change(func(tells map[string]bool) {
					if len(tells) > 0 {
						t.Errorf("the server tells of %v", tells)
					}
				})
				c.Close()
				s.close()
			})
		})
	}
}

// TestParts: a change of a part is told to those who have subscribed to the whole, as one of that.
func TestParts(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := beTardy(t)
				close(s.agree)
				c := mcptest.Dial(t, s.bridge.Server(), &mcptest.Options{Revision: revision, Transport: mcptest.Stdio()})
				told := make(map[string]*mcptest.Stream)
				for _, uri := range []string{"a:/d", "a:/e/", "a:/e/f", "a:/none"} {
					told[uri] = c.Listen(mcptest.Filter{URIs: []string{uri}})
				}
				for _, part := range []string{"a:/d/x/y", "a:/d?q", "a:/dx", "a:/", "a:/e/f", "a:/e", "c:", "/", strings.Repeat("/x", 1<<16)} {
					fmt.Fprintf(s.far, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`+"\n", part)
				}
				for uri, stream := range told {
					if uri == "a:/none" {
						hears(t, uri, stream)
					} else {
						hears(t, uri, stream, "resources/updated "+uri)
					}
				}
				c.Close()
				s.close()
			})
		})
	}
}
