package mcp_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// since builds the expectations of one content: the text that holds from a
// revision on, until the next row.
type since [][2]string

func (s since) at(revision string) (text string) {
	for _, row := range s {
		if row[0] <= revision {
			text = row[1]
		}
	}
	return text
}

func TestContents(t *testing.T) {
	meta := mcp.Meta{"k": jsonrpc.Raw(`1`)}
	hints := &mcp.Annotations{Audience: []string{"user"}, LastModified: time.Unix(0, 0)}
	link := &mcp.ResourceLink{Resource: mcp.Resource{URI: "a:b", Name: "n", Title: "N", Description: "Is.",
		MIMEType: "text/plain", Size: pointer(int64(7)), Annotations: hints, Icons: []mcp.Icon{{Src: "data:,"}}, Meta: meta}}
	const (
		user = `,"annotations":{"audience":["user"]}`
		when = `,"annotations":{"audience":["user"],"lastModified":"1970-01-01T00:00:00Z"}`
		k    = `,"_meta":{"k":1}`
	)
	tests := []struct {
		name    string
		content mcp.Content
		want    since
	}{
		{"text", &mcp.TextContent{Text: "a"}, since{{"", `{"type":"text","text":"a"}`}}},
		{"empty text", &mcp.TextContent{}, since{{"", `{"type":"text","text":""}`}}},
		{"text by pointer", &mcp.TextContent{Text: "a"}, since{{"", `{"type":"text","text":"a"}`}}},
		{"text with all", &mcp.TextContent{Text: "a", Annotations: hints, Meta: meta}, since{
			{"", `{"type":"text","text":"a"` + user + `}`},
			{"2025-06-18", `{"type":"text","text":"a"` + when + k + `}`}}},
		{"marks of HTML", &mcp.TextContent{Text: `<a href="x">&amp;</a>`}, since{{"", `{"type":"text","text":"<a href=\"x\">&amp;</a>"}`}}},
		{"line separators", &mcp.TextContent{Text: "before \u2028 after \u2029 end\r\n"},
			since{{"", `{"type":"text","text":"before \u2028 after \u2029 end\r\n"}`}}},
		{"text that is not UTF-8", &mcp.TextContent{Text: "a\xffb"}, since{{"", `{"type":"text","text":"a\ufffdb"}`}}},
		{"image", &mcp.ImageContent{Data: []byte("\x00\xff\xfe"), MIMEType: "image/png", Annotations: hints, Meta: meta}, since{
			{"", `{"type":"image","data":"AP/+","mimeType":"image/png"` + user + `}`},
			{"2025-06-18", `{"type":"image","data":"AP/+","mimeType":"image/png"` + when + k + `}`}}},
		{"image of no bytes", &mcp.ImageContent{MIMEType: "image/png; q=1"}, since{{"", `{"type":"image","data":"","mimeType":"image/png; q=1"}`}}},
		{"audio", &mcp.AudioContent{Data: []byte("a"), MIMEType: "audio/wav", Annotations: hints, Meta: meta}, since{
			{"", `{"type":"text","text":"[audio, audio/wav, 1 bytes: left out, as revision 2024-11-05 has no audio content]"` + user + `}`},
			{"2025-03-26", `{"type":"audio","data":"YQ==","mimeType":"audio/wav"` + user + `}`},
			{"2025-06-18", `{"type":"audio","data":"YQ==","mimeType":"audio/wav"` + when + k + `}`}}},
		{"link", link, since{
			{"", `{"type":"text","text":"[resource \"n\": a:b]"` + user + `}`},
			{"2025-06-18", `{"type":"resource_link","uri":"a:b","name":"n","title":"N","description":"Is.","mimeType":"text/plain"` + when + `,"size":7` + k + `}`},
			{"2025-11-25", `{"type":"resource_link","uri":"a:b","name":"n","title":"N","description":"Is.","mimeType":"text/plain"` + when + `,"size":7,"icons":[{"src":"data:,"}]` + k + `}`}}},
		{"embedded text", &mcp.EmbeddedResource{Contents: &mcp.TextResource{URI: "a:b", MIMEType: "text/plain", Text: "x", Meta: meta}, Annotations: hints, Meta: meta}, since{
			{"", `{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"x"}` + user + `}`},
			{"2025-06-18", `{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"x"` + k + `}` + when + k + `}`}}},
		{"embedded bytes", &mcp.EmbeddedResource{Contents: &mcp.BlobResource{URI: "a:b", Blob: []byte{1, 2, 3, 4}, Meta: meta}}, since{
			{"", `{"type":"resource","resource":{"uri":"a:b","blob":"AQIDBA=="}}`},
			{"2025-06-18", `{"type":"resource","resource":{"uri":"a:b","blob":"AQIDBA=="` + k + `}}`}}},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, answering(&mcp.Result{Content: []mcp.Content{test.content, &mcp.TextContent{Text: "end"}}}, nil))
		inForms(t, func(t *testing.T, f *mcp.Form) {
			same(t, test.name, ask(t, s, bare(f.Revision), "tools/call", `{"name":"a"}`),
				`{"content":[`+test.want.at(f.Revision)+`,{"type":"text","text":"end"}]}`)
		})
	}
}

// What no revision can say is the program's fault: the peer is told that something
// went wrong, and never half a message.
func TestContentsThatCannotBeSent(t *testing.T) {
	text := &mcp.TextContent{Text: "x"}
	hinted := func(a mcp.Annotations) mcp.Content { return &mcp.TextContent{Annotations: &a} }
	tests := []struct {
		name   string
		result *mcp.Result
	}{
		{"nil block", &mcp.Result{Content: []mcp.Content{text, nil}}},
		{"nil pointer", &mcp.Result{Content: []mcp.Content{(*mcp.TextContent)(nil)}}},
		{"embedded nothing", &mcp.Result{Content: []mcp.Content{&mcp.EmbeddedResource{}}}},
		{"embedded nil pointer", &mcp.Result{Content: []mcp.Content{&mcp.EmbeddedResource{Contents: (*mcp.TextResource)(nil)}}}},
		{"image without a media type", &mcp.Result{Content: []mcp.Content{&mcp.ImageContent{Data: []byte{1}}}}},
		{"audio of no media type", &mcp.Result{Content: []mcp.Content{&mcp.AudioContent{Data: []byte{1}, MIMEType: "wav"}}}},
		{"a subtype alone", &mcp.Result{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "/png"}}}},
		{"link without a uri", &mcp.Result{Content: []mcp.Content{&mcp.ResourceLink{Resource: mcp.Resource{Name: "n"}}}}},
		{"link to a path", &mcp.Result{Content: []mcp.Content{&mcp.ResourceLink{Resource: mcp.Resource{Name: "n", URI: "/etc/hosts"}}}}},
		{"link without a name", &mcp.Result{Content: []mcp.Content{&mcp.ResourceLink{Resource: mcp.Resource{URI: "a:b"}}}}},
		{"embedded text without a uri", &mcp.Result{Content: []mcp.Content{&mcp.EmbeddedResource{Contents: &mcp.TextResource{Text: "x"}}}}},
		{"embedded bytes with a space in the uri", &mcp.Result{Content: []mcp.Content{&mcp.EmbeddedResource{Contents: &mcp.BlobResource{URI: "a:b c"}}}}},
		{"meta that is not JSON", &mcp.Result{Meta: mcp.Meta{"a": jsonrpc.Raw(`tru`)}}},
		{"priority below 0", &mcp.Result{Content: []mcp.Content{hinted(mcp.Annotations{Priority: pointer(-0.1)})}}},
		{"priority above 1", &mcp.Result{Content: []mcp.Content{hinted(mcp.Annotations{Priority: pointer(1.1)})}}},
		{"infinite priority", &mcp.Result{Content: []mcp.Content{hinted(mcp.Annotations{Priority: pointer(math.Inf(1))})}}},
		{"priority that is no number", &mcp.Result{Content: []mcp.Content{hinted(mcp.Annotations{Priority: pointer(math.NaN())})}}},
		{"audience that is no role", &mcp.Result{Content: []mcp.Content{hinted(mcp.Annotations{Audience: []string{"user", "system"}})}}},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, answering(test.result, nil))
		s.AddTool(mcp.Tool{Name: "b"}, done)
		inForms(t, func(t *testing.T, f *mcp.Form) {
			same(t, test.name, ask(t, s, f, "tools/call", `{"name":"a"}`), "-32603 Internal error")
			same(t, test.name+", the next call", ask(t, s, bare(f.Revision), "tools/call", `{"name":"b"}`), `{"content":[{"type":"text","text":"done"}]}`)
		})
	}
}

func TestAnnotationBounds(t *testing.T) {
	for _, priority := range []float64{0, 1, 0.5, math.SmallestNonzeroFloat64} {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, answering(&mcp.Result{Content: []mcp.Content{
			&mcp.TextContent{Annotations: &mcp.Annotations{Priority: &priority}}}}, nil))
		got := ask(t, s, form("2024-11-05"), "tools/call", `{"name":"a"}`)
		same(t, "priority", got, `{"content":[{"type":"text","text":"","annotations":{"priority":`+string(jsonrpc.AppendFloat(nil, priority))+`}}]}`)
	}
}

// Structured content: any value in 2026-07-28, objects from 2025-06-18 on, nothing
// before.
func TestStructured(t *testing.T) {
	tests := []struct {
		name, structured string
		wanted           []string // the revisions that are sent it
	}{
		{"object", `{"a":9007199254740993,"b":1.0}`, []string{"2025-06-18", "2025-11-25", "2026-07-28"}},
		{"empty object", `{}`, []string{"2025-06-18", "2025-11-25", "2026-07-28"}},
		{"array", `[1,2]`, []string{"2026-07-28"}},
		{"text", `"a"`, []string{"2026-07-28"}},
		{"number", `-0.0`, []string{"2026-07-28"}},
		{"truth value", `false`, []string{"2026-07-28"}},
		{"null", `null`, []string{"2026-07-28"}},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, answering(&mcp.Result{Structured: jsonrpc.Raw(test.structured)}, nil))
		inForms(t, func(t *testing.T, f *mcp.Form) {
			// The same as text is for clients that read nothing else.
			want := `{"content":[{"type":"text","text":` + string(jsonrpc.AppendString(nil, test.structured)) + `}]}`
			if slices.Contains(test.wanted, f.Revision) {
				want = strings.TrimSuffix(want, "}") + `,"structuredContent":` + test.structured + `}`
			}
			same(t, test.name, ask(t, s, bare(f.Revision), "tools/call", `{"name":"a"}`), want)
		})
	}
	broken := []struct{ name, structured string }{
		{"object cut off", `{"a":`}, {"no bytes", ``}, {"NaN", `{"a":NaN}`}, {"two values", `{} {}`}, {"object on its own end", `{}}`},
		{"text of bytes that are not UTF-8", "{\"a\":\"\xff\"}"},
	}
	for _, test := range broken {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, answering(&mcp.Result{Structured: jsonrpc.Raw(test.structured)}, nil))
		inForms(t, func(t *testing.T, f *mcp.Form) {
			same(t, test.name, ask(t, s, f, "tools/call", `{"name":"a"}`), "-32603 Internal error")
		})
	}
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, answering(&mcp.Result{Structured: jsonrpc.Raw("{\n \"a\" :\t[ 1 ]\r\n}")}, nil))
	same(t, "many lines", ask(t, s, bare("2025-06-18"), "tools/call", `{"name":"a"}`), `{"content":[{"type":"text","text":"{\"a\":[1]}"}],"structuredContent":{"a":[1]}}`)
	s = quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, answering(&mcp.Result{Structured: jsonrpc.Raw(`{}`), Content: []mcp.Content{&mcp.TextContent{Text: "own"}}}, nil))
	same(t, "content of its own", ask(t, s, bare("2025-06-18"), "tools/call", `{"name":"a"}`), `{"content":[{"type":"text","text":"own"}],"structuredContent":{}}`)
}

// TestLineSeparators (B07): what a program gives as JSON, and what a peer sends that is
// sent back, stands on one line also for readers that split on U+2028 and U+2029.
func TestLineSeparators(t *testing.T) {
	const raw, escaped = "{\"type\":\"object\",\"title\":\"a\u2028b\u2029\"}", `{"type":"object","title":"a\u2028b\u2029"}`
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a", InputSchema: jsonrpc.Raw(raw), Meta: mcp.Meta{"k": jsonrpc.Raw(raw)}},
		answering(&mcp.Result{Content: []mcp.Content{&mcp.TextContent{}}, Structured: jsonrpc.Raw(raw), Meta: mcp.Meta{"k": jsonrpc.Raw(raw)}}, nil))
	s.AddTool(mcp.Tool{Name: "b"}, answering(nil, &jsonrpc.Error{Code: 1, Message: "a\u2028b", Data: jsonrpc.Raw(raw)}))
	f := bare("2026-07-28")
	same(t, "a list", ask(t, s, f, "tools/list", `{}`),
		`{"tools":[{"name":"a","inputSchema":`+escaped+`,"_meta":{"k":`+escaped+`}},{"name":"b","inputSchema":{"type":"object"}}]}`)
	same(t, "a result", ask(t, s, f, "tools/call", `{"name":"a"}`),
		`{"content":[{"type":"text","text":""}],"structuredContent":`+escaped+`,"_meta":{"k":`+escaped+`}}`)
	same(t, "the data of an error", ask(t, s, f, "tools/call", `{"name":"b"}`), "1 a\u2028b "+escaped)
	s = reporting(func(c *mcp.Call) { c.Progress(1, 0, "") })
	x := &exchange{server: s, form: f}
	x.ask(t, context.Background(), "tools/call", "{\"name\":\"a\",\"_meta\":{\"progressToken\":\"\u2028\"}}")
	same(t, "a progress token", strings.Join(x.sent(), ""), `notifications/progress {"progressToken":"\u2028","progress":1}`)
}

// TestOutputSchema: where the client was told of an output schema, a result without
// structured content is the tool's fault, unless it is an error.
func TestOutputSchema(t *testing.T) {
	const fine, fault = "", "-32603 Internal error"
	tests := []struct {
		name, schema string
		result       *mcp.Result
		want         since // "" when the call succeeds
	}{
		{"object", `{"type":"object"}`, &mcp.Result{Structured: jsonrpc.Raw(`{}`)}, since{{"", fine}}},
		{"nothing for an object", `{"type":"object"}`, mcp.TextResult("x"), since{{"", fine}, {"2025-06-18", fault}}},
		{"array for an object", `{"type":"object"}`, &mcp.Result{Structured: jsonrpc.Raw(`[]`)}, since{{"", fine}, {"2025-06-18", fault}, {"2026-07-28", fine}}},
		{"array", `{"type":"array"}`, &mcp.Result{Structured: jsonrpc.Raw(`[]`)}, since{{"", fine}}},
		{"nothing for an array", `{"type":"array"}`, mcp.TextResult("x"), since{{"", fine}, {"2026-07-28", fault}}},
		{"error without it", `{"type":"object"}`, &mcp.Result{IsError: true}, since{{"", fine}}},
		{"no schema", ``, mcp.TextResult("x"), since{{"", fine}}},
	}
	for _, test := range tests {
		s, tool := quiet(mcp.ServerOptions{}), mcp.Tool{Name: "a"}
		if test.schema != "" {
			tool.OutputSchema = jsonrpc.Raw(test.schema)
		}
		s.AddTool(tool, answering(test.result, nil))
		inForms(t, func(t *testing.T, f *mcp.Form) {
			got, want := ask(t, s, f, "tools/call", `{"name":"a"}`), test.want.at(f.Revision)
			if want == fine && !strings.HasPrefix(got, "{") || want != fine && got != want {
				t.Errorf("%s: got %s, want %q", test.name, got, want)
			}
		})
	}
}

// TestWhatIsContent: nothing but the kinds of content of the schema can be put where
// content stands, though other things of this package can be sent, too (2026-07-28 schema,
// ContentBlock and ReadResourceResult).
func TestWhatIsContent(t *testing.T) {
	content, contents, sampling := reflect.TypeFor[mcp.Content](), reflect.TypeFor[mcp.ResourceContents](), reflect.TypeFor[mcp.SamplingContent]()
	tests := []struct {
		value any
		in    []reflect.Type
	}{
		{&mcp.TextContent{}, []reflect.Type{content, sampling}},
		{&mcp.ImageContent{}, []reflect.Type{content, sampling}},
		{&mcp.AudioContent{}, []reflect.Type{content, sampling}},
		{&mcp.ResourceLink{}, []reflect.Type{content}},
		{&mcp.EmbeddedResource{}, []reflect.Type{content}},
		{&mcp.UnknownContent{}, []reflect.Type{content}},
		{&mcp.ToolUse{}, []reflect.Type{sampling}},
		{&mcp.ToolResult{}, []reflect.Type{sampling}},
		{&mcp.TextResource{}, []reflect.Type{contents}},
		{&mcp.BlobResource{}, []reflect.Type{contents}},
		{&mcp.Result{}, nil}, {&mcp.PromptResult{}, nil}, {&mcp.Annotations{}, nil}, {&mcp.Implementation{}, nil},
		{&mcp.SamplingMessage{}, nil}, {&mcp.Completion{}, nil},
	}
	for _, test := range tests {
		for _, i := range []reflect.Type{content, contents, sampling} {
			if got, want := reflect.TypeOf(test.value).Implements(i), slices.Contains(test.in, i); got != want {
				t.Errorf("%T is %v: %t, want %t", test.value, i, got, want)
			}
		}
	}
}
