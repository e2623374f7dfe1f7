package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// prompting has prompts for each way in which getting one can go.
func prompting() *mcp.Server {
	s := quiet(mcp.ServerOptions{})
	s.AddPrompt(mcp.Prompt{Name: "greet", Title: "Greet", Description: "Says hello.",
		Icons: []mcp.Icon{{Src: "data:,"}}, Meta: mcp.Meta{"m": jsonrpc.Raw(`1`)},
		Arguments: []mcp.PromptArgument{
			{Name: "name", Title: "Name", Description: "Of whom.", Required: true},
			{Name: "when", Required: true},
			{Name: "how"},
		}}, func(_ context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
		name, _ := c.PromptArgument("name")
		how, given := c.PromptArgument("how")
		return mcp.PromptText(fmt.Sprintf("%s %s: hello %s %q %t %s", c.Method(), c.Name(), name, how, given, c.Arguments())), nil
	})
	s.AddPrompt(mcp.Prompt{Name: "plain"}, giving(&mcp.PromptResult{}, nil))
	s.AddPrompt(mcp.Prompt{Name: "hidden", Visible: func(p *mcp.Principal) bool { return p != nil && p.ID == "alice" }},
		giving(mcp.PromptText("seen"), nil))
	return s
}

// giving is a prompt handler that always gives the same.
func giving(r *mcp.PromptResult, err error) mcp.PromptHandler {
	return func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return r, err }
}

// TestListPrompts: each revision is told what it knows of a prompt.
func TestListPrompts(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.AddPrompt(mcp.Prompt{Name: "greet", Title: "Greet", Description: "Says hello.",
		Icons: []mcp.Icon{{Src: "data:,"}}, Meta: mcp.Meta{"m": jsonrpc.Raw(`1`)},
		Arguments: []mcp.PromptArgument{{Name: "name", Title: "Name", Description: "Of whom.", Required: true}, {Name: "how"}},
	}, giving(nil, nil))
	s.AddPrompt(mcp.Prompt{Name: "plain"}, giving(nil, nil))
	old := `{"prompts":[{"name":"greet","description":"Says hello.","arguments":[{"name":"name","description":"Of whom.","required":true},{"name":"how"}]},{"name":"plain"}]}`
	titled := `{"prompts":[{"name":"greet","title":"Greet","description":"Says hello.","arguments":[{"name":"name","title":"Name","description":"Of whom.","required":true},{"name":"how"}],"_meta":{"m":1}},{"name":"plain"}]}`
	icons := strings.Replace(titled, `,"_meta"`, `,"icons":[{"src":"data:,"}],"_meta"`, 1)
	want := map[string]string{"2024-11-05": old, "2025-03-26": old, "2025-06-18": titled, "2025-11-25": icons, "2026-07-28": icons}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		same(t, "prompts/list", ask(t, s, bare(f.Revision), "prompts/list", `{}`), want[f.Revision])
	})
	same(t, "cacheable", ask(t, s, form("2026-07-28"), "prompts/list", `{}`),
		`{"resultType":"complete",`+icons[1:len(icons)-1]+`,"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test-server","version":"1.2.3"}}}`)
}

func TestGetPrompt(t *testing.T) {
	tests := []struct{ name, params, want string }{
		{"all arguments", `{"name":"greet","arguments":{"name":"Ada","when":"now","how":""}}`,
			`{"messages":[{"role":"user","content":{"type":"text","text":"prompts/get greet: hello Ada \"\" true {\"name\":\"Ada\",\"when\":\"now\",\"how\":\"\"}"}}]}`},
		{"the required ones", `{"name":"greet","arguments":{"name":"\u0041","when":""}}`,
			`{"messages":[{"role":"user","content":{"type":"text","text":"prompts/get greet: hello A \"\" false {\"name\":\"\\u0041\",\"when\":\"\"}"}}]}`},
		{"one that the prompt does not have", `{"name":"greet","arguments":{"name":"A","when":"","who":"x"}}`,
			`{"messages":[{"role":"user","content":{"type":"text","text":"prompts/get greet: hello A \"\" false {\"name\":\"A\",\"when\":\"\",\"who\":\"x\"}"}}]}`},
		{"no messages", `{"name":"plain"}`, `{"messages":[]}`},
		{"empty arguments", `{"name":"plain","arguments":{}}`, `{"messages":[]}`},

		{"none of the required", `{"name":"greet"}`, "-32602 Missing arguments of prompt greet: name, when"},
		{"one of the required is missing", `{"name":"greet","arguments":{"name":"A","how":"x"}}`, "-32602 Missing arguments of prompt greet: when"},
		{"another case", `{"name":"greet","arguments":{"Name":"A","when":""}}`, "-32602 Missing arguments of prompt greet: name"},
		{"number", `{"name":"greet","arguments":{"name":1,"when":""}}`, "-32602 params.arguments.name must be a string"},
		{"null", `{"name":"greet","arguments":{"name":"A","when":"","how":null}}`, "-32602 params.arguments.how must be a string"},
		{"one that the prompt does not have, no string", `{"name":"greet","arguments":{"name":"A","when":"","who":{}}}`, "-32602 params.arguments.who must be a string"},
		{"arguments are an array", `{"name":"greet","arguments":[]}`, "-32602 params.arguments must be an object"},
		{"an argument twice", `{"name":"greet","arguments":{"name":"A","name":"B"}}`, `-32602 duplicate member "name" in params.arguments`},
		{"B196 unknown", `{"name":"nope"}`, "-32602 Unknown prompt: nope"},
		{"name of another case", `{"name":"Greet"}`, "-32602 Unknown prompt: Greet"},
		{"no name", `{}`, "-32602 params.name must be a string"},
		{"name is a number", `{"name":1}`, "-32602 params.name must be a string"},
		{"hidden", `{"name":"hidden"}`, "-32602 Unknown prompt: hidden"},
	}
	s := prompting()
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			got := ask(t, s, bare(f.Revision), "prompts/get", test.params)
			same(t, test.name+": "+test.params, got, test.want)
		}
		x := &exchange{server: s, form: bare(f.Revision), principal: &mcp.Principal{ID: "alice"}}
		same(t, "shown to alice", x.ask(t, context.Background(), "prompts/get", `{"name":"hidden"}`),
			`{"messages":[{"role":"user","content":{"type":"text","text":"seen"}}]}`)
		x.principal = &mcp.Principal{ID: "bob"}
		same(t, "not to bob", x.ask(t, context.Background(), "prompts/get", `{"name":"hidden"}`), "-32602 Unknown prompt: hidden")
	})
}

// TestPromptFaults (B166, B167): what a handler does wrong is an internal error.
func TestPromptFaults(t *testing.T) {
	message := func(m mcp.PromptMessage) mcp.PromptHandler {
		return giving(&mcp.PromptResult{Messages: []mcp.PromptMessage{m}}, nil)
	}
	tests := []struct {
		name string
		h    mcp.PromptHandler
		want string
	}{
		{"nothing", giving(nil, nil), "-32603 Internal error"},
		{"error", giving(nil, errors.New("the disk is full")), "-32603 Internal error"},
		{"protocol error", giving(nil, jsonrpc.Errorf(7, "told")), "7 told"},
		{"panic", func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { panic("secret") }, "-32603 Internal error"},
		{"no content", message(mcp.PromptMessage{Role: mcp.RoleUser}), "-32603 Internal error"},
		{"no role", message(mcp.PromptMessage{Content: &mcp.TextContent{}}), "-32603 Internal error"},
		{"role of another case", message(mcp.PromptMessage{Role: "User", Content: &mcp.TextContent{}}), "-32603 Internal error"},
		{"embedded text without a media type", message(mcp.PromptMessage{Role: mcp.RoleUser,
			Content: &mcp.EmbeddedResource{Contents: &mcp.TextResource{URI: "a:b"}}}), "-32603 Internal error"},
		{"embedded bytes without a media type", message(mcp.PromptMessage{Role: mcp.RoleUser,
			Content: &mcp.EmbeddedResource{Contents: &mcp.BlobResource{URI: "a:b"}}}), "-32603 Internal error"},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			s := quiet(mcp.ServerOptions{})
			s.AddPrompt(mcp.Prompt{Name: "a"}, test.h)
			same(t, test.name, ask(t, s, f, "prompts/get", `{"name":"a"}`), test.want)
		}
	})
}

// TestPromptMessages: every kind of content, in what each revision has of it.
func TestPromptMessages(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	meta := mcp.Meta{"m": jsonrpc.Raw(`1`)}
	s.AddPrompt(mcp.Prompt{Name: "a"}, giving(&mcp.PromptResult{Description: "All.", Meta: mcp.Meta{"r": jsonrpc.Raw(`2`)},
		Messages: []mcp.PromptMessage{
			{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "t", Meta: meta, Annotations: &mcp.Annotations{Audience: []string{"user"}}}},
			{Role: mcp.RoleAssistant, Content: &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"}},
			{Role: mcp.RoleUser, Content: &mcp.AudioContent{Data: []byte{1}, MIMEType: "audio/wav"}},
			{Role: mcp.RoleUser, Content: &mcp.ResourceLink{Resource: mcp.Resource{URI: "a:l", Name: "l", Title: "L"}}},
			{Role: mcp.RoleUser, Content: &mcp.EmbeddedResource{Contents: &mcp.TextResource{URI: "a:b", MIMEType: "text/plain", Text: "x"}}},
		}}, nil))
	const (
		textOld = `{"role":"user","content":{"type":"text","text":"t","annotations":{"audience":["user"]}}}`
		textNew = `{"role":"user","content":{"type":"text","text":"t","annotations":{"audience":["user"]},"_meta":{"m":1}}}`
		image   = `{"role":"assistant","content":{"type":"image","data":"AQ==","mimeType":"image/png"}}`
		noAudio = `{"role":"user","content":{"type":"text","text":"[audio, audio/wav, 1 bytes: left out, as revision 2024-11-05 has no audio content]"}}`
		audio   = `{"role":"user","content":{"type":"audio","data":"AQ==","mimeType":"audio/wav"}}`
		noLink  = `{"role":"user","content":{"type":"text","text":"[resource \"l\": a:l]"}}`
		link    = `{"role":"user","content":{"type":"resource_link","uri":"a:l","name":"l","title":"L"}}`
		embed   = `{"role":"user","content":{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"x"}}}`
	)
	messages := map[string][]string{
		"2024-11-05": {textOld, image, noAudio, noLink, embed},
		"2025-03-26": {textOld, image, audio, noLink, embed},
		"2025-06-18": {textNew, image, audio, link, embed},
		"2025-11-25": {textNew, image, audio, link, embed},
		"2026-07-28": {textNew, image, audio, link, embed},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		same(t, "messages", ask(t, s, bare(f.Revision), "prompts/get", `{"name":"a"}`),
			`{"description":"All.","messages":[`+strings.Join(messages[f.Revision], ",")+`],"_meta":{"r":2}}`)
	})
}

func TestAddPromptPanics(t *testing.T) {
	h := giving(nil, nil)
	tests := []struct {
		name   string
		prompt mcp.Prompt
		h      mcp.PromptHandler
		want   string
	}{
		{"no name", mcp.Prompt{}, h, `mcp: prompt "": a prompt must have a name`},
		{"no handler", mcp.Prompt{Name: "b"}, nil, `mcp: prompt "b": no handler`},
		{"argument without a name", mcp.Prompt{Name: "b", Arguments: []mcp.PromptArgument{{Name: "x"}, {}}}, h, `mcp: prompt "b": argument 1 must have a name`},
		{"two arguments of one name", mcp.Prompt{Name: "b", Arguments: []mcp.PromptArgument{{Name: "x"}, {Name: "x"}}}, h, `mcp: prompt "b": two arguments have the name "x"`},
		{"taken", mcp.Prompt{Name: "a"}, h, `mcp: prompt "a" is registered already`},
		{"icon", mcp.Prompt{Name: "b", Icons: []mcp.Icon{{}}}, h, `mcp: prompt "b": an icon has no src`},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddPrompt(mcp.Prompt{Name: "a"}, h)
		same(t, test.name, panicOf(func() { s.AddPrompt(test.prompt, test.h) }), test.want)
	}
}

// TestPromptsComeAndGo: the capability is declared, and the methods are there, once
// there has been a prompt.
func TestPromptsComeAndGo(t *testing.T) {
	inForms(t, func(t *testing.T, f *mcp.Form) {
		s := quiet(mcp.ServerOptions{})
		declared := func() bool { return strings.Contains(string(s.AppendCapabilities(nil, f)), `"prompts":{`) }
		if declared() {
			t.Error("prompts are declared without one")
		}
		same(t, "list without one", ask(t, s, f, "prompts/list", `{}`), "-32601 Method not found: prompts/list")
		same(t, "get without one", ask(t, s, f, "prompts/get", `{"name":"a"}`), "-32601 Method not found: prompts/get")
		s.AddPrompt(mcp.Prompt{Name: "a"}, giving(mcp.PromptText("x"), nil))
		s.AddPrompt(mcp.Prompt{Name: "b"}, giving(mcp.PromptText("x"), nil))
		if !declared() {
			t.Error("prompts are not declared")
		}
		if !s.RemovePrompt("a") || s.RemovePrompt("a") {
			t.Error("RemovePrompt must report whether there was one")
		}
		same(t, "list", ask(t, s, bare(f.Revision), "prompts/list", `{}`), `{"prompts":[{"name":"b"}]}`)
		same(t, "removed", ask(t, s, f, "prompts/get", `{"name":"a"}`), "-32602 Unknown prompt: a")
	})
}
