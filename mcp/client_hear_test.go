package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// witness is what the functions of the options have been told, in order.
type witness struct {
	mu    sync.Mutex
	lines []string
}

func (n *witness) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

// all is what was told until now.
func (n *witness) all(between string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, between)
}

// options are those of a client that tells all it hears.
func (n *witness) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Log:     func(m *mcp.LogMessageParams) { n.add("log %v %s %s", m.Level, m.Logger, m.Data) },
		Changed: func(c mcp.Change) { n.add("changed %s %s", c.Kind, c.URI) },
		Notice:  func(method string, params jsonrpc.Raw) { n.add("notice %s %s", method, params) },
	}
}

// TestClientHears: each notification goes to the function that takes its kind, or to
// Notice; one that cannot be read goes nowhere, and nothing happens (case B206).
func TestClientHears(t *testing.T) {
	tests := []struct{ name, method, params, want, log string }{
		{"log message", "notifications/message", `{"level":"info","logger":"l","data":{"n":9007199254740993}}`, `log info l {"n":9007199254740993}`, ""},
		{"log message without data", "notifications/message", `{"level":"info"}`, "", "params.data must be there"},
		{"log message of no level", "notifications/message", `{"level":"loud","data":1}`, "", "params.level"},
		{"tools", "notifications/tools/list_changed", ``, "changed notifications/tools/list_changed ", ""},
		{"prompts, with meta", "notifications/prompts/list_changed", `{"_meta":{}}`, "changed notifications/prompts/list_changed ", ""},
		{"resources", "notifications/resources/list_changed", `{}`, "changed notifications/resources/list_changed ", ""},
		{"resource", "notifications/resources/updated", `{"uri":"a:b"}`, "changed notifications/resources/updated a:b", ""},
		{"resource without a uri", "notifications/resources/updated", `{}`, "", "params.uri must be there"},
		{"unknown", "window/logMessage", `{"x":1}`, `notice window/logMessage {"x":1}`, ""},
		{"unknown, without params", "notifications/unknown", ``, `notice notifications/unknown `, ""},
	}
	for _, test := range tests {
		for _, taken := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				n, o := &witness{}, &mcp.ClientOptions{}
				if taken {
					o = n.options()
				}
				o.Logger = slog.New(slog.NewTextHandler(&log, nil))
				c := talks(o, &talker{form: form("2025-11-25")})
				params := []byte(test.params)
				c.Hear(t.Context(), test.method, params)
				clear(params) // which is not kept
				synctest.Wait()
				want := test.want
				if !taken {
					want = ""
				}
				if got := n.all("\n"); got != want {
					t.Errorf("%s, taken %t: got %q, want %q", test.name, taken, got, want)
				}
				if got := log.String(); taken && (!strings.Contains(got, test.log) || test.log == "" && got != "") {
					t.Errorf("%s: the log has %q, want %q", test.name, got, test.log)
				}
			})
		}
	}
}

// TestClientLogToNotice: log messages go to Notice where nothing takes them otherwise.
func TestClientLogToNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &witness{}
		o := n.options()
		o.Log = nil
		talks(o, &talker{}).Hear(t.Context(), "notifications/message", jsonrpc.Raw(`{"level":"loud"}`))
		synctest.Wait()
		same(t, "told", n.all("\n"), `notice notifications/message {"level":"loud"}`)
	})
}

// TestClientHearsInOrder: however long a function takes, the next one waits for it, all
// are told in the order in which they came, and whoever reads from the server is not held up.
func TestClientHearsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, running := &witness{}, 0
		slowly := func(format string, args ...any) {
			if running++; running != 1 {
				t.Error("two functions run at once")
			}
			<-time.After(time.Second)
			n.add(format, args...)
			running--
		}
		o := &mcp.ClientOptions{
			Log:     func(m *mcp.LogMessageParams) { slowly("log %s", m.Data) },
			Changed: func(c mcp.Change) { slowly("changed %s", c.URI) },
			Notice:  func(method string, params jsonrpc.Raw) { slowly("notice %s", params) },
		}
		var c *mcp.Client
		c = talks(o, &talker{form: form("2025-11-25"), call: func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
			start := time.Now()
			c.Hear(t.Context(), "notifications/message", jsonrpc.Raw(`{"level":"info","data":1}`))
			r.Progress(mcp.ProgressParams{Progress: 2})
			c.Hear(t.Context(), "notifications/resources/updated", jsonrpc.Raw(`{"uri":"a:3"}`))
			r.Progress(mcp.ProgressParams{Progress: 4})
			c.Hear(t.Context(), "notifications/x", jsonrpc.Raw(`{"n":5}`))
			if took := time.Since(start); took != 0 {
				t.Errorf("the reader was held up for %v", took)
			}
			return jsonrpc.Raw(`{"content":[]}`), nil
		}})
		_, err := c.CallTool(t.Context(), "t", nil, &mcp.CallOptions{Progress: func(p mcp.ProgressParams) { slowly("progress %v", p.Progress) }})
		same(t, "told when the call returns", n.all("; "), "log 1; progress 2; changed a:3; progress 4")
		if err != nil {
			t.Error(err)
		}
		<-time.After(time.Hour)
		same(t, "told in the end", n.all("; "), `log 1; progress 2; changed a:3; progress 4; notice {"n":5}`)
	})
}

// TestClientProgressEnds: a call whose context ends does not wait for a function that is
// not done, and that is told of nothing more afterwards.
func TestClientProgressEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, n := make(chan struct{}), &witness{}
		var late func(mcp.ProgressParams)
		c := talks(nil, &talker{form: form("2025-11-25"), call: func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
			late = r.Progress
			for i := range 3 {
				r.Progress(mcp.ProgressParams{Progress: float64(i)})
			}
			return jsonrpc.Raw(`{"content":[]}`), nil
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.CallTool(ctx, "t", nil, &mcp.CallOptions{Progress: func(p mcp.ProgressParams) { <-release; n.add("%v", p.Progress) }})
		if err != nil {
			t.Errorf("got %v, want the answer that has come", err)
		}
		late(mcp.ProgressParams{Progress: 4})
		close(release)
		synctest.Wait()
		same(t, "told", n.all(" "), "0")
	})
}

// TestClientHearsTooMuch: what waits is bounded. What is beyond is dropped, and the log
// says how much; afterwards all goes on.
func TestClientHearsTooMuch(t *testing.T) {
	tests := []struct {
		name  string
		count int
		size  int // of each, in bytes
		most  int // that are kept
	}{
		{"few", 16384, 10, 16385},
		{"many", 20000, 10, 16385},
		{"large", 20, 4<<20 - 1, 5},
		{"one that is larger than all", 1, 40 << 20, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				release, count := make(chan struct{}), 0
				o := &mcp.ClientOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}
				o.Notice = func(string, jsonrpc.Raw) { <-release; count++ }
				c := talks(o, &talker{})
				c.Hear(t.Context(), "n", nil) // runs
				synctest.Wait()
				params := slices.Repeat([]byte(" "), test.size)
				for range test.count {
					c.Hear(t.Context(), "n", params)
				}
				close(release)
				synctest.Wait()
				if want := min(1+test.count, test.most); count != want {
					t.Errorf("%d were told, want %d", count, want)
				}
				line := fmt.Sprintf("count=%d", 1+test.count-test.most)
				if got := log.String(); 1+test.count > test.most && strings.Count(got, line) != 1 || 1+test.count <= test.most && got != "" {
					t.Errorf("the log has %q, want %q once", got, line)
				}
				c.Hear(t.Context(), "n", nil)
				synctest.Wait()
				if want := min(1+test.count, test.most) + 1; count != want {
					t.Errorf("afterwards %d were told, want %d", count, want)
				}
			})
		})
	}
}

// TestClientCallbackCalls: what is told may lead to requests, and to the end.
func TestClientCallbackCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: map[string][]string{"tools/list": {`{"tools":[{"name":"t","inputSchema":{}}]}`}}}
		n := &witness{}
		var c *mcp.Client
		c = meets(&mcp.ClientOptions{
			Changed: func(mcp.Change) {
				names, err := gather(c.Tools(t.Context()), toolName)
				n.add("%v %v", names, err)
			},
			Notice: func(string, jsonrpc.Raw) { n.add("closed %v", c.Close()) },
		}, s)
		c.Hear(t.Context(), string(mcp.ToolsListChanged), nil)
		c.Hear(t.Context(), "bye", nil)
		c.Hear(t.Context(), "bye", nil)
		<-time.After(time.Minute)
		same(t, "told", n.all("; "), "[t] <nil>; closed <nil>")
	})
}

// TestClientCloseWaits: what has come is told before Close returns, if that does not take too
// long, and nothing is told afterwards.
func TestClientCloseWaits(t *testing.T) {
	tests := []struct {
		name string
		each time.Duration // of the function
		want string
	}{
		{"quick", 0, "told told told closed"},
		{"within a second", 300 * time.Millisecond, "told told told closed"},
		{"too long", 700 * time.Millisecond, "told closed told"}, // the one that ran
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &witness{}
				c := talks(&mcp.ClientOptions{Notice: func(string, jsonrpc.Raw) { <-time.After(test.each); n.add("told") }}, &talker{})
				for range 3 {
					c.Hear(t.Context(), "n", nil)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				n.add("closed")
				c.Hear(t.Context(), "n", nil)
				<-time.After(time.Minute)
				same(t, "told", n.all(" "), test.want)
			})
		})
	}
}

// TestClientCallbackWaits: a function that waits for what waits for it does so for a time.
func TestClientCallbackWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		n, start := &witness{}, time.Now()
		var c *mcp.Client
		c = talks(&mcp.ClientOptions{
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Notice: func(string, jsonrpc.Raw) {
				_, err := c.CallTool(t.Context(), "t", nil, &mcp.CallOptions{Progress: func(mcp.ProgressParams) { n.add("progress") }})
				n.add("called after %v, %v", time.Since(start), err)
			},
		}, &talker{form: form("2025-11-25"), call: func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
			r.Progress(mcp.ProgressParams{Progress: 1})
			return jsonrpc.Raw(`{"content":[]}`), nil
		}})
		c.Hear(t.Context(), "n", nil)
		<-time.After(time.Hour)
		same(t, "told", n.all("; "), "called after 1m0s, <nil>")
		if !strings.Contains(log.String(), "waited=1m0s") {
			t.Errorf("the log has %q", log.String())
		}
	})
}
