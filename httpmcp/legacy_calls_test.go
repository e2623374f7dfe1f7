package httpmcp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// workshop has tools that take time, and tells what became of them.
type workshop struct {
	*mcp.Server
	ended   chan error    // of each wait: nil, or the end of its context
	open    chan struct{} // a wait ends when something is sent here
	changed bool          // there is a tool more: see change
}

func newWorkshop() *workshop {
	s := &workshop{
		Server: mcp.NewServer("workshop", "1", &mcp.ServerOptions{Logging: true, Logger: slog.New(slog.DiscardHandler)}),
		ended:  make(chan error, 100), open: make(chan struct{}),
	}
	add := func(name string, run func(ctx context.Context, c *mcp.Call) (string, error)) {
		s.AddTool(mcp.Tool{Name: name}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			text, err := run(ctx, c)
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(text), nil
		})
	}
	add("wait", func(ctx context.Context, c *mcp.Call) (string, error) {
		c.Progress(1, 4, "")
		err := s.wait(ctx)
		c.Progress(2, 4, "")
		return "waited", err
	})
	add("deaf", func(ctx context.Context, _ *mcp.Call) (string, error) {
		<-s.open
		return "heard nothing", ctx.Err()
	})
	add("detach", func(ctx context.Context, c *mcp.Call) (string, error) {
		detached := c.Detach(3 * time.Second)
		again := c.Detach(0)
		err := s.wait(ctx)
		c.Progress(3, 4, "")
		return fmt.Sprint(detached, again), err
	})
	add("roots", func(ctx context.Context, c *mcp.Call) (string, error) {
		roots, err := c.Roots(ctx, "r")
		s.ended <- err
		if err != nil {
			return "", err
		}
		return fmt.Sprint(len(roots)), nil
	})
	add("log", func(_ context.Context, c *mcp.Call) (string, error) {
		c.Log(mcp.LogInfo, "", "info")
		c.Log(mcp.LogError, "", "error")
		return "logged", nil
	})
	add("exit", func(context.Context, *mcp.Call) (string, error) {
		runtime.Goexit()
		return "", nil
	})
	add("exit-at-end", func(ctx context.Context, c *mcp.Call) (string, error) {
		c.Progress(1, 4, "")
		<-ctx.Done()
		runtime.Goexit()
		return "", nil
	})
	add("late", func(_ context.Context, c *mcp.Call) (string, error) {
		go func() {
			<-s.open
			c.Progress(9, 9, "")
			c.Notify("notifications/late", nil)
			if c.Detach(0) {
				s.ended <- errors.New("detached behind the end")
			}
			s.ended <- nil
		}()
		return "late", nil
	})
	return s
}

func (s *workshop) wait(ctx context.Context) error {
	select {
	case <-s.open:
		s.ended <- nil
		return nil
	case <-ctx.Done():
		s.ended <- context.Cause(ctx)
		return ctx.Err()
	}
}

const withToken = `,"_meta":{"progressToken":"p"}`

// begin sends a call whose answer is a stream, and returns that.
func (c *legacyClient) begin(id, name, more string, set ...string) *events {
	c.t.Helper()
	return stream(c.t, c.do("POST", tool(id, name, more), set...))
}

func progress(n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":%d,"total":4}}`, n)
}

func answered(id, what string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + what + `"}]}}`
}

// An event without data comes first in the revision that has that, and in no other, since
// clients of the others take it for a message (B56). Every event of a stream has an id.
func TestStreamOfCall(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		e := c.begin("1", "wait", withToken)
		ids := map[string]bool{}
		next := func(want string) {
			t.Helper()
			c.want("event", e.next(), want)
			if e.last == "" || ids[e.last] {
				t.Errorf("the id of an event is %q, which is none or stood before", e.last)
			}
			ids[e.last] = true
		}
		if c.version == "2025-11-25" {
			next("")
		}
		next(progress(1))
		s.open <- struct{}{}
		<-s.ended
		next(progress(2))
		next(answered("1", "waited"))
		c.want("behind the answer", e.next(), "end")
	})
}

// A client that takes JSON alone is told nothing before the answer (B101).
func TestNoStream(t *testing.T) {
	inEach(t, nil, `"roots":{}`, func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		go func() { s.open <- struct{}{}; <-s.ended }()
		c.want("a call with progress", c.post(tool("1", "wait", withToken), "Accept: application/json"), "200 application/json "+answered("1", "waited"))
		go func() { <-s.ended }()
		c.has("a question", c.post(tool("2", "roots", ""), "Accept: application/json"), "200 application/json", `"isError":true`)
		go func() { s.open <- struct{}{}; <-s.ended }()
		c.want("detach", c.post(tool("1", "detach", ""), "Accept: application/json"), "200 application/json "+answered("1", "false false"))
	})
}

// A call that says nothing for long becomes a stream that is kept alive.
func TestQuietCall(t *testing.T) {
	inEach(t, &httpmcp.Options{KeepAlive: time.Second}, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		start := time.Now()
		e := c.begin("1", "deaf", "")
		if got := time.Since(start); got < time.Second || got > time.Second*9/8 {
			t.Errorf("the stream has begun after %v, want the interval of 1 s, or an eighth more", got)
		}
		<-time.After(10 * time.Second)
		close(s.open)
		c.want("answer", e.message(), answered("1", "heard nothing"))
		c.want("end", e.next(), "end")
	})
}

// A question goes out on the stream of its call, and is answered with a POST of its own.
func TestAskOnStream(t *testing.T) {
	inEach(t, nil, `"roots":{}`, func(t *testing.T, c *legacyClient, w *world, s *workshop) {
		e := c.begin("1", "roots", "")
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		other := w.dial(t, c.version, "")
		c.want("answer of another session", other.post(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`), "202  ")
		c.want("answer", c.post(`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}}`), "202  ")
		c.want("error", fmt.Sprint(<-s.ended), "<nil>")
		c.want("result", e.message(), answered("1", "2"))
		c.want("end", e.next(), "end")

		e = c.begin("2", "roots", "")
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":2,"method":"roots/list"}`)
		c.want("refusal", c.post(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no"}}`), "202  ")
		c.want("the handler is told", fmt.Sprint(<-s.ended), "the client refuses roots/list: no (-32000)")
		e.message()

		e = c.begin("3", "roots", "")
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":3,"method":"roots/list"}`)
		c.has("an answer that is none", c.post(`{"jsonrpc":"2.0","id":3,"result":1,"error":2}`), "400 ")
		c.want("the handler is told", fmt.Sprint(<-s.ended), "the client refuses roots/list: the peer sent a response that is none: result must not stand beside error (-32603)")
		e.message()
	})
}

// A cancelled request is not answered; its handler is told, and so is the client of a question
// that nobody waits for any more.
func TestCancelled(t *testing.T) {
	inEach(t, nil, `"roots":{}`, func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		cancel := func(id string) {
			c.want("cancelled", c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`,"reason":"test"}}`), "202  ")
		}
		e := c.begin(`"a"`, "wait", withToken)
		c.want("progress", e.message(), progress(1))
		cancel(`"\u0061"`)
		if err := <-s.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the handler's context ended with %v", err)
		}
		c.want("the rest", e.next(), "end")

		e = c.begin("2", "roots", "")
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		cancel("2")
		c.want("question given up", e.message(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"The answer is no longer needed"}}`)
		<-s.ended
		c.want("the rest", e.next(), "end")

		for accept, want := range map[string]string{"application/json": "202  ", "application/json, text/event-stream": "200 text/event-stream "} {
			done := make(chan string)
			go func() { done <- c.post(tool("3", "wait", ""), "Accept: "+accept) }()
			synctest.Wait()
			cancel("3")
			<-s.ended
			c.want("a call that has said nothing, "+accept, <-done, want)
		}
		cancel("3")
		cancel("null")
		c.want("no id", c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`), "202  ")
	})
}

// A broken connection cancels nothing (B95): the handler goes on, and its session with it.
func TestDisconnectDoesNotCancel(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		for _, more := range []string{withToken, ""} {
			ctx, hangUp := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				reply, err := c.try(ctx, "POST", tool("1", "wait", more))
				if err == nil {
					_, err = reply.Body.Read(make([]byte, 1))
					<-ctx.Done()
					reply.Body.Close()
				}
				done <- err
			}()
			synctest.Wait()
			hangUp()
			<-done
			synctest.Wait()
			c.has("its id is in use", c.post(tool("1", "wait", "")), "400 ", `"id":1,"error":{"code":-32600`)
			s.open <- struct{}{}
			c.want("the handler ended with", fmt.Sprint(<-s.ended), "<nil>")
			synctest.Wait()
			c.want("its id is free", c.post(tool("1", "log", "")), "200 application/json "+answered("1", "logged"))
		}
	})
}

// The number of requests of a session that are worked on is bounded; other sessions are not
// concerned.
func TestMaxSessionInFlight(t *testing.T) {
	inEach(t, &httpmcp.Options{MaxSessionInFlight: 2}, "", func(t *testing.T, c *legacyClient, w *world, s *workshop) {
		replies := make(chan string, 2)
		for _, id := range []string{"1", "2"} {
			go func() { replies <- c.post(tool(id, "deaf", "")) }()
		}
		synctest.Wait()
		reply := c.do("POST", tool("3", "log", ""))
		c.want("Retry-After", reply.Header.Get("Retry-After"), "1")
		c.has("the third", summary(t, reply), "429 application/json", `{"jsonrpc":"2.0","id":3,"error":{"code":-32603`)
		c.want("another session", w.dial(t, c.version, "").post(tool("3", "log", "")), "200 application/json "+answered("3", "logged"))
		close(s.open)
		<-replies
		<-replies
		c.want("then", c.post(tool("3", "log", "")), "200 application/json "+answered("3", "logged"))
	})
}

// Handlers that end their goroutine, or speak when all is said, harm nobody.
func TestOddHandlers(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		c.has("Goexit", c.post(tool("1", "exit", "")), "200 application/json", `"id":1,"error":{"code":-32603,"message":"Internal error (correlation id`)
		c.want("late", c.post(tool("1", "late", withToken)), "200 application/json "+answered("1", "late"))
		close(s.open)
		c.want("late words", fmt.Sprint(<-s.ended), "<nil>")
	})
}

// DELETE frees what waits and ends what runs (B67, B164), also where a handler does not obey.
func TestDeleteFrees(t *testing.T) {
	inEach(t, nil, `"roots":{}`, func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		waiting := c.begin("1", "wait", withToken)
		asking := c.begin("2", "roots", "")
		get := stream(t, c.do("GET", ""))
		plain := make(chan string)
		go func() { plain <- c.post(tool("3", "deaf", "")) }()
		c.want("progress", waiting.message(), progress(1))
		asking.message()
		synctest.Wait()
		c.want("DELETE", summary(t, c.do("DELETE", "")), "204  ")
		for range 2 {
			// A handler that asks is told by the error of its question.
			if err := <-s.ended; !errors.Is(err, jsonrpc.ErrClosed) && !errors.Is(err, context.Canceled) {
				t.Errorf("a handler is told %v", err)
			}
		}
		for name, e := range map[string]*events{"wait": waiting, "roots": asking, "GET": get} {
			c.want(name, e.message(), "end")
		}
		c.has("a call that has said nothing", <-plain, "404 application/json", `{"jsonrpc":"2.0","id":3,"error":{"code":-32600`)
		close(s.open)
	})
}

// The level is the session's (B202).
func TestLevelOfSession(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, a *legacyClient, w *world, s *workshop) {
		b := w.dial(t, a.version, "")
		a.want("setLevel", a.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"warning"}}`), `200 application/json {"jsonrpc":"2.0","id":1,"result":{}}`)
		a.has("loud", a.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`), "200 ", `-32602`)
		logged := func(c *legacyClient) string {
			return text(t, c.do("POST", tool("1", "log", "")))
		}
		if got := logged(a); strings.Contains(got, `"info"`) || !strings.Contains(got, `"level":"error"`) {
			t.Errorf("A is told %s, want the error alone", got)
		}
		b.want("B, who has set no level", logged(b), answered("1", "logged"))
	})
}
