package mcp_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestReadWords: what a reader says, and what it lets pass.
func TestReadWords(t *testing.T) {
	tools, content := again[mcp.Page[mcp.Tool]], contentAgain
	const tool = `{"name":"a","inputSchema":{"type":"object"}}`
	tests := []struct {
		name, text string
		again      roundTrip
		want       string // a prefix of the error, or, from "{" on, what is written
	}{
		{"a list of null", `{"tools":[null]}`, tools, "mcp: example.tools[0] must be an object"},
		{"null for a list", `{"tools":null}`, tools, "mcp: example.tools must be an array"},
		{"a tool without a schema", `{"tools":[` + tool + `,{"name":"a"}]}`, tools, "mcp: example.tools[1].inputSchema must be there"},
		{"no list", `{}`, tools, "mcp: example.tools must be there"},
		{"a list of a list", `{"tools":[[` + tool + `]]}`, tools, "mcp: example.tools[0] must be an object"},
		{"a name that is a number", `{"tools":[` + tool + `,` + tool + `,` + tool + `,{"name":3,"inputSchema":{}}]}`, tools,
			"mcp: example.tools[3].name must be a string"},
		{"a name in other case", `{"tools":[{"Name":"a","inputSchema":{}}]}`, tools, "mcp: example.tools[0].name must be there"},
		{"a member twice", `{"tools":[{"name":"a","name":"a","inputSchema":{}}]}`, tools, "mcp: example.tools[0] has a member twice"},
		{"a member twice, once escaped", `{"tools":[{"name":"a","\u006eame":"a","inputSchema":{}}]}`, tools, "mcp: example.tools[0] has a member twice"},
		{"nothing", ``, tools, "mcp: example must be an object"},
		{"broken", `{"tools":[}`, tools, "mcp: example must be JSON"},
		{"a result of another type", `{"resultType":"input_required","tools":[]}`, tools, `mcp: example.resultType must be "complete"`},
		{"a result of no type", `{"tools":[]}`, tools, `{"resultType":"complete","tools":[]}`},
		{"a negative time to live", `{"tools":[],"ttlMs":-5}`, tools, `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}`},
		{"a very long time to live", `{"tools":[],"ttlMs":1e300}`, tools, `{"resultType":"complete","tools":[],"ttlMs":92233720368`},
		{"an unknown scope", `{"tools":[],"cacheScope":"Public"}`, tools, `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}`},
		{"an empty cursor", `{"tools":[],"nextCursor":""}`, tools, `{"resultType":"complete","tools":[],"nextCursor":""}`},

		{"text", `{"type":"text","text":"\u2028"}`, content, `{"type":"text","text":"\u2028"}`},
		{"no type", `{"text":"t"}`, content, "mcp: example.type must be there"},
		{"a type of null", `{"type":null,"text":"t"}`, content, "mcp: example.type must be a string"},
		{"a block without its text", `{"type":"text"}`, content, "mcp: example.text must be there"},
		{"a block with another's member", `{"type":"text","text":"t","data":7}`, content, `{"type":"text","text":"t"}`},
		{"data that is no base64", `{"type":"image","data":"_w==","mimeType":"a/b"}`, content, "mcp: example.data must be a string in base64"},
		{"contents of neither kind", `{"type":"resource","resource":{"uri":"a:b"}}`, content, "mcp: example.resource.text must be there"},
		{"a size spelt as a fraction", `{"type":"resource_link","uri":"a:b","name":"n","size":1024.0}`, content,
			`{"type":"resource_link","uri":"a:b","name":"n","size":1024}`},
		{"a size that is no integer", `{"type":"resource_link","uri":"a:b","name":"n","size":0.5}`, content, "mcp: example.size must be an integer, not negative"},
		{"a size beyond all", `{"type":"resource_link","uri":"a:b","name":"n","size":1e40}`, content, "mcp: example.size must be an integer, not negative"},
		{"a date alone", `{"type":"text","text":"t","annotations":{"lastModified":"2025-01-12"}}`, content,
			`{"type":"text","text":"t","annotations":{"lastModified":"2025-01-12T00:00:00Z"}}`},
		{"a date that nobody understands", `{"type":"text","text":"t","annotations":{"lastModified":"yesterday"}}`, content,
			`{"type":"text","text":"t","annotations":{}}`},

		{"a reference to neither", `{"ref":{"type":"ref/tool","name":"t"},"argument":{"name":"a","value":""}}`, again[mcp.CompleteParams],
			"mcp: example.ref must have the type ref/prompt and a name, or ref/resource and a uri"},
		{"a number as an id", `{"requestId":7}`, again[mcp.CancelledParams], `{"requestId":7}`},
		{"a fraction as an id", `{"requestId":1.5}`, again[mcp.CancelledParams], "mcp: example.requestId must be a string or an integer"},
		{"an action that is none", `{"action":"maybe"}`, again[mcp.ElicitResult], `mcp: example.action must be "accept", "decline" or "cancel"`},
		{"a form that says nothing of its mode", `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`, again[mcp.ElicitForm],
			`{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`},
		{"a page that says nothing of its mode", `{"message":"m","url":"a:b"}`, again[mcp.ElicitURL], "mcp: example.mode must be there"},
		{"another type of result", `{"resultType":"complete"}`, again[mcp.InputRequired], `mcp: example.resultType must be "input_required"`},
		{"a question that is null", `{"resultType":"input_required","inputRequests":{"k":null}}`, again[mcp.InputRequired],
			"mcp: example.inputRequests.k must be an object"},
		{"a root elsewhere", `{"uri":"https://a.example"}`, again[mcp.Root], "mcp: example.uri must be a uri that begins with file://"},
		{"an unknown block in a message", `{"role":"user","content":[{"type":"video"}]}`, again[mcp.SamplingMessage],
			`mcp: example.content[0].type must be "text", "image", "audio", "tool_use" or "tool_result"`},
		{"a hint without a name", `{"hints":[{},{"name":"h"}]}`, again[mcp.ModelPreferences], `{"hints":[{"name":"h"}]}`},
		{"a choice without a mode", `{"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":1,"toolChoice":{}}`,
			again[mcp.SampleRequest], `{"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":1,"toolChoice":{"mode":"auto"}}`},
		{"a long name", `{"content":[],"_meta":{},"isError":"` + strings.Repeat("a", 3) + `"}`, again[mcp.Result], "mcp: example.isError must be true or false"},
		{"an empty id of a version", `{"supported":[],"requested":""}`, again[mcp.UnsupportedVersion], `{"supported":[],"requested":""}`},
	}
	for _, test := range tests {
		written, err := test.again(jsonrpc.Raw(test.text))
		got := string(written)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s\n got %s\nwant %s", test.name, test.text, got, test.want)
		}
	}
}

// TestReadFields: the fields of what was read, where a round trip cannot tell.
func TestReadFields(t *testing.T) {
	page, err := mcp.Read[mcp.Page[mcp.Tool]](jsonrpc.Raw(`{"tools":[],"ttlMs":1500,"cacheScope":"public"}`), "result")
	if err != nil || page.Items == nil || page.NextCursor != nil || page.Cache == nil || *page.Cache != (mcp.CacheHint{TTL: 1500 * time.Millisecond, Public: true}) {
		t.Errorf("page: %+v, %v", page, err)
	}
	resource, err := mcp.Read[mcp.Resource](jsonrpc.Raw(wholeResource), "result")
	when := time.Date(2025, 1, 12, 15, 0, 58, 0, time.UTC)
	if err != nil || *resource.Size != 7 || *resource.Annotations.Priority != 0.25 || !resource.Annotations.LastModified.Equal(when) {
		t.Errorf("resource: %+v, %v", resource, err)
	}
	info, err := mcp.Read[mcp.Implementation](jsonrpc.Raw(wholeInfo), "serverInfo")
	if want := []mcp.Icon{{Src: "https://a.example/i.png", MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "dark"}}; err != nil || !reflect.DeepEqual(info.Icons, want) {
		t.Errorf("icons: %+v, %v", info.Icons, err)
	}
	_, err = mcp.Read[mcp.Page[mcp.Tool]](jsonrpc.Raw(`{"tools":[null]}`), "")
	if err == nil || err.Error() != "mcp: tools[0] must be an object" {
		t.Errorf("with no name for the whole: %v", err)
	}
}

// TestReadUnknownContent: a kind that is not known is kept, and does not go out again.
func TestReadUnknownContent(t *testing.T) {
	raw := jsonrpc.Raw(`{"content":[{"type":"video","frames":[1]},{"type":"text","text":"t"}]}`)
	result, err := mcp.Read[mcp.Result](raw, "result")
	if err != nil {
		t.Fatal(err)
	}
	want := []mcp.Content{&mcp.UnknownContent{Type: "video", Raw: jsonrpc.Raw(`{"type":"video","frames":[1]}`)}, &mcp.TextContent{Text: "t"}}
	if clear(raw); !reflect.DeepEqual(result.Content, want) {
		t.Errorf("got %+v, want %+v", result.Content, want)
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		got, err := mcp.Append([]byte("before:"), &result, bare(f.Revision))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "written", string(got), `before:{"content":[{"type":"text","text":"[video: left out, as revision `+f.Revision+
			` has no such content]"},{"type":"text","text":"t"}]}`)
	})
}

func TestResultTypeOf(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"not said", `{}`, "complete"},
		{"complete", `{"content":[],"resultType":"complete"}`, "complete"},
		{"input required", `{"resultType":"input_required"}`, "input_required"},
		{"of an extension", `{"resultType":"task"}`, "task"},
		{"no string", `{"resultType":null}`, ""},
		{"twice", `{"resultType":"complete","resultType":"input_required"}`, ""},
		{"no object", `[]`, ""},
		{"absent", ``, ""},
	}
	for _, test := range tests {
		same(t, test.name, mcp.ResultTypeOf(jsonrpc.Raw(test.text)), test.want)
	}
}

// TestAppendFaults: what cannot be sent is an error, and nothing is appended.
func TestAppendFaults(t *testing.T) {
	tests := []struct {
		name  string
		value mcp.Value
		want  string
	}{
		{"a schema that is no object", &mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(`[]`)}, "input schema: it must be a JSON object"},
		{"an output schema that is no object", &mcp.Tool{Name: "a", OutputSchema: jsonrpc.Raw(`7`)}, "output schema: it must be a JSON object"},
		{"nil among the contents", &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{nil}}, "one of the contents is nil"},
		{"nil among the content", &mcp.Result{Content: []mcp.Content{nil}}, "content block 0 is nil"},
		{"arguments that are no JSON", &mcp.CallToolParams{Name: "a", Arguments: jsonrpc.Raw(`{`)}, "jsonrpc: not a JSON value"},
		{"_meta that is no JSON", &mcp.RequestParams{Meta: mcp.Meta{"a": jsonrpc.Raw(`x`)}}, "jsonrpc: not a JSON value"},
		{"a form whose schema is none", &mcp.ElicitForm{Message: "m", Schema: jsonrpc.Raw(`{}`)}, "the form: its schema must have"},
		{"a request to a model without messages", &mcp.SampleRequest{MaxTokens: 1}, "there are no messages"},
		{"a message of nobody", &mcp.SamplingMessage{}, `the role is ""`},
		{"an answer of no content", &mcp.SampleResult{SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleUser}}, "it has no content"},
		{"progress that is no number", &mcp.ProgressParams{Token: jsonrpc.Raw(`1`), Progress: math.NaN()}, "progress is not a finite number"},
	}
	for _, test := range tests {
		got, err := mcp.Append([]byte("before"), test.value, form("2026-07-28"))
		if string(got) != "before" || err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s:\n got %s, %v\nwant %s", test.name, got, err, test.want)
		}
	}
}

// TestAppendForms: a revision is sent what it has.
func TestAppendForms(t *testing.T) {
	state := "s"
	tests := []struct {
		name  string
		value mcp.Value
		until string // the last revision that is sent less
		less  string
		more  string
	}{
		{"title of a tool", &mcp.Tool{Name: "a", Title: "T"}, "2025-03-26", `{"name":"a","inputSchema":{"type":"object"}}`,
			`{"name":"a","title":"T","inputSchema":{"type":"object"}}`},
		{"message of progress", &mcp.ProgressParams{Token: jsonrpc.Raw(`1`), Progress: 1, Message: "m"}, "2024-11-05",
			`{"progressToken":1,"progress":1}`, `{"progressToken":1,"progress":1,"message":"m"}`},
		{"hint on caching", &mcp.Page[mcp.Resource]{Cache: &mcp.CacheHint{}}, "2025-11-25", `{"resources":[]}`,
			`{"resultType":"complete","resources":[],"ttlMs":0,"cacheScope":"private"}`},
		{"state of a retry", &mcp.ReadResourceParams{URI: "a:b", Retry: mcp.Retry{State: &state}}, "2025-11-25", `{"uri":"a:b"}`,
			`{"uri":"a:b","requestState":"s"}`},
		{"mode of a form", &mcp.ElicitForm{Message: "m", Schema: jsonrpc.Raw(`{"type":"object","properties":{}}`)}, "2025-06-18",
			`{"message":"m","requestedSchema":{"type":"object","properties":{}}}`, `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`},
		{"extensions", &mcp.ServerCapabilities{Extensions: map[string]jsonrpc.Raw{"a.example/e": jsonrpc.Raw(`{}`)}}, "2025-11-25", `{}`,
			`{"extensions":{"a.example/e":{}}}`},
	}
	for _, test := range tests {
		inForms(t, func(t *testing.T, f *mcp.Form) {
			want := test.more
			if f.Revision <= test.until {
				want = test.less
			}
			got, err := mcp.Append(nil, test.value, f)
			if err != nil {
				t.Fatal(err)
			}
			same(t, test.name, string(got), want)
		})
	}
}

// TestAppendOldMessages: up to 2025-06-18 a message has one block.
func TestAppendOldMessages(t *testing.T) {
	one, two := mcp.SamplingText(mcp.RoleUser, "t"), mcp.SamplingText(mcp.RoleUser, "t")
	two.Content = append(two.Content, two.Content[0])
	const block = `{"type":"text","text":"t"}`
	inForms(t, func(t *testing.T, f *mcp.Form) {
		want := `{"role":"user","content":[` + block + `,` + block + `]`
		if f.Revision < "2025-11-25" {
			want = "a message of revision " + f.Revision + " has one block of content"
		}
		for _, test := range []struct {
			value mcp.Value
			want  string
		}{
			{&one, `{"role":"user","content":` + block},
			{&mcp.SampleResult{SamplingMessage: one, Model: "m"}, `{"role":"user","content":` + block + `,"model":"m"}`},
			{&two, want},
			{&mcp.SampleResult{SamplingMessage: two, Model: "m"}, want},
		} {
			got, err := mcp.Append(nil, test.value, f)
			if err != nil {
				got = []byte(err.Error())
			}
			if !strings.HasPrefix(string(got), test.want) {
				t.Errorf("%T: got %s, want %s", test.value, got, test.want)
			}
		}
	})
}

// FuzzRead: whatever a peer sends, no reader panics; what one takes it can write, and
// reads again as the same.
func FuzzRead(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, s := range samples {
			once, err := s.again(text)
			if err != nil {
				continue
			}
			if twice, err := s.again(once); err != nil || string(twice) != string(once) {
				t.Errorf("%s: %s\n once %s\ntwice %s, %v", s.name, text, once, twice, err)
			}
		}
	})
}
