package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
)

const secret = "/etc/hidden/token: 123"

// nilError is what a careless handler returns: an error that holds a nil *Error.
func nilError() error {
	var e *jsonrpc.Error
	return e
}

// What a handler's end becomes: the peer's answer, and what the log holds. A peer
// never sees the text of a fault (B166, B167).
func TestInvoke(t *testing.T) {
	ended, end := context.WithCancelCause(context.Background())
	end(jsonrpc.ErrClosed)
	gone, leave := context.WithCancel(context.Background())
	leave()
	told := &jsonrpc.Error{Code: -7, Message: "for the peer", Data: jsonrpc.Raw(`{"a":1}`)}
	live := context.Background()
	tests := []struct {
		name   string
		ctx    context.Context
		do     func(dst []byte) ([]byte, error)
		want   string // the result, or the error: an ellipsis is a correlation id
		logged string // "" for nothing
	}{
		{"a result", live, func(dst []byte) ([]byte, error) { return append(dst, "{}"...), nil }, "{}", ""},
		{"an error for the peer", live, func(dst []byte) ([]byte, error) { return dst, told }, `-7 for the peer {"a":1}`, ""},
		{"wrapped", live, func(dst []byte) ([]byte, error) { return nil, fmt.Errorf("%s: %w", secret, told) }, `-7 for the peer {"a":1}`, ""},
		{"joined", live, func(dst []byte) ([]byte, error) { return nil, errors.Join(errors.New(secret), told) }, `-7 for the peer {"a":1}`, ""},
		{"an error for the peer after half a result", live, func(dst []byte) ([]byte, error) { return append(dst, `{"half`...), told }, `-7 for the peer {"a":1}`, ""},
		{"an error for the peer in an ended context", gone, func(dst []byte) ([]byte, error) { return dst, told }, `-7 for the peer {"a":1}`, ""},
		{"data on several lines", live, func(dst []byte) ([]byte, error) {
			return dst, &jsonrpc.Error{Code: 1, Message: "x", Data: jsonrpc.Raw("{\n \"a\": [1.50,\r\n\"b c\"]}\n")}
		}, `1 x {"a":[1.50,"b c"]}`, ""},
		{"data that is no JSON", live, func(dst []byte) ([]byte, error) {
			return dst, &jsonrpc.Error{Code: 1, Message: "x", Data: jsonrpc.Raw(`1}` + "\n{")}
		}, `1 x`, "data is not JSON"},
		{"a fault", live, func(dst []byte) ([]byte, error) { return dst, errors.New(secret) }, "-32603 Internal error (correlation id …)", "handler failed"},
		{"a fault after half a result", live, func(dst []byte) ([]byte, error) { return append(dst, `{"half`...), errors.New(secret) },
			"-32603 Internal error (correlation id …)", "handler failed"},
		{"code 0", live, func(dst []byte) ([]byte, error) { return dst, &jsonrpc.Error{Message: secret} }, "-32603 Internal error (correlation id …)", "handler failed"},
		{"a nil *Error", live, func(dst []byte) ([]byte, error) { return dst, nilError() }, "-32603 Internal error (correlation id …)", "handler"},
		{"neither result nor error", live, func(dst []byte) ([]byte, error) { return nil, nil },
			"-32603 Internal error (correlation id …)", "neither result nor error"},
		{"what it was given", live, func(dst []byte) ([]byte, error) { return dst, nil }, "-32603 Internal error (correlation id …)", "neither result nor error"},
		{"a panic", live, func(dst []byte) ([]byte, error) { panic(secret) }, "-32603 Internal error (correlation id …)", "panicked"},
		{"a panic with an error for the peer", live, func(dst []byte) ([]byte, error) { panic(told) }, "-32603 Internal error (correlation id …)", "panicked"},
		{"a nil map", live, func(dst []byte) ([]byte, error) { var m map[int]int; m[1] = 1; return dst, nil },
			"-32603 Internal error (correlation id …)", "assignment to entry in nil map"},
		{"the end of the connection", ended, func(dst []byte) ([]byte, error) { return dst, ended.Err() },
			"-32603 Request ended: the server is shutting down", ""},
		{"a fault at the end of the connection", ended, func(dst []byte) ([]byte, error) { return dst, errors.New(secret) },
			"-32603 Request ended: the server is shutting down", ""},
		{"a cancel", gone, func(dst []byte) ([]byte, error) { return dst, fmt.Errorf("%s: %w", secret, context.Canceled) }, "-32603 Request cancelled", ""},
		{"a cancel that is not the request's", live, func(dst []byte) ([]byte, error) { return dst, context.Canceled },
			"-32603 Internal error (correlation id …)", "handler failed"},
		{"a fault in an ended context", gone, func(dst []byte) ([]byte, error) { return dst, errors.New(secret) },
			"-32603 Internal error (correlation id …)", "handler failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			before := []byte(`[1,`)
			out, told := jsonrpc.Invoke(tt.ctx, &doer{request: tt.do}, &jsonrpc.Message{Method: []byte("x/y")}, nil, before,
				slog.New(slog.NewTextHandler(&log, nil)))
			got, id := string(bytes.TrimPrefix(out, before)), ""
			if told != nil {
				if string(out) != string(before) {
					t.Errorf("dst became %q beside an error", out)
				}
				got = strings.TrimSpace(fmt.Sprintf("%d %s %s", told.Code, told.Message, told.Data))
				if i := regexp.MustCompile(`correlation id ([0-9a-zA-Z]+)`).FindStringSubmatchIndex(got); i != nil {
					id = got[i[2]:i[3]]
					got = got[:i[2]] + "…" + got[i[3]:]
				}
			}
			if got != tt.want {
				t.Errorf("the peer is told\n     %s\nwant %s", got, tt.want)
			}
			checkLog(t, log.String(), tt.logged, id)
		})
	}
}

func checkLog(t *testing.T, log, want, id string) {
	t.Helper()
	switch {
	case want == "" && log != "":
		t.Errorf("the log holds %s, want nothing", log)
	case !strings.Contains(log, want):
		t.Errorf("the log holds %s, want %s", log, want)
	case id != "" && !strings.Contains(log, "correlation="+id):
		t.Errorf("the log holds %s, want the correlation id %s", log, id)
	case want != "" && !strings.Contains(log, "method=x/y"):
		t.Errorf("the log holds %s, want the method", log)
	case strings.Contains(want, "panicked") && !strings.Contains(log, "invoke_test.go"):
		t.Errorf("the log holds %s, want a stack", log)
	}
}

// doer is a handler of two functions.
type doer struct {
	script
	request func(dst []byte) ([]byte, error)
	notice  func()
}

func (d *doer) Request(_ context.Context, _ *jsonrpc.Message, _ jsonrpc.Peer, dst []byte) ([]byte, error) {
	return d.request(dst)
}

func (d *doer) Notification(context.Context, *jsonrpc.Message, jsonrpc.Peer) { d.notice() }

func TestCorrelationIDsDiffer(t *testing.T) {
	h := &doer{request: func(dst []byte) ([]byte, error) { return dst, errors.New(secret) }}
	seen := map[string]bool{}
	for range 1000 {
		_, told := jsonrpc.Invoke(t.Context(), h, &jsonrpc.Message{}, nil, nil, slog.New(slog.DiscardHandler))
		if seen[told.Message] {
			t.Fatalf("%q was told twice", told.Message)
		}
		seen[told.Message] = true
	}
}

func TestNotice(t *testing.T) {
	tests := []struct {
		name   string
		do     func()
		logged string
	}{
		{"nothing", func() {}, ""},
		{"a panic", func() { panic(secret) }, "notification handler panicked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			jsonrpc.Notice(t.Context(), &doer{notice: tt.do}, &jsonrpc.Message{Method: []byte("x/y")}, nil,
				slog.New(slog.NewTextHandler(&log, nil)))
			checkLog(t, log.String(), tt.logged, "")
		})
	}
}

// The same over a connection: nothing of a fault reaches the peer, wherever the
// handler runs, and the log tells all of it under the id that the peer was given.
func TestFaultsAreHidden(t *testing.T) {
	faults := map[string]func(exchange) (string, error){
		"error":  func(exchange) (string, error) { return "", errors.New(secret) },
		"panic":  func(exchange) (string, error) { panic(secret) },
		"goexit": func(exchange) (string, error) { defer runtime.Goexit(); return "", nil },
		"slow": func(x exchange) (string, error) {
			x.p.Notify("place is lost", nil)
			x.p.Call(x.ctx, "x", nil)
			panic(secret)
		},
	}
	for method := range faults {
		for _, batched := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, batched %v", method, batched), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					log := &logbook{}
					r := dial(t, &script{requests: faults}, &jsonrpc.Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
					message := ask("1", method, "")
					if batched {
						message = array(message)
					}
					r.send(message)
					if method == "slow" {
						r.want(tell("place is lost", ""), ask("1", "x", ""))
						r.send(answer("1", "{}"))
					}
					line := r.next()
					id := regexp.MustCompile(`"message":"Internal error \(correlation id ([0-9a-zA-Z]+)\)"`).FindStringSubmatch(line)
					if id == nil {
						t.Fatalf("got %s, want an internal error with a correlation id", line)
					}
					if strings.Contains(line, "hidden") || strings.Contains(line, ".go") {
						t.Errorf("the peer was told %s", line)
					}
					if got := log.String(); !strings.Contains(got, "correlation="+id[1]) || method != "goexit" && !strings.Contains(got, secret) {
						t.Errorf("the log holds %q, want the fault and the id %s", got, id[1])
					}
					r.inPlace()
					r.finish(nil)
				})
			})
		}
	}
}
