package bridged_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/mcptest"
)

// TestLogsOfOthers: what a server logs about the call of one client no other one is told, though
// both say the same of themselves and nobody knows who they are. Of a principal all may be told.
func TestLogsOfOthers(t *testing.T) {
	for _, capabilities := range []string{`{}`, `{"elicitation":{}}`} {
		for _, upstream := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(upstream+" "+capabilities, func(t *testing.T) {
				began, say := make(chan struct{}, 2), make(chan struct{})
				s := newServer()
				s.AddTool(mcp.Tool{Name: "tell"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
					began <- struct{}{}
					<-say
					c.Log(mcp.LogError, "vault", "the secret of one client")
					return mcp.TextResult("told"), nil
				})
				s.Handle("com.example/hold", mcp.Both, func(ctx context.Context, _ *mcp.Call) (mcp.Reply, error) {
					began <- struct{}{}
					<-ctx.Done()
					return mcp.Reply{}, ctx.Err()
				})
				b, _ := bridging(t, s, bridge.Options{Version: upstream})
				o := mcptest.Options{Capabilities: capabilities, LogLevel: "debug", Unchecked: true}
				one, other := mcptest.Dial(t, b.Server(), &o), mcptest.Dial(t, b.Server(), &o)
				call := one.StartCall("tell", `{}`)
				soon(t, began, "the call")
				hold := other.Start("com.example/hold", `{}`)
				soon(t, began, "the other call")
				close(say)
				same(t, "result", call.Wait().Text(), "told")
				hold.Cancel()
				other.List("tools/list") // what was told before is here then
				if notes := other.Notes(); len(notes) > 0 {
					t.Errorf("another client is told %v", notes)
				}
			})
		}
	}
}

// TestLateQuestion: what a legacy server asks about a call that its client has cancelled is put
// to no other client.
func TestLateQuestion(t *testing.T) {
	var serving sync.WaitGroup
	began := make(chan struct{}, 1)
	first := make(chan struct{}, 1)
	first <- struct{}{}
	b, err := bridge.New(t.Context(), func() discover.Transport {
		near, far := net.Pipe()
		serving.Go(func() { late(far, first, began) })
		return stdio.Stream(near, nil)
	}, &bridge.Options{Era: mcp.Legacy})
	if err != nil {
		t.Fatal(err)
	}
	one, other := mcptest.Dial(t, b.Server(), nil), mcptest.Dial(t, b.Server(), nil)
	call := one.StartCall("a", `{}`)
	soon(t, began, "the call")
	call.Cancel()
	one.Close()
	if r := other.Call("a", `{}`); r.InputRequired() || r.Text() != "done" {
		t.Errorf("another client gets %s", r)
	}
	other.Close()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	serving.Wait()
}

// late serves: it answers every call but the first one of all, and asks about that, where it is
// its own, when the next one comes.
func late(far net.Conn, first <-chan struct{}, began chan<- struct{}) {
	defer far.Close()
	answer := func(id json.RawMessage, result string) {
		fmt.Fprintf(far, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
	}
	asks := false
	for lines := bufio.NewScanner(far); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(lines.Bytes(), &m)
		switch m.Method {
		case "initialize":
			answer(m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"late","version":"1"}}`)
		case "tools/call":
			select {
			case <-first:
				asks = true
				began <- struct{}{}
				continue
			default:
			}
			if asks {
				fmt.Fprintln(far, `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"What is the password of the first client?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}`)
				continue
			}
			answer(m.ID, `{"content":[{"type":"text","text":"done"}]}`)
		}
	}
}

// TestSlowReader: a client that does not read what it is told holds up no other client.
func TestSlowReader(t *testing.T) {
	for _, upstream := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(upstream, func(t *testing.T) {
			began := make(chan struct{}, 1)
			s := talking()
			s.AddTool(mcp.Tool{Name: "flood"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
				text := strings.Repeat("x", 1<<20)
				for i := 1; i <= 64; i++ {
					c.Progress(float64(i), 0, text)
				}
				began <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			})
			b, _ := bridging(t, s, bridge.Options{Version: upstream})
			at, _ := url.Parse(endpoint(t, b.Server()))
			conn, err := net.Dial("tcp", at.Host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			meta := `"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"isthmus","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}`
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood",` + meta + `}}`
			r, _ := http.NewRequest(http.MethodPost, at.String(), strings.NewReader(body))
			for name, value := range map[string]string{
				"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "flood",
			} {
				r.Header.Set(name, value)
			}
			if err := r.Write(conn); err != nil {
				t.Fatal(err)
			}
			soon(t, began, "the flood")
			c := dial(t, at.String(), "2026-07-28", mcp.ClientOptions{})
			start := time.Now()
			for range 3 {
				steps := 0
				o := &mcp.CallOptions{Progress: func(mcp.ProgressParams) { steps++ }}
				if _, err := c.CallTool(t.Context(), "count", nil, o); err != nil || steps != 5 {
					t.Errorf("got %d steps and %v, want 5", steps, err)
				}
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("the other client's calls took %v", took)
			}
		})
	}
}

// TestDroppedWhileConnecting: a session that ends while its connection is being opened takes
// that with it.
func TestDroppedWhileConnecting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &origin{server: talking()}
		silent := make(chan net.Conn, 1)
		known := false
		b, err := bridge.New(t.Context(), func() discover.Transport {
			if !known {
				known = true
				return from.dial()
			}
			near, far := net.Pipe()
			silent <- far
			return stdio.Stream(near, nil)
		}, &bridge.Options{Version: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25", Transport: mcptest.Stdio()})
		lines := bufio.NewScanner(<-silent)
		if !lines.Scan() {
			t.Error("the handshake does not begin")
		}
		began := time.Now()
		c.Close()
		for lines.Scan() {
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the connection stays for %v", took)
		}
		_ = b.Close()
		from.kill()
		from.serving.Wait()
	})
}

// TestEndlessRounds: a server that asks for nothing, again and again, is given up.
func TestEndlessRounds(t *testing.T) {
	b, err := scripts(t, &scripted{results: map[string]string{
		"server/discover": said(""), "tools/call": `{"resultType":"input_required","requestState":"again"}`,
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25"})
	if r := c.Call("a", `{}`); r.Code() != jsonrpc.InternalError || !strings.Contains(r.Error.Message, "given up") {
		t.Errorf("got %s, want an error", r)
	}
}

// TestCrowded: of more legacy sessions than there may be the last ones are refused, until one
// has ended; sessions that are opened and dropped leave nothing behind.
func TestCrowded(t *testing.T) {
	b, from := bridging(t, waiting(nil), bridge.Options{Version: "2025-11-25", Sessions: 2})
	o := &mcptest.Options{Revision: "2025-06-18", Transport: mcptest.Stdio(), Answer: answers}
	one, two := mcptest.Dial(t, b.Server(), o), mcptest.Dial(t, b.Server(), o)
	same(t, "the first", one.Call("quick", `{}`).Text(), "done")
	same(t, "the second", two.Call("quick", `{}`).Text(), "done")
	three := mcptest.Dial(t, b.Server(), o)
	if r := three.Call("quick", `{}`); r.Code() != jsonrpc.InternalError || !strings.Contains(r.Error.Message, "Too many sessions") {
		t.Errorf("the third: got %s, want it refused", r)
	}
	one.Close()
	for began := time.Now(); three.Call("quick", `{}`).Code() != 0; { // the end of a session is not waited for
		if time.Since(began) > 10*time.Second {
			t.Fatal("a session that has ended makes no room")
		}
	}
	two.Close()
	three.Close()
	if got := from.dialled(); got != 4 {
		t.Errorf("%d connections, want 4", got)
	}
}

// TestStolenState: the state of a call that waits for its client serves nobody else, and nothing
// else than that call: another principal, method, tool and arguments are refused, and so are
// states that are altered. The call itself goes on.
func TestStolenState(t *testing.T) {
	b, _ := bridging(t, waiting(nil), bridge.Options{Version: "2025-11-25"})
	ada := mcptest.Dial(t, b.Server(), &mcptest.Options{Principal: &mcp.Principal{ID: "ada"}})
	eve := mcptest.Dial(t, b.Server(), &mcptest.Options{Principal: &mcp.Principal{ID: "eve"}})
	nobody := mcptest.Dial(t, b.Server(), nil)
	asked := ada.Call("ask", `{}`)
	state, _ := asked.At("requestState").Text()
	const given = `"inputResponses":{"ask-1":{"action":"accept","content":{"name":"Ada"}}}`
	retry := func(name, arguments, state string) string {
		return fmt.Sprintf(`{"name":%q,"arguments":%s,%s,"requestState":%q}`, name, arguments, given, state)
	}
	swapped := []byte(state)
	swapped[len(swapped)/2] ^= 1
	tests := []struct {
		name           string
		c              *mcptest.Client
		method, params string
	}{
		{"another principal", eve, "tools/call", retry("ask", `{}`, state)},
		{"no principal", nobody, "tools/call", retry("ask", `{}`, state)},
		{"another method", ada, "prompts/get", retry("greet", `{}`, state)},
		{"another tool", ada, "tools/call", retry("one", `{}`, state)},
		{"other arguments", ada, "tools/call", retry("ask", `{"a":1}`, state)},
		{"an altered state", ada, "tools/call", retry("ask", `{}`, string(swapped))},
		{"half a state", ada, "tools/call", retry("ask", `{}`, state[:len(state)/2])},
	}
	for _, test := range tests {
		if r := test.c.Request(test.method, test.params); r.Code() != jsonrpc.InvalidParams {
			t.Errorf("%s: got %s, want it refused", test.name, r)
		}
	}
	same(t, "the client itself", ada.Request("tools/call", retry("ask", `{}`, state)).Text(), "Ada")
	for _, c := range []*mcptest.Client{ada, eve, nobody} {
		c.Close()
	}
}

// TestCancelStorm: calls that are cancelled as soon as they are made, from all sides at once,
// leave a bridge that answers.
func TestCancelStorm(t *testing.T) {
	for _, upstream := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(upstream, func(t *testing.T) {
			b, _ := bridging(t, waiting(nil), bridge.Options{Version: upstream, Connections: 1000})
			var all sync.WaitGroup
			for i := range 6 {
				revision := []string{"2026-07-28", "2025-11-25"}[i%2]
				c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision, Transport: mcptest.Stdio(), Answer: answers})
				all.Go(func() {
					for range 60 {
						c.StartCall("wait", `{}`).Cancel()
					}
				})
			}
			all.Wait()
			c := mcptest.Dial(t, b.Server(), &mcptest.Options{Answer: answers})
			for began := time.Now(); ; {
				r := c.Call("ask", `{}`)
				if r.Code() == 0 {
					break
				}
				if time.Since(began) > 20*time.Second {
					t.Fatalf("the bridge answers %s", r)
				}
			}
		})
	}
}

// stubborn is a transport whose links take until release is closed to end.
type stubborn struct {
	discover.Transport
	release <-chan struct{}
	open    *atomic.Int64
}

type stubbornLink struct {
	mcp.Link
	of *stubborn
}

func (s *stubborn) Legacy(ctx context.Context, h jsonrpc.Handler, log *slog.Logger) (mcp.Link, error) {
	link, err := s.Transport.Legacy(ctx, h, log)
	if err != nil {
		return nil, err
	}
	s.open.Add(1)
	return &stubbornLink{link, s}, nil
}

func (l *stubbornLink) Close() error {
	<-l.of.release
	defer l.of.open.Add(-1)
	return l.Link.Close()
}

// TestSlowEnds: connections that are still ending count, whatever clients do that come and go:
// there are never more than the bounds say, and twice as many for a moment. A call waits a moment
// for one of them to end.
func TestSlowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &origin{server: waiting(nil)}
		var open atomic.Int64
		release, now := make(chan struct{}), make(chan struct{})
		close(now)
		first := true
		b, err := bridge.New(t.Context(), func() discover.Transport {
			s := &stubborn{from.dial(), release, &open}
			if first {
				s.release, first = now, false
			}
			return s
		}, &bridge.Options{Era: mcp.Legacy, Connections: 3, Sessions: 3})
		if err != nil {
			t.Fatal(err)
		}
		dial := func(revision, name string) *mcptest.Client {
			return mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision, Transport: mcptest.Stdio(), Info: fmt.Sprintf(`{"name":"client %s","version":"1"}`, name)})
		}
		refused := 0
		for i := range 20 {
			for _, revision := range []string{mcptest.Modern, "2025-11-25"} {
				one, began := dial(revision, fmt.Sprint(i)), time.Now()
				if one.Call("quick", `{}`).Code() != 0 {
					refused++
				}
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("a call of %s took %v", revision, took)
				}
				one.Close()
			}
		}
		if got := open.Load(); got > 9 || refused < 20 {
			t.Errorf("%d connections, want 9 at the most; %d requests were refused", got, refused)
		}
		last := dial(mcptest.Modern, "last")
		p := last.StartCall("quick", `{}`)
		<-time.After(time.Second)
		close(release)
		same(t, "a call that has waited", p.Wait().Text(), "done")
		last.Close()
		_ = b.Close() // in the bubble
		from.kill()
		from.serving.Wait()
	})
}
