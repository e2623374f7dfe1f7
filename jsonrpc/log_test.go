package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
)

// logbook is a buffer for a logger of several goroutines.
type logbook struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// messages returns what the debug log says of messages, one line each: direction,
// label, message.
func (l *logbook) messages(t *testing.T) (lines []string) {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		var entry struct{ Msg, Direction, Label, Message string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("the log holds %q: %v", line, err)
		}
		if entry.Msg == "message" {
			lines = append(lines, entry.Direction+" "+entry.Label+": "+entry.Message)
		}
	}
	return lines
}

// The debug log shows every message once, with its direction and the label that
// the handler gives it.
func TestDebugLog(t *testing.T) {
	call := func(x exchange) (string, error) {
		x.p.Notify("progress", nil)
		_, err := x.p.Call(x.ctx, "roots/list", nil)
		return "{}", err
	}
	refusedID := refusal("3", jsonrpc.InvalidRequest, `jsonrpc must be the string \"2.0\"`)
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{"a request", []string{ask("1", "ping", "")}, []string{
			"in request ping: " + ask("1", "ping", ""), "out request ping: " + answer("1", "{}")}},
		{"an error", []string{ask("1", "nope", "")}, []string{
			"in request nope: " + ask("1", "nope", ""),
			"out request nope: " + refusal("1", jsonrpc.MethodNotFound, "Method not found: nope")}},
		{"a notification", []string{tell("x", "")}, []string{"in notification x: " + tell("x", "")}},
		{"a response", []string{answer("9", "{}")}, []string{"in response : " + answer("9", "{}")}},
		{"a bad message", []string{`{"id":3,"method":"a"}`}, []string{
			`in request a: {"id":3,"method":"a"}`, "out request a: " + refusedID}},
		{"a handler that calls", []string{ask("1", "call", ""), answer("1", `"r"`)}, []string{
			"in request call: " + ask("1", "call", ""), "out request call: " + tell("progress", ""),
			"out request call: " + ask("1", "roots/list", ""), "in response : " + answer("1", `"r"`),
			"out request call: " + answer("1", "{}")}},
		{"a batch", []string{array(ask("1", "ping", ""), tell("x", ""), `{"id":3,"method":"a"}`, answer("9", "{}"))}, []string{
			"in request ping: " + ask("1", "ping", ""), "in notification x: " + tell("x", ""),
			`in request a: {"id":3,"method":"a"}`, "in response : " + answer("9", "{}"),
			"out request ping: " + answer("1", "{}"), "out request a: " + refusedID}},
		{"an empty batch", []string{"[]"}, []string{"in : []",
			"out : " + refusal("", jsonrpc.InvalidRequest, "an empty batch holds nothing to answer")}},
		{"a cancelled request", []string{ask("1", "hold", ""), cancelled("1")}, []string{
			"in request hold: " + ask("1", "hold", ""), "in notification notifications/cancelled: " + cancelled("1")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &logbook{}
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){"call": call, "hold": hold(nil)}},
					&jsonrpc.Options{Logger: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
				for _, m := range tt.in {
					r.send(m)
					synctest.Wait() // nobody answers before he is asked
				}
				close(r.in.arrivals)
				if err := <-r.served; err != nil {
					t.Errorf("Serve returned %v", err)
				}
				r.cancel()
				got := log.messages(t)
				slices.Sort(got)
				slices.Sort(tt.want)
				if !slices.Equal(got, tt.want) {
					t.Errorf("the log holds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
				}
			})
		})
	}
}

// A handler that ends its goroutine is answered in the log, too.
func TestDebugLogOfAnEndedGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &logbook{}
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){
			"x": func(exchange) (string, error) { runtime.Goexit(); return "", nil }}},
			&jsonrpc.Options{Logger: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		r.send(ask("1", "x", ""))
		want := []string{"in request x: " + ask("1", "x", ""), "out request x: " + r.next()}
		if got := log.messages(t); !slices.Equal(got, want) {
			t.Errorf("the log holds %q, want %q", got, want)
		}
		r.finish(nil)
	})
}

// Above debug level the messages are not in the log, faults of the peer are, and
// the handler is not asked for labels.
func TestLogAboveDebug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &logbook{}
		r := dial(t, &unlabelled{t: t}, &jsonrpc.Options{Logger: slog.New(slog.NewJSONHandler(log, nil))})
		r.send(ask("1", "ping", ""), "{", tell("x", "7"), "[]", array(ask("2", "ping", "")))
		r.wantAnyOrder(answer("1", "{}"), refused("", jsonrpc.ParseError), refused("", jsonrpc.InvalidRequest), array(answer("2", "{}")))
		r.finish(nil)
		if got := log.messages(t); len(got) > 0 {
			t.Errorf("the log holds %q", got)
		}
		if got := strings.Count(log.String(), `"reason"`); got != 3 {
			t.Errorf("the log has %d reasons for a refusal, want 3: %s", got, log.String())
		}
	})
}

// A refused message is named by its method and id, as far as they could be read, also
// when it stands in a batch. What the peer makes long is cut short.
func TestLogOfFaults(t *testing.T) {
	long := strings.Repeat("ä", 200)
	tests := []struct {
		name, in, want string
	}{
		{"params", `{"jsonrpc":"2.0","id":7,"method":"a","params":7}`,
			`"method":"a","id":"7","code":-32602,"reason":"params must be an object"`},
		{"a notification", tell("x", "7"), `"msg":"message refused","method":"x","code":-32602`},
		{"an envelope", `{"id":"b","method":"a"}`, `"method":"a","id":"\"b\"","code":-32600`},
		{"no JSON", `{`, `"msg":"message refused","code":-32700`},
		{"in a batch", array(ask("1", "ping", ""), ask("2", "ping", "7")), `"method":"ping","id":"2","code":-32602`},
		{"a long method", ask("1", long, "7"), `"method":"` + long[:256] + `…","id":"1"`},
		{"a long id", ask(`"`+long+`"`, "ping", "7"), `"method":"ping","id":"\"` + long[:254] + `…","code"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &logbook{}
				r := dial(t, &script{}, &jsonrpc.Options{Logger: slog.New(slog.NewJSONHandler(log, nil))})
				r.send(tt.in)
				synctest.Wait()
				if got := log.String(); !strings.Contains(got, tt.want) || strings.Count(got, "\n") != 1 {
					t.Errorf("%s\nlogs %s\nwant one line with %s", tt.in, got, tt.want)
				}
				close(r.in.arrivals)
				<-r.served
				r.cancel()
			})
		})
	}
}

// How a text begins that is no message is logged by a client, and not by a server, whose log is not
// the place for what its clients say.
func TestLogOfBeginnings(t *testing.T) {
	long := strings.Repeat("ä", 200)
	for _, tt := range []struct{ name, in, want string }{
		{"no JSON", "ready", `"reason":"Parse error: unexpected character at byte 0","begins":"ready"`},
		{"no object", `"up"`, `"begins":"\"up\""`},
		{"a line of a log", "[INFO] up", `"msg":"batch refused","code":-32700,"reason":"Parse error: unexpected character at byte 1","begins":"[INFO] up"`},
		{"a long line", long, `"begins":"` + long[:256] + `…"`},
	} {
		for _, client := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				log := &logbook{}
				r := dial(t, &script{}, &jsonrpc.Options{Client: client, Logger: slog.New(slog.NewJSONHandler(log, nil))})
				r.send(tt.in)
				synctest.Wait()
				if got := log.String(); strings.Contains(got, tt.want) != client || strings.Contains(got, "begins") != client {
					t.Errorf("%s, client %v\nlogs %s\nwant %s of a client, and no beginning of a server", tt.name, client, got, tt.want)
				}
				close(r.in.arrivals)
				<-r.served
				r.cancel()
			})
		}
	}
}

// unlabelled is a handler that must not be asked for labels.
type unlabelled struct {
	script
	t *testing.T
}

func (u *unlabelled) Label(m *jsonrpc.Message) slog.Attr {
	u.t.Errorf("Label was called for %s", m.Method)
	return slog.Attr{}
}
