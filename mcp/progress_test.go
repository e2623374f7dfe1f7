package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// reporting is a server whose tool a makes these reports.
func reporting(report func(c *mcp.Call)) *mcp.Server {
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		report(c)
		return mcp.TextResult("done"), nil
	})
	s.AddResource(mcp.Resource{URI: "a:b", Name: "a"}, func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		report(c)
		return []mcp.ResourceContents{&mcp.TextResource{URI: "a:b"}}, nil
	})
	return s
}

// TestProgressTokens (B97, B98, B100): the token goes back as it came, and without
// one nothing is said.
func TestProgressTokens(t *testing.T) {
	const wrong = "-32602 params._meta.progressToken must be a string or an integer"
	const fine = `{"content":[{"type":"text","text":"done"}]}`
	tests := []struct{ name, meta, answer, token string }{
		{"0", `{"progressToken":0}`, fine, "0"},
		{"empty", `{"progressToken":""}`, fine, `""`},
		{"string", `{"progressToken":"abc"}`, fine, `"abc"`},
		{"string with escapes", `{"progressToken":"\u0061\u2028"}`, fine, `"\u0061\u2028"`},
		{"beyond 2^53", `{"progressToken":9007199254740993}`, fine, "9007199254740993"},
		{"negative", `{"progressToken":-1}`, fine, "-1"},
		{"none", `{}`, fine, ""},
		{"another name", `{"ProgressToken":1}`, fine, ""},
		{"null", `{"progressToken":null}`, wrong, ""},
		{"fraction", `{"progressToken":1.5}`, wrong, ""},
		{"exponent", `{"progressToken":1e3}`, wrong, ""},
		{"object", `{"progressToken":{}}`, wrong, ""},
		{"array", `{"progressToken":[1]}`, wrong, ""},
		{"truth value", `{"progressToken":true}`, wrong, ""},
	}
	s := reporting(func(c *mcp.Call) { c.Progress(0.25, 1, "") })
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			x := &exchange{server: s, form: bare(f.Revision)}
			same(t, test.name, x.ask(t, context.Background(), "tools/call", `{"name":"a","_meta":`+test.meta+`}`), test.answer)
			var want []string
			if test.token != "" {
				want = []string{`notifications/progress {"progressToken":` + test.token + `,"progress":0.25,"total":1}`}
			}
			if got := x.sent(); !slices.Equal(got, want) {
				t.Errorf("%s\nsent %q\nwant %q", test.name, got, want)
			}
		}
		x := &exchange{server: s, form: f}
		x.ask(t, context.Background(), "resources/read", `{"uri":"a:b","_meta":{"progressToken":7}}`)
		same(t, "of a resource", strings.Join(x.sent(), "\n"), `notifications/progress {"progressToken":7,"progress":0.25,"total":1}`)
		x = &exchange{server: s, form: bare(f.Revision)}
		same(t, "no _meta", x.ask(t, context.Background(), "tools/call", `{"name":"a"}`), fine)
		same(t, "no _meta", strings.Join(x.sent(), "\n"), "")
	})
}

func TestProgressValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	type report struct {
		progress, total float64
		message         string
	}
	tests := []struct {
		name    string
		reports []report
		want    []string // behind the token; MESSAGE marks a member that 2024-11-05 lacks
	}{
		{"fractions", []report{{0.25, 1, ""}, {0.5, 1, ""}}, []string{`"progress":0.25,"total":1`, `"progress":0.5,"total":1`}},
		{"unknown total", []report{{1, 0, ""}}, []string{`"progress":1`}},
		{"from 0 on", []report{{0, 10, ""}, {0, 10, ""}, {1, 10, ""}}, []string{`"progress":0,"total":10`, `"progress":1,"total":10`}},
		{"negative first", []report{{-1, 0, ""}, {-0.5, 0, ""}}, []string{`"progress":-1`, `"progress":-0.5`}},
		{"only upwards", []report{{2, 0, ""}, {1, 0, ""}, {2, 0, ""}, {3, 0, ""}}, []string{`"progress":2`, `"progress":3`}},
		{"large and small", []report{{1e-7, 1e21, ""}, {9007199254740992, 0, ""}}, []string{`"progress":1e-7,"total":1e+21`, `"progress":9007199254740992`}},
		{"no numbers", []report{{nan, 1, ""}, {inf, 1, ""}, {-inf, 1, ""}, {1, 1, ""}}, []string{`"progress":1,"total":1`}},
		{"total that is no number", []report{{1, nan, ""}, {2, inf, ""}, {3, -inf, ""}, {4, -1, ""}},
			[]string{`"progress":1`, `"progress":2`, `"progress":3`, `"progress":4`}},
		{"beyond the total", []report{{5, 4, ""}}, []string{`"progress":5,"total":4`}},
		{"message", []report{{1, 2, "half \u2028<way>"}}, []string{`"progress":1,"total":2` + `MESSAGE,"message":"half \u2028<way>"`}},
	}
	for _, test := range tests {
		s := reporting(func(c *mcp.Call) {
			for _, r := range test.reports {
				c.Progress(r.progress, r.total, r.message)
			}
		})
		inForms(t, func(t *testing.T, f *mcp.Form) {
			x := &exchange{server: s, form: f}
			x.ask(t, context.Background(), "tools/call", `{"name":"a","_meta":{"progressToken":1}}`)
			var want []string
			for _, w := range test.want {
				core, message, _ := strings.Cut(w, "MESSAGE")
				if f.Revision == "2024-11-05" {
					message = ""
				}
				want = append(want, `notifications/progress {"progressToken":1,`+core+message+`}`)
			}
			if got := x.sent(); !slices.Equal(got, want) {
				t.Errorf("%s: %v\nsent %q\nwant %q", test.name, test.reports, got, want)
			}
		})
	}
}

// TestProgressAfterReturn: a goroutine that the handler left behind says nothing
// once the handler is done, however it ended.
func TestProgressAfterReturn(t *testing.T) {
	ends := map[string]func() (*mcp.Result, error){
		"result": func() (*mcp.Result, error) { return mcp.TextResult(""), nil },
		"error":  func() (*mcp.Result, error) { return nil, errors.New("no") },
		"panic":  func() (*mcp.Result, error) { panic("no") },
	}
	for name, end := range ends {
		var kept *mcp.Call
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			kept = c
			c.Progress(1, 0, "")
			return end()
		})
		x := &exchange{server: s, form: forms[4]}
		x.ask(t, context.Background(), "tools/call", `{"name":"a","_meta":{"progressToken":1}}`)
		kept.Progress(2, 0, "")
		same(t, name, strings.Join(x.sent(), "\n"), `notifications/progress {"progressToken":1,"progress":1}`)
	}
}

// TestProgressConcurrent: from whatever goroutines reports come, what is sent grows.
func TestProgressConcurrent(t *testing.T) {
	s := reporting(func(c *mcp.Call) {
		var work sync.WaitGroup
		for g := range 8 {
			work.Go(func() {
				for i := range 50 {
					c.Progress(float64(i*8+g), 400, "")
				}
			})
		}
		work.Wait()
		c.Progress(1000, 0, "")
	})
	x := &exchange{server: s, form: forms[4]}
	x.ask(t, context.Background(), "tools/call", `{"name":"a","_meta":{"progressToken":1}}`)
	sent, last := x.sent(), -1.0
	for _, note := range sent {
		_, rest, _ := strings.Cut(note, `"progress":`)
		digits := strings.TrimRight(rest[:strings.IndexAny(rest, ",}")], " ")
		value, err := strconv.ParseFloat(digits, 64)
		if err != nil || value <= last {
			t.Fatalf("progress %s after %v (%v), in %q", digits, last, err, sent)
		}
		last = value
	}
	if last != 1000 {
		t.Errorf("the last progress is %v, want 1000", last)
	}
}

// A peer that is gone is no reason for a handler to fail.
func TestProgressToAPeerThatIsGone(t *testing.T) {
	s := reporting(func(c *mcp.Call) { c.Progress(1, 0, ""); c.Progress(2, 0, "") })
	x := &exchange{server: s, form: bare("2025-06-18"), err: fmt.Errorf("gone: %w", jsonrpc.ErrClosed)}
	same(t, "answer", x.ask(t, context.Background(), "tools/call", `{"name":"a","_meta":{"progressToken":1}}`),
		`{"content":[{"type":"text","text":"done"}]}`)
}

// TestProgressRate: ten reports leave at once and then one an interval. What is held
// back leaves with the answer, unless a newer one did before, so the last one always
// arrives.
func TestProgressRate(t *testing.T) {
	steps := func(c *mcp.Call, from, to int) {
		for i := from; i <= to; i++ {
			c.Progress(float64(i), 0, "")
		}
	}
	tests := []struct {
		name     string
		interval time.Duration
		report   func(c *mcp.Call)
		want     []int
	}{
		{"a burst", 0, func(c *mcp.Call) { steps(c, 1, 10) }, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{"beyond it", 0, func(c *mcp.Call) { steps(c, 1, 1000) }, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000}},
		{"one every 50 ms", 0, func(c *mcp.Call) {
			for i := range 30 {
				c.Progress(float64(i), 0, "")
				<-time.After(50 * time.Millisecond)
			}
		}, upTo(30)},
		{"one every 10 ms", 0, func(c *mcp.Call) {
			steps(c, 1, 9)
			for i := range 11 {
				c.Progress(float64(10+i), 0, "")
				<-time.After(10 * time.Millisecond)
			}
		}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20}},
		{"room again after a pause", 0, func(c *mcp.Call) {
			steps(c, 1, 20)
			<-time.After(time.Second)
			steps(c, 21, 30)
		}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}},
		{"an interval of the program's", time.Hour, func(c *mcp.Call) {
			steps(c, 1, 11)
			<-time.After(59 * time.Minute)
			steps(c, 12, 12)
			<-time.After(time.Minute)
			steps(c, 13, 13)
		}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13}},
		{"no limit", -1, func(c *mcp.Call) { steps(c, 0, 999) }, upTo(1000)},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := quiet(mcp.ServerOptions{ProgressInterval: test.interval})
			s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
				test.report(c)
				return mcp.TextResult("done"), nil
			})
			x := &exchange{server: s, form: forms[4]}
			x.ask(t, context.Background(), "tools/call", `{"name":"a","_meta":{"progressToken":1}}`)
			var want []string
			for _, n := range test.want {
				want = append(want, fmt.Sprintf(`notifications/progress {"progressToken":1,"progress":%d}`, n))
			}
			if got := x.sent(); !slices.Equal(got, want) {
				t.Errorf("%s\nsent %q\nwant %q", test.name, got, want)
			}
		})
	}
}

// upTo is 0 to n-1.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// A report that was held back is as much under the rule that values grow as one that
// was sent.
func TestProgressBelowWhatWasHeld(t *testing.T) {
	s := reporting(func(c *mcp.Call) {
		for i := range 20 {
			c.Progress(float64(i), 0, "")
		}
		c.Progress(15, 0, "")
	})
	x := &exchange{server: s, form: forms[4]}
	x.ask(t, context.Background(), "tools/call", `{"name":"a","_meta":{"progressToken":1}}`)
	sent := x.sent()
	same(t, "the last", sent[len(sent)-1], `notifications/progress {"progressToken":1,"progress":19}`)
}

// What was held back and cannot be sent any more is no fault of the call.
func TestHeldForAPeerThatIsGone(t *testing.T) {
	s := reporting(func(c *mcp.Call) {
		for i := range 20 {
			c.Progress(float64(i), 0, "")
		}
	})
	x := &exchange{server: s, form: bare("2025-06-18"), err: jsonrpc.ErrClosed}
	same(t, "answer", x.ask(t, context.Background(), "tools/call", `{"name":"a","_meta":{"progressToken":1}}`),
		`{"content":[{"type":"text","text":"done"}]}`)
}
