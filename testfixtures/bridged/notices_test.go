package bridged_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"slices"
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

// TestNoticeFlood: of notifications that the server is too slow for a bounded part waits, in their
// order, and the rest is dropped.
func TestNoticeFlood(t *testing.T) {
	tests := []struct {
		name              string
		bytes, sent       int // of each, and how many
		atLeast, atMostly int // are heard: what waits, and what was on its way, which are 4 MiB
	}{
		{"4 MiB", 50 << 10, 240, 80, 200},
		{"4096", 500, 20_000, 4096, 4096 + 8000},
	}
	for _, test := range tests {
		for _, revision := range []string{"2025-11-25", "2025-03-26"} {
			t.Run(test.name+" "+revision, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := beHesitant(t)
					c := s.dial(revision)
					for i := range test.sent {
						c.say(i, test.bytes)
					}
					s.goOn()
					heard := c.heard()
					if !slices.IsSorted(heard) || heard[len(heard)-1] != len(heard)-1 {
						t.Errorf("of %d notifications the server has heard other ones than the first, in their order: %v", test.sent, heard)
					}
					if n := len(heard); n < test.atLeast || n > test.atMostly {
						t.Errorf("of %d notifications of %d bytes the server has heard the first %d, want %d to %d", test.sent, test.bytes, n, test.atLeast, test.atMostly)
					}
					c.say(test.sent, 0)
					same(t, "the next one", fmt.Sprint(c.heard()), fmt.Sprint([]int{test.sent}))
					s.close()
				})
			})
		}
	}
}

// TestNoticeFloodOfAll: what waits for the server of all clients together is bounded, too, but that
// a little of each has room; when it has gone there is room for all.
func TestNoticeFloodOfAll(t *testing.T) {
	if race {
		t.Skip("it tells 170 MiB, which is too much for the race detector; TestNoticeFlood goes the same way")
	}
	synctest.Test(t, func(t *testing.T) {
		s := beHesitant(t)
		const each, size = 190, 50 << 10 // more than 4 MiB that wait, and 4 MiB that are on their way
		var clients []*hesitantClient
		for range 18 { // more than 64 MiB
			c := s.dial("2025-11-25")
			for i := range each {
				c.say(i, size)
				synctest.Wait() // so that what can go on its way does
			}
			clients = append(clients, c)
		}
		s.goOn()
		for i, c := range clients {
			switch n := len(c.heard()); {
			case i < 15 && n < 150, i == len(clients)-1 && (n < 1 || n > 90):
				t.Errorf("of client %d the server has heard %d of %d, want of the first ones 8 MiB, and of the last one 4 and a little", i, n, each)
			}
		}
		last := clients[len(clients)-1]
		for i := range 20 {
			last.say(i, size)
		}
		same(t, "when the others are done the server hears", fmt.Sprint(len(last.heard())), "20")
		s.close()
	})
}

// hesitant is a legacy server behind a bridge. It stops reading a connection behind the first list
// that it is asked for there, until it is to go on.
type hesitant struct {
	t       *testing.T
	bridge  *bridge.Bridge
	on      chan struct{}
	serving sync.WaitGroup
	clients []*hesitantClient

	mu   sync.Mutex
	told map[int][]int // numbers that it was told, by the client
}

// beHesitant is called in a bubble.
func beHesitant(t *testing.T) *hesitant {
	s := &hesitant{t: t, on: make(chan struct{}), told: make(map[int][]int)}
	var err error
	s.bridge, err = bridge.New(t.Context(), func() discover.Transport {
		near, far := net.Pipe()
		s.serving.Go(func() { s.serve(far) })
		return stdio.Stream(near, nil)
	}, &bridge.Options{Version: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *hesitant) serve(far net.Conn) {
	defer far.Close()
	lines := bufio.NewScanner(far)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Client, N int }
		}
		line, _, padded := bytes.Cut(lines.Bytes(), []byte(pad))
		if padded {
			line = append(line, "}}"...) // a look at the rest takes long under the race detector
		}
		_ = json.Unmarshal(line, &m)
		result := `{"tools":[]}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"hesitates","version":"1"}}`
		case "notifications/com.example/n":
			s.mu.Lock()
			s.told[m.Params.Client] = append(s.told[m.Params.Client], m.Params.N)
			s.mu.Unlock()
		}
		if m.ID != nil {
			fmt.Fprintf(far, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
		if m.Method == "tools/list" {
			<-s.on
		}
	}
}

// goOn has it read on.
func (s *hesitant) goOn() {
	synctest.Wait()
	close(s.on)
}

// close ends everything.
func (s *hesitant) close() {
	for _, c := range s.clients {
		c.Close()
	}
	_ = s.bridge.Close()
	s.serving.Wait()
}

// hesitantClient is a client for whose notifications the server is too slow.
type hesitantClient struct {
	*mcptest.Client
	server *hesitant
	number int
}

func (s *hesitant) dial(revision string) *hesitantClient {
	c := &hesitantClient{mcptest.Dial(s.t, s.bridge.Server(), &mcptest.Options{Revision: revision, Transport: mcptest.Stdio()}), s, len(s.clients)}
	s.clients = append(s.clients, c)
	c.List("tools/list")
	return c
}

// say tells the server a number, in about so many bytes. What may be on its way by now is, so that no more
// waits than has to.
func (c *hesitantClient) say(n, bytes int) {
	c.Notify("notifications/com.example/n", fmt.Sprintf(`{"client":%d,"n":%d`+pad+`"%s"}`, c.number, n, strings.Repeat("x", bytes)))
	synctest.Wait()
}

// pad stands in front of what makes a notification long.
const pad = `,"pad":`

// heard are the numbers that the server has heard of the client since it was called last.
func (c *hesitantClient) heard() []int {
	synctest.Wait()
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	heard := c.server.told[c.number]
	delete(c.server.told, c.number)
	return heard
}

// TestFirstNotice: a notification that comes before any request of a single modern client, which need not
// say who it is, makes no connection: the server is told of the client by its first request.
func TestFirstNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, from := bridging(t, waiting(nil), bridge.Options{Version: "2025-11-25", Single: true})
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio()})
		before := from.dialled()
		c.Notify("notifications/com.example/hello", `{"a":1}`)
		synctest.Wait()
		if n := from.dialled() - before; n != 0 {
			t.Errorf("%d connections were made", n)
		}
		if r := c.Call("ask", `{}`); !r.InputRequired() {
			t.Errorf("got %s, want a question", r)
		}
		c.Close()
		_ = b.Close() // in the bubble
		from.kill()
	})
}

// levelless is a legacy server that never answers logging/setLevel.
type levelless struct {
	*scripted
	asked chan struct{} // holds one for each time that it was asked
}

func (s *levelless) Legacy(context.Context, jsonrpc.Handler, *slog.Logger) (mcp.Link, error) {
	return s, nil
}

func (s *levelless) Call(ctx context.Context, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	if out.Method != "logging/setLevel" {
		return s.scripted.Call(ctx, out)
	}
	s.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestLevelOfStranger: a call that waits while the level of log messages is set for another one ends
// when it is cancelled.
func TestLevelOfStranger(t *testing.T) {
	origin := &scripted{results: map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"origin","version":"1"}}`,
	}}
	asked := make(chan struct{}, 9)
	b, err := bridge.New(t.Context(), func() discover.Transport { return &levelless{origin.again(), asked} }, &bridge.Options{Era: mcp.Legacy})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	dial := func(level string) *mcptest.Client {
		return mcptest.Dial(t, b.Server(), &mcptest.Options{LogLevel: level, Capabilities: `{}`, Transport: mcptest.Stdio(), Unchecked: true})
	}
	one, other := dial("debug"), dial("info")
	first := one.StartCall("a", `{}`)
	soon(t, asked, "the level of one call")
	other.StartCall("a", `{}`).Cancel()
	ended := make(chan struct{}, 1)
	var closing sync.WaitGroup
	closing.Go(func() { other.Close(); ended <- struct{}{} }) // which waits for its call
	soon(t, ended, "the end of the call that was cancelled")
	if first.Answered() || len(asked) > 0 {
		t.Errorf("that the first call has ended, too, is %t, and the level was set %d times more", first.Answered(), len(asked))
	}
	first.Cancel()
	one.Close()
	closing.Wait()
}
