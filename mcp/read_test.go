package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// sample is a value of the vocabulary that has every member.
type sample struct {
	name  string
	text  string
	again roundTrip
	// free are the places that may hold anything; a place below one of them is not
	// ours to read.
	free []string
}

const (
	wholeIcon        = `{"src":"https://a.example/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}`
	wholeAnnotations = `{"audience":["user","assistant"],"priority":0.25,"lastModified":"2025-01-12T15:00:58Z"}`
	wholeCache       = `"ttlMs":1500,"cacheScope":"public"`
	wholeInfo        = `{"name":"n","version":"1","title":"T","description":"D","websiteUrl":"https://a.example","icons":[` + wholeIcon + `]}`
	wholeTool        = `{"name":"a","title":"T","description":"D","inputSchema":{"type":"object"},"outputSchema":{"type":"array"},` +
		`"annotations":{"title":"A","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},` +
		`"icons":[` + wholeIcon + `],"_meta":{"a.example/m":[1,null]}}`
	wholeResource = `{"uri":"a:b","name":"n","title":"T","description":"D","mimeType":"a/b","size":7,"annotations":` + wholeAnnotations +
		`,"icons":[` + wholeIcon + `],"_meta":{"a.example/m":1}}`
	wholeText        = `{"uri":"a:b","mimeType":"a/b","text":"t","_meta":{"a.example/m":1}}`
	wholeBlob        = `{"uri":"a:b","mimeType":"a/b","blob":"AP8=","_meta":{"a.example/m":1}}`
	wholeToolUse     = `{"type":"tool_use","id":"i","name":"a","input":{"a":1}}`
	wholeToolResult  = `{"type":"tool_result","toolUseId":"i","content":[{"type":"text","text":"t"}],"structuredContent":[1],"isError":true}`
	wholePreferences = `{"hints":[{"name":"h"}],"costPriority":0.5,"speedPriority":0,"intelligencePriority":1}`
	wholeMeta        = `"_meta":{"a.example/m":{}}`
)

var samples = []sample{
	{"Tool", wholeTool, again[mcp.Tool], []string{"x._meta.a.example/m"}},
	{"Resource", wholeResource, again[mcp.Resource], []string{"x._meta.a.example/m"}},
	{"ResourceTemplate", `{"uriTemplate":"a:{b}","name":"n","title":"T","description":"D","mimeType":"a/b","annotations":` + wholeAnnotations +
		`,"icons":[` + wholeIcon + `],"_meta":{"a.example/m":1}}`, again[mcp.ResourceTemplate], []string{"x._meta.a.example/m"}},
	{"Implementation", wholeInfo, again[mcp.Implementation], nil},
	{"text", `{"type":"text","text":"t","annotations":` + wholeAnnotations + `,` + wholeMeta + `}`, contentAgain, []string{"x._meta.a.example/m"}},
	{"image", `{"type":"image","data":"AP8=","mimeType":"a/b","annotations":` + wholeAnnotations + `,` + wholeMeta + `}`, contentAgain, []string{"x._meta.a.example/m"}},
	{"audio", `{"type":"audio","data":"","mimeType":"a/b","annotations":` + wholeAnnotations + `,` + wholeMeta + `}`, contentAgain, []string{"x._meta.a.example/m"}},
	{"resource_link", strings.Replace(wholeResource, `{`, `{"type":"resource_link",`, 1), contentAgain, []string{"x._meta.a.example/m"}},
	{"resource", `{"type":"resource","resource":` + wholeText + `,"annotations":` + wholeAnnotations + `,` + wholeMeta + `}`, contentAgain,
		[]string{"x._meta.a.example/m", "x.resource._meta.a.example/m"}},
	{"text contents", wholeText, contentsAgain, []string{"x._meta.a.example/m"}},
	{"blob contents", wholeBlob, contentsAgain, []string{"x._meta.a.example/m"}},
	{"EmptyResult", `{"resultType":"complete",` + wholeMeta + `}`, again[mcp.EmptyResult], []string{"x._meta.a.example/m"}},
	{"Result", `{"resultType":"complete","content":[{"type":"text","text":"t"}],"structuredContent":[1],"isError":true,` + wholeMeta + `}`,
		again[mcp.Result], []string{"x.structuredContent", "x._meta.a.example/m"}},
	{"Page of tools", `{"resultType":"complete","tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"",` + wholeCache + `,` + wholeMeta + `}`,
		again[mcp.Page[mcp.Tool]], []string{"x._meta.a.example/m"}},
	{"Page of resources", `{"resultType":"complete","resources":[{"uri":"a:b","name":"n"}],"nextCursor":"c"}`, again[mcp.Page[mcp.Resource]], nil},
	{"Page of templates", `{"resultType":"complete","resourceTemplates":[{"uriTemplate":"a:{b}","name":"n"}]}`, again[mcp.Page[mcp.ResourceTemplate]], nil},
	{"Page of prompts", `{"resultType":"complete","prompts":[{"name":"n","title":"T","description":"D","arguments":[{"name":"a","title":"A","description":"E",` +
		`"required":true}],"icons":[` + wholeIcon + `],` + wholeMeta + `}]}`, again[mcp.Page[mcp.Prompt]], []string{"x.prompts[0]._meta.a.example/m"}},
	{"PromptResult", `{"resultType":"complete","description":"D","messages":[{"role":"assistant","content":{"type":"text","text":"t"}}],` + wholeMeta + `}`,
		again[mcp.PromptResult], []string{"x._meta.a.example/m"}},
	{"CompleteResult", `{"resultType":"complete","completion":{"values":["a"],"total":2,"hasMore":true}}`, again[mcp.CompleteResult], nil},
	{"LogMessageParams", `{"level":"critical","logger":"l","data":[1],` + wholeMeta + `}`, again[mcp.LogMessageParams],
		[]string{"x.data", "x._meta.a.example/m"}},
	{"InitializeParams", `{"protocolVersion":"v","capabilities":{"sampling":{}},"clientInfo":` + wholeInfo + `,` + wholeMeta + `}`, again[mcp.InitializeParams],
		[]string{"x._meta.a.example/m"}},
	{"SubscribeParams", `{"uri":"a:b",` + wholeMeta + `}`, again[mcp.SubscribeParams], []string{"x._meta.a.example/m"}},
	{"SetLevelParams", `{"level":"debug",` + wholeMeta + `}`, again[mcp.SetLevelParams], []string{"x._meta.a.example/m"}},
	{"ListenParams", `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a:b"]},` +
		wholeMeta + `}`, again[mcp.ListenParams], []string{"x._meta.a.example/m"}},
	{"AcknowledgedParams", `{"notifications":{"promptsListChanged":true},` + wholeMeta + `}`, again[mcp.AcknowledgedParams], []string{"x._meta.a.example/m"}},
	{"ReadResourceResult", `{"resultType":"complete","contents":[` + wholeText + `,` + wholeBlob + `],` + wholeCache + `,` + wholeMeta + `}`,
		again[mcp.ReadResourceResult], []string{"x._meta.a.example/m", "x.contents[0]._meta.a.example/m", "x.contents[1]._meta.a.example/m"}},
	{"InitializeResult", `{"resultType":"complete","protocolVersion":"v","capabilities":{},"serverInfo":` + wholeInfo + `,"instructions":"I",` + wholeMeta + `}`,
		again[mcp.InitializeResult], []string{"x._meta.a.example/m"}},
	{"DiscoverResult", `{"resultType":"complete","supportedVersions":["v"],"capabilities":{},"instructions":"I",` + wholeCache + `,` + wholeMeta + `}`,
		again[mcp.DiscoverResult], []string{"x._meta.a.example/m"}},
	{"ServerCapabilities", `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},` +
		`"completions":{},"logging":{},"experimental":{"e":{"a":1}},"extensions":{"a.example/e":{"b":2}},"future":7}`,
		again[mcp.ServerCapabilities], []string{"x.experimental.e.a", "x.extensions.a.example/e.b", "x.future"}},
	{"ClientCapabilities", `{"roots":{},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},` +
		`"experimental":{"e":{"a":1}},"extensions":{"a.example/e":{"b":2}},"future":7}`,
		again[mcp.ClientCapabilities], []string{"x.sampling.context", "x.sampling.tools", "x.elicitation.form",
			"x.elicitation.url", "x.experimental.e", "x.extensions.a.example/e", "x.future"}},
	{"RequestParams", `{` + wholeMeta + `}`, again[mcp.RequestParams], []string{"x._meta.a.example/m"}},
	{"NotificationParams", `{` + wholeMeta + `}`, again[mcp.NotificationParams], []string{"x._meta.a.example/m"}},
	{"ListParams", `{"cursor":"c",` + wholeMeta + `}`, again[mcp.ListParams], []string{"x._meta.a.example/m"}},
	{"CallToolParams", `{"name":"n","arguments":{"a":1},"inputResponses":{"k":{"action":"accept"}},"requestState":"s",` + wholeMeta + `}`,
		again[mcp.CallToolParams], []string{"x.arguments.a", "x.inputResponses.k.action", "x._meta.a.example/m"}},
	{"GetPromptParams", `{"name":"n","arguments":{"a":"1"},"inputResponses":{"k":{"action":"accept"}},"requestState":"",` + wholeMeta + `}`,
		again[mcp.GetPromptParams], []string{"x.inputResponses.k.action", "x._meta.a.example/m"}},
	{"ReadResourceParams", `{"uri":"a:b","inputResponses":{"k":{"action":"accept"}},"requestState":"s",` + wholeMeta + `}`,
		again[mcp.ReadResourceParams], []string{"x.inputResponses.k.action", "x._meta.a.example/m"}},
	{"CompleteParams of a prompt", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},"context":{"arguments":{"b":"w"}},` + wholeMeta + `}`,
		again[mcp.CompleteParams], []string{"x._meta.a.example/m"}},
	{"CompleteParams of a template", `{"ref":{"type":"ref/resource","uri":"a:{b}"},"argument":{"name":"a","value":""}}`, again[mcp.CompleteParams], nil},
	{"ProgressParams", `{"progressToken":"t","progress":0.5,"total":1,"message":"m",` + wholeMeta + `}`, again[mcp.ProgressParams],
		[]string{"x._meta.a.example/m"}},
	{"CancelledParams", `{"requestId":"7","reason":"r",` + wholeMeta + `}`, again[mcp.CancelledParams], []string{"x._meta.a.example/m"}},
	{"ResourceUpdatedParams", `{"uri":"a:b",` + wholeMeta + `}`, again[mcp.ResourceUpdatedParams], []string{"x._meta.a.example/m"}},
	{"InputRequired", `{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list","params":{"a":1}}},"requestState":"",` + wholeMeta + `}`,
		again[mcp.InputRequired], []string{"x.inputRequests.k.params.a", "x._meta.a.example/m"}},
	{"InputRequest", `{"method":"roots/list","params":{}}`, again[mcp.InputRequest], nil},
	{"ElicitForm", `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}`,
		again[mcp.ElicitForm], nil},
	{"ElicitURL", `{"mode":"url","message":"m","url":"https://a.example"}`, again[mcp.ElicitURL], nil},
	{"ElicitResult", `{"action":"accept","content":{"a":1},` + wholeMeta + `}`, again[mcp.ElicitResult], []string{"x.content.a", "x._meta.a.example/m"}},
	{"RootsResult", `{"roots":[{"uri":"file:///a","name":"n","_meta":{"a.example/m":1}}],` + wholeMeta + `}`, again[mcp.RootsResult],
		[]string{"x.roots[0]._meta.a.example/m", "x._meta.a.example/m"}},
	{"Root", `{"uri":"file:///a","name":"n",` + wholeMeta + `}`, again[mcp.Root], []string{"x._meta.a.example/m"}},
	{"ModelPreferences", wholePreferences, again[mcp.ModelPreferences], nil},
	{"SamplingMessage", `{"role":"user","content":[{"type":"text","text":"t"},{"type":"image","data":"AP8=","mimeType":"a/b"}],` + wholeMeta + `}`,
		again[mcp.SamplingMessage], []string{"x._meta.a.example/m", "x.content"}},
	{"SampleRequest", `{"messages":[{"role":"assistant","content":` + wholeToolUse + `},{"role":"user","content":` + wholeToolResult + `}],"maxTokens":10,` +
		`"systemPrompt":"s","modelPreferences":` + wholePreferences + `,"includeContext":"none","temperature":0.5,"stopSequences":["a"],"metadata":{"a":1},` +
		`"tools":[{"name":"a","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"required"}}`, again[mcp.SampleRequest],
		[]string{"x.messages[0].content", "x.messages[1].content", "x.metadata.a"}},
	{"SampleResult", `{"role":"assistant","content":{"type":"text","text":"t"},"model":"m","stopReason":"endTurn",` + wholeMeta + `}`,
		again[mcp.SampleResult], []string{"x._meta.a.example/m", "x.content"}},
	{"ToolUse", wholeToolUse, again[mcp.ToolUse], []string{"x.input.a"}},
	{"ToolResult", wholeToolResult, again[mcp.ToolResult], []string{"x.structuredContent", "x.content[0]"}},
	{"RequiredCapabilities", `{"requiredCapabilities":{"sampling":{}}}`, again[mcp.RequiredCapabilities], nil},
	{"RequiredElicitations", `{"elicitations":[{"mode":"url","message":"m","url":"https://a.example"}]}`, again[mcp.RequiredElicitations], nil},
	{"UnsupportedVersion", `{"supported":["v"],"requested":"w"}`, again[mcp.UnsupportedVersion], nil},
}

// TestReadSamples: what has every member comes back whole, and so does what has unknown
// members beside them, without these.
func TestReadSamples(t *testing.T) {
	for _, s := range samples {
		got, err := s.again(jsonrpc.Raw(s.text))
		if err != nil {
			t.Errorf("%s: %s\n got %v\nwant no error", s.name, s.text, err)
			continue
		}
		same(t, s.name, string(encode(t, meaning(t, got))), string(encode(t, meaning(t, []byte(s.text)))))
		if strings.HasSuffix(s.name, "Capabilities") && s.name != "RequiredCapabilities" {
			continue // they keep what they do not know
		}
		newer := `{"future":[{"a":null}],` + s.text[1:]
		again, err := s.again(jsonrpc.Raw(newer))
		if err != nil || string(again) != string(got) {
			t.Errorf("%s: %s\n got %s, %v\nwant %s", s.name, newer, again, err, got)
		}
	}
}

// TestReadKeepsNoSpan: the value outlives the text that it was read from.
func TestReadKeepsNoSpan(t *testing.T) {
	text := jsonrpc.Raw(wholeTool)
	tool, err := mcp.Read[mcp.Tool](text, "x")
	if err != nil {
		t.Fatal(err)
	}
	clear(text)
	got, err := mcp.Append(nil, &tool, form("2026-07-28"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "tool", string(encode(t, meaning(t, got))), string(encode(t, meaning(t, []byte(wholeTool)))))
}

// TestReadHostile puts a value of every other kind in the place of each value of each
// sample. It must be refused, at that place, unless anything may stand there.
func TestReadHostile(t *testing.T) {
	for _, s := range samples {
		var whole any
		if err := json.Unmarshal([]byte(s.text), &whole); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		walk("x", whole, func(at string, old any, set func(any)) {
			if isFree(s.free, at) {
				return
			}
			for _, wrong := range []any{nil, true, "?", -1.5, []any{nil}, map[string]any{"?": nil}} {
				if fmt.Sprintf("%T", wrong) == fmt.Sprintf("%T", old) || old == nil {
					continue
				}
				if set == nil { // the whole
					checkRefused(t, s, at, encode(t, wrong))
					continue
				}
				set(wrong)
				checkRefused(t, s, at, encode(t, whole))
				set(old)
			}
		})
	}
}

func checkRefused(t *testing.T, s sample, at string, text jsonrpc.Raw) {
	t.Helper()
	at = strings.Replace(at, "x", "example", 1)
	at = strings.Replace(at, ".a.example/e", `["a.example/e"]`, 1) // no plain name
	got, err := s.again(text)
	var m *mcp.Malformed
	switch {
	case err == nil:
		t.Errorf("%s: %s\n got %s\nwant it refused at %s", s.name, text, got, at)
	case !errors.As(err, &m):
		t.Errorf("%s: %s\n got %v\nwant a *mcp.Malformed", s.name, text, err)
	case m.Where != at && m.Where != at+".type":
		t.Errorf("%s: %s\n got %v\nwant it refused at %s", s.name, text, err, at)
	case m.Refusal().Code != jsonrpc.InvalidParams || m.Refusal().Message != m.Where+" "+m.Want:
		t.Errorf("%s: %s\n got %v\nwant -32602 with the same words", s.name, text, m.Refusal())
	}
}

// walk calls f for v and everything in it.
func walk(at string, v any, f func(at string, old any, set func(any))) {
	f(at, v, nil)
	inside(at, v, f)
}

func inside(at string, v any, f func(at string, old any, set func(any))) {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			here := fmt.Sprintf("%s[%d]", at, i)
			f(here, e, func(n any) { v[i] = n })
			inside(here, e, f)
		}
	case map[string]any:
		for name, e := range v {
			here := at + "." + name
			f(here, e, func(n any) { v[name] = n })
			inside(here, e, f)
		}
	}
}

// isFree reports whether anything may stand at a place. What is inside a schema is for
// the validator to read.
func isFree(free []string, at string) bool {
	for _, place := range free {
		if strings.HasPrefix(at, place) {
			return true
		}
	}
	return strings.Contains(at, "Schema.")
}

func encode(t *testing.T, v any) jsonrpc.Raw {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
