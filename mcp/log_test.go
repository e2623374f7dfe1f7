package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// levels are all of them, the least grave first.
var levels = []mcp.LogLevel{mcp.LogDebug, mcp.LogInfo, mcp.LogNotice, mcp.LogWarning,
	mcp.LogError, mcp.LogCritical, mcp.LogAlert, mcp.LogEmergency}

func TestLogLevels(t *testing.T) {
	names := strings.Split(mcp.LogLevelNames, ", ")
	for i, level := range levels {
		same(t, "String", level.String(), names[i])
		if got, ok := mcp.ParseLogLevel(names[i]); !ok || got != level {
			t.Errorf("ParseLogLevel(%q) = %v, %t", names[i], got, ok)
		}
	}
	for _, name := range []string{"", "loud", "Debug", "WARNING", "warn", " info"} {
		if got, ok := mcp.ParseLogLevel(name); ok || got != 0 {
			t.Errorf("ParseLogLevel(%q) = %v, %t, want none", name, got, ok)
		}
	}
	for _, raw := range []string{`null`, `3`, `["info"]`, ``} {
		if got, ok := mcp.ReadLogLevel(jsonrpc.Raw(raw)); ok {
			t.Errorf("ReadLogLevel(%s) = %v, want none", raw, got)
		}
	}
	same(t, "no level", mcp.LogLevel(0).String()+mcp.LogLevel(9).String(), "")
}

// saying is a server whose tool a says something, with logging declared or not.
func saying(declared bool, say func(c *mcp.Call)) *mcp.Server {
	s := quiet(mcp.ServerOptions{Logging: declared})
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		say(c)
		return mcp.TextResult("done"), nil
	})
	return s
}

// logged runs the tool a of s and returns the params of what was logged.
func logged(t *testing.T, x *exchange) []string {
	t.Helper()
	x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
	var params []string
	for _, note := range x.sent() {
		p, ok := strings.CutPrefix(note, "notifications/message ")
		if !ok {
			t.Errorf("sent %s, which is no log message", note)
		}
		params = append(params, p)
	}
	return params
}

// TestLogThreshold: what is at the level asked for or above it is sent, and nothing
// without one or when the server does not log.
func TestLogThreshold(t *testing.T) {
	all := func(c *mcp.Call) {
		for _, level := range levels {
			c.Log(level, "", level.String())
		}
		c.Log(0, "", "no level")
		c.Log(9, "", "no level")
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for least := mcp.LogLevel(0); least <= mcp.LogEmergency; least++ {
			var want []string
			for _, level := range levels {
				if least != 0 && level >= least {
					want = append(want, fmt.Sprintf(`{"level":"%s","data":"%s"}`, level, level))
				}
			}
			perRequest := &exchange{server: saying(true, all), form: f, level: least}
			if got := logged(t, perRequest); !slices.Equal(got, want) {
				t.Errorf("request at %q: sent %q, want %q", least, got, want)
			}
			session := &mcp.SessionLevel{}
			session.Set(least)
			perSession := &exchange{server: saying(true, all), form: f, session: session, level: mcp.LogDebug}
			if got := logged(t, perSession); !slices.Equal(got, want) {
				t.Errorf("session at %q: sent %q, want %q", least, got, want)
			}
			silent := &exchange{server: saying(false, all), form: f, level: least}
			if got := logged(t, silent); got != nil {
				t.Errorf("a server that does not log sent %q", got)
			}
		}
	})
}

// A level that is set while a request runs holds for the rest of it.
func TestLogLevelChanges(t *testing.T) {
	session := &mcp.SessionLevel{}
	s := saying(true, func(c *mcp.Call) {
		c.Log(mcp.LogInfo, "", 1)
		session.Set(mcp.LogInfo)
		c.Log(mcp.LogInfo, "", 2)
		session.Set(mcp.LogError)
		c.Log(mcp.LogInfo, "", 3)
	})
	got := logged(t, &exchange{server: s, form: forms[0], session: session})
	if want := []string{`{"level":"info","data":2}`}; !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}

func TestLogData(t *testing.T) {
	type fact struct {
		Row  int    `json:"row"`
		Text string `json:"text"`
	}
	tests := []struct {
		name   string
		logger string
		data   any
		want   string // "" for nothing
	}{
		{"object", "db", fact{7, "<a&b>\u2028"}, `{"level":"info","logger":"db","data":{"row":7,"text":"<a&b>\u2028"}}`},
		{"map", "", map[string]any{"b": 1, "a": []int(nil)}, `{"level":"info","data":{"a":null,"b":1}}`},
		{"text", `a"b`, "x\n", `{"level":"info","logger":"a\"b","data":"x\n"}`},
		{"nothing", "", nil, `{"level":"info","data":null}`},
		{"error", "", errors.New("no"), `{"level":"info","data":"no"}`},
		{"raw", "", jsonrpc.Raw(" {\"a\" :\n1.50 } "), `{"level":"info","data":{"a":1.50}}`},
		{"raw that is no JSON", "", jsonrpc.Raw(`{`), ""},
		{"raw that is nothing", "", jsonrpc.Raw(nil), ""},
		{"what JSON cannot say", "", make(chan int), ""},
	}
	for _, test := range tests {
		s := saying(true, func(c *mcp.Call) { c.Log(mcp.LogInfo, test.logger, test.data) })
		got := logged(t, &exchange{server: s, form: forms[4], level: mcp.LogDebug})
		same(t, test.name, strings.Join(got, "\n"), test.want)
	}
}

// TestLogFlood: a request sends so many at once and so many a second, and tells how
// many it did not send.
func TestLogFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := saying(true, func(c *mcp.Call) {
			for i := range 110 {
				c.Log(mcp.LogInfo, "", i)
			}
			c.Log(mcp.LogError, "", "grave")
			<-time.After(50 * time.Millisecond) // of the bubble's clock: room for two
			c.Log(mcp.LogInfo, "", "a")
			c.Log(mcp.LogInfo, "", "b")
			c.Log(mcp.LogInfo, "", "c")
		})
		got := logged(t, &exchange{server: s, form: forms[4], level: mcp.LogInfo})
		want := make([]string, 100)
		for i := range want {
			want[i] = fmt.Sprintf(`{"level":"info","data":%d}`, i)
		}
		want = append(want,
			`{"level":"error","data":"11 log messages were left out here, as they came too fast"}`,
			`{"level":"info","data":"a"}`, `{"level":"info","data":"b"}`,
			`{"level":"info","data":"1 log message was left out here, as it came too fast"}`)
		if !slices.Equal(got, want) {
			t.Errorf("sent %d, want %d; the last are\n%q, want\n%q", len(got), len(want), got[max(0, len(got)-5):], want[len(want)-5:])
		}
	})
}

// After the handler has returned, and when the client has gone, nothing is said.
func TestLogTooLate(t *testing.T) {
	var kept *mcp.Call
	s := saying(true, func(c *mcp.Call) { kept = c })
	x := &exchange{server: s, form: forms[4], level: mcp.LogDebug}
	logged(t, x)
	kept.Log(mcp.LogError, "", "late")
	if err := kept.Notify("com.example/late", nil); err != nil {
		t.Errorf("Notify: %v, want nil", err)
	}
	if got := x.sent(); got != nil {
		t.Errorf("sent %q after the answer", got)
	}
	s = saying(true, func(c *mcp.Call) { c.Log(mcp.LogError, "", "x") })
	gone := &exchange{server: s, form: bare("2025-06-18"), level: mcp.LogDebug, err: jsonrpc.ErrClosed}
	same(t, "answer", gone.ask(t, context.Background(), "tools/call", `{"name":"a"}`), `{"content":[{"type":"text","text":"done"}]}`)
}

// A client that has cancelled is not told what was held back.
func TestNothingHeldIsSaidAfterCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := saying(true, func(c *mcp.Call) {
		for i := range 200 {
			c.Log(mcp.LogInfo, "", i)
			c.Progress(float64(i), 0, "")
		}
		cancel()
	})
	x := &exchange{server: s, form: forms[4], level: mcp.LogInfo}
	x.ask(t, ctx, "tools/call", `{"name":"a","_meta":{"progressToken":1}}`)
	sent := x.sent()
	if last := sent[len(sent)-1]; strings.Contains(last, "left out") || strings.Contains(last, `"progress":199`) {
		t.Errorf("a client that has cancelled was sent %s", last)
	}
}

func TestLogHandler(t *testing.T) {
	tests := []struct {
		name string
		say  func(l *slog.Logger)
		want string
	}{
		{"message", func(l *slog.Logger) { l.Info("hi") }, `{"level":"info","logger":"db","data":{"msg":"hi"}}`},
		{"attributes", func(l *slog.Logger) { l.Warn("hi", "n", 1, "err", errors.New("no"), "d", time.Second) },
			`{"level":"warning","logger":"db","data":{"msg":"hi","n":1,"err":"no","d":1000000000}}`},
		{"with", func(l *slog.Logger) { l.With("a", 1).WithGroup("g").With("b", 2).Error("hi", "c", 3) },
			`{"level":"error","logger":"db","data":{"msg":"hi","a":1,"g":{"b":2,"c":3}}}`},
		{"two from one", func(l *slog.Logger) {
			l = l.With("a", 1)
			l.With("b", 2)
			l.With("c", 3).Info("hi")
		}, `{"level":"info","logger":"db","data":{"msg":"hi","a":1,"c":3}}`},
		{"an attribute of the program's that is called level", func(l *slog.Logger) { l.Info("hi", "level", "high") },
			`{"level":"info","logger":"db","data":{"msg":"hi","level":"high"}}`},
		{"not asked for", func(l *slog.Logger) { l.Debug("hi") }, ``},
	}
	for _, test := range tests {
		s := saying(true, func(c *mcp.Call) { test.say(slog.New(mcp.NewLogHandler(c, "db"))) })
		got := logged(t, &exchange{server: s, form: forms[4], level: mcp.LogInfo})
		same(t, test.name, strings.Join(got, "\n"), test.want)
	}
}

func TestLevelsOfSlog(t *testing.T) {
	tests := []struct {
		level slog.Level
		want  string
	}{
		{-100, "debug"}, {slog.LevelDebug, "debug"}, {-1, "debug"}, {slog.LevelInfo, "info"}, {1, "info"}, {2, "notice"},
		{3, "notice"}, {slog.LevelWarn, "warning"}, {7, "warning"}, {slog.LevelError, "error"}, {11, "error"},
		{12, "critical"}, {15, "critical"}, {16, "alert"}, {19, "alert"}, {20, "emergency"}, {100, "emergency"},
	}
	for _, test := range tests {
		s := saying(true, func(c *mcp.Call) {
			slog.New(mcp.NewLogHandler(c, "")).Log(context.Background(), test.level, "x")
		})
		got := logged(t, &exchange{server: s, form: forms[4], level: mcp.LogDebug})
		same(t, test.level.String(), strings.Join(got, "\n"), `{"level":"`+test.want+`","data":{"msg":"x"}}`)
	}
}
