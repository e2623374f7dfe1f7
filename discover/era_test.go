package discover_test

import (
	"bytes"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
)

// neither is what a request is told that opens no era. It names both ways in.
const neither = `This request opens neither era: send "initialize" first (2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05), ` +
	`or put "io.modelcontextprotocol/protocolVersion" (2026-07-28) into params._meta`

func legacyEra(version string) era { return era{version, false} }

var modernEra = era{"2026-07-28", true}

// echoed is a call of echo and its answer, in an era.
func echoed(e era, id string) (line, want string) {
	return e.request(id, "tools/call", `"name":"echo","arguments":{}`), e.text(id, "{}")
}

// step is a line and all that must come for it.
type step struct {
	name, line string
	want       []string
}

// one is a step that is answered by one line.
func one(name, line, want string) step { return step{name, line, []string{want}} }

// none is a step that is not answered.
func none(name, line string) step { return step{name, line, nil} }

func served(e era, id string) step {
	line, want := echoed(e, id)
	return one("a call in "+e.version, line, want)
}

func handshake(version string) step {
	return one("handshake in "+version, initialize(version), initializeResult(version))
}

// TestEra is which era a message belongs to, by what came before it on the
// connection.
func TestEra(t *testing.T) {
	old := legacyEra("2025-06-18")
	lost := failure("1", -32602, neither, "")
	bareCall := request("1", "tools/call", `"name":"echo","arguments":{}`)
	initModern := strings.Replace(initialize("2025-06-18"), `"capabilities"`, modernMeta+`,"capabilities"`, 1)
	initLegacyInMeta := strings.Replace(initialize("2025-06-18"), `"capabilities"`, `"_meta":{`+meta("2025-06-18")+`},"capabilities"`, 1)
	unsupported := func(id, requested string) string {
		return failure(id, -32022, "Unsupported protocol version", `{"supported":["2026-07-28"],"requested":`+requested+`}`)
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"B83 neither, then initialize", []step{
			one("call", bareCall, lost), one("list", request("1", "tools/list", ``), lost),
			one("discover without _meta", request("1", "server/discover", ``), lost),
			one("unknown method", request("1", "nonexistent/method", ``), lost),
			one("without params", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, lost),
			one("with an empty _meta", request("1", "tools/list", `"_meta":{}`), lost),
			one("with the key elsewhere", request("1", "tools/list", `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`), lost),
			one("with the key in other case", request("1", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolversion":"2026-07-28"}`), lost),
			none("a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`),
			handshake("2025-06-18"), served(old, "2"), served(modernEra, "3"),
		}},
		{"ping opens nothing", []step{
			one("ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`),
			one("ping with params", request("1", "ping", `"future":true`), `{"jsonrpc":"2.0","id":1,"result":{}}`),
			one("call", bareCall, lost), handshake("2025-11-25"),
			one("ping in the session", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`),
		}},
		{"modern has neither ping nor initialize", []step{
			one("ping", modernEra.request("1", "ping", ``), failure("1", -32601, "Method not found: ping", "")),
			one("initialize", initModern, failure("0", -32601, "Method not found: initialize", "")),
			one("initialize with a legacy version in _meta", initLegacyInMeta, unsupported("0", `"2025-06-18"`)),
			one("no session came of it", bareCall, lost),
			handshake("2025-06-18"),
			one("ping, modern, beside a session", modernEra.request("1", "ping", ``), failure("1", -32601, "Method not found: ping", "")),
			one("initialize, modern, beside a session", initModern, failure("0", -32601, "Method not found: initialize", "")),
		}},
		{"legacy has no server/discover", []step{
			handshake("2025-11-25"),
			one("discover", request("1", "server/discover", ``), failure("1", -32601, "Method not found: server/discover", "")),
		}},
		{"B86 both on one connection", []step{
			one("discover", modernEra.request("1", "server/discover", ``),
				modernEra.cached("1", `"supportedVersions":["2026-07-28"],"capabilities":{"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`)),
			handshake("2025-06-18"), none("ready", initialized), served(old, "3"), served(modernEra, "4"), served(old, "5"),
		}},
		{"B86 a failed first request locks nothing", []step{
			one("unknown version", request("1", "tools/list", `"_meta":{`+meta("1900-01-01")+`}`), unsupported("1", `"1900-01-01"`)),
			one("bad initialize", request("1", "initialize", ``), failure("1", -32602, "params.protocolVersion must be a string", "")),
			served(modernEra, "2"), handshake("2024-11-05"), served(legacyEra("2024-11-05"), "3"), served(modernEra, "4"),
		}},
		{"B74 initialize as a notification", []step{
			none("initialize", strings.Replace(initialize("2025-06-18"), `"id":0,`, "", 1)),
			one("no session came of it", bareCall, lost), handshake("2025-06-18"), served(old, "2"),
		}},
		{"B76 initialize twice", []step{
			handshake("2025-06-18"), none("ready", initialized),
			one("again", strings.Replace(initialize("2024-11-05"), `"name":"t"`, `"name":"b"`, 1), failure("0", -32600, "Already initialized: a session is initialized once", "")),
			one("the first stays", request("1", "tools/call", `"name":"who"`), old.text("1", "2025-06-18 t 0 roots=false other=")),
		}},
		{"B77 unknown version", []step{
			one("handshake", initialize("2099-01-01"), initializeResult("2025-11-25")),
			one("the negotiated one holds", request("1", "tools/call", `"name":"who"`), old.text("1", "2025-11-25 t 0 roots=false other=")),
		}},
		{"B94 initialize cannot be cancelled", []step{
			none("cancelled before", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`),
			handshake("2025-06-18"),
			none("cancelled", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`), served(old, "1"),
		}},
		{"a key of the modern era that is not the version", []step{
			handshake("2025-06-18"),
			one("call", request("1", "tools/call", `"name":"echo","_meta":{"io.modelcontextprotocol/clientInfo":7}`), old.text("1", "{}")),
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, fixture, func(w *wire) {
				for _, s := range test.steps {
					w.want(s.name, s.line, s.want...)
				}
			})
		})
	}
}

// TestBatch (B85): where arrays are taken, and that modern requests are never taken
// in one.
func TestBatch(t *testing.T) {
	refused := unreadable(-32600, "Batches are taken only in sessions of revision 2025-03-26: send each message on its own line")
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for _, e := range eras {
		t.Run(e.version, func(t *testing.T) {
			bubble(t, fixture, func(w *wire) {
				w.want("before any session", "["+ping+"]", refused)
				if !e.modern {
					w.want("handshake", initialize(e.version), initializeResult(e.version))
				}
				if e.version != "2025-03-26" {
					w.want("ping", "["+ping+"]", refused)
					w.want("a call", "["+e.request("3", "tools/call", `"name":"boom"`)+"]", refused)
					w.want("empty", "[]", refused)
					return
				}
				line, want := echoed(e, "3")
				modern, _ := echoed(modernEra, "4")
				w.want("a mixed one", "["+ping+","+initialized+","+line+","+modern+","+initialize("2025-03-26")+`,{"jsonrpc":"2.0","id":9,"result":{}}]`,
					`[{"jsonrpc":"2.0","id":2,"result":{}},`+want+`,`+
						failure("4", -32600, "revision 2026-07-28 has no batches: send each message on its own", "")+`,`+
						failure("0", -32600, "initialize must not be part of a batch", "")+`]`)
				w.want("only notifications", "["+initialized+"]")
				w.want("empty", "[]", unreadable(-32600, "an empty batch holds nothing to answer"))
			})
		})
	}
}

// TestLabels: the debug log names the era of each message.
func TestLabels(t *testing.T) {
	var log bytes.Buffer
	logging := func() *mcp.Server {
		return mcp.NewServer("s", "1", &mcp.ServerOptions{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	}
	bubble(t, logging, func(w *wire) {
		w.send(strings.Replace(initialize("2025-06-18"), `"id":0,`, "", 1)) // as a notification it opens nothing
		w.send(request("1", "tools/list", ``), modernEra.request("2", "tools/list", ``), initialize("2025-06-18"), initialized,
			request("3", "ping", ``), modernEra.request("4", "ping", ``))
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	})
	got := regexp.MustCompile(`direction=(\w+) era=(\w+)`).FindAllStringSubmatch(log.String(), -1)
	var eras []string
	for _, g := range got {
		eras = append(eras, g[1]+" "+g[2])
	}
	want := []string{"in modern", "in none", "out none", "in modern", "out modern", "in legacy", "out legacy", "in legacy", "in legacy", "out legacy",
		"in modern", "out modern", "in legacy"}
	if !slices.Equal(eras, want) {
		t.Errorf("directions and eras\n got %q\nwant %q\nin %s", eras, want, &log)
	}
	if !strings.Contains(log.String(), "cancellation without a usable requestId") {
		t.Errorf("a cancellation that names nothing is not in the log: %s", &log)
	}
}

func TestInOrder(t *testing.T) {
	r := discover.NewRouter(fixture(), nil)
	for method, want := range map[string]bool{"initialize": true, "Initialize": false, "tools/call": false, "": false} {
		if got := r.InOrder([]byte(method)); got != want {
			t.Errorf("InOrder(%q) = %t, want %t", method, got, want)
		}
	}
	if got := discover.Versions(); !slices.Equal(got, []string{"2026-07-28"}) {
		t.Errorf("Versions() = %q", got)
	}
}
