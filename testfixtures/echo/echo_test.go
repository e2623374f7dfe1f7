package echo_test

import (
	"log/slog"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/fixture/fixturetest"
)

const (
	tools = `"tools":[{"name":"echo","description":"Sends back the text it is given.",` +
		`"inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"What to send back."}},"required":["text"]}}]`
	serverInfo = `{"name":"echo-server","version":"1.0.0"}`
	modernMeta = `"_meta":{"io.modelcontextprotocol/serverInfo":` + serverInfo + `}`
	stale      = `"ttlMs":0,"cacheScope":"private",`
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// The lines of the exchanges, by short names.
var (
	call   = fixturetest.Request
	result = fixturetest.Result
	fault  = fixturetest.Error
)

func TestLegacy(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		t.Run(version, func(t *testing.T) {
			exchanges := []fixturetest.Exchange{
				{"handshake", fixturetest.Initialize(version),
					result("0", `"protocolVersion":"`+version+`","capabilities":{"tools":{}},"serverInfo":`+serverInfo)},
				{"initialized", fixturetest.Initialized, ""},
				{"list", call("1", "tools/list", ``), result("1", tools)},
				{"list without params", `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`, result(`"l"`, tools)},
				{"ping", call("2", "ping", ``), result("2", ``)},
			}
			fixturetest.Play(t, echo.NewServer(quiet()), append(exchanges, calls("", "", "")...))
		})
	}
}

func TestModern(t *testing.T) {
	meta := fixturetest.Meta
	exchanges := []fixturetest.Exchange{
		{"discover", call("1", "server/discover", meta),
			result("1", `"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},`+stale+modernMeta)},
		{"list", call("2", "tools/list", meta), result("2", `"resultType":"complete",`+tools+`,`+stale+modernMeta)},
		{"no _meta", call("3", "tools/list", ``), fault("3", "-32602",
			`This request opens neither era: send \"initialize\" first (2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05), `+
				`or put \"io.modelcontextprotocol/protocolVersion\" (2026-07-28) into params._meta`)},
		{"unknown version", call("4", "tools/list", strings.Replace(meta, "2026-07-28", "1900-01-01", 1)),
			`{"jsonrpc":"2.0","id":4,"error":{"code":-32022,"message":"Unsupported protocol version",` +
				`"data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}}`},
	}
	fixturetest.Play(t, echo.NewServer(quiet()),
		append(exchanges, calls(","+meta, `"resultType":"complete",`, ","+modernMeta)...))
}

// calls are those that go alike in both eras but for what stands around them:
// meta ends the params of a request, before and after enclose the members of a
// result.
func calls(meta, before, after string) []fixturetest.Exchange {
	arguments := func(id, arguments string) string {
		return call(id, "tools/call", `"name":"echo","arguments":`+arguments+meta)
	}
	text := func(id, text string) string {
		return result(id, before+`"content":[{"type":"text","text":`+text+`}]`+after)
	}
	const wrong = "arguments.text must be a string"
	const object = "params.arguments must be an object"
	return []fixturetest.Exchange{
		{"text", arguments("10", `{"text":"hello"}`), text("10", `"echo: hello"`)},
		{"empty text", arguments("11", `{"text":""}`), text("11", `"echo: "`)},
		{"text that looks like JSON", arguments("12", `{"text":"{\"a\":1}"}`), text("12", `"echo: {\"a\":1}"`)},
		{"marks that HTML minds", arguments("13", `{"text":"<a href=\"x\">&amp;</a>"}`), text("13", `"echo: <a href=\"x\">&amp;</a>"`)},
		{"line separators, raw and escaped", arguments("14", "{\"text\":\"a\u2028b\\u2029c\\nd\"}"), text("14", `"echo: a\u2028b\u2029c\nd"`)},
		{"letters beyond ASCII", arguments("15", `{"text":"\u00e9 日本 \ud83d\ude00"}`), text("15", `"echo: é 日本 😀"`)},
		{"escaped member name", arguments("16", `{"te\u0078t":"x"}`), text("16", `"echo: x"`)},
		{"other arguments are let be", arguments("17", `{"a":[1],"text":"x","Text":"y"}`), text("17", `"echo: x"`)},
		{"string id", arguments(`"a\u0062"`, `{"text":"x"}`), text(`"a\u0062"`, `"echo: x"`)},
		{"large id", arguments("9007199254740993", `{"text":"x"}`), text("9007199254740993", `"echo: x"`)},
		{"no text", arguments("20", `{}`), fault("20", "-32602", wrong)},
		{"name in other case", arguments("21", `{"Text":"x"}`), fault("21", "-32602", wrong)},
		{"null text", arguments("22", `{"text":null}`), fault("22", "-32602", wrong)},
		{"number", arguments("23", `{"text":1}`), fault("23", "-32602", wrong)},
		{"truth value", arguments("24", `{"text":true}`), fault("24", "-32602", wrong)},
		{"array", arguments("25", `{"text":["x"]}`), fault("25", "-32602", wrong)},
		{"object", arguments("26", `{"text":{}}`), fault("26", "-32602", wrong)},
		{"arguments are an array", arguments("27", `["x"]`), fault("27", "-32602", object)},
		{"arguments are null", arguments("28", `null`), fault("28", "-32602", object)},
		{"no arguments", call("29", "tools/call", `"name":"echo"`+meta), fault("29", "-32602", wrong)},
		{"unknown tool", call("30", "tools/call", `"name":"nope","arguments":{"text":"x"}`+meta), fault("30", "-32602", "Unknown tool: nope")},
		{"tool in other case", call("31", "tools/call", `"name":"Echo","arguments":{"text":"x"}`+meta), fault("31", "-32602", "Unknown tool: Echo")},
		{"unknown method", call("32", "no/such", `"a":1`+meta), fault("32", "-32601", "Method not found: no/such")},
		{"resources are not offered", call("33", "resources/list", `"a":1`+meta), fault("33", "-32601", "Method not found: resources/list")},
		{"still there", arguments("34", `{"text":"x"}`), text("34", `"echo: x"`)},
	}
}

// TestMixed shows that the eras do not see each other on one stream.
func TestMixed(t *testing.T) {
	modern := func(id string) fixturetest.Exchange {
		return fixturetest.Exchange{"modern " + id,
			call(id, "tools/call", `"name":"echo","arguments":{"text":"m"},`+fixturetest.Meta),
			result(id, `"resultType":"complete","content":[{"type":"text","text":"echo: m"}],`+modernMeta)}
	}
	legacy := func(id string) fixturetest.Exchange {
		return fixturetest.Exchange{"legacy " + id,
			call(id, "tools/call", `"name":"echo","arguments":{"text":"l"}`),
			result(id, `"content":[{"type":"text","text":"echo: l"}]`)}
	}
	fixturetest.Play(t, echo.NewServer(quiet()), []fixturetest.Exchange{
		modern("1"),
		{"handshake", fixturetest.Initialize("2025-06-18"),
			result("0", `"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":`+serverInfo)},
		modern("2"), legacy("3"), modern("4"), legacy("5"),
	})
}

func TestLargeTexts(t *testing.T) {
	for _, size := range []int{70_000, 5 << 20} {
		text := strings.Repeat("0123456789abcdef", size/16)
		fixturetest.Play(t, echo.NewServer(quiet()), []fixturetest.Exchange{{
			"large",
			call("1", "tools/call", `"name":"echo","arguments":{"text":"`+text+`"},`+fixturetest.Meta),
			result("1", `"resultType":"complete","content":[{"type":"text","text":"echo: `+text+`"}],`+modernMeta),
		}})
	}
}
