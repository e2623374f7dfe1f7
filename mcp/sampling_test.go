package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// said makes messages that say something, by the user and the assistant in turns.
func said(texts ...string) []mcp.SamplingMessage {
	var all []mcp.SamplingMessage
	for i, text := range texts {
		all = append(all, mcp.SamplingText([]mcp.Role{mcp.RoleUser, mcp.RoleAssistant}[i%2], text))
	}
	return all
}

func message(role mcp.Role, blocks ...mcp.SamplingContent) mcp.SamplingMessage {
	return mcp.SamplingMessage{Role: role, Content: blocks}
}

func use(id string) *mcp.ToolUse       { return &mcp.ToolUse{ID: id, Name: "t"} }
func result(id string) *mcp.ToolResult { return &mcp.ToolResult{ToolUseID: id} }

// TestSampleFaults: a request that no client should get is not sent.
func TestSampleFaults(t *testing.T) {
	text := &mcp.TextContent{Text: "x"}
	with := func(change func(r *mcp.SampleRequest)) mcp.SampleRequest {
		r := mcp.SampleRequest{Messages: said("x"), MaxTokens: 1}
		change(&r)
		return r
	}
	messages := func(m ...mcp.SamplingMessage) mcp.SampleRequest {
		return with(func(r *mcp.SampleRequest) { r.Messages = m })
	}
	const u, a = mcp.RoleUser, mcp.RoleAssistant
	tests := []struct {
		name    string
		request mcp.SampleRequest
		want    string // "" for none
	}{
		{"text", messages(said("x", "y", "z")...), ""},
		{"uses with their results", messages(message(u, text), message(a, text, use("1"), use("2")), message(u, result("2"), result("1")), message(a, text), message(u, text)), ""},
		{"one use after the other", messages(message(a, use("1")), message(u, result("1")), message(a, use("1")), message(u, result("1"))), ""},
		{"no messages", messages(), "there are no messages"},
		{"no tokens", with(func(r *mcp.SampleRequest) { r.MaxTokens = 0 }), "MaxTokens must be at least 1"},
		{"context", with(func(r *mcp.SampleRequest) { r.IncludeContext = "all" }), `IncludeContext is "all"`},
		{"choice", with(func(r *mcp.SampleRequest) { r.ToolChoice = "any" }), `ToolChoice is "any"`},
		{"metadata", with(func(r *mcp.SampleRequest) { r.Metadata = jsonrpc.Raw(`[]`) }), "Metadata must be a JSON object"},
		{"tool", with(func(r *mcp.SampleRequest) { r.Tools = []mcp.Tool{{Name: "a b"}} }), `tool "a b"`},
		{"priority", with(func(r *mcp.SampleRequest) { p := 1.5; r.Preferences = &mcp.ModelPreferences{SpeedPriority: &p} }), "the priority 1.5 is not from 0 to 1"},
		{"role", messages(message("system", text)), `message 0: the role is "system"`},
		{"no content", messages(message(u)), "message 0: it has no content"},
		{"nil", messages(message(u, nil)), "message 0: a block of its content is nil"},
		{"mixed", messages(message(a, use("1")), message(u, text, result("1"))), "message 1 has results of tools beside other content"},
		{"a missing result", messages(message(a, use("1"), use("2")), message(u, result("1")), message(a, text)), "message 1 must hold a result for each tool use of the message before it: 1 missing"},
		{"text in place of results", messages(message(a, use("1")), message(u, text)), "message 1 must hold a result"},
		{"results missing at the end", messages(message(u, text), message(a, use("1"))), "the last message uses tools"},
		{"a result without a use", messages(message(u, result("1"))), `message 0 has a result for the tool use "1", which the message before it does not ask for`},
		{"a result too late", messages(message(a, use("1")), message(u, result("1")), message(u, result("1"))), "message 2 has a result"},
		{"a result twice", messages(message(a, use("1")), message(u, result("1"), result("1"))), "message 1 has a result"},
		{"the assistant's result", messages(message(a, use("1")), message(a, result("1"))), "message 1 has a result"},
		{"the user's use", messages(message(u, use("1")), message(u, result("1"))), "message 0 has a tool use that is not the assistant's"},
		{"a use twice", messages(message(a, use("1"), use("1")), message(u, result("1"))), "message 0 has a tool use"},
		{"a use without an id", messages(message(a, use("")), message(u, result(""))), "message 0 has a tool use"},
		{"input", messages(message(a, &mcp.ToolUse{ID: "1", Input: jsonrpc.Raw(`7`)}), message(u, result("1"))), "the input of a tool use is no object"},
		{"a result with nil", messages(message(a, use("1")), message(u, &mcp.ToolResult{ToolUseID: "1", Content: []mcp.Content{nil}})), "content block 0 of a tool result is nil"},
	}
	for _, tt := range tests {
		got := inquired(t, form("2026-07-28"), func() mcp.Question { return mcp.SampleQuestion("k", &tt.request) })
		if tt.want == "" != strings.HasPrefix(got, "k sampling/createMessage ") || !strings.Contains(got, strings.Trim(string(jsonrpc.AppendString(nil, tt.want)), `"`)) {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestSampleForms: what each revision is sent of a request.
func TestSampleForms(t *testing.T) {
	half := 0.5
	request := &mcp.SampleRequest{
		Messages: []mcp.SamplingMessage{
			{Role: mcp.RoleUser, Content: []mcp.SamplingContent{
				&mcp.TextContent{Text: "t", Meta: mcp.Meta{"m": jsonrpc.Raw(`1`)}},
				&mcp.ImageContent{Data: []byte("i"), MIMEType: "image/png"},
				&mcp.AudioContent{Data: []byte("a"), MIMEType: "audio/wav"},
			}, Meta: mcp.Meta{"n": jsonrpc.Raw(`2`)}},
		},
		MaxTokens: 7, IncludeContext: "allServers", Preferences: &mcp.ModelPreferences{SpeedPriority: &half, IntelligencePriority: &half},
	}
	text, image, audio := `{"type":"text","text":"t"}`, `{"type":"image","data":"aQ==","mimeType":"image/png"}`, `{"type":"audio","data":"YQ==","mimeType":"audio/wav"}`
	meta := `{"type":"text","text":"t","_meta":{"m":1}}`
	rest := `"modelPreferences":{"speedPriority":0.5,"intelligencePriority":0.5},"includeContext":"allServers","maxTokens":7}`
	each := func(blocks ...string) string {
		var all []string
		for _, b := range blocks {
			all = append(all, `{"role":"user","content":`+b+`}`)
		}
		return `k sampling/createMessage {"messages":[` + strings.Join(all, ",") + `],` + rest
	}
	together := `k sampling/createMessage {"messages":[{"role":"user","content":[` + meta + `,` + image + `,` + audio + `],"_meta":{"n":2}}],` + rest
	want := map[string]string{
		"2024-11-05": each(text, image, `{"type":"text","text":"[audio, audio/wav, 1 bytes: left out, as revision 2024-11-05 has no audio content]"}`),
		"2025-03-26": each(text, image, audio),
		"2025-06-18": each(meta, image, audio),
		"2025-11-25": together,
		"2026-07-28": together,
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		same(t, "request", inquired(t, f, func() mcp.Question { return mcp.SampleQuestion("k", request) }), want[f.Revision])
	})
}

// TestIncludeContext: left out where the client has not declared to understand it, and
// the revision has a way to do so (2026-07-28 client/sampling, Capabilities).
func TestIncludeContext(t *testing.T) {
	for _, tt := range []struct {
		revision, declared, include string
		sent                        bool
	}{
		{"2026-07-28", `{"sampling":{"context":{}}}`, "thisServer", true},
		{"2026-07-28", `{"sampling":{}}`, "thisServer", false},
		{"2026-07-28", `{"sampling":{}}`, "none", true},
		{"2025-06-18", `{"sampling":{}}`, "thisServer", true},
	} {
		s, a := quiet(mcp.ServerOptions{}), &asking{}
		s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			_, err := c.Sample(ctx, "k", &mcp.SampleRequest{Messages: said("x"), MaxTokens: 1, IncludeContext: tt.include})
			return nil, err
		})
		x := &exchange{server: s, form: form(tt.revision), capabilities: jsonrpc.Raw(tt.declared), asker: a}
		x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
		if len(a.asked) == 0 || strings.Contains(a.asked[0], "includeContext") != tt.sent {
			t.Errorf("%+v: sent %q", tt, a.asked)
		}
	}
}

// TestSampleResults: what a client may answer, and what it may not.
func TestSampleResults(t *testing.T) {
	tests := []struct{ answer, want string }{
		{`{"role":"assistant","content":{"type":"text","text":"t"},"model":"m"}`, `m "t" "" 1 0`},
		{`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"aQ==","mimeType":"image/png"},{"type":"text","text":"b"}],"model":"m","stopReason":"mine","x":1}`, `m "ab" "mine" 3 0`},
		{`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{"a":1}}],"model":"m","stopReason":"toolUse"}`, `m "" "toolUse" 1 1`},
		{`{"role":"assistant","content":[],"model":"m"}`, `m "" "" 0 0`},
		{`7`, "must be an object"},
		{`{"role":"assistant","content":{"type":"text","text":"t"}}`, "model must be there"},
		{`{"role":"assistant","model":"m"}`, "content must be there"},
		{`{"role":"system","content":{"type":"text","text":"t"},"model":"m"}`, `role must be "user" or "assistant"`},
		{`{"role":"assistant","content":{"type":"text"},"model":"m"}`, "content.text must be there"},
		{`{"role":"assistant","content":{"type":"video"},"model":"m"}`, `content.type must be "text", "image", "audio", "tool_use" or "tool_result"`},
		{`{"role":"assistant","content":[{"type":"text","text":"t"},{"text":"t"}],"model":"m"}`, "content[1].type must be there"},
		{`{"role":"assistant","content":"t","model":"m"}`, "content must be an object"},
		{`{"role":"assistant","content":{"type":"image","data":"?","mimeType":"image/png"},"model":"m"}`, "content.data must be a string in base64"},
		{`{"role":"assistant","content":{"type":"tool_use","id":"1","name":"t","input":[]},"model":"m"}`, "content.input must be an object"},
		{`{"role":"assistant","content":{"type":"text","text":"t"},"model":7}`, "model must be a string"},
	}
	for _, tt := range tests {
		got := asks(t, &asking{results: map[string]string{"k": tt.answer}}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			r, err := c.Sample(ctx, "k", &mcp.SampleRequest{Messages: said("x"), MaxTokens: 1})
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(fmt.Sprintf("%s %q %q %d %d", r.Model, r.Text(), r.StopReason, len(r.Content), len(r.ToolUses()))), nil
		})
		want := ok(tt.want)
		if strings.Contains(tt.want, " must ") || strings.HasPrefix(tt.want, "must") {
			want = failed(`the client's answer to "k" is not what was asked for: ` + tt.want)
		}
		same(t, tt.answer, got, want)
	}
}

// TestRootsResults: what a client may answer, and what it may not.
func TestRootsResults(t *testing.T) {
	tests := []struct{ answer, want string }{
		{`{"roots":[]}`, "[]"},
		{`{"roots":[{"uri":"file:///a/b%20c","name":"N","_meta":{"m":1}},{"uri":"file://host/c"}],"x":1}`, "[{file:///a/b%20c N map[m:[49]]} {file://host/c  map[]}]"},
		{`{}`, "roots must be there"},
		{`{"roots":{}}`, "roots must be an array"},
		{`{"roots":[{"name":"N"}]}`, "roots[0].uri must be there"},
		{`{"roots":[{"uri":"/a"}]}`, "roots[0].uri must be a uri that begins with file://"},
		{`{"roots":[{"uri":"file:/a"}]}`, "roots[0].uri must be a uri that begins with file://"},
		{`{"roots":[{"uri":"FILE:///a"}]}`, "roots[0].uri must be a uri that begins with file://"},
		{`{"roots":[{"uri":"file:///a b"}]}`, "roots[0].uri must be a uri that begins with file://"},
		{`{"roots":[{"uri":"file:///a","name":7}]}`, "roots[0].name must be a string"},
	}
	for _, tt := range tests {
		got := asks(t, &asking{results: map[string]string{"k": tt.answer}}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			roots, err := c.Roots(ctx, "k")
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(fmt.Sprint(roots)), nil
		})
		want := ok(tt.want)
		if strings.Contains(tt.want, " must ") {
			want = failed(`the client's answer to "k" is not what was asked for: ` + tt.want)
		}
		same(t, tt.answer, got, want)
	}
}
