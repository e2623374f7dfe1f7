package discover_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// hostile has tools whose handlers ask in ways that handlers should not, and
// middleware around them.
func hostile(tools map[string]mcp.ToolHandler, middleware ...mcp.Middleware) func() *mcp.Server {
	return func() *mcp.Server {
		s := mcp.NewServer("asking", "1", &mcp.ServerOptions{Logger: quiet(), Static: true, Middleware: middleware})
		for name, h := range tools {
			s.AddTool(mcp.Tool{Name: name}, h)
		}
		return s
	}
}

// count asks for the roots and says how many there are.
func count(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	roots, err := c.Roots(ctx, "where")
	if err != nil {
		return nil, err
	}
	return mcp.TextResult(fmt.Sprint(len(roots))), nil
}

// calls makes the line of a legacy call.
func calls(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool)
}

func told(id int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, id, jsonrpc.AppendString(nil, text))
}

func toldFault(id int, text string) string {
	return strings.TrimSuffix(told(id, text), "}}") + `,"isError":true}}`
}

const askRoots = `{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`

// TestAnswersThatAreNone: what a hostile client sends in place of an answer, and beside it.
func TestAnswersThatAreNone(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":1,"result":` + oneRoot + `}`
	tests := []struct {
		name  string
		lines []string
		want  []string // "" while the call waits
	}{
		{"twice", []string{good, good}, []string{told(7, "1"), ""}},
		{"wrong ids first", []string{`{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":"1","result":{}}`, `{"jsonrpc":"2.0","id":-1,"result":{}}`,
			`{"jsonrpc":"2.0","id":0,"result":{}}`, `{"jsonrpc":"2.0","id":18446744073709551617,"result":{}}`, `{"jsonrpc":"2.0","id":1.0,"result":{}}`,
			`{"jsonrpc":"2.0","id":null,"result":{}}`, `{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`, good},
			[]string{"", "", "", "", "", "", "", "", "", told(7, "1")}},
		{"result and error", []string{`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, good},
			[]string{toldFault(7, "the client refuses roots/list: the peer sent a response that is none: result must not stand beside error (-32603)"), ""}},
		{"an error of null", []string{`{"jsonrpc":"2.0","id":1,"result":` + oneRoot + `,"error":null}`, good},
			[]string{toldFault(7, "the client refuses roots/list: the peer sent a response that is none: result must not stand beside error (-32603)"), ""}},
		{"an error without a code", []string{`{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}`, good},
			[]string{toldFault(7, "the client refuses roots/list: the peer sent a response that is none: error must be an object with an integer code and a string message (-32603)"), ""}},
		{"an error that is text", []string{`{"jsonrpc":"2.0","id":1,"error":"no"}`, good},
			[]string{toldFault(7, "the client refuses roots/list: the peer sent a response that is none: error must be an object with an integer code and a string message (-32603)"), ""}},
		{"without a version", []string{`{"id":1,"result":{"roots":[]}}`, good},
			[]string{toldFault(7, `the client refuses roots/list: the peer sent a response that is none: jsonrpc must be the string "2.0" (-32603)`), ""}},
		{"a result twice", []string{`{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`, good},
			[]string{toldFault(7, `the client refuses roots/list: the peer sent a response that is none: duplicate member "result" (-32603)`), ""}},
		{"an error", []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no roots"}}`, good},
			[]string{toldFault(7, "the client refuses roots/list: no roots (-32601)"), ""}},
		{"another shape", []string{`{"jsonrpc":"2.0","id":1,"result":[]}`, good},
			[]string{toldFault(7, `the client's answer to "where" is not what was asked for: must be an object`), ""}},
	}
	for _, tt := range tests {
		bubble(t, hostile(map[string]mcp.ToolHandler{"count": count}), func(w *wire) {
			w.send(fmt.Sprintf(hello, "2025-11-25"), nowReady)
			w.want(tt.name, calls(7, "count"), fmt.Sprintf(askRoots, 1))
			for i, line := range tt.lines {
				var want []string
				if tt.want[i] != "" {
					want = []string{tt.want[i]}
				}
				w.want(tt.name, line, want...)
			}
		})
	}
}

// TestAskInMiddleware: middleware asks nothing, neither before nor behind the handler.
func TestAskInMiddleware(t *testing.T) {
	var errs [2]error
	asks := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			_, errs[0] = c.Roots(ctx, "before")
			reply, err := next(ctx, c)
			_, errs[1] = c.Roots(ctx, "behind")
			return reply, err
		}
	}
	bubble(t, hostile(map[string]mcp.ToolHandler{"count": count}, asks), func(w *wire) {
		w.send(fmt.Sprintf(hello, "2025-11-25"), nowReady)
		w.want("the handler's question", calls(7, "count"), fmt.Sprintf(askRoots, 1))
		w.want("its answer", `{"jsonrpc":"2.0","id":1,"result":`+oneRoot+`}`, told(7, "1"))
		for i, err := range errs {
			if err == nil || !strings.HasPrefix(err.Error(), "mcp: only the handlers of tools") {
				t.Errorf("question %d of the middleware: got %v, want that it may not ask", i, err)
			}
		}
	})
}

// TestRetryInMiddleware: middleware that tries again does not have the client asked
// again, nor what was done once done again.
func TestRetryInMiddleware(t *testing.T) {
	again := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			reply, err := next(ctx, c)
			for range 2 {
				if err != nil || !reply.ToolError() {
					break
				}
				reply, err = next(ctx, c)
			}
			return reply, err
		}
	}
	runs, done := 0, 0
	flaky := func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		runs++
		if _, err := mcp.Once(c, "done", func() (int, error) { done++; return done, nil }); err != nil {
			return nil, err
		}
		roots, err := c.Roots(ctx, "where")
		switch {
		case err != nil:
			return nil, err
		case runs%3 != 0:
			return nil, errors.New("try again")
		}
		return mcp.TextResult(fmt.Sprint(len(roots), " in run ", runs, ", done ", done)), nil
	}
	bubble(t, hostile(map[string]mcp.ToolHandler{"flaky": flaky}, again), func(w *wire) {
		runs, done = 0, 0
		w.send(fmt.Sprintf(hello, "2025-11-25"), nowReady)
		w.want("the question", calls(7, "flaky"), fmt.Sprintf(askRoots, 1))
		w.want("its answer", `{"jsonrpc":"2.0","id":1,"result":`+oneRoot+`}`, told(7, "1 in run 3, done 1"))
	})
}

// TestAskBehindTheAnswer: goroutines that ask while the handler returns leave nothing
// open, and the client hears of it before the answer.
func TestAskBehindTheAnswer(t *testing.T) {
	var errs chan error // made in the bubble
	leave := func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		for i := range 3 {
			go func() {
				_, err := c.Roots(context.Background(), fmt.Sprint("where ", i))
				errs <- err
			}()
		}
		<-time.After(time.Second)
		return mcp.TextResult("left"), nil
	}
	bubble(t, hostile(map[string]mcp.ToolHandler{"leave": leave}), func(w *wire) {
		errs = make(chan error, 3)
		w.send(fmt.Sprintf(hello, "2025-11-25"), nowReady)
		if got := w.send(calls(7, "leave")); len(got) != 3 {
			t.Errorf("the questions: got %q, want three", got)
		}
		<-time.After(time.Second)
		got := w.send()
		if len(got) != 4 || got[3] != told(7, "left") || strings.Count(strings.Join(got, ""), `"notifications/cancelled"`) != 3 {
			t.Errorf("got %q, want three cancellations and then the answer", got)
		}
		for range 3 {
			if err := <-errs; err == nil {
				t.Error("a question that was given up has no error")
			}
		}
	})
}

// TestPageAgain: the same question about a page has the same answer, in every revision.
func TestPageAgain(t *testing.T) {
	twice := func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		for range 2 {
			if err := c.ElicitURL(ctx, "page", &mcp.ElicitURL{Message: "There.", URL: "https://example.com/"}); err != nil {
				return nil, err
			}
		}
		return mcp.TextResult("agreed"), nil
	}
	bubble(t, hostile(map[string]mcp.ToolHandler{"twice": twice}), func(w *wire) {
		w.send(strings.Replace(fmt.Sprintf(hello, "2025-11-25"), `"roots":{}`, `"elicitation":{"url":{}}`, 1), nowReady)
		w.in.lines <- calls(7, "twice")
		<-time.After(10 * time.Millisecond)
		w.out.mu.Lock()
		w.out.text = nil // it has a random id
		w.out.mu.Unlock()
		w.want("agreed", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`, told(7, "agreed"))
	})
}

// TestStateAndLoneSurrogates: values that read alike and are not the same are other
// arguments.
func TestStateAndLoneSurrogates(t *testing.T) {
	bubble(t, rootless, func(w *wire) {
		call := func(id int, argument, more string) []string {
			return w.send(fmt.Sprintf(modernCall, id, `,"arguments":{"a":`+argument+`}`+more))
		}
		got := call(1, `"\ud800"`, "")
		state := strings.Split(strings.SplitAfter(got[0], `"requestState":"`)[1], `"`)[0]
		for argument, want := range map[string]string{`"\uD800"`: `"text":"1"`, `"\ud801"`: "-32602", `"\ufffd"`: "-32602", `"` + "\ufffd" + `"`: "-32602", `"\ud800\ud800"`: "-32602"} {
			got := call(2, argument, `,"inputResponses":{"where":`+oneRoot+`},"requestState":"`+state+`"`)
			if len(got) != 1 || !strings.Contains(got[0], want) {
				t.Errorf("%s: got %q, want %s", argument, got, want)
			}
		}
	})
}

// TestAnswerThatIsNoneInABatch: it ends the wait there, too.
func TestAnswerThatIsNoneInABatch(t *testing.T) {
	bubble(t, hostile(map[string]mcp.ToolHandler{"count": count}), func(w *wire) {
		w.send(fmt.Sprintf(hello, "2025-03-26"), nowReady)
		w.want("the question", calls(7, "count"), fmt.Sprintf(askRoots, 1))
		w.want("the batch", `[{"jsonrpc":"2.0","id":1,"error":"no"},{"jsonrpc":"2.0","id":1,"result":`+oneRoot+`}]`,
			toldFault(7, "the client refuses roots/list: the peer sent a response that is none: error must be an object with an integer code and a string message (-32603)"))
	})
}
