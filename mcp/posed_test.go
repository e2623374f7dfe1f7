package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// glass is a sealer that seals nothing, so that a test can look through it, and alter what
// comes back as a server of another version might have made it.
type glass struct{ alter func(plain string) string }

func (glass) Seal(_ string, _ time.Time, _, plain []byte) string { return string(plain) }

func (g glass) Open(_ string, _ time.Time, _ []byte, token string) ([]byte, error) {
	if g.alter != nil {
		token = g.alter(token)
	}
	return []byte(token), nil
}

// TestPosed: an answer is for the question that was put to the client, whatever stands under
// its key when the handler runs again.
func TestPosed(t *testing.T) {
	form := func(schema string) func() mcp.Question {
		return func() mcp.Question {
			return mcp.FormQuestion("k", &mcp.ElicitForm{Message: "M", Schema: formOf(schema)})
		}
	}
	page := func(id, message string) func() mcp.Question {
		return func() mcp.Question {
			return mcp.URLQuestion("k", &mcp.ElicitURL{Message: message, URL: "https://example.com", ID: id})
		}
	}
	sample := func(text string) func() mcp.Question {
		return func() mcp.Question {
			return mcp.SampleQuestion("k", &mcp.SampleRequest{MaxTokens: 1, Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, text)}})
		}
	}
	roots := func() mcp.Question { return mcp.RootsQuestion("k") }
	person := func() mcp.Question { return mcp.QuestionFor[person]("k", "M") }
	const yes = `{"action":"accept","content":{"name":"Ada"}}`
	const said = `{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`
	tests := []struct {
		name          string
		first, second func() mcp.Question
		answer        string
		again         bool // the client is asked again
	}{
		{"the same", person, person, yes, false},
		{"another way to ask the same", person, form(`"name":{"type":"string"}`), yes, true},
		{"another field", form(`"name":{"type":"string"}`), form(`"name":{"type":"string"},"n":{"type":"integer"}`), yes, true},
		{"another bound", form(`"name":{"type":"string"}`), form(`"name":{"type":"string","maxLength":9}`), yes, true},
		{"a page for a form", form(`"name":{"type":"string"}`), page("", "M"), yes, true},
		{"a form for a page", page("", "M"), form(``), yes, true},
		{"the same page", page("", "M"), page("", "M"), yes, false},
		{"another message", page("", "M"), page("", "N"), yes, true},
		{"a model", sample("a"), sample("a"), said, false},
		{"a model, otherwise", sample("a"), sample("b"), said, true},
		{"roots", roots, roots, `{"roots":[]}`, false},
		{"roots for a form", roots, person, `{"roots":[]}`, true},
	}
	for _, tt := range tests {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} { // one with ids of pages that are drawn
			for _, required := range []bool{false, true} {
				var log bytes.Buffer
				s := mcp.NewServer("test-server", "1", &mcp.ServerOptions{Keys: glass{}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
				runs := 0
				s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
					runs++
					switch {
					case runs == 1 && required:
						return nil, c.RequireInput(nil, tt.first())
					case runs == 1:
						return nil, c.AskAll(ctx, tt.first())
					}
					return mcp.TextResult("answered"), c.AskAll(ctx, tt.second())
				})
				r := &retrying{}
				x := &exchange{server: s, form: bare(revision), capabilities: everything, asker: r}
				const asked = `{"resultType":"input_required"}`
				same(t, tt.name, x.ask(t, context.Background(), "tools/call", `{"name":"a"}`), asked)
				retry := func() string {
					return x.ask(t, context.Background(), "tools/call", `{"name":"a","inputResponses":{"k":`+tt.answer+`},"requestState":`+string(jsonrpc.AppendString(nil, r.state))+`}`)
				}
				want := ok("answered")
				if tt.again {
					want = asked
				}
				same(t, fmt.Sprint(revision, " ", required, " ", tt.name), retry(), want)
				if tt.again && strings.Contains(r.state, `"answers":{"k"`) {
					t.Errorf("%s: the answer to another question is kept: %s", tt.name, r.state)
				}
				if got := strings.Contains(log.String(), "no longer what is asked"); got != tt.again {
					t.Errorf("%s: the log has %s; want a line about it: %t", tt.name, log.String(), tt.again)
				}
			}
		}
	}
}

// TestPosedBefore: an answer that was found good in an earlier round does not count either
// for another question, nor does one in a state that does not say which question it is for.
func TestPosedBefore(t *testing.T) {
	const asked = `{"resultType":"input_required"}`
	for _, tt := range []struct {
		name   string
		second string // the question in the last run
		alter  func(string) string
		want   string
	}{
		{"the same", "Who?", nil, ok("done")},
		{"another", "And who?", nil, asked},
		{"a state of an earlier version", "Who?", func(s string) string {
			return regexp.MustCompile(`,"posed":\{[^}]*\}`).ReplaceAllString(s, "")
		}, asked},
	} {
		g := &glass{}
		s := quiet(mcp.ServerOptions{Keys: g})
		first := "Who?"
		s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			if _, err := mcp.Ask[person](ctx, c, "k", first); err != nil {
				return nil, err
			}
			_, err := c.Roots(ctx, "l")
			return mcp.TextResult("done"), err
		})
		r := &retrying{}
		x := &exchange{server: s, form: bare("2026-07-28"), capabilities: everything, asker: r}
		call := func(more string) string {
			if r.state != "" {
				more += `,"requestState":` + string(jsonrpc.AppendString(nil, r.state))
			}
			return x.ask(t, context.Background(), "tools/call", `{"name":"a"`+more+`}`)
		}
		same(t, tt.name, call(""), asked)
		same(t, tt.name, call(`,"inputResponses":{"k":{"action":"accept","content":{"name":"Ada"}}}`), asked)
		if !strings.Contains(r.state, `"answers":{"k"`) {
			t.Fatalf("%s: the answer is not in the state: %s", tt.name, r.state)
		}
		first, g.alter = tt.second, tt.alter
		same(t, tt.name, call(`,"inputResponses":{"l":{"roots":[]}}`), tt.want)
	}
}

// TestPosedInOneRequest: where middleware runs the handler again, in every revision, and
// where a handler requires input, the answers are to what was asked as well.
func TestPosedInOneRequest(t *testing.T) {
	inForms(t, func(t *testing.T, f *mcp.Form) {
		runs := 0
		twice := func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
				next(ctx, c)
				return next(ctx, c)
			}
		}
		s := quiet(mcp.ServerOptions{Middleware: []mcp.Middleware{twice}})
		s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			runs++
			said, err := c.Sample(ctx, "k", &mcp.SampleRequest{MaxTokens: runs, Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "a")}})
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(said.Model), nil
		})
		a := &asking{results: map[string]string{"k": `{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`}}
		x := &exchange{server: s, form: f, capabilities: everything, asker: a}
		if got := x.ask(t, context.Background(), "tools/call", `{"name":"a"}`); !strings.Contains(got, `"text":"m"`) || len(a.asked) != 2 {
			t.Errorf("got %s, asked %q; want two questions, of 1 and of 2 tokens", got, a.asked)
		}
	})
}
