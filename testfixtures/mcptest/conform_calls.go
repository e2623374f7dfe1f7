package mcptest

import (
	"slices"
	"strings"
	"time"

	"isthmus.internal/jsonrpc"
)

// nowhere is a name and a uri that nothing should have.
const nowhere = "mcptest.no-such-name"

func (k *kit) unknownNames() {
	for _, m := range []struct{ capability, method, params string }{
		{"tools", "tools/call", `{"name":"` + nowhere + `"}`},
		{"prompts", "prompts/get", `{"name":"` + nowhere + `"}`},
		{"resources", "resources/read", `{"uri":"mcptest:` + nowhere + `"}`},
	} {
		if !k.has(m.capability) {
			continue
		}
		r := k.Request(m.method, m.params)
		want := jsonrpc.Code(-32602)
		if m.method == "resources/read" {
			want = k.speak.noResource()
		}
		if r.Code() != want {
			k.fail("%s %s is answered with %.300s, want the error %d", m.method, m.params, r, want)
		} else if !strings.Contains(r.Error.Message+string(r.Error.Data), nowhere) {
			k.fail("the error does not say which name is unknown: %.300s", r)
		}
	}
}

// wrongArguments calls each tool that requires something without it.
func (k *kit) wrongArguments() {
	if !k.has("tools") {
		return
	}
	for _, tool := range k.List("tools/list") {
		required := Elements(At(tool, "inputSchema", "required"))
		if len(required) == 0 {
			continue
		}
		name := text(At(tool, "name"))
		r := k.Call(name, `{}`)
		if !r.IsError() {
			k.fail("%s requires %s, and without it is answered with %.300s, want a result with isError", name, required, r)
			continue
		}
		names := func(field jsonrpc.Raw) bool { return strings.Contains(r.Text(), text(field)) }
		if !slices.ContainsFunc(required, names) {
			k.fail("%s requires %s, and says of a call without it only: %.300s", name, required, r.Text())
		}
	}
}

func (k *kit) missingPromptArguments() {
	if !k.has("prompts") {
		return
	}
	for _, prompt := range k.List("prompts/list") {
		name := quote(text(At(prompt, "name")))
		for _, argument := range Elements(At(prompt, "arguments")) {
			if required, _ := At(argument, "required").Bool(); !required {
				continue
			}
			k.refuses("prompts/get", `{"name":`+name+`}`, -32602)
			k.refuses("prompts/get", `{"name":`+name+`,"arguments":`+object(member(text(At(argument, "name")), "7"))+`}`, -32602)
			break
		}
	}
}

func (k *kit) malformedParams() {
	for _, m := range []struct{ capability, method, params string }{
		{"tools", "tools/call", `{}`},
		{"tools", "tools/call", `{"name":7}`},
		{"resources", "resources/read", `{}`},
		{"resources", "resources/read", `{"uri":7}`},
		{"prompts", "prompts/get", `{}`},
		{"prompts", "prompts/get", `{"name":7}`},
	} {
		if k.has(m.capability) {
			k.refuses(m.method, m.params, -32602)
		}
	}
	if k.has("tools") {
		for _, tool := range k.List("tools/list") {
			for _, arguments := range []string{`"{}"`, `[]`, `null`} {
				k.refuses("tools/call", object(member("name", string(At(tool, "name"))), member("arguments", arguments)), -32602)
			}
			return
		}
	}
}

// mostValues is 2026-07-28 server/utilities/completion, Completion Results.
const mostValues = 100

func (k *kit) completionHolds() {
	if !k.has("prompts") || !k.has("completions") {
		return // 2024-11-05 has no way to declare it
	}
	if r := k.CompletePrompt(nowhere, "a", "", ""); r.Code() != -32602 {
		k.fail("the completion of a prompt that does not exist is answered with %.300s, want the error -32602", r)
	}
	for _, prompt := range k.List("prompts/list") {
		for _, argument := range Elements(At(prompt, "arguments")) {
			r := k.CompletePrompt(text(At(prompt, "name")), text(At(argument, "name")), "", "")
			values := r.At("completion", "values")
			if values.Kind() != jsonrpc.KindArray || len(Elements(values)) > mostValues {
				k.fail("the completion of %s of %s is %.300s, want at most %d values", At(argument, "name"), At(prompt, "name"), r, mostValues)
			}
		}
	}
}

// enough is the time after which a server that has read a request surely works on it.
const enough = 100 * time.Millisecond

// cancelledCallsEnd cancels a call that is being worked on. That the server was told, and
// does not answer, shows by the answer to a later request.
func (k *kit) cancelledCallsEnd() {
	if k.may.Slow == "" {
		k.t.Skip("Conforming.Slow names no tool to cancel")
	}
	p := k.StartCall(k.may.Slow, k.may.SlowArguments)
	k.Request(nowhere, "") // what comes behind it is answered, so it is being worked on
	if k.o.Transport.Lasting {
		<-time.After(enough) // or it is not, as there it need not come behind it
	}
	if p.Answered() {
		k.fail("%s %s is answered at once, so it cannot be cancelled: %.300s", k.may.Slow, k.may.SlowArguments, p.Wait())
		return
	}
	p.Cancel()
	k.Request(nowhere, "")
	k.Close() // waits for what the server still does
}
