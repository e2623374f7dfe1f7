package clients_test

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

// number is an integer that no float64 holds, and the least one.
type number struct {
	N int64 `json:"n"`
	M int64 `json:"m"`
}

// TestB10Exact: integers keep their digits in arguments and results, however both are
// given (case B10).
func TestB10Exact(t *testing.T) {
	const text = `{"n":9007199254740993,"m":-9223372036854775808}`
	want := number{9007199254740993, -9223372036854775808}
	build := func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.Call, in number) (number, error) {
			if in != want {
				return in, fmt.Errorf("the handler sees %+v", in)
			}
			return in, nil
		})
		mcp.AddTool(s, mcp.Tool{Name: "any"}, func(_ context.Context, _ *mcp.Call, in map[string]any) (any, error) { return in, nil })
	}
	each(t, mcp.ClientOptions{}, build, func(t *testing.T, c *mcp.Client, _ *mcp.Server) {
		for range c.Tools(t.Context()) { // so that results are held against their schema
		}
		for _, tool := range []string{"echo", "any"} {
			for _, in := range []any{want, &want, jsonrpc.Raw(text), map[string]any{"n": want.N, "m": want.M}} {
				got, err := mcp.CallTool[number](t.Context(), c, tool, in, nil)
				if err != nil || got != want {
					t.Errorf("%s of a %T: got %+v, %v", tool, in, got, err)
				}
			}
		}
		raw, err := mcp.CallTool[jsonrpc.Raw](t.Context(), c, "echo", want, nil)
		if err != nil || string(raw) != text {
			t.Errorf("got %s, %v, want %s", raw, err, text)
		}
		some, err := mcp.CallTool[any](t.Context(), c, "echo", want, nil)
		if got := fmt.Sprint(some); err != nil || !strings.Contains(got, "9007199254740993") || !strings.Contains(got, "-9223372036854775808") {
			t.Errorf("any: got %s, %v", got, err)
		}
	})
}

// TestB113Results: a result without content, and one that has failed though its tool has an
// output schema, are what they are (cases B113 and B115).
func TestB113Results(t *testing.T) {
	build := func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "nothing"}, func(context.Context, *mcp.Call, struct{}) (struct{}, error) { return struct{}{}, nil })
		mcp.AddTool(s, mcp.Tool{Name: "fails"}, func(context.Context, *mcp.Call, struct{}) (number, error) { return number{}, errors.New("no luck") })
	}
	each(t, mcp.ClientOptions{}, build, func(t *testing.T, c *mcp.Client, _ *mcp.Server) {
		for range c.Tools(t.Context()) {
		}
		r, err := c.CallTool(t.Context(), "nothing", nil, nil)
		if err != nil || len(r.Content) != 0 {
			t.Errorf("nothing: got %+v, %v", r, err)
		}
		r, err = c.CallTool(t.Context(), "fails", nil, nil)
		if err != nil || !r.IsError {
			t.Errorf("fails: got %+v, %v", r, err)
		}
		var failed *mcp.ToolError
		if _, err := mcp.CallTool[number](t.Context(), c, "fails", nil, nil); !errors.As(err, &failed) || !strings.Contains(err.Error(), "no luck") {
			t.Errorf("fails, typed: got %v", err)
		}
		if _, err := c.CallTool(t.Context(), "none", nil, nil); !errors.Is(err, &jsonrpc.Error{Code: jsonrpc.InvalidParams}) {
			t.Errorf("a tool that is not there: got %v", err)
		}
	})
}

// TestProgress: all that a call tells of its progress has been told when it returns, in
// order, and log messages come beside.
func TestProgress(t *testing.T) {
	const reports = 200
	build := func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "count"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			for i := 1; i <= reports; i++ {
				c.Progress(float64(i), reports, "")
			}
			c.Log(mcp.LogWarning, "counter", reports)
			return mcp.TextResult("counted"), nil
		})
	}
	logged := make(chan string, 100)
	o := mcp.ClientOptions{LogLevel: mcp.LogInfo, Log: func(m *mcp.LogMessageParams) { logged <- m.Level.String() + " " + m.Logger + " " + string(m.Data) }}
	each(t, o, build, func(t *testing.T, c *mcp.Client, _ *mcp.Server) {
		last := 0.0
		_, err := c.CallTool(t.Context(), "count", nil, &mcp.CallOptions{Progress: func(p mcp.ProgressParams) {
			if p.Progress != last+1 || p.Total == nil || *p.Total != reports {
				t.Errorf("%v of %v behind %v", p.Progress, p.Total, last)
			}
			last = p.Progress
		}})
		if err != nil || last != reports {
			t.Errorf("told up to %v, %v", last, err)
		}
		same(t, "log message", soon(t, logged, "the log message"), fmt.Sprintf("warning counter %d", reports))
		if err := c.SetLogLevel(t.Context(), mcp.LogError); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "count", nil, nil); err != nil {
			t.Error(err)
		}
		if len(logged) > 0 {
			t.Errorf("told %s below the level", <-logged)
		}
	})
}

// TestTimeout: a call that takes too long ends on both sides, and so does one whose caller
// has gone; the connection stays.
func TestTimeout(t *testing.T) {
	var began, ended chan struct{}
	build := func(s *mcp.Server) {
		began, ended = make(chan struct{}, 1), make(chan struct{}, 1)
		b, e := began, ended
		s.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
			b <- struct{}{}
			<-ctx.Done()
			e <- struct{}{}
			return nil, ctx.Err()
		})
		s.AddTool(mcp.Tool{Name: "quick"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("done"), nil })
	}
	each(t, mcp.ClientOptions{}, build, func(t *testing.T, c *mcp.Client, _ *mcp.Server) {
		_, err := c.CallTool(t.Context(), "wait", nil, &mcp.CallOptions{Timeout: 500 * time.Millisecond}) // in which it arrives on a busy machine, too
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "tools/call: nothing came for 500ms") {
			t.Errorf("got %v", err)
		}
		soon(t, ended, "the end of the handler")
		<-began
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-began
			cancel()
		}()
		if _, err := c.CallTool(ctx, "wait", nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		soon(t, ended, "the end of the handler")
		got, err := mcp.CallTool[string](t.Context(), c, "quick", nil, nil)
		if err != nil || got != "done" {
			t.Errorf("afterwards: got %q, %v", got, err)
		}
	})
}

// TestHeaders: a tool that wants its arguments in headers is called right though it was
// never listed.
func TestHeaders(t *testing.T) {
	type where struct {
		Region string `json:"region" x-mcp-header:"Region"`
		Zone   int    `json:"zone" x-mcp-header:"Zone"`
	}
	build := func(s *mcp.Server) {
		for _, name := range []string{"a", "b", "c", "here"} { // on the second page
			mcp.AddTool(s, mcp.Tool{Name: name}, func(_ context.Context, _ *mcp.Call, in where) (string, error) {
				return fmt.Sprint(in.Region, in.Zone), nil
			})
		}
	}
	each(t, mcp.ClientOptions{}, build, func(t *testing.T, c *mcp.Client, _ *mcp.Server) {
		for range 2 {
			got, err := mcp.CallTool[string](t.Context(), c, "here", where{"Zürich ", 7}, nil)
			if err != nil || got != "Zürich 7" {
				t.Errorf("got %q, %v", got, err)
			}
		}
	})
}
