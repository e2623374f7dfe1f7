package httpmcp_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
const pong = `200 application/json {"jsonrpc":"2.0","id":1,"result":{}}`

// client is a client without a session.
func (w *world) stranger(t testing.TB, set ...string) *legacyClient {
	return &legacyClient{t: t, url: "http://127.0.0.1/", version: "2025-11-25", http: w.http, ctx: w.ctx, set: set}
}

// Ids of sessions cannot be guessed (B65), and one that looks good is no proof of a session
// (B64).
func TestSessionIDs(t *testing.T) {
	inBubble(t, tools(t), nil, func(t *testing.T, w *world) {
		seen := map[string]bool{}
		for range 1000 {
			c := w.stranger(t)
			c.open("")
			if seen[c.session] {
				t.Fatalf("the id %q comes twice", c.session)
			}
			seen[c.session] = true
			// 26 characters out of 32 are 130 bits.
			if len(c.session) < 26 || strings.Trim(c.session, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
				t.Fatalf("the id %q is too short, or not of the alphabet", c.session)
			}
		}
		for position := range 26 { // none is the same in all
			all := map[byte]bool{}
			for id := range seen {
				all[id[position]] = true
			}
			if len(all) < 16 {
				t.Errorf("at %d stand only %d characters: there is a part that is not random", position, len(all))
			}
		}
		c := w.dial(t, "2025-06-18", "")
		good := c.session
		last := map[bool]string{true: "B", false: "A"}[strings.HasSuffix(good, "A")]
		for _, id := range []string{good[:len(good)-1] + last, "00000000-0000-4000-8000-000000000000", strings.ToLower(good), good + ", " + good, good + "\t" + good} {
			c.session = id
			c.has("id "+id, c.post(tool("1", "echo", `,"arguments":{"text":"x"}`)), "404 application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Session not found`)
		}
		c.session = good
		c.want("the good one", c.post(ping), pong)
		c.has("none", c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id", "MCP-Protocol-Version"), "400 application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602`)
	})
}

// A session belongs to who has opened it, and not to whoever knows its id (B68); another token
// of the same principal will do.
func TestPrincipals(t *testing.T) {
	o := &httpmcp.Options{Principal: func(r *http.Request) *mcp.Principal {
		id, scope, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if id == "" {
			return nil
		}
		return &mcp.Principal{ID: id, Scopes: []string{scope}}
	}}
	who := func() *mcp.Server {
		s := mcp.NewServer("who", "1", nil)
		s.AddTool(mcp.Tool{Name: "who"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			p := c.Principal()
			if p == nil {
				return mcp.TextResult("nobody"), nil
			}
			return mcp.TextResult(p.ID + " " + p.Scopes[0] + " " + c.Headers()["X-More"][0]), nil
		})
		return s
	}
	inBubble(t, who, o, func(t *testing.T, w *world) {
		c := w.dial(t, "2025-11-25", "", "Authorization: alice read", "X-More: 1")
		call := tool("1", "who", "")
		c.want("the owner", c.post(call), "200 application/json "+answered("1", "alice read 1"))
		c.want("with a new token", c.post(call, "Authorization: alice write", "X-More: 2"), "200 application/json "+answered("1", "alice write 2"))
		for _, other := range []string{"Authorization: bob read", "Authorization"} {
			c.has("POST of "+other, c.post(call, other), "404 application/json", `"id":1,"error":{"code":-32600,"message":"Session not found`)
			c.has("a response of "+other, c.post(`{"jsonrpc":"2.0","id":1,"result":{}}`, other), "404 application/json", `{"jsonrpc":"2.0","error":`)
			for _, method := range []string{"GET", "DELETE"} {
				c.has(method+" of "+other, summary(t, c.do(method, "", other)), "404 application/json", "Session not found")
			}
		}
		c.want("the owner", c.post(call), "200 application/json "+answered("1", "alice read 1"))

		nobody := w.dial(t, "2025-11-25", "")
		nobody.want("nobody in particular", nobody.post(call), "200 application/json "+answered("1", "nobody"))
		nobody.has("somebody in nobody's session", nobody.post(call, "Authorization: bob read"), "404 ")
	})
}

// A version that is not the one of the session is refused before anything runs, in JSON (B143).
func TestVersionHeader(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		for _, version := range append([]string{"1900-01-01", "not-a-version", "2025-11-25, 2025-06-18"}, versions...) {
			if version == c.version {
				continue
			}
			got := c.post(tool("1", "wait", ""), "MCP-Protocol-Version: "+version)
			c.has(version, got, "400 application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"The header MCP-Protocol-Version must be `+c.version)
			c.has(version+", a notification", c.post(`{"jsonrpc":"2.0","method":"notifications/x"}`, "MCP-Protocol-Version: "+version), "400 application/json", `{"jsonrpc":"2.0","error":`)
			c.has(version+", a response", c.post(`{"jsonrpc":"2.0","id":1,"result":{}}`, "MCP-Protocol-Version: "+version), "400 application/json", `{"jsonrpc":"2.0","error":`)
			c.has(version+", DELETE", summary(t, c.do("DELETE", "", "MCP-Protocol-Version: "+version)), "400 application/json")
		}
		c.want("none", c.post(ping, "MCP-Protocol-Version"), pong)
	})
}

// Requests are served before notifications/initialized, which separate POSTs may overtake (B82);
// the client is asked only behind it.
func TestBeforeInitialized(t *testing.T) {
	for _, version := range versions {
		inBubble(t, func() *mcp.Server { return newWorkshop().Server }, nil, func(t *testing.T, w *world) {
			c := w.stranger(t)
			c.version = version
			c.open(`"roots":{}`)
			c.want("a call", c.post(tool("1", "log", "")), "200 application/json "+answered("1", "logged"))
			c.has("a question", c.post(tool("1", "roots", "")), "200 application/json", `"isError":true`)
			c.want("initialized", c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), "202  ")
			e := c.begin("2", "roots", "")
			c.want("a question", e.message(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
			c.post(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
			c.want("answer", e.message(), answered("2", "0"))
		})
	}
}

// Only an initialize that succeeds opens a session: not one that fails, nor one without an id
// (B74), nor anything modern (B176). Their number is bounded.
func TestOnlyInitializeOpens(t *testing.T) {
	inBubble(t, tools(t), &httpmcp.Options{MaxSessions: 2}, func(t *testing.T, w *world) {
		c := w.stranger(t)
		bad := map[string]string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize"}`:                                            `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32602`,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`:                                `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32602`,
			`{"jsonrpc":"2.0","id":null,"method":"initialize","params":{}}`:                             `400 application/json {"jsonrpc":"2.0","error":{"code":-32600`,
			`[` + initialize("2025-03-26", "") + `]`:                                                    `400 application/json {"jsonrpc":"2.0","error":{"code":-32600`,
			strings.Replace(initialize("2025-06-18", ""), `"id":0,`, "", 1):                             "400 ",
			strings.Replace(initialize("2025-06-18", ""), `"params":{`, `"params":{`+modernMeta+`,`, 1): "4",
			`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`:         "",
		}
		for range 100 {
			for body, want := range bad {
				reply := c.do("POST", body)
				if id := reply.Header.Get("Mcp-Session-Id"); id != "" {
					t.Fatalf("%s opens a session", body)
				}
				if got := summary(t, reply); !strings.HasPrefix(got, want) {
					t.Fatalf("%s\n got %s\nwant %s", body, got, want)
				}
			}
		}
		first := w.dial(t, "2025-11-25", "")
		w.dial(t, "2025-06-18", "")
		reply := c.do("POST", initialize("2025-11-25", ""))
		c.want("Retry-After", reply.Header.Get("Retry-After"), "1")
		c.has("one too many", summary(t, reply), "503 application/json")
		first.do("DELETE", "")
		w.dial(t, "2025-11-25", "")
	})
}

// Sessions that stand idle are swept (B175), with all that belongs to them; one with a request
// or a stream is not idle.
func TestSweep(t *testing.T) {
	s := newWorkshop // inside of the bubble
	var shop *workshop
	inBubble(t, func() *mcp.Server { shop = s(); return shop.Server }, &httpmcp.Options{SessionIdle: time.Second}, func(t *testing.T, w *world) {
		busy := w.dial(t, "2025-11-25", "")
		e := busy.begin("1", "wait", withToken)
		e.message()
		base := runtime.NumGoroutine()
		var clients []*legacyClient
		for range 9_999 {
			c := w.stranger(t)
			c.open("")
			clients = append(clients, c)
		}
		for _, c := range clients[:100] {
			c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`) // it has a goroutine from then on
		}
		one, other := clients[0], clients[1]
		for range 5 {
			<-time.After(900 * time.Millisecond)
			one.want("in use", one.post(ping), pong)
		}
		other.has("idle for long", other.post(ping), "404 ")
		<-time.After(1100 * time.Millisecond)
		one.has("idle", one.post(ping), "404 ")
		synctest.Wait()
		if now := runtime.NumGoroutine(); now > base+20 { // a few are of connections
			t.Errorf("%d goroutines, before there were %d", now, base)
		}
		shop.open <- struct{}{}
		<-shop.ended
		busy.want("a call that has lasted", e.message(), progress(2))
		for range 9_999 {
			w.stranger(t).open("") // there is room again
		}
		<-time.After(10 * time.Second)
		busy.has("idle behind its call", busy.post(ping), "404 ")
	})
}

// Batches are for the sessions that have them (B85): elsewhere nothing in them runs.
func TestBatches(t *testing.T) {
	var runs atomic.Int64
	counting := func() *mcp.Server {
		s := mcp.NewServer("counts", "1", nil)
		s.AddTool(mcp.Tool{Name: "count"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Progress(1, 4, "")
			return mcp.TextResult(fmt.Sprint(runs.Add(1))), nil
		})
		return s
	}
	count := func(id string) string { return tool(id, "count", "") }
	const noted = `{"jsonrpc":"2.0","method":"notifications/x"}`
	const response = `{"jsonrpc":"2.0","id":77,"result":{}}`
	for _, version := range versions {
		inBubble(t, counting, nil, func(t *testing.T, w *world) {
			c := w.dial(t, version, "")
			runs.Store(0)
			if version != "2025-03-26" {
				for _, body := range []string{"[" + count("1") + "]", "[" + ping + "]", "[]", "[" + noted + "]", "[1]"} {
					c.has(body, c.post(body), "400 application/json", `{"jsonrpc":"2.0","error":{"code":-32600`)
				}
				c.want("runs", fmt.Sprint(runs.Load()), "0")
				return
			}
			for body, want := range map[string]string{
				"[" + noted + "]":                  "202  ",
				"[" + response + "," + noted + "]": "202  ",
				"[]":                               `400 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"an empty batch holds nothing to answer"}}`,
				"[" + ping + ",":                   `400 application/json {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: unexpected end at byte 42"}}`,
				"[1]":                              `200 application/json [{"jsonrpc":"2.0","error":{"code":-32600,"message":"message must be an object"}}]`,
				"[" + ping + "," + noted + "," + count(`"a"`) + "]": `200 application/json [{"jsonrpc":"2.0","id":1,"result":{}},` + answered(`"a"`, "1") + `]`,
				"[" + ping + "," + ping + "]":                       `200 application/json [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"id is in use by a request that is not answered yet"}}]`,
				"[" + initialize(version, "") + "]":                 `200 application/json [{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"initialize must not be part of a batch"}}]`,
			} {
				c.want(body, strings.TrimSpace(c.post(body)), strings.TrimSpace(want))
			}
			e := stream(t, c.do("POST", "["+tool("1", "count", withToken)+","+ping[:len(ping)-1]+`,"x":1},`+strings.Replace(ping, `"id":1`, `"id":2`, 1)+"]"))
			c.want("on a stream", e.next(), progress(1))
			c.want("answers", e.next()+e.next()+e.next()+e.next(), answered("1", "2")+
				`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"id is in use by a request that is not answered yet"}}{"jsonrpc":"2.0","id":2,"result":{}}end`)
		})
	}
}

// The requests of a batch can be cancelled and asked about each on its own, and all end with
// their session.
func TestBatchUnderWay(t *testing.T) {
	inEach(t, nil, `"roots":{}`, func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		if c.version != "2025-03-26" {
			return
		}
		e := stream(t, c.do("POST", "["+tool("1", "wait", "")+","+tool("2", "roots", "")+","+tool("3", "exit", "")+"]"))
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		c.post(`[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}},{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}]`)
		<-s.ended
		<-s.ended
		c.want("the answer", e.message(), answered("2", "0"))
		c.has("the other", "200 "+e.message(), "200 ", `"id":3,"error":{"code":-32603`)
		c.want("the end", e.message(), "end")

		got := make(chan string)
		go func() { got <- c.post("[" + tool("1", "wait", "") + "]") }()
		synctest.Wait()
		c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		<-s.ended
		c.want("all are cancelled", <-got, "200 text/event-stream ")

		go func() { got <- c.post("[" + tool("1", "wait", "") + "]") }()
		synctest.Wait()
		c.want("DELETE", summary(t, c.do("DELETE", "")), "204  ")
		<-s.ended
		c.has("the session has ended", <-got, "404 ")
	})
}

// Clients that use the same ids at the same time get what is theirs and nothing else (B71).
func TestSameIDs(t *testing.T) {
	for name, o := range map[string]*httpmcp.Options{"sessions": nil, "stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			url, _ := serve(t, toolServer(t), o)
			var all sync.WaitGroup
			for n := range 50 {
				all.Go(func() {
					c := &legacyClient{t: t, url: url, version: "2025-06-18", http: http.DefaultClient}
					if o == nil {
						c.open("")
					} else {
						c.set = []string{"MCP-Protocol-Version: 2025-06-18"}
					}
					for i := range 10 {
						text := fmt.Sprintf("%d of %d", i, n)
						id := fmt.Sprint(i % 2)
						c.want("echo", c.post(tool(id, "echo", `,"arguments":{"text":"`+text+`"}`)), "200 application/json "+answered(id, text))
						e := stream(t, c.do("POST", tool(id, "progress", `,"arguments":{"text":"`+text+`"},"_meta":{"progressToken":"`+text+`"}`)))
						if got := e.message(); !strings.Contains(got, `"progressToken":"`+text+`"`) {
							t.Errorf("the progress of %q is %s", text, got)
						}
						c.want("answer", e.message(), answered(id, text))
						e.message()
					}
				})
			}
			all.Wait()
		})
	}
}
