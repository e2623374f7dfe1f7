package jsonrpc_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
)

// Rows named B and a number are faults that public reports describe in other
// implementations.
var wireRows = []struct {
	name string
	in   []string
	out  []string
}{
	{"ping", []string{ask("1", "ping", "")}, []string{answer("1", "{}")}},
	{"result holds what came", []string{ask("1", "echo", `{"n":9007199254740993,"f":1.50,"t":"\u00e9<&>"}`)},
		[]string{answer("1", `{"n":9007199254740993,"f":1.50,"t":"\u00e9<&>"}`)}},
	{"unknown method", []string{ask("7", "nonexistent/method", "")},
		[]string{refusal("7", jsonrpc.MethodNotFound, "Method not found: nonexistent/method")}},
	{"B05 bytes that are not UTF-8", []string{ask("3", "echo", "{\"s\":\"a\xff\xfe\"}"), ask("4", "ping", "")},
		[]string{refused("", jsonrpc.ParseError), answer("4", "{}")}},
	{"B11 params that are an array", []string{ask("9", "ping", `["a","b"]`)}, []string{refused("9", jsonrpc.InvalidParams)}},
	{"B11 params that are a string", []string{ask("9", "ping", `"x"`)}, []string{refused("9", jsonrpc.InvalidParams)}},
	{"B11 params that are a number", []string{ask("9", "ping", `7`)}, []string{refused("9", jsonrpc.InvalidParams)}},
	{"B14 no jsonrpc", []string{`{"id":99,"method":"ping"}`}, []string{refused("99", jsonrpc.InvalidRequest)}},
	{"B14 jsonrpc 1.0", []string{`{"jsonrpc":"1.0","id":98,"method":"ping"}`}, []string{refused("98", jsonrpc.InvalidRequest)}},
	{"B14 jsonrpc a number", []string{`{"jsonrpc":2.0,"id":97,"method":"ping"}`}, []string{refused("97", jsonrpc.InvalidRequest)}},
	{"B16 id beyond 2^53", []string{ask("9007199254740993", "ping", "")}, []string{answer("9007199254740993", "{}")}},
	{"B17 id a string", []string{ask(`"req-abc"`, "ping", "")}, []string{answer(`"req-abc"`, "{}")}},
	{"B17 id empty", []string{ask(`""`, "ping", "")}, []string{answer(`""`, "{}")}},
	{"B17 id a string of digits", []string{ask(`"0"`, "ping", "")}, []string{answer(`"0"`, "{}")}},
	{"B17 id with an escape", []string{ask(`"é\u0000"`, "ping", "")}, []string{answer(`"é\u0000"`, "{}")}},
	{"B19 id null", []string{ask("null", "tools/list", "{}"), ask("1", "ping", "")},
		[]string{refused("", jsonrpc.InvalidRequest), answer("1", "{}")}},
	{"B20 id 1.5", []string{ask("1.5", "ping", "")}, []string{refused("", jsonrpc.InvalidRequest)}},
	{"B20 id 1e400", []string{ask("1e400", "ping", "")}, []string{refused("", jsonrpc.InvalidRequest)}},
	{"B22 id an object", []string{ask("{}", "echo", "{}"), ask("1", "ping", "")},
		[]string{refused("", jsonrpc.InvalidRequest), answer("1", "{}")}},
	{"B22 id an array", []string{ask("[1]", "echo", "{}")}, []string{refused("", jsonrpc.InvalidRequest)}},
	{"B22 id true", []string{ask("true", "echo", "{}")}, []string{refused("", jsonrpc.InvalidRequest)}},
	{"B25 bad JSON", []string{`{bad json`, ask("2", "ping", "")}, []string{refused("", jsonrpc.ParseError), answer("2", "{}")}},
	{"B34 two messages on a line", []string{ask("1", "ping", "") + ask("2", "ping", ""), ask("3", "ping", "")},
		[]string{refused("", jsonrpc.ParseError), answer("3", "{}")}},
	{"B35 an error with id null", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`}, nil},
	{"B35 a response nobody asked for", []string{`{"jsonrpc":"2.0","id":1,"result":{}}`}, nil},
	{"B35 a bad response", []string{`{"jsonrpc":"2.0","id":1,"error":7}`, `{"id":1,"result":{}}`}, nil},
	{"B206 unknown notifications", []string{tell("window/logMessage", `{"x":1}`), tell("notifications/unknown", ""),
		ask("1", "ping", "")}, []string{answer("1", "{}")}},
	{"a bad notification", []string{tell("notifications/x", "7"), ask("1", "ping", "")}, []string{answer("1", "{}")}},
	{"not an object", []string{`"ping"`, `7`, `null`}, []string{
		refused("", jsonrpc.InvalidRequest), refused("", jsonrpc.InvalidRequest), refused("", jsonrpc.InvalidRequest)}},
	{"an id used again once answered", []string{ask("1", "ping", ""), ask("1", "echo", `{"a":1}`)},
		[]string{answer("1", "{}"), answer("1", `{"a":1}`)}},
}

// TestWire sends raw messages in and compares what comes out, with the messages
// at hand together and one by one, and beside a handler that blocks: a request
// then has a goroutine of its own.
func TestWire(t *testing.T) {
	for _, row := range wireRows {
		t.Run(row.name+"/together", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, &script{}, nil)
				r.send(row.in...)
				r.want(row.out...)
				r.finish(nil)
			})
		})
		t.Run(row.name+"/one by one", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, &script{}, nil)
				for _, line := range row.in {
					r.send(line)
					synctest.Wait()
				}
				r.want(row.out...)
				r.finish(nil)
			})
		})
		t.Run(row.name+"/beside a blocked handler", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": hold(release)}}, nil)
				r.send(ask(`"held"`, "hold", `{"kept":"whole"}`), ask(`"first"`, "ping", ""))
				r.want(answer(`"first"`, "{}"))
				for _, line := range row.in {
					r.send(line)
					synctest.Wait()
				}
				r.want(row.out...)
				close(release)
				r.want(answer(`"held"`, `{"kept":"whole"}`))
				r.finish(nil)
			})
		})
	}
}

func TestMessageThatCannotBeFramed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := dial(t, &script{}, nil)
		tooLong := jsonrpc.Errorf(jsonrpc.InvalidRequest, "message is too long")
		r.in.arrivals <- []event{{message: ask("1", "ping", "")}, {err: tooLong}, {message: ask("2", "ping", "")}}
		r.want(answer("1", "{}"), refusal("", jsonrpc.InvalidRequest, "message is too long"), answer("2", "{}"))
		r.finish(nil)
	})
}

func TestScannerOptions(t *testing.T) {
	inner := &script{requests: map[string]func(exchange) (string, error){
		"inner": func(x exchange) (string, error) { return string(x.m.Inner("_meta", "v")), nil },
	}}
	deep := strings.Repeat(`{"a":`, 4) + "1" + strings.Repeat("}", 4)
	tests := []struct {
		name      string
		o         *jsonrpc.Options
		send, out string
	}{
		{"Inner is recorded", &jsonrpc.Options{Inner: []string{"_meta", "arguments"}}, ask("1", "inner", `{"_meta":{"v":"x"}}`), answer("1", `"x"`)},
		{"MaxDepth is kept to", &jsonrpc.Options{MaxDepth: 5}, ask("1", "echo", deep), answer("1", deep)},
		{"MaxDepth exceeded", &jsonrpc.Options{MaxDepth: 4}, ask("1", "echo", deep), refused("1", jsonrpc.InvalidRequest)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := dial(t, inner, tt.o)
				r.send(tt.send)
				r.want(tt.out)
				r.finish(nil)
			})
		})
	}
}
