package httpmcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// change makes one change, which is told once the listener has rested. Two at a time would be told once or twice.
func (s *workshop) change() {
	if s.changed = !s.changed; !s.changed {
		s.RemoveTool("extra")
		return
	}
	s.AddTool(mcp.Tool{Name: "extra"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{}, nil })
}

// get opens the stream of what belongs to no request, behind after unless that is "".
func (c *legacyClient) get(after string) *events {
	c.t.Helper()
	e := stream(c.t, c.do("GET", "", "Last-Event-ID: "+after))
	if after == "" && c.version == "2025-11-25" {
		c.want("the first event", e.next(), "")
		if e.last == "" {
			c.t.Error("the first event has no id")
		}
	}
	return e
}

// What belongs to no request is told on the stream of GET, with ids; what changed while there
// was none is told once when it comes.
func TestGet(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		s.change()
		<-time.After(time.Minute)
		s.change()
		e := c.get("")
		c.want("before it", e.next(), toolsChanged)
		<-time.After(time.Minute)
		for range 3 {
			s.change()
			c.want("change", e.next(), toolsChanged)
			if e.last == "" {
				t.Error("an event has no id")
			}
			<-time.After(time.Minute)
		}
		c.has("a client that takes no events", summary(t, c.do("GET", "", "Accept: application/json")), "406 application/json", `"code":-32600`)
		c.has("another version", summary(t, c.do("GET", "", "MCP-Protocol-Version: 2024-01-01")), "400 application/json", `"code":-32600`)
	})
}

// A second GET takes the stream over, at once, also from a connection that is dead without
// anybody having noticed (B70).
func TestGetTakesOver(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		first := c.get("")
		second := c.do("GET", "") // whose body nobody reads: the next write hangs
		c.want("the first", first.next(), "end")
		s.change()
		synctest.Wait()
		start := time.Now()
		third := c.get("")
		<-time.After(time.Second)
		s.change()
		c.want("the third", third.next(), toolsChanged)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("taking over has lasted %v", took)
		}
		second.Body.Close()
	})
}

// The stream of GET survives its connections: what was sent and did not arrive is sent again
// behind Last-Event-ID, and nothing twice.
func TestGetResumed(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		e := c.get("")
		s.change()
		c.want("one", e.next(), toolsChanged)
		one := e.last
		for range 2 {
			<-time.After(time.Second)
			s.change()
			c.want("more", e.next(), toolsChanged)
		}
		e.body.Close()
		synctest.Wait()
		<-time.After(time.Second)
		s.change() // while there is no connection
		e = c.get(one)
		for _, name := range []string{"two", "three", "four"} {
			c.want(name, e.next(), toolsChanged)
		}
		last := e.last
		e.body.Close()
		synctest.Wait()
		e = c.get(last)
		<-time.After(time.Second)
		s.change()
		c.want("five", e.next(), toolsChanged)
	})
}

// A Last-Event-ID that names nothing is an error, and so is one of another session.
func TestLastEventID(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, w *world, s *workshop) {
		other := w.dial(t, c.version, "")
		e := other.begin("1", "wait", withToken)
		other.want("progress", e.message(), progress(1))
		for _, id := range []string{"x", "1.99", "get.1", "..", e.last} {
			c.has("Last-Event-ID "+id, summary(t, c.do("GET", "", "Last-Event-ID: "+id)), "400 application/json", `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Last-Event-ID names no event`)
		}
		s.open <- struct{}{}
		<-s.ended
	})
}

// The stream of a call can be taken up again, while it goes on and when it is over, and holds
// nothing of other streams.
func TestCallResumed(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		e := c.begin("1", "wait", withToken)
		c.want("progress", e.message(), progress(1))
		first := e.last
		e.body.Close()
		synctest.Wait()
		c.post(`{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"debug"}}`)
		noise := c.begin("2", "log", "")
		noise.message()

		e = stream(t, c.do("GET", "", "Last-Event-ID: "+first))
		s.open <- struct{}{}
		<-s.ended
		c.want("live", e.message(), progress(2))
		live := e.last
		c.want("the answer", e.message(), answered("1", "waited"))
		last := e.last
		c.want("the end", e.next(), "end")

		e = stream(t, c.do("GET", "", "Last-Event-ID: "+first))
		c.want("again", e.message(), progress(2))
		c.want("the answer again", e.message(), answered("1", "waited"))
		c.want("the end again", e.next(), "end")
		e = stream(t, c.do("GET", "", "Last-Event-ID: "+live))
		c.want("the answer alone", e.message(), answered("1", "waited"))
		c.want("the end", e.next(), "end")
		c.has("nothing is left", summary(t, c.do("GET", "", "Last-Event-ID: "+last)), "400 application/json", "nothing follows")
	})
}

// A GET may take a call's stream over from the connection that the call came with.
func TestCallTakenOver(t *testing.T) {
	inEach(t, nil, `"roots":{}`, func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		e := c.begin("1", "roots", "")
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		other := stream(t, c.do("GET", "", "Last-Event-ID: "+e.last))
		c.want("the POST", e.next(), "end")
		c.want("answer", c.post(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`), "202  ")
		<-s.ended
		c.want("the result", other.next(), answered("1", "0"))
		c.want("the end", other.next(), "end")
	})
}

// A question that the client has missed is put again, and what it answers counts.
func TestAskMissed(t *testing.T) {
	inEach(t, nil, `"roots":{}`, func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		if c.version != "2025-11-25" {
			return // there is no id to come back with before the first message
		}
		e := c.begin("1", "roots", "")
		c.want("the first event", e.next(), "")
		e.body.Close()
		synctest.Wait()
		e = stream(t, c.do("GET", "", "Last-Event-ID: "+e.last))
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		c.want("answer", c.post(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`), "202  ")
		<-s.ended
		c.want("the result", e.next(), answered("1", "0"))
	})
}

// A handler may have its connection let go where the revision has that; elsewhere it is told
// that it cannot, and nothing changes.
func TestDetach(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		if c.version != "2025-11-25" {
			go func() { s.open <- struct{}{} }()
			e := c.begin("1", "detach", withToken)
			<-s.ended
			c.want("progress", e.next(), progress(3))
			c.want("the answer", e.next(), answered("1", "false false"))
			return
		}
		reply := c.do("POST", tool("1", "detach", withToken))
		body := text(t, reply)
		id, _, _ := strings.Cut(body[strings.Index(body, "id: ")+len("id: "):], "\n")
		c.want("the first connection", body, "retry: 3000\nid: "+id+"\ndata: \n\n")
		s.open <- struct{}{}
		<-s.ended
		synctest.Wait()
		e := stream(t, c.do("GET", "", "Last-Event-ID: "+id))
		c.want("progress", e.next(), progress(3))
		c.want("the answer", e.next(), answered("1", "true false"))
		c.want("the end", e.next(), "end")
	})
}

// Streams of GET are bounded.
func TestMaxStreamsOfGet(t *testing.T) {
	inEach(t, &httpmcp.Options{MaxStreams: 1}, "", func(t *testing.T, c *legacyClient, w *world, _ *workshop) {
		e := c.get("")
		other := w.dial(t, c.version, "")
		reply := other.do("GET", "")
		c.want("Retry-After", reply.Header.Get("Retry-After"), "1")
		c.has("one too many", summary(t, reply), "503 application/json")
		e.body.Close()
		synctest.Wait()
		other.get("")
	})
}

// A quiet stream of GET is kept alive, and keeps its session from standing idle.
func TestGetQuiet(t *testing.T) {
	inEach(t, &httpmcp.Options{KeepAlive: time.Second, SessionIdle: 10 * time.Second}, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		e := c.get("")
		<-time.After(time.Minute)
		s.change()
		c.want("change", e.next(), toolsChanged)
		if got := e.comments.Load(); got < 58 || got > 60 {
			t.Errorf("%d comments in a minute, want one a second", got)
		}
		e.body.Close()
		synctest.Wait()
		<-time.After(9 * time.Second)
		c.want("in time", c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), `200 application/json {"jsonrpc":"2.0","id":1,"result":{}}`)
		<-time.After(11 * time.Second)
		c.has("too late", c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), "404 ")
	})
}

// brokenEvents is a store that fails.
type brokenEvents struct{ httpmcp.EventStore }

func (brokenEvents) Append(string, string, []byte) (string, error) { return "", fmt.Errorf("full") }
func (brokenEvents) Since(string, string) (string, []httpmcp.Event, error) {
	return "", nil, fmt.Errorf("unreadable")
}

// A store that fails costs the ids alone.
func TestStoreFails(t *testing.T) {
	o := &httpmcp.Options{Events: brokenEvents{httpmcp.NewMemoryEvents(nil)}}
	inEach(t, o, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		e := c.begin("1", "wait", withToken)
		c.want("progress", e.message(), progress(1))
		s.open <- struct{}{}
		<-s.ended
		c.want("progress", e.message(), progress(2))
		c.want("answer", e.message(), answered("1", "waited"))
		c.want("id", e.last, "")
		c.want("taking up", summary(t, c.do("GET", "", "Last-Event-ID: 1.1")), `500 application/json {"jsonrpc":"2.0","error":{"code":-32603,"message":"The stream cannot be taken up again"}}`)
	})
}

// wildEvents is a store that panics, or whose ids break the lines of an event.
type wildEvents struct{ httpmcp.EventStore }

func (wildEvents) Append(_, _ string, data []byte) (string, error) {
	if strings.Contains(string(data), "waited") {
		panic("no more")
	}
	return "1\ndata: forged", nil
}
func (wildEvents) Since(string, string) (string, []httpmcp.Event, error) { panic("no more") }
func (wildEvents) Drop(string, string)                                   { panic("no more") }

// A store that breaks its own rules costs no more, also where no request is served.
func TestStoreIsWild(t *testing.T) {
	o := &httpmcp.Options{Events: wildEvents{}, SessionIdle: time.Minute, KeepAlive: time.Second}
	inEach(t, o, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		e := c.begin("1", "wait", withToken)
		c.want("progress", e.message(), progress(1))
		s.open <- struct{}{}
		<-s.ended
		c.want("progress", e.message(), progress(2))
		c.want("answer", e.message(), answered("1", "waited"))
		c.want("id", e.last, "")
		c.want("taking up", summary(t, c.do("GET", "", "Last-Event-ID: 1.1")), `500 application/json {"jsonrpc":"2.0","error":{"code":-32603,"message":"The stream cannot be taken up again"}}`)
		e = c.begin("2", "deaf", "")
		s.open <- struct{}{}
		c.want("behind a quiet time", e.message(), answered("2", "heard nothing"))
		<-time.After(2 * time.Minute)
		c.has("the session stood idle", c.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), "404 ")
	})
}

// Shutdown ends the stream of GET in order, lets calls finish, also on a connection that took
// their stream up again, and ends the sessions (B163).
func TestShutdownOfSessions(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, w *world, s *workshop) {
		get := c.get("")
		e := c.begin("1", "wait", withToken)
		c.want("progress", e.message(), progress(1))
		resumed := stream(t, c.do("GET", "", "Last-Event-ID: "+e.last))
		synctest.Wait() // the connection of the POST is closed
		plain := make(chan string)
		go func() { plain <- c.post(tool("2", "deaf", "")) }()
		synctest.Wait()
		done := make(chan error)
		go func() { done <- w.Shutdown(context.Background()) }()
		c.want("GET", get.next(), "end")
		c.has("a new request", c.post(tool("3", "log", "")), "503 ")
		close(s.open)
		<-s.ended
		c.want("progress", resumed.message(), progress(2))
		c.want("the answer", resumed.message(), answered("1", "waited"))
		c.want("a plain call", <-plain, "200 application/json "+answered("2", "heard nothing"))
		c.want("Shutdown", fmt.Sprint(<-done), "<nil>")
	})
}

// At the end of its time Shutdown cancels what is left, and what is answered to that still goes out.
func TestShutdownCancelsSessions(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, w *world, s *workshop) {
		e := c.begin("1", "wait", withToken)
		c.want("progress", e.message(), progress(1))
		plain := make(chan string)
		go func() { plain <- c.post(tool("2", "wait", "")) }()
		synctest.Wait()
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		start := time.Now()
		if err := w.Shutdown(ctx); err == nil {
			t.Error("Shutdown has no error, though calls were cancelled")
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("Shutdown took %v", took)
		}
		<-s.ended
		<-s.ended
		const told = `,"error":{"code":-32603,"message":"Request ended: the server is shutting down"}}`
		c.want("the plain call", <-plain, `200 application/json {"jsonrpc":"2.0","id":2`+told)
		c.want("the stream", e.message(), progress(2))
		c.want("the stream", e.message(), `{"jsonrpc":"2.0","id":1`+told)
		c.want("the stream", e.message(), "end")
	})
}

// mute is a writer that cannot flush, as careless middleware makes one.
type mute struct{ http.ResponseWriter }

// Behind a writer that cannot flush there are no streams, and answers are JSON.
func TestMuteWriter(t *testing.T) {
	for _, version := range versions {
		s := newWorkshop()
		e := httpmcp.Handler(s.Server, nil)
		l := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { e.ServeHTTP(mute{w}, r) }))
		c := dial(t, l.URL, version, `"roots":{}`)
		close(s.open)
		c.want("a call", c.post(tool("1", "wait", withToken)), "200 application/json "+answered("1", "waited"))
		c.want("a call that would let go", c.post(tool("1", "detach", "")), "200 application/json "+answered("1", "false false"))
		c.has("a question", c.post(tool("1", "roots", "")), "200 application/json", `"isError":true`)
		c.has("GET", summary(t, c.do("GET", "")), "405 application/json", `"code":-32600`)
		e.Shutdown(t.Context())
		l.Close()
	}
	http.DefaultClient.CloseIdleConnections()
}

// A call may let go of its connection when its stream has begun, too.
func TestDetachLate(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		s.AddTool(mcp.Tool{Name: "later"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Progress(1, 4, "")
			detached := c.Detach(0)
			return mcp.TextResult(fmt.Sprint(detached)), s.wait(ctx)
		})
		e := c.begin("1", "later", withToken)
		c.want("progress", e.message(), progress(1))
		if c.version == "2025-11-25" {
			c.want("where to come back", e.next(), "")
			c.want("the connection", e.next(), "end")
			e = stream(t, c.do("GET", "", "Last-Event-ID: "+e.last))
		}
		s.open <- struct{}{}
		<-s.ended
		c.want("the answer", e.message(), answered("1", fmt.Sprint(c.version == "2025-11-25")))
	})
}
