package jsonrpc_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
)

func array(elements ...string) string { return "[" + strings.Join(elements, ",") + "]" }

// Arrays of messages (2025-03-26 basic/index, Batching; JSON-RPC 2.0, section 6).
// Their answers are in the order of the requests.
func TestBatch(t *testing.T) {
	inUse := refusal("1", jsonrpc.InvalidRequest, "id is in use by a request that is not answered yet")
	tests := []struct {
		name string
		in   string
		out  string // "" for nothing
	}{
		{"one request", array(ask("1", "ping", "")), array(answer("1", "{}"))},
		{"requests and a notification", array(ask("1", "ping", ""), tell("x", ""), ask("2", "echo", `{"a":1}`), ask(`"3"`, "nope", "")),
			array(answer("1", "{}"), answer("2", `{"a":1}`), refusal(`"3"`, jsonrpc.MethodNotFound, "Method not found: nope"))},
		{"a slow one first", array(ask("1", "slow", ""), ask("2", "ping", "")), array(answer("1", "{}"), answer("2", "{}"))},
		{"space between", " [ " + ask("1", "ping", "") + " , " + tell("x", "") + " ] ", array(answer("1", "{}"))},
		{"notifications only", array(tell("x", ""), tell("y", "{}")), ""},
		{"responses only", array(answer("1", "{}"), refusal("2", 1, "no"), refusal("", 1, "no")), ""},
		{"a bad response and a bad notification", array(`{"jsonrpc":"2.0","id":1,"error":7}`, tell("x", "7")), ""},
		{"empty", "[]", refusal("", jsonrpc.InvalidRequest, "an empty batch holds nothing to answer")},
		{"no JSON", "[" + ask("1", "ping", ""), refused("", jsonrpc.ParseError)},
		{"one bad element", array(ask("1", "ping", ""), "7", ask("2", "ping", "")),
			array(answer("1", "{}"), refusal("", jsonrpc.InvalidRequest, "message must be an object"), answer("2", "{}"))},
		{"a bad element whose id is readable", array(`{"id":5,"method":"ping"}`),
			array(refusal("5", jsonrpc.InvalidRequest, `jsonrpc must be the string \"2.0\"`))},
		{"an array in an array", array(array(ask("1", "ping", ""))),
			array(refusal("", jsonrpc.InvalidRequest, "message must be an object"))},
		{"an id twice", array(ask("1", "echo", `{"a":1}`), ask("1", "echo", `{"a":2}`)), array(answer("1", `{"a":1}`), inUse)},
		{"a request that panics", array(ask("1", "panic", ""), ask("2", "ping", "")), "[" + refused("1", jsonrpc.InternalError)},
		{"a cancelled element", array(ask("1", "hold", ""), cancelled("1"), ask("2", "ping", "")), array(answer("2", "{}"))},
		{"all cancelled", array(ask("1", "hold", ""), cancelled("1")), ""},
		{"a cancel before its request", array(cancelled("1"), ask("1", "ping", "")), array(answer("1", "{}"))},
		{"the handler sees that it is a batch", array(ask("1", "batched", "")), array(answer("1", "true"))},
		{"and that it is none", ask("1", "batched", ""), answer("1", "false")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := make(chan struct{})
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){
					"hold":  hold(nil),
					"slow":  func(exchange) (string, error) { <-slow; return "{}", nil },
					"panic": func(exchange) (string, error) { panic("boom") },
					"batched": func(x exchange) (string, error) {
						return strconv.FormatBool(x.m.Batched), nil
					},
				}}, nil)
				r.send(tt.in)
				synctest.Wait()
				close(slow)
				if tt.out != "" {
					r.want(tt.out)
				}
				r.inPlace()
				r.finish(nil)
			})
		})
	}
}

// Whether arrays are taken is the handler's to say: one that is refused is
// answered once, and nothing of it is done (B85).
func TestBatchRefused(t *testing.T) {
	tests := []struct{ name, in, out string }{
		{"a request", array(ask("2", "ping", "")), refusal("", jsonrpc.InvalidRequest, "no batches here")},
		{"a notification", array(tell("x", "")), refusal("", jsonrpc.InvalidRequest, "no batches here")},
		{"empty", array(), refusal("", jsonrpc.InvalidRequest, "no batches here")},
		{"no JSON", "[", refused("", jsonrpc.ParseError)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, &script{
					noBatch: jsonrpc.Errorf(jsonrpc.InvalidRequest, "no batches here"),
					notes:   map[string]func(exchange){"x": func(exchange) { t.Error("the notification was handled") }},
				}, nil)
				r.send(tt.in, ask("1", "ping", ""))
				r.want(tt.out, answer("1", "{}"))
				r.finish(nil)
			})
		})
	}
}

// The requests of a batch run beside each other and beside everything else, each
// counts as one in flight, and can be cancelled from outside.
func TestBatchRunsBesideTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(release)}},
			&jsonrpc.Options{MaxInFlight: 3})
		r.send(array(ask("1", "hold", `{"a":1}`), ask("2", "hold", `{"b":2}`)))
		r.send(ask("3", "ping", ""), ask("1", "ping", ""))
		r.want(answer("3", "{}"), refusal("1", jsonrpc.InvalidRequest, "id is in use by a request that is not answered yet"))
		r.send(array(ask("4", "hold", `{"c":3}`), ask("5", "ping", "")))
		r.quiet()
		r.send(ask("6", "ping", ""))
		r.want(refusal("6", jsonrpc.InternalError, "Too many requests in flight: at most 3, wait for answers"))
		r.send(cancelled("2"))
		synctest.Wait()
		r.send(ask("2", "ping", "")) // its place and its id are free
		r.want(answer("2", "{}"))
		close(release)
		r.wantAnyOrder(array(answer("1", `{"a":1}`)),
			array(answer("4", `{"c":3}`), refusal("5", jsonrpc.InternalError, "Too many requests in flight: at most 3, wait for answers")))
		r.inPlace()
		r.finish(nil)
	})
}

// A notification about an element leaves on its own, before the array.
func TestNotifyFromABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){
			"x":    func(x exchange) (string, error) { return "{}", x.p.Notify("progress", nil) },
			"call": calling("roots/list", `{}`),
		}}, nil)
		r.send(array(ask("1", "x", "")))
		r.want(tell("progress", ""), array(answer("1", "{}")))
		r.send(array(ask("2", "call", "")))
		r.want(ask("1", "roots/list", "{}"))
		r.send(array(answer("1", `{"r":1}`), tell("y", "")))
		r.want(array(answer("2", `{"r":1}`)))
		r.finish(nil)
	})
}

// The answers of a batch are held until the last is there, so they are bounded: the
// requests that are left then are refused, and the connection goes on.
func TestBatchTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		big := `"` + strings.Repeat("x", 1<<20) + `"`
		var asked []string
		for i := range 60 {
			asked = append(asked, ask(strconv.Itoa(i), "big", ""))
		}
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){
			"big": func(exchange) (string, error) { return big, nil },
		}}, nil)
		r.send(array(asked...))
		var answers []struct {
			ID    int
			Error *struct{ Code int }
		}
		if err := json.Unmarshal([]byte(<-r.out.lines), &answers); err != nil {
			t.Fatal(err)
		}
		refused := 0
		for i, a := range answers {
			if a.ID != i {
				t.Errorf("answer %d has the id %d", i, a.ID)
			}
			if a.Error != nil {
				refused++
			}
		}
		if given := len(answers) - refused; len(answers) != 60 || given < 16 || given > 40 {
			t.Errorf("%d answers, %d of them refused; want 60, and 16 to 40 given", len(answers), refused)
		}
		r.send(ask("1", "ping", ""))
		r.want(answer("1", "{}"))
		r.finish(nil)
	})
}
