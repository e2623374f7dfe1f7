package revisions_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/revisions"
)

// TestFixtures holds every message of every transcript against its revision.
func TestFixtures(t *testing.T) {
	seen := check(t, fixtureMessages(t))
	for _, revision := range revisions.All {
		for _, method := range []string{"tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"} {
			if !seen[revision+" "+method] {
				t.Errorf("no transcript has a result of %s in %s", method, revision)
			}
		}
	}
}

// TestRich does the same with a server that says more than any fixture.
func TestRich(t *testing.T) {
	seen := check(t, richMessages(t))
	for _, revision := range revisions.All {
		checkSaid(t, revision, seen, richSays)
	}
}

// span is the revisions in which something is said, until "" for no end.
type span struct{ since, until string }

// checkSaid checks that what a revision has was said at least once, and nothing else.
func checkSaid(t *testing.T, revision string, seen map[string]bool, says map[string]span) {
	t.Helper()
	for said, is := range says {
		if there := is.since <= revision && (is.until == "" || revision <= is.until); seen[revision+" "+said] != there {
			t.Errorf("in %s: %s was said: %t, want %t", revision, said, !there, there)
		}
	}
}

// richSays is what the server says to richRequests.
var richSays = map[string]span{
	"initialize":               {"2024-11-05", "2025-11-25"},
	"ping":                     {"2024-11-05", "2025-11-25"},
	"logging/setLevel":         {"2024-11-05", "2025-11-25"},
	"resources/subscribe":      {"2024-11-05", "2025-11-25"},
	"resources/unsubscribe":    {"2024-11-05", "2025-11-25"},
	"subscriptions/listen":     {"2026-07-28", ""},
	"server/discover":          {"2026-07-28", ""},
	"tools/list":               {"2024-11-05", ""},
	"tools/call":               {"2024-11-05", ""},
	"resources/list":           {"2024-11-05", ""},
	"resources/templates/list": {"2024-11-05", ""},
	"resources/read":           {"2024-11-05", ""},
	"prompts/list":             {"2024-11-05", ""},
	"prompts/get":              {"2024-11-05", ""},
	"completion/complete":      {"2024-11-05", ""},
	"notifications/progress":   {"2024-11-05", ""},
	"notifications/message":    {"2024-11-05", ""},
	"notifications/cancelled":  {"2026-07-28", ""},

	"notifications/subscriptions/acknowledged": {"2026-07-28", ""},
}

// check checks exchanges and returns what was said: results by the method of their request,
// requests and notifications by their own, results that ask as input_required, each behind the revision and a space.
func check(t *testing.T, all []exchange) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	for _, x := range all {
		for _, fault := range revisions.Check(x.revision, x.method, []byte(x.message)) {
			t.Errorf("%s: an answer to %q in %s: %s\n%s", x.where, x.method, x.revision, fault, x.message)
		}
		var said line
		if err := json.Unmarshal([]byte(x.message), &said); err != nil {
			t.Fatal(err)
		}
		switch {
		case said.Method != "":
			seen[x.revision+" "+said.Method] = true
		case mcp.ResultTypeOf(jsonrpc.Raw(said.Result)) == "input_required":
			seen[x.revision+" input_required"] = true
		case said.Result != nil:
			seen[x.revision+" "+x.method] = true
		}
	}
	return seen
}

// result makes a message of a result.
func result(members string) string { return `{"jsonrpc":"2.0","id":1,"result":{` + members + `}}` }

// failure makes a message of an error.
func failure(members string) string { return `{"jsonrpc":"2.0","id":1,"error":{` + members + `}}` }

// modernAround is what a modern result has beside its own members.
const modernAround = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}`

// TestCheckFinds shows that each rule can fail.
func TestCheckFinds(t *testing.T) {
	const tool, text = `{"name":"a","inputSchema":{"type":"object"}`, `{"type":"text","text":"x"`
	const hinted = `"ttlMs":0,"cacheScope":"private",` + modernAround
	content := func(block string) string { return result(`"content":[` + block + `]`) }
	tools := func(tool string) string { return result(`"tools":[` + tool + `]`) }
	tests := []struct{ revision, method, message, want string }{ // want: "" when there is no fault
		{"2025-06-18", "ping", `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"2025-06-18", "ping", `{"id":1,"result":{}}`, "message.jsonrpc: must be there"},
		{"2025-06-18", "ping", `{"jsonrpc":"1.0","id":1,"result":{}}`, `message.jsonrpc: must be "2.0"`},
		{"2025-06-18", "ping", `{"jsonrpc":"2.0","result":{}}`, "message.id: must be there"},
		{"2025-06-18", "ping", `{"jsonrpc":"2.0","id":null,"result":{}}`, "message.id: must be id"},
		{"2025-06-18", "ping", `{"jsonrpc":"2.0","id":1.5,"result":{}}`, "message.id: must be id"},
		{"2025-06-18", "ping", `{"jsonrpc":"2.0","id":1,"result":[]}`, "message.result: must be object"},
		{"2025-06-18", "ping", `{"jsonrpc":"2.0","id":1,"result":{},"more":1}`, "message.more: must be left out"},
		{"2025-06-18", "ping", `{"jsonrpc":"2.0","id":1,"result":{"pong":1}}`, "message.result.pong: must be left out"},
		{"2025-06-18", "ping", `[]`, "message: must be an object"},
		{"2025-06-18", "ping", `{"jsonrpc"`, "not JSON"},
		{"2025-06-18", "ping", `{} {}`, "not JSON"},
		{"2025-06-18", "nope", result(``), "message: must be an error"},
		{"2025-06-18", "", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`, "message.id: must be there"},
		{"2025-11-25", "", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`, ""},
		{"2025-11-25", "", failure(`"code":0,"message":"m"`), "message.error.code: must be one of the codes"},
		{"2025-11-25", "", failure(`"code":-32002,"message":"m","data":{"uri":"a:b"}`), ""},
		{"2026-07-28", "", failure(`"code":-32002,"message":"m"`), "message.error.code: must be one of the codes of 2026-07-28, not -32002"},
		{"2026-07-28", "", failure(`"code":-32020,"message":"m"`), ""},
		{"2025-11-25", "", failure(`"code":-32020,"message":"m"`), "message.error.code: must be one of the codes of 2025-11-25, not -32020"},
		{"2025-11-25", "", failure(`"code":-32022,"message":"m"`), "message.error.code: must be one of the codes of 2025-11-25, not -32022"},
		{"2026-07-28", "", failure(`"code":-32022,"message":"m"`), "message.error.data: must be an object"},
		{"2026-07-28", "", failure(`"code":-32022,"message":"m","data":{"supported":["a"]}`), "message.error.data.requested: must be there"},
		{"2026-07-28", "", failure(`"code":-32022,"message":"m","data":{"supported":"a","requested":"b"}`), "message.error.data.supported: must be an array"},
		{"2025-11-25", "", failure(`"code":"-32600","message":"m"`), "message.error.code: must be integer"},
		{"2025-11-25", "", failure(`"code":-32600`), "message.error.message: must be there"},

		{"2024-11-05", "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":0.5}}`, ""},
		{"2024-11-05", "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":0.5,"message":"m"}}`, "message.params.message: must be left out"},
		{"2025-03-26", "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":0.5,"message":"m"}}`, ""},
		{"2025-03-26", "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":null,"progress":"1"}}`, "message.params.progressToken: must be id"},
		{"2025-03-26", "", `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`, "message.params.level: must be there"},
		{"2025-03-26", "", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}}`, `message.params.level: must be "debug"|`},
		{"2025-03-26", "", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":null}}`, ""},
		{"2025-03-26", "", `{"jsonrpc":"2.0","method":"notifications/nope"}`, "message.method: must be one of the notifications"},
		{"2025-11-25", "", `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}`, "message.method: must be one of the notifications"},
		{"2025-11-25", "", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, ""},
		{"2025-11-25", "", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`, "message.params._meta: must be left out"},
		{"2026-07-28", "", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, "message.params: must be an object"},
		{"2026-07-28", "", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{}}}`, "message.params._meta.io.modelcontextprotocol/subscriptionId: must be there"},
		{"2026-07-28", "", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"uri":"a:b"}}`, ""},
		{"2026-07-28", "", `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{"toolsListChanged":1}}}`, "message.params.notifications.toolsListChanged: must be boolean"},

		{"2025-03-26", "initialize", result(`"protocolVersion":"v","capabilities":{},"serverInfo":{"name":"s","version":"1"}`), ""},
		{"2025-03-26", "initialize", result(`"protocolVersion":"v","capabilities":{},"serverInfo":{"name":"s"}`), "message.result.serverInfo.version: must be there"},
		{"2025-03-26", "initialize", result(`"protocolVersion":"v","capabilities":{"tools":{"x":1}},"serverInfo":{"name":"s","version":"1"}`), "message.result.capabilities.tools.x: must be left out"},
		{"2025-03-26", "initialize", result(`"protocolVersion":"v","capabilities":{"extensions":{}},"serverInfo":{"name":"s","version":"1"}`), "message.result.capabilities.extensions: must be left out"},
		{"2025-03-26", "initialize", result(`"protocolVersion":"v","capabilities":{"experimental":{"a":1}},"serverInfo":{"name":"s","version":"1"}`), "message.result.capabilities.experimental: must be objects"},
		{"2025-03-26", "initialize", result(`"protocolVersion":"v","capabilities":{},"serverInfo":{"name":"s","version":"1","title":"T"}`), "message.result.serverInfo.title: must be left out"},

		{"2025-06-18", "tools/list", tools(tool + `}`), ""},
		{"2025-06-18", "tools/list", result(`"tools":null`), "message.result.tools: must be an array"},
		{"2025-06-18", "tools/list", tools(`{"name":"a"}`), "message.result.tools[0].inputSchema: must be there"},
		{"2025-06-18", "tools/list", tools(`{"name":"a","inputSchema":true}`), "message.result.tools[0].inputSchema: must be an object"},
		{"2025-06-18", "tools/list", tools(`{"name":"a","inputSchema":{"type":"object","required":null}}`), "message.result.tools[0].inputSchema.required: must be an array"},
		{"2025-06-18", "tools/list", tools(tool + `,"outputSchema":{"type":"array"}}`), "message.result.tools[0].outputSchema.type"},
		{"2025-03-26", "tools/list", tools(tool + `,"title":"T"}`), "message.result.tools[0].title: must be left out"},
		{"2024-11-05", "tools/list", tools(tool + `,"annotations":{}}`), "message.result.tools[0].annotations: must be left out"},
		{"2025-06-18", "tools/list", tools(tool + `,"icons":[]}`), "message.result.tools[0].icons: must be left out"},
		{"2025-11-25", "tools/list", tools(tool + `,"icons":[{"src":"i.png"}]}`), "message.result.tools[0].icons[0].src: must be uri"},
		{"2025-11-25", "tools/list", tools(tool + `,"icons":[{"src":"data:,","theme":"blue"}]}`), `message.result.tools[0].icons[0].theme: must be "light"|"dark"`},
		{"2025-06-18", "tools/list", result(`"tools":[],"resultType":"complete"`), "message.result.resultType: must be left out"},
		{"2025-06-18", "tools/list", result(`"tools":[],"ttlMs":0`), "message.result.ttlMs: must be left out"},
		{"2026-07-28", "tools/list", result(`"tools":[],` + hinted), ""},
		{"2026-07-28", "tools/list", result(`"tools":[],` + strings.Replace(hinted, `"ttlMs":0,`, "", 1)), "message.result.ttlMs: must be there"},
		{"2026-07-28", "tools/list", result(`"tools":[],` + strings.Replace(hinted, `:0`, `:-1`, 1)), "message.result.ttlMs: must be count"},
		{"2026-07-28", "tools/list", result(`"tools":[],` + strings.Replace(hinted, `private`, `Private`, 1)), `message.result.cacheScope: must be "private"|"public"`},
		{"2026-07-28", "tools/list", result(`"tools":[],` + strings.Replace(hinted, `"resultType":"complete",`, ``, 1)), "message.result.resultType: must be there"},
		{"2026-07-28", "tools/list", result(`"tools":[],` + strings.Replace(hinted, `,"version":"1"`, ``, 1)), "message.result._meta.io.modelcontextprotocol/serverInfo.version: must be there"},

		{"2025-06-18", "tools/call", content(text + `}`), ""},
		{"2025-06-18", "tools/call", result(`"content":null`), "message.result.content: must be an array"},
		{"2025-06-18", "tools/call", result(``), "message.result.content: must be there"},
		{"2025-06-18", "tools/call", content(`{"type":"text"}`), "message.result.content[0].text: must be there"},
		{"2025-03-26", "tools/call", content(text + `,"_meta":{}}`), "message.result.content[0]._meta: must be left out"},
		{"2024-11-05", "tools/call", content(`{"type":"audio","data":"","mimeType":"a/b"}`), "message.result.content[0]: must be TextContent|"},
		{"2025-03-26", "tools/call", content(`{"type":"resource_link","uri":"a:b","name":"n"}`), "message.result.content[0]: must be TextContent|"},
		{"2025-06-18", "tools/call", content(`{"type":"image","data":"_w==","mimeType":"a/b"}`), "message.result.content[0].data: must be base64"},
		{"2025-06-18", "tools/call", content(text + `,"annotations":{"priority":1.5}}`), "message.result.content[0].annotations.priority: must be fraction"},
		{"2025-06-18", "tools/call", content(text + `,"annotations":{"audience":["system"]}}`), `message.result.content[0].annotations.audience[0]: must be "user"|"assistant"`},
		{"2025-03-26", "tools/call", content(text + `,"annotations":{"lastModified":"x"}}`), "message.result.content[0].annotations.lastModified: must be left out"},
		{"2025-06-18", "tools/call", result(`"content":[],"isError":"no"`), "message.result.isError: must be boolean"},
		{"2025-03-26", "tools/call", result(`"content":[],"structuredContent":{}`), "message.result.structuredContent: must be left out"},
		{"2025-06-18", "tools/call", result(`"content":[],"structuredContent":[]`), "message.result.structuredContent: must be object"},
		{"2026-07-28", "tools/call", result(`"content":[],"structuredContent":[],` + modernAround), ""},

		{"2025-06-18", "resources/list", result(`"resources":[{"uri":"a:b"}]`), "message.result.resources[0].name: must be there"},
		{"2025-06-18", "resources/list", result(`"resources":[{"uri":"b","name":"n"}]`), "message.result.resources[0].uri: must be uri"},
		{"2025-06-18", "resources/list", result(`"resources":[{"uri":"a:{b}","name":"n"}]`), "message.result.resources[0].uri: must be uri"},
		{"2025-06-18", "resources/templates/list", result(`"resourceTemplates":[{"uriTemplate":"a:{+b,c*}{?d:3}","name":"n"}]`), ""},
		{"2025-06-18", "resources/templates/list", result(`"resourceTemplates":[{"uriTemplate":"a:{=b}","name":"n"}]`), "message.result.resourceTemplates[0].uriTemplate: must be template"},
		{"2025-06-18", "resources/templates/list", result(`"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","size":1}]`), "message.result.resourceTemplates[0].size: must be left out"},
		{"2025-06-18", "resources/read", result(`"contents":[{"uri":"a:b","text":"x","blob":""}]`), "message.result.contents[0]: must be TextResourceContents|BlobResourceContents"},
		{"2025-06-18", "resources/read", result(`"contents":[{"uri":"a:b"}]`), "message.result.contents[0]: must be TextResourceContents|BlobResourceContents"},
	}
	for _, test := range append(tests, askTests...) {
		faults := revisions.Check(test.revision, test.method, []byte(test.message))
		found := slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, test.want) })
		if test.want == "" && faults != nil || test.want != "" && !found {
			t.Errorf("Check(%s, %s, %s)\n got %q\nwant %q", test.revision, test.method, test.message, faults, test.want)
		}
	}
}
