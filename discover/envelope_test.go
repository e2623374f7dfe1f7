package discover_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// The names in _meta, and how errors name them.
const (
	keyVersion      = `"io.modelcontextprotocol/protocolVersion":`
	keyInfo         = `"io.modelcontextprotocol/clientInfo":`
	keyCapabilities = `"io.modelcontextprotocol/clientCapabilities":`
	keyLevel        = `"io.modelcontextprotocol/logLevel":`
	atVersion       = `params._meta["io.modelcontextprotocol/protocolVersion"]`
	atInfo          = `params._meta["io.modelcontextprotocol/clientInfo"]`
	atCapabilities  = `params._meta["io.modelcontextprotocol/clientCapabilities"]`
	atLevel         = `params._meta["io.modelcontextprotocol/logLevel"]`
)

// TestEnvelope is the _meta of modern requests: each row is tried on a call, a list
// and server/discover, before any legacy session and beside one.
func TestEnvelope(t *testing.T) {
	const version = keyVersion + `"2026-07-28"`
	const least = version + `,` + keyCapabilities + `{}`
	const levels = atLevel + " must be one of debug, info, notice, warning, error, critical, alert, emergency"
	unsupported := func(requested string) string {
		return failure("1", -32022, "Unsupported protocol version", `{"supported":["2026-07-28"],"requested":`+requested+`}`)
	}
	invalid := func(message string) string { return failure("1", -32602, message, "") }
	tests := []struct{ name, meta, want string }{ // want: "" when it is served
		{"least", least, ""},
		{"all", least + `,` + keyInfo + `{"name":"t","version":"0","title":"T","future":[]},` + keyLevel + `"debug","progressToken":1`, ""},
		{"short clientInfo", least + `,` + keyInfo + `{"name":"t","version":"0"}`, ""},
		{"bad clientInfo where a good one was in the buffer", least + `,` + keyInfo + `{"name":"t","versiom":"0"}`, invalid(atInfo + ".version must be a string")},
		{"long clientInfo", least + `,` + keyInfo + `{"name":"` + strings.Repeat("n", 2000) + `","version":"0"}`, ""},
		{"names that nobody knows", least + `,"com.example/x":null,"io.modelcontextprotocol/future":7`, ""},
		{"version by escapes", strings.Replace(least, "2026", `\u0032026`, 1), ""},
		{"key by escapes", strings.Replace(least, "io.model", `\u0069o.model`, 1), ""},

		{"unknown version", keyVersion + `"1900-01-01",` + keyCapabilities + `{}`, unsupported(`"1900-01-01"`)},
		{"unknown version and nothing else", keyVersion + `"2099-01-01"`, unsupported(`"2099-01-01"`)},
		{"unknown version and a broken rest", keyVersion + `"2099-01-01",` + keyCapabilities + `7,` + keyInfo + `7`, unsupported(`"2099-01-01"`)},
		{"2025-11-25 is reached by initialize", keyVersion + `"2025-11-25",` + keyCapabilities + `{}`, unsupported(`"2025-11-25"`)},
		{"2024-11-05 is reached by initialize", keyVersion + `"2024-11-05",` + keyCapabilities + `{}`, unsupported(`"2024-11-05"`)},
		{"empty version", keyVersion + `"",` + keyCapabilities + `{}`, unsupported(`""`)},
		{"space behind the version", keyVersion + `"2026-07-28 ",` + keyCapabilities + `{}`, unsupported(`"2026-07-28 "`)},
		{"requested as it was sent", keyVersion + `"\u0061\ud83d\ude00"`, unsupported(`"\u0061\ud83d\ude00"`)},
		{"requested on one line for all readers", keyVersion + "\"\u2028\"", unsupported(`"\u2028"`)},
		{"version is a number", keyVersion + `20260728,` + keyCapabilities + `{}`, invalid(atVersion + " must be a string")},
		{"version is null", keyVersion + `null,` + keyCapabilities + `{}`, invalid(atVersion + " must be a string")},
		{"version is an array", keyVersion + `["2026-07-28"],` + keyCapabilities + `{}`, invalid(atVersion + " must be a string")},

		{"no capabilities", version, invalid(atCapabilities + " must be an object: it is missing")},
		{"capabilities in other case", version + `,"io.modelcontextprotocol/ClientCapabilities":{}`, invalid(atCapabilities + " must be an object: it is missing")},
		{"capabilities are null", version + `,` + keyCapabilities + `null`, invalid(atCapabilities + " must be an object")},
		{"capabilities are an array", version + `,` + keyCapabilities + `[]`, invalid(atCapabilities + " must be an object")},
		{"capability of another type", version + `,` + keyCapabilities + `{"roots":true}`, invalid(atCapabilities + ".roots must be an object")},
		{"a capability twice", version + `,` + keyCapabilities + `{"roots":{},"roots":{}}`, invalid(atCapabilities + " has a member twice")},

		{"clientInfo is a string", least + `,` + keyInfo + `"t"`, invalid(atInfo + " must be an object")},
		{"clientInfo is null", least + `,` + keyInfo + `null`, invalid(atInfo + " must be an object")},
		{"clientInfo without a name", least + `,` + keyInfo + `{"version":"0"}`, invalid(atInfo + ".name must be a string")},
		{"clientInfo without a version", least + `,` + keyInfo + `{"name":"t"}`, invalid(atInfo + ".version must be a string")},
		{"clientInfo with a title of another type", least + `,` + keyInfo + `{"name":"t","version":"0","title":1}`, invalid(atInfo + ".title must be a string")},

		{"B202 log level that is none", least + `,` + keyLevel + `"loud"`, invalid(levels)},
		{"log level in other case", least + `,` + keyLevel + `"Debug"`, invalid(levels)},
		{"log level is a number", least + `,` + keyLevel + `7`, invalid(levels)},
		{"log level is null", least + `,` + keyLevel + `null`, invalid(levels)},

		{"a name twice", least + `,` + version, invalid(`duplicate member "io.modelcontextprotocol/protocolVersion" in params._meta`)},
	}
	requests := []struct{ method, params, result string }{
		{"tools/call", `"name":"echo",`, `"content":[{"type":"text","text":"{}"}]`},
		{"resources/read", `"uri":"test:text",`, `"contents":[{"uri":"test:text","text":"x"}],` + cacheable},
		{"server/discover", ``, `"supportedVersions":["2026-07-28"],"capabilities":{"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}},` + cacheable},
	}
	bubble(t, fixture, func(w *wire) {
		for range 2 {
			for _, test := range tests {
				for _, r := range requests {
					want := test.want
					if want == "" {
						want = modernEra.result("1", r.result)
					}
					w.want(test.name, request("1", r.method, r.params+`"_meta":{`+test.meta+`}`), want)
				}
			}
			w.send(initialize("2025-06-18")) // the second round is beside a session
		}
	})
}

// TestEnvelopeShape is for a _meta that is no object: the scanner refuses it, in
// every era.
func TestEnvelopeShape(t *testing.T) {
	tests := []struct{ name, params, want string }{
		{"_meta is null", `"_meta":null`, "params._meta must be an object"},
		{"_meta is an array", `"_meta":[]`, "params._meta must be an object"},
		{"_meta is a string", `"_meta":"x"`, "params._meta must be an object"},
		{"_meta twice", modernMeta + `,` + modernMeta, `duplicate member "_meta" in params`},
	}
	inEras(t, func(w *wire, e era) {
		for _, test := range tests {
			w.want(test.name, request("1", "tools/list", test.params), failure("1", -32602, test.want, ""))
		}
	})
}

// TestLogLevels: each of the eight is taken, and none makes the server send anything
// that its tools did not say.
func TestLogLevels(t *testing.T) {
	bubble(t, fixture, func(w *wire) {
		for _, level := range []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
			w.want(level, modernEra.withMeta("1", "tools/call", `"name":"echo"`, keyLevel+quote(level)), modernEra.text("1", "{}"))
		}
	})
}

// TestDiscover is the result of server/discover, by what the server has and says.
func TestDiscover(t *testing.T) {
	tests := []struct {
		name    string
		options mcp.ServerOptions
		add     func(s *mcp.Server)
		want    string
	}{
		{"nothing", mcp.ServerOptions{}, func(*mcp.Server) {}, `"capabilities":{},` + cacheable + `,` + identity},
		{"instructions", mcp.ServerOptions{Instructions: "Use <it>."}, func(*mcp.Server) {}, `"capabilities":{},"instructions":"Use <it>.",` + cacheable + `,` + identity},
		{"cache hint", mcp.ServerOptions{Cache: mcp.CacheHint{TTL: time.Hour, Public: true}}, func(*mcp.Server) {},
			`"capabilities":{},"ttlMs":3600000,"cacheScope":"public",` + identity},
		{"extensions", mcp.ServerOptions{Extensions: map[string]jsonrpc.Raw{"a/b": jsonrpc.Raw(`{"x":1}`)}}, func(*mcp.Server) {},
			`"capabilities":{"extensions":{"a/b":{"x":1}}},` + cacheable + `,` + identity},
		{"a tool", mcp.ServerOptions{}, func(s *mcp.Server) { s.AddTool(mcp.Tool{Name: "t"}, func0) },
			`"capabilities":{"tools":{"listChanged":true}},` + cacheable + `,` + identity},
		{"a title", mcp.ServerOptions{Title: "T"}, func(*mcp.Server) {},
			`"capabilities":{},` + cacheable + `,` + strings.Replace(identity, `"version"`, `"title":"T","version"`, 1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			made := func() *mcp.Server {
				test.options.Logger = slog.New(slog.DiscardHandler)
				s := mcp.NewServer("test-server", "1.2.3", &test.options)
				test.add(s)
				return s
			}
			bubble(t, made, func(w *wire) {
				w.want(test.name, modernEra.request("1", "server/discover", ``),
					`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],`+test.want+`}}`)
			})
		})
	}
}

// TestStateless: nothing that one modern request says is known to the next one, and
// nothing of a legacy session is known to either.
func TestStateless(t *testing.T) {
	who := func(id, name, capabilities string) string {
		info := ""
		if name != "" {
			info = `,` + keyInfo + `{"name":` + quote(name) + `,"version":"9"}`
		}
		return request(id, "tools/call", `"name":"who","_meta":{`+keyVersion+`"2026-07-28",`+keyCapabilities+capabilities+info+`}`)
	}
	old := legacyEra("2025-06-18")
	bubble(t, fixture, func(w *wire) {
		w.want("a", who("1", "a", `{"roots":{},"future":{"x":1.0}}`), modernEra.text("1", `2026-07-28 a 9 roots=true other={"x":1.0}`))
		w.want("nobody", who("2", "", `{}`), modernEra.text("2", `2026-07-28   roots=false other=`))
		w.want("session", strings.Replace(initialize("2025-06-18"), `"capabilities":{}`, `"capabilities":{"roots":{},"future":{"y":2}}`, 1), initializeResult("2025-06-18"))
		w.want("nobody beside a session", who("3", "", `{}`), modernEra.text("3", `2026-07-28   roots=false other=`))
		w.want("b", who("4", "b", `{"future":[]}`), modernEra.text("4", `2026-07-28 b 9 roots=false other=[]`))
		for i := range 3 {
			id := fmt.Sprint(10 + i)
			w.want("the session", request(id, "tools/call", `"name":"who"`), old.text(id, `2025-06-18 t 0 roots=true other={"y":2}`))
			w.want("c", who("5", "c", `{}`), modernEra.text("5", `2026-07-28 c 9 roots=false other=`))
		}
	})
}
