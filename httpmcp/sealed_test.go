package httpmcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
)

// farServer is a server of which several processes run. Its tools show what is known of the client, and want what only
// a session that lasts has.
func farServer() *mcp.Server {
	s := mcp.NewServer("far", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Logging: true})
	type nothing struct{}
	mcp.AddTool(s, mcp.Tool{Name: "who"}, func(_ context.Context, c *mcp.Call, _ nothing) (string, error) {
		c.Progress(1, 2, "")
		return fmt.Sprint(c.ProtocolVersion(), " ", c.ClientInfo().String(), " ", c.ClientCapabilities().Roots != nil), nil
	})
	mcp.AddTool(s, mcp.Tool{Name: "ask"}, func(ctx context.Context, c *mcp.Call, _ nothing) (string, error) {
		_, err := c.Roots(ctx, "where")
		return "", err
	})
	mcp.AddTool(s, mcp.Tool{Name: "detach"}, func(_ context.Context, c *mcp.Call, _ nothing) (string, error) {
		return fmt.Sprint(c.Detach(0)), nil
	})
	s.AddResource(mcp.Resource{URI: "a:b", Name: "n"}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{URI: "a:b", Text: "x"}}, nil
	})
	return s
}

// byHeader is who asks, as a header says that nothing outside of a test may trust.
func byHeader(r *http.Request) *mcp.Principal {
	if id := r.Header.Get("X-User"); id != "" {
		return &mcp.Principal{ID: id}
	}
	return nil
}

// at is the same client at another place.
func (c *legacyClient) at(url string) *legacyClient {
	other := *c
	other.url = url
	return &other
}

// lacks holds a session that nothing is kept of to what it says of what it does not have.
func (c *legacyClient) lacks() {
	c.t.Helper()
	const why = "he server keeps no state of this session between requests"
	c.has("a question", c.post(tool("1", "ask", "")), "200 application/json", `"isError":true`, why+", so the client cannot be asked")
	c.has("a subscription", c.post(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}`), "200 ", `"code":-32601`, why)
	c.has("a level", c.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`), "200 ", `"code":-32601`, why)
	c.want("detach", c.post(tool("1", "detach", "")), `200 application/json {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"false"}]}}`)
	for _, method := range []string{"GET", "DELETE", "PUT"} {
		reply := c.do(method, "")
		c.has(method, summary(c.t, reply), "405 application/json", `"code":-32600`)
		c.want(method+" Allow", reply.Header.Get("Allow"), "POST")
	}
	c.want("a cancellation", c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`), "202  ")
	c.want("a response", c.post(`{"jsonrpc":"2.0","id":1,"result":{}}`), "202  ")
	c.has("a response that is none", c.post(`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`), "400 ", `"code":-32600`)
}

// streams is a call with something before its answer: no event has an id, and none is empty, since nobody could come
// back for the rest.
func (c *legacyClient) streams(text string) {
	c.t.Helper()
	reply := c.do("POST", tool("1", "who", `,"_meta":{"progressToken":7}`))
	e := stream(c.t, reply)
	c.want("progress", e.next(), `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2}}`)
	c.want("the answer behind it", e.next(), `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+text+`"}]}}`)
	c.want("the end", e.next(), "end")
	c.want("the last id", e.last, "")
	e.body.Close()
}

func (c *legacyClient) who(text string) {
	c.t.Helper()
	c.want("who", c.post(tool("1", "who", "")), `200 application/json {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+text+`"}]}}`)
}

// TestSealedSession: replicas that share nothing but the key serve each other's sessions.
func TestSealedSession(t *testing.T) {
	keys := seal.RandomKeys()
	o := &httpmcp.Options{SessionKeys: keys, Principal: byHeader}
	a, _ := serve(t, farServer(), o)
	b, _ := serve(t, farServer(), &httpmcp.Options{SessionKeys: keys, Principal: byHeader})
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			c := &legacyClient{t: t, url: a, version: version, http: http.DefaultClient, set: []string{"X-User: alice"}}
			c.open(`"roots":{}`)
			if strings.IndexFunc(c.session, func(r rune) bool { return r < 0x21 || r > 0x7E }) >= 0 {
				t.Errorf("session id %q, want one of visible characters", c.session)
			}
			if shown, err := base64.RawURLEncoding.DecodeString(c.session); err != nil || strings.Contains(string(shown), "version") {
				t.Errorf("session id %q shows %q, %v: want it sealed", c.session, shown, err)
			}
			c.want("initialized", c.at(b).post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), "202  ")
			for _, url := range []string{b, a, b} {
				c.at(url).who(version + " t 0 true")
				c.at(url).streams(version + " t 0 true")
			}
			c.at(b).lacks()
			c.has("a second initialize", c.post(initialize(version, "")), "200 ", `"code":-32600,"message":"Already initialized`)
			c.want("no version header", c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Protocol-Version"), `200 application/json {"jsonrpc":"2.0","id":1,"result":{}}`)
			c.has("another version", c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Protocol-Version: 1900-01-01"), "400 ", `"id":1`, version)
			c.has("no id", c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id"), "400 ", `"code":`)
			batch := c.post(`[{"jsonrpc":"2.0","id":1,"method":"ping"},` + tool("2", "who", "") + `]`)
			if version == "2025-03-26" {
				c.has("a batch", batch, "200 ", `[{"jsonrpc":"2.0","id":1,"result":{}},`, "t 0 true")
			} else {
				c.has("a batch", batch, "400 ", `"code":-32600`)
			}
		})
	}
}

// TestSealedIsBound (B64, B65, B68): an id that was altered, made with other keys or for somebody else is no session.
func TestSealedIsBound(t *testing.T) {
	url, _ := serve(t, farServer(), &httpmcp.Options{SessionKeys: seal.RandomKeys(), Principal: byHeader})
	foreign, _ := serve(t, farServer(), &httpmcp.Options{SessionKeys: seal.RandomKeys(), Principal: byHeader})
	kept, _ := serve(t, farServer(), nil)
	c := &legacyClient{t: t, url: url, version: "2025-06-18", http: http.DefaultClient, set: []string{"X-User: alice"}}
	c.open("")
	c.who("2025-06-18 t 0 false")
	other := *c
	other.session = ""
	other.open("")
	if c.session == other.session {
		t.Errorf("two sessions have the id %s", c.session)
	}
	flipped := c.session[:len(c.session)-2] + string(c.session[len(c.session)-2]^1) + c.session[len(c.session)-1:]
	for _, row := range []struct{ name, url, id, user string }{
		{"altered", url, flipped, "alice"},
		{"shortened", url, c.session[:len(c.session)-1], "alice"},
		{"lengthened", url, c.session + "A", "alice"},
		{"never given out", url, "00000000-0000-4000-8000-000000000000", "alice"},
		{"far too long", url, strings.Repeat("A", 20_000), "alice"},
		{"somebody else's", url, c.session, "bob"},
		{"nobody's", url, c.session, ""},
		{"of other keys", foreign, c.session, "alice"},
		{"of a server that keeps sessions", kept, c.session, "alice"},
	} {
		set := []string{"Mcp-Session-Id: " + row.id, "X-User: " + row.user}
		c.has(row.name, c.at(row.url).post(tool("1", "who", ""), set...), "404 application/json", `"id":1,"error":{"code":-32600,"message":"Session not found`)
	}
	c.has("twice", summary(t, twice(t, c)), "400 ", "Mcp-Session-Id")
}

// twice sends a ping with two session ids.
func twice(t *testing.T, c *legacyClient) *http.Response {
	t.Helper()
	r, _ := http.NewRequest("POST", c.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Session-Id": {c.session, c.session}, "X-User": {"alice"}}
	reply, err := c.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// TestSealedTooLong: what a client says of itself must fit into a header. One byte decides.
func TestSealedTooLong(t *testing.T) {
	url, _ := serve(t, farServer(), &httpmcp.Options{SessionKeys: seal.RandomKeys()})
	open := func(n int) *http.Response {
		c := &legacyClient{t: t, url: url, version: "2025-11-25", http: http.DefaultClient}
		return c.do("POST", strings.Replace(initialize("2025-11-25", ""), `"name":"t"`, `"name": "`+strings.Repeat("t", n)+`"`, 1))
	}
	low, high := 1, 100_000 // fits, does not
	for high-low > 1 {
		middle := (low + high) / 2
		reply := open(middle)
		body := text(t, reply)
		switch id := reply.Header.Get("Mcp-Session-Id"); {
		case reply.StatusCode == 200 && len(id) > 0 && len(id) <= 4096:
			low = middle
		case reply.StatusCode == 200 && id == "" && strings.Contains(body, `"id":0,"error":{"code":-32602,"message":"params.clientInfo and params.capabilities are too long`):
			high = middle
		default:
			t.Fatalf("a name of %d bytes: %d, id of %d bytes, %s", middle, reply.StatusCode, len(id), body)
		}
	}
	if low < 2000 || low > 4096 {
		t.Errorf("a name of %d bytes is the longest; want about 3 KiB", low)
	}
}

// TestSealedExpires: a sealed session lasts for SessionLife from its handshake, used or not.
func TestSealedExpires(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    httpmcp.Options
		life time.Duration
	}{
		{"by default", httpmcp.Options{}, 24 * time.Hour},
		{"an hour", httpmcp.Options{SessionLife: time.Hour}, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			keys := seal.RandomKeys()
			synctest.Test(t, func(t *testing.T) {
				o := tt.o
				o.SessionKeys = keys
				e := httpmcp.Handler(farServer(), &o)
				opened := do(e, initialize("2025-06-18", ""))
				id := opened.Header().Get("Mcp-Session-Id")
				for range 10 {
					if got := do(e, tool("1", "who", ""), "Mcp-Session-Id", id); got.Code != 200 {
						t.Errorf("in time: %d %s", got.Code, got.Body)
					}
					<-time.After(tt.life / 10) // of the bubble
				}
				if got := do(e, tool("1", "who", ""), "Mcp-Session-Id", id); got.Code != 404 {
					t.Errorf("behind its time: %d %s, want 404", got.Code, got.Body)
				}
				e.Shutdown(t.Context())
			})
		})
	}
}

// do has an endpoint answer a POST without a network.
func do(h http.Handler, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// odd is a sealer that makes something else than seal.Keys does.
type odd struct{ token, plain string }

func (o odd) Seal(string, time.Time, []byte, []byte) string { return o.token }
func (o odd) Open(string, time.Time, []byte, string) ([]byte, error) {
	if o.plain == "" {
		return nil, errors.New("no")
	}
	return []byte(o.plain), nil
}

// TestOddSealers: a sealer of the program's own that gives what is no session makes no session.
func TestOddSealers(t *testing.T) {
	for _, token := range []string{"", "a b", "ä", "a\n", strings.Repeat("a", 5000)} {
		e := httpmcp.Handler(farServer(), &httpmcp.Options{SessionKeys: odd{token: token}})
		if got := do(e, initialize("2025-06-18", "")); got.Code != 200 || got.Header()["Mcp-Session-Id"] != nil || !strings.Contains(got.Body.String(), `"error":{"code":-32`) {
			t.Errorf("token %q: %d %v %s, want an error and no id", token, got.Code, got.Header(), got.Body)
		}
	}
	for _, plain := range []string{"", "x", `{}`, `{"version":1}`, `{"version":"2026-07-28"}`, `{"version":"2025-06-18"`} {
		e := httpmcp.Handler(farServer(), &httpmcp.Options{SessionKeys: odd{plain: plain}})
		if got := do(e, tool("1", "who", ""), "Mcp-Session-Id", "x"); got.Code != 404 {
			t.Errorf("content %q: %d %s, want 404", plain, got.Code, got.Body)
		}
	}
}

// TestStateless: without sessions each request stands for itself, in the revision of its header.
func TestStateless(t *testing.T) {
	url, _ := serve(t, farServer(), &httpmcp.Options{Stateless: true, SessionKeys: seal.RandomKeys()})
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			c := &legacyClient{t: t, url: url, version: version, http: http.DefaultClient, set: []string{"Mcp-Protocol-Version: " + version}}
			reply := c.do("POST", initialize(version, `"roots":{}`))
			c.has("initialize", summary(t, reply), "200 application/json", `"protocolVersion":"`+version+`","capabilities":{"resources":{},"tools":{}}`)
			if id := reply.Header["Mcp-Session-Id"]; id != nil {
				t.Errorf("there are no sessions, and this one is %q", id)
			}
			c.has("a bad initialize", c.post(strings.Replace(initialize(version, ""), "clientInfo", "clientinfo", 1)), "200 ", `"id":0,"error":{"code":-32602`)
			c.want("initialized", c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), "202  ")
			c.who(version + "   false")
			c.streams(version + "   false")
			c.lacks()
			c.has("a session of another server", c.post(tool("1", "who", ""), "Mcp-Session-Id: x"), "404 ", `"id":1`, "Session not found")
		})
	}
	c := &legacyClient{t: t, url: url, http: http.DefaultClient}
	c.has("initialize without the header", c.post(initialize("2025-11-25", "")), "200 ", `"protocolVersion":"2025-11-25"`)
	c.who("2025-03-26   false")
	c.has("a batch", c.post(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},`+initialize("2025-03-26", "")+`]`), "200 ",
		`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":0,"error":{"code":-32600`)
	c.want("initialize as a notification", c.post(`{"jsonrpc":"2.0","method":"initialize"}`), "202  ")
	for _, version := range []string{"1900-01-01", "not-a-version", "2026-07-28"} {
		c.has("B143 "+version, c.post(tool("1", "who", ""), "Mcp-Protocol-Version: "+version), "400 application/json", `"id":1,"error":{"code":-32602`)
		c.has("B143 a batch, "+version, c.post(`[`+tool("1", "who", "")+`]`, "Mcp-Protocol-Version: "+version), "400 application/json", `"error":{"code":-32600`)
	}
	c.want("a modern call", summary(t, must(t, post(t, url, "tools/call", "who", strings.Replace(modernCall("1", "who", ""), `"text":"x"`, "", 1)))),
		`200 application/json {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"2026-07-28   false"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"far","version":"1"}}}}`)
}

func must(t testing.TB, r *http.Request) *http.Response {
	t.Helper()
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// TestStatelessMixesNothing (B71): clients that use the same ids at once get their own answers.
func TestStatelessMixesNothing(t *testing.T) {
	url, _ := serve(t, toolServer(t), &httpmcp.Options{Stateless: true})
	var clients sync.WaitGroup
	for i := range 50 {
		clients.Go(func() {
			for id := range 4 {
				word := fmt.Sprint("client ", i, " call ", id)
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"progress","arguments":{"text":%q},"_meta":{"progressToken":%d}}}`, id%2, word, i)
				r, _ := http.NewRequest("POST", url, strings.NewReader(body))
				r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2025-06-18"}}
				reply, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				got, _ := io.ReadAll(reply.Body)
				reply.Body.Close()
				quoted, _ := json.Marshal(word)
				if s := string(got); !strings.Contains(s, `"text":`+string(quoted)) || !strings.Contains(s, fmt.Sprintf(`"progressToken":%d,`, i)) || strings.Count(s, "data: ") != 2 {
					t.Errorf("%s got %s", word, s)
				}
			}
		})
	}
	clients.Wait()
}

// TestPassingShutdown: what runs when the endpoint ends is finished, or cancelled when its time is over, also where
// nobody keeps its session; a client that has gone does not cancel it.
func TestPassingShutdown(t *testing.T) {
	for _, o := range []*httpmcp.Options{{Stateless: true}, {SessionKeys: seal.RandomKeys()}} {
		began, ended := make(chan struct{}), make(chan error, 1)
		s := mcp.NewServer("slow", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
		s.AddTool(mcp.Tool{Name: "slow"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
			began <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		})
		url, e := serve(t, s, o)
		c := &legacyClient{t: t, url: url, version: "2025-11-25", http: http.DefaultClient}
		reply := c.do("POST", initialize(c.version, ""))
		reply.Body.Close()
		c.session = reply.Header.Get("Mcp-Session-Id")
		call, leave := context.WithCancel(t.Context())
		var client sync.WaitGroup
		client.Go(func() {
			if reply, err := c.try(call, "POST", tool("1", "slow", "")); err == nil {
				reply.Body.Close()
			}
		})
		<-began
		leave()
		client.Wait()
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := e.Shutdown(over); !errors.Is(err, jsonrpc.ErrDrain) {
			t.Errorf("Shutdown: got %v, want %v", err, jsonrpc.ErrDrain)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) && !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("the handler ended with %v, want it cancelled by the end", err)
		}
	}
}
