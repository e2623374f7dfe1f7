package jsonrpc_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
)

// An answer that cannot be read ends the call that it was meant for, and no other; garbage
// ends none.
func TestBrokenAnswers(t *testing.T) {
	bad := "\"\xff\""
	tests := []struct {
		name, in    string
		one, second bool // which of two calls it ends
	}{
		{"id first", `{"jsonrpc":"2.0","id":1,"result":{"t":` + bad + `}}`, true, false},
		{"id first, of the second", `{"jsonrpc":"2.0","id":2,"result":{"t":` + bad + `}}`, false, true},
		{"id last", `{"result":{"t":` + bad + `},"jsonrpc":"2.0","id":2}`, false, true},
		{"id last, with space", `{"result": {"t":` + bad + `} ,"id" : 2 }` + "\r", false, true},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":` + bad + `}}`, true, false},
		{"cut off", `{"jsonrpc":"2.0","id":1,"result":{"a`, true, false},
		{"cut off before the id", `{"result":{"a`, false, false},
		{"id inside the result", `{"result":{"t":` + bad + `,"id":1}}`, false, false},
		{"id is a string", `{"jsonrpc":"2.0","id":"1","result":` + bad + `}`, false, false},
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"result":` + bad + `}}`, false, false},
		{"a request, method last", `{"params":` + bad + `,"method":"x","jsonrpc":"2.0","id":1}`, false, false},
		{"a line of the log", `sent {"jsonrpc":"2.0","id":1,"result":{}}`, false, false},
		{"two answers", answer("1", "1") + answer("2", "2"), true, false},
		{"nothing", "{", false, false},
		{"no such id", `{"jsonrpc":"2.0","id":7,"result":` + bad + `}`, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			visit(t, wide, nil, jsonrpc.Options{}, func(r *rig, _ *strait) {
				one, two := r.asks(r.Context(), "{}", false), r.asks(r.Context(), "{}", false)
				r.send(tt.in)
				synctest.Wait()
				for i, c := range []struct {
					came <-chan asked
					want bool
				}{{one, tt.one}, {two, tt.second}} {
					ended := len(c.came) == 1
					if ended != c.want {
						r.Errorf("call %d has ended: %v, want %v", i+1, ended, c.want)
					}
					if !ended {
						r.send(answer([]string{"1", "2"}[i], "{}"))
					} else if got := <-c.came; jsonrpc.CodeOf(got.err) != jsonrpc.InternalError {
						r.Errorf("call %d: %s, %v, want an error of ours", i+1, got.result, got.err)
					}
				}
			})
		})
	}
}

// When one call waits, it is the one to which an answer belongs that does not say so.
func TestBrokenAnswerToTheOnlyCall(t *testing.T) {
	tooLong := &jsonrpc.Unframed{
		Told:  jsonrpc.Errorf(jsonrpc.InvalidRequest, "too long"),
		Begin: []byte(`{"result":{"content":[`),
	}
	visit(t, wide, nil, jsonrpc.Options{}, func(r *rig, _ *strait) {
		came := r.asks(context.Background(), "{}", false)
		r.in.arrivals <- []event{{err: jsonrpc.Errorf(jsonrpc.InvalidRequest, "nothing is known of it")}}
		synctest.Wait()
		if len(came) != 0 {
			r.Error("the call has ended by a message of which nothing is known")
		}
		r.in.arrivals <- []event{{err: tooLong}}
		if got := within(r.T, came); got.err == nil || !strings.Contains(got.err.Error(), "too long") {
			r.Errorf("Ask = %s, %v, want an error that says why", got.result, got.err)
		}
	})
}
