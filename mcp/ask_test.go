package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// asking answers questions by their keys, with results or with errors. What it has no
// answer for has to wait for a retry.
type asking struct {
	results map[string]string
	err     error
	asked   []string
}

func (a *asking) Resume(*mcp.Server, *mcp.Request) (*mcp.Rounds, error) { return nil, nil }

func (a *asking) Ask(_ context.Context, _ *mcp.Request, questions []mcp.Inquiry) ([]mcp.Answer, error) {
	var answers []mcp.Answer
	for _, q := range questions {
		a.asked = append(a.asked, q.Key+" "+q.Method+" "+string(q.Params))
		result, ok := a.results[q.Key]
		if !ok {
			return nil, mcp.ErrInputRequired
		}
		answers = append(answers, mcp.Answer{Result: jsonrpc.Raw(result)})
	}
	return answers, a.err
}

func (a *asking) Suspend(s *mcp.Server, r *mcp.Request, rounds *mcp.Rounds) (mcp.Reply, error) {
	_, open, err := s.SealRounds(r, rounds)
	if err != nil {
		return mcp.Reply{}, err
	}
	var keys []byte
	for _, q := range open {
		keys = append(append(keys, q.Key...), ' ')
	}
	return mcp.NewInputRequired(append(jsonrpc.AppendString([]byte(`"keys":`), string(keys)), `,"requestState":"s"`...)), nil
}

// everything is what a client can declare.
var everything = jsonrpc.Raw(`{"roots":{},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}}}`)

// asks has one tool that asks, in the newest form.
func asks(t *testing.T, a *asking, h mcp.ToolHandler) string {
	t.Helper()
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, h)
	x := &exchange{server: s, form: bare("2026-07-28"), capabilities: everything, asker: a}
	return x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
}

type person struct {
	Name string `json:"name"`
}

// ok, failed are the results of tools.
func ok(text string) string {
	return `{"content":[{"type":"text","text":` + string(jsonrpc.AppendString(nil, text)) + `}]}`
}

func failed(text string) string {
	return strings.TrimSuffix(ok(text), "}") + `,"isError":true}`
}

// TestKeys: each question has a key of its own.
func TestKeys(t *testing.T) {
	who := func(key, message string) mcp.Question { return mcp.QuestionFor[person](key, message) }
	ada := `{"action":"accept","content":{"name":"Ada"}}`
	tests := []struct {
		name string
		ask  func(ctx context.Context, c *mcp.Call) error
		want string
	}{
		{"twice the same", func(ctx context.Context, c *mcp.Call) error {
			return errors.Join(c.AskAll(ctx, who("k", "Who?")), c.AskAll(ctx, who("k", "Who?")))
		}, ok("1 asked")},
		{"two questions", func(ctx context.Context, c *mcp.Call) error {
			return errors.Join(c.AskAll(ctx, who("k", "Who?")), c.AskAll(ctx, who("k", "And who?")))
		}, failed(`mcp: the key "k" stands for another question already: give each question a key of its own`)},
		{"twice in one round", func(ctx context.Context, c *mcp.Call) error {
			return c.AskAll(ctx, who("k", "Who?"), who("k", "Who?"))
		}, failed(`mcp: the question "k" is being asked already: give each question a key of its own`)},
		{"none", func(ctx context.Context, c *mcp.Call) error { return c.AskAll(ctx, who("", "Who?")) },
			failed(`mcp: the key "" of a question must have 1 to 256 bytes`)},
		{"a long one", func(ctx context.Context, c *mcp.Call) error {
			return c.AskAll(ctx, who(strings.Repeat("k", 257), "Who?"))
		}, failed(`mcp: the key "` + strings.Repeat("k", 256) + `…" of a question must have 1 to 256 bytes`)},
		{"none, of Once", func(ctx context.Context, c *mcp.Call) error {
			_, err := mcp.Once(c, "", func() (int, error) { return 1, nil })
			return err
		}, failed(`mcp: the key "" of a question must have 1 to 256 bytes`)},
		{"none, required", func(ctx context.Context, c *mcp.Call) error { return c.RequireInput(nil, who("", "Who?")) },
			failed(`mcp: the key "" of a question must have 1 to 256 bytes`)},
		{"no questions", func(ctx context.Context, c *mcp.Call) error { return c.AskAll(ctx) }, ok("0 asked")},
		{"after a fault the key is free", func(ctx context.Context, c *mcp.Call) error {
			if err := c.AskAll(ctx, who("k", "Who?"), who("", "Who?")); err == nil {
				return errors.New("no error")
			}
			return c.AskAll(ctx, who("k", "Who?"))
		}, ok("1 asked")},
		{"before an answer there is none", func(ctx context.Context, c *mcp.Call) error {
			_, err := mcp.QuestionFor[person]("k", "Who?").Answer()
			return err
		}, failed("mcp: the question has not been answered: AskAll has not returned nil")},
		{"unanswered, all at once", func(ctx context.Context, c *mcp.Call) error {
			return c.AskAll(ctx, who("k", "Who?"), who("l", "Who?"), who("m", "Who?"))
		}, `{"resultType":"input_required","keys":"k l m ","requestState":"s"}`},
		{"unanswered, one after the other", func(ctx context.Context, c *mcp.Call) error {
			c.AskAll(ctx, who("l", "Who?"))
			c.AskAll(ctx, who("m", "Who?"))
			return nil
		}, `{"resultType":"input_required","keys":"l m ","requestState":"s"}`},
		{"unanswered, twice the same", func(ctx context.Context, c *mcp.Call) error {
			c.AskAll(ctx, who("l", "Who?"))
			c.AskAll(ctx, who("l", "Who?"))
			return c.RequireInput(nil, who("l", "Who?"), who("m", "Who?"), who("m", "Who?"))
		}, `{"resultType":"input_required","keys":"l m ","requestState":"s"}`},
		{"required, two questions", func(ctx context.Context, c *mcp.Call) error {
			return c.RequireInput(nil, who("l", "Who?"), who("l", "And who?"))
		}, failed(`mcp: the key "l" stands for another question already: give each question a key of its own`)},
	}
	for _, tt := range tests {
		a := &asking{results: map[string]string{"k": ada}}
		got := asks(t, a, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			if err := tt.ask(ctx, c); err != nil {
				return nil, err
			}
			return mcp.TextResult(fmt.Sprintf("%d asked", len(a.asked))), nil
		})
		same(t, tt.name, got, tt.want)
	}
}

// TestWhoMayAsk: the handlers of tools, prompts and resources, while they run.
func TestWhoMayAsk(t *testing.T) {
	const refused = "mcp: only the handlers of tools, prompts and resources can ask the client, and only until they return (2026-07-28 basic/patterns/mrtr, Supported Requests)"
	try := func(ctx context.Context, c *mcp.Call) string {
		_, err := mcp.Ask[person](ctx, c, "k", "Who?")
		_, once := mcp.Once(c, "k", func() (int, error) { return 1, nil })
		return fmt.Sprint(err, once, c.RequireInput(nil), c.InputResponse("k"), c.RequestState())
	}
	all := refused + " " + refused + " " + refused + " [] []"
	s := quiet(mcp.ServerOptions{})
	s.Handle("x/y", mcp.Both, func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
		return mcp.NewReply(jsonrpc.AppendString([]byte(`"said":`), try(ctx, c)), nil), nil
	})
	var kept *mcp.Call
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		kept = c
		return mcp.TextResult(""), nil
	})
	x := &exchange{server: s, form: bare("2026-07-28"), capabilities: everything, asker: &asking{}}
	same(t, "a method of the program's own", x.ask(t, context.Background(), "x/y", `{}`), `{"said":`+string(jsonrpc.AppendString(nil, all))+`}`)
	x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
	same(t, "a handler that has returned", try(context.Background(), kept), all)
	x.asker = nil
	s.AddTool(mcp.Tool{Name: "b"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		return mcp.TextResult(try(ctx, c)), nil
	})
	same(t, "an exchange that cannot ask", x.ask(t, context.Background(), "tools/call", `{"name":"b"}`), ok(all))
}

// TestMiddlewareSeesWhatIsAsked: a reply that asks for input is neither a result nor an
// error.
func TestMiddlewareSeesWhatIsAsked(t *testing.T) {
	var seen []string
	s := quiet(mcp.ServerOptions{Middleware: []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
			reply, err := next(ctx, c)
			seen = append(seen, fmt.Sprint(reply.InputRequired(), reply.ToolError(), err))
			return reply, err
		}
	}}})
	s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		_, err := mcp.Ask[person](ctx, c, "k", "Who?")
		return mcp.TextResult("x"), err
	})
	a := &asking{}
	x := &exchange{server: s, form: bare("2026-07-28"), capabilities: everything, asker: a}
	x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
	a.results = map[string]string{"k": `{"action":"accept","content":{"name":"Ada"}}`}
	x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
	same(t, "seen", fmt.Sprint(seen), "[true false <nil> false false <nil>]")
}

// TestOnce: done once, whoever asks for it; an error is not kept.
func TestOnce(t *testing.T) {
	got := asks(t, &asking{}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		calls := 0
		do := func() (map[string]int, error) {
			if calls++; calls == 1 {
				return nil, errors.New("not yet")
			}
			return map[string]int{"calls": calls}, nil
		}
		_, first := mcp.Once(c, "k", do)
		second, err := mcp.Once(c, "k", do)
		third, err2 := mcp.Once(c, "k", do)
		_, other := mcp.Once(c, "k", func() (int, error) { return 0, nil })
		_, unfit := mcp.Once(c, "l", func() (func(), error) { return func() {}, nil })
		panicked := panicOf(func() { mcp.Once(c, "m", func() (int, error) { panic("boom") }) })
		again, err3 := mcp.Once(c, "m", func() (int, error) { return 7, nil })
		return mcp.TextResult(fmt.Sprint(first, second, third, err, err2, err3, again, panicked, other != nil, unfit != nil)), nil
	})
	same(t, "Once", got, ok("not yet map[calls:2] map[calls:2] <nil> <nil> <nil> 7boomtrue true"))
}

// TestOnceTogether: goroutines that do one thing at the same time do it once.
func TestOnceTogether(t *testing.T) {
	got := asks(t, &asking{}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		const n = 20
		calls, values := 0, make(chan int, n) // calls is guarded by Once, as the race detector sees
		for range n {
			go func() {
				v, _ := mcp.Once(c, "k", func() (int, error) { calls++; return calls, nil })
				values <- v
			}()
		}
		sum := 0
		for range n {
			sum += <-values
		}
		return mcp.TextResult(fmt.Sprint(calls, sum)), nil
	})
	same(t, "Once", got, ok("1 20"))
}

// TestAskErrors: what an exchange says reaches the handler, and no code of the client's
// is passed on as the server's own.
func TestAskErrors(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{jsonrpc.ErrClosed, failed("the client has gone, so it cannot be asked")},
		{errors.New("the exchange says so"), failed("the exchange says so")},
	}
	for _, tt := range tests {
		a := &asking{results: map[string]string{"k": ""}, err: tt.err}
		got := asks(t, a, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			_, err := mcp.Ask[person](ctx, c, "k", "Who?")
			return nil, err
		})
		same(t, tt.err.Error(), got, tt.want)
	}
}
