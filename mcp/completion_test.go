package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// suggesting is a completer that always gives the same.
func suggesting(n *mcp.Completion, err error) mcp.Completer {
	return func(context.Context, *mcp.Call, mcp.Completing) (*mcp.Completion, error) { return n, err }
}

// repeating suggests what it was asked.
func repeating(_ context.Context, c *mcp.Call, in mcp.Completing) (*mcp.Completion, error) {
	var filled []string
	for _, name := range slices.Sorted(maps.Keys(in.Context)) {
		filled = append(filled, name+"="+in.Context[name])
	}
	return &mcp.Completion{Values: []string{fmt.Sprintf("%s %s %s=%s %t %v", c.Name(), c.URI(), in.Argument, in.Value, in.Context == nil, filled)}}, nil
}

// numbers are n values.
func numbers(n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint(i)
	}
	return values
}

// completing has completers for each way in which completion can go.
func completing() *mcp.Server {
	s := quiet(mcp.ServerOptions{})
	s.AddPrompt(mcp.Prompt{Name: "code", Arguments: []mcp.PromptArgument{
		{Name: "tell", Complete: repeating},
		{Name: "none"},
		{Name: "language", Complete: mcp.CompleteFrom("Go", "go-like", "Algol", "Python")},
		{Name: "nil", Complete: suggesting(nil, nil)},
		{Name: "empty", Complete: suggesting(&mcp.Completion{}, nil)},
		{Name: "more", Complete: suggesting(&mcp.Completion{Values: []string{"b", "a"}, HasMore: true}, nil)},
		{Name: "total", Complete: suggesting(&mcp.Completion{Values: []string{"a"}, Total: 7}, nil)},
		{Name: "all", Complete: suggesting(&mcp.Completion{Values: []string{"a"}, Total: 1}, nil)},
		{Name: "wrong total", Complete: suggesting(&mcp.Completion{Values: []string{"a", "b"}, Total: 1}, nil)},
		{Name: "100", Complete: suggesting(&mcp.Completion{Values: numbers(100)}, nil)},
		{Name: "101", Complete: suggesting(&mcp.Completion{Values: numbers(101)}, nil)},
		{Name: "101 of 1000", Complete: suggesting(&mcp.Completion{Values: numbers(101), Total: 1000}, nil)},
		{Name: "error", Complete: suggesting(nil, errors.New("the disk is full"))},
		{Name: "protocol", Complete: suggesting(nil, jsonrpc.Errorf(7, "told"))},
		{Name: "panic", Complete: func(context.Context, *mcp.Call, mcp.Completing) (*mcp.Completion, error) { panic("secret") }},
	}}, giving(nil, nil))
	s.AddPrompt(mcp.Prompt{Name: "hidden", Visible: func(p *mcp.Principal) bool { return p != nil },
		Arguments: []mcp.PromptArgument{{Name: "a", Complete: mcp.CompleteFrom("x")}}}, giving(nil, nil))
	s.AddResource(mcp.Resource{URI: "test:text", Name: "text"}, holding(nil))
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "test://{owner}/{repo}", Name: "repos",
		Complete: map[string]mcp.Completer{"owner": repeating}}, holding(nil))
	return s
}

func TestComplete(t *testing.T) {
	prompt := func(argument, value string) string {
		return `{"ref":{"type":"ref/prompt","name":"code"},"argument":{"name":"` + argument + `","value":"` + value + `"}}`
	}
	template := func(uri, argument string) string {
		return `{"ref":{"type":"ref/resource","uri":"` + uri + `"},"argument":{"name":"` + argument + `","value":"v"}}`
	}
	values := func(rest string, v ...string) string {
		return `{"completion":{"values":["` + strings.Join(v, `","`) + `"]` + rest + `}}`
	}
	const none = `{"completion":{"values":[]}}`
	tests := []struct{ name, params, want string }{
		{"prompt", prompt("tell", "v"), values("", "code  tell=v true []")},
		{"with the title of the prompt", `{"ref":{"type":"ref/prompt","name":"code","title":"Code"},"argument":{"name":"tell","value":""}}`, values("", "code  tell= true []")},
		{"template as registered", template("test://{owner}/{repo}", "owner"), values("", "repos test://{owner}/{repo} owner=v true []")},
		{"uri that matches", template("test://me/it", "owner"), values("", "repos test://me/it owner=v true []")},
		{"variable without a completer", template("test://{owner}/{repo}", "repo"), none},
		{"argument without a completer", prompt("none", ""), none},
		{"nothing", prompt("nil", ""), none},
		{"no values", prompt("empty", ""), none},
		{"ranking is kept, more are told of", prompt("more", ""), values(`,"hasMore":true`, "b", "a")},
		{"total", prompt("total", ""), values(`,"total":7,"hasMore":true`, "a")},
		{"total of all", prompt("all", ""), values(`,"total":1`, "a")},
		{"total that cannot be", prompt("wrong total", ""), values(`,"total":2`, "a", "b")},
		{"100", prompt("100", ""), values("", numbers(100)...)},
		{"101 are cut", prompt("101", ""), values(`,"total":101,"hasMore":true`, numbers(100)...)},
		{"101 of 1000 are cut", prompt("101 of 1000", ""), values(`,"total":1000,"hasMore":true`, numbers(100)...)},

		{"CompleteFrom nothing", prompt("language", ""), values(`,"total":4`, "Go", "go-like", "Algol", "Python")},
		{"CompleteFrom a prefix", prompt("language", "GO"), values(`,"total":3`, "Go", "go-like", "Algol")},
		{"CompleteFrom a middle", prompt("language", "th"), values(`,"total":1`, "Python")},
		{"CompleteFrom something else", prompt("language", "rust"), none},

		{"error", prompt("error", ""), "-32603 Internal error"},
		{"protocol error", prompt("protocol", ""), "7 told"},
		{"B166 panic", prompt("panic", ""), "-32603 Internal error"},

		{"unknown argument", prompt("nope", ""), "-32602 Unknown argument: nope"},
		{"unknown variable", template("test://{owner}/{repo}", "nope"), "-32602 Unknown argument: nope"},
		{"unknown prompt", `{"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"a","value":""}}`, "-32602 Unknown prompt: nope"},
		{"hidden prompt", `{"ref":{"type":"ref/prompt","name":"hidden"},"argument":{"name":"a","value":""}}`, "-32602 Unknown prompt: hidden"},
		{"unknown template", template("test://{owner}", "owner"), "-32602 Unknown resource template: test://{owner}"},
		{"resource", template("test:text", "owner"), "-32602 Unknown resource template: test:text"},
		{"unknown kind", `{"ref":{"type":"ref/tool","name":"code"},"argument":{"name":"a","value":""}}`, "-32602 params.ref must have the type ref/prompt and a name, or ref/resource and a uri"},
		{"no ref", `{"argument":{"name":"a","value":""}}`, "-32602 params.ref must be an object: it is missing"},
		{"ref is a string", `{"ref":"code","argument":{"name":"a","value":""}}`, "-32602 params.ref must be an object"},
		{"ref without a type", `{"ref":{"name":"code"},"argument":{"name":"a","value":""}}`, "-32602 params.ref.type must be there"},
		{"ref without a name", `{"ref":{"type":"ref/prompt"},"argument":{"name":"a","value":""}}`, "-32602 params.ref must have the type ref/prompt and a name, or ref/resource and a uri"},
		{"ref without a uri", `{"ref":{"type":"ref/resource","name":"code"},"argument":{"name":"a","value":""}}`, "-32602 params.ref must have the type ref/prompt and a name, or ref/resource and a uri"},
		{"ref with a member twice", `{"ref":{"type":"ref/prompt","name":"code","name":"x"},"argument":{"name":"a","value":""}}`, "-32602 params.ref has a member twice"},
		{"no argument", `{"ref":{"type":"ref/prompt","name":"code"}}`, "-32602 params.argument must be an object: it is missing"},
		{"argument without a value", `{"ref":{"type":"ref/prompt","name":"code"},"argument":{"name":"tell"}}`, "-32602 params.argument.value must be there"},
		{"argument without a name", `{"ref":{"type":"ref/prompt","name":"code"},"argument":{"value":""}}`, "-32602 params.argument.name must be there"},
		{"argument of wrong types", `{"ref":{"type":"ref/prompt","name":"code"},"argument":{"name":"tell","value":1}}`, "-32602 params.argument.value must be a string"},
	}
	s := completing()
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			same(t, test.name+": "+test.params, ask(t, s, bare(f.Revision), "completion/complete", test.params), test.want)
		}
		x := &exchange{server: s, form: bare(f.Revision), principal: &mcp.Principal{ID: "alice"}}
		same(t, "hidden, to one who sees it", x.ask(t, context.Background(), "completion/complete",
			`{"ref":{"type":"ref/prompt","name":"hidden"},"argument":{"name":"a","value":""}}`), values(`,"total":1`, "x"))
	})
}

// TestCompleteContext: what is filled in already came with 2025-06-18, and means
// nothing before.
func TestCompleteContext(t *testing.T) {
	const ref = `{"ref":{"type":"ref/prompt","name":"code"},"argument":{"name":"tell","value":"v"},"context":`
	got := func(text string) string { return `{"completion":{"values":["code  tell=v ` + text + `"]}}` }
	ignored := got("true []")
	tests := []struct{ name, context, want string }{
		{"arguments", `{"arguments":{"b":"2","a":"\u0031"}}`, got("false [a=1 b=2]")},
		{"no arguments yet", `{"arguments":{}}`, got("false []")},
		{"nothing", `{}`, ignored},
		{"something of the future", `{"future":1}`, ignored},
		{"null", `null`, "-32602 params.context must be an object"},
		{"arguments are an array", `{"arguments":[]}`, "-32602 params.context.arguments must be an object"},
		{"a number", `{"arguments":{"a":1}}`, "-32602 params.context.arguments.a must be a string"},
		{"an argument twice", `{"arguments":{"a":"1","a":"2"}}`, "-32602 params.context.arguments has a member twice"},
		{"arguments twice", `{"arguments":{},"arguments":{}}`, "-32602 params.context has a member twice"},
	}
	s := completing()
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			want := test.want
			if f.Revision < "2025-06-18" {
				want = ignored
			}
			same(t, test.name+": "+test.context, ask(t, s, bare(f.Revision), "completion/complete", ref+test.context+`}`), want)
		}
	})
}

// TestCompletionsDeclared: the method is there where something has suggestions, and the
// capability where the revision has one.
func TestCompletionsDeclared(t *testing.T) {
	const request = `{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"x","value":""}}`
	inForms(t, func(t *testing.T, f *mcp.Form) {
		s := quiet(mcp.ServerOptions{})
		s.AddPrompt(mcp.Prompt{Name: "a", Arguments: []mcp.PromptArgument{{Name: "x"}}}, giving(nil, nil))
		s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a"}, holding(nil))
		same(t, "none has suggestions", ask(t, s, f, "completion/complete", request), "-32601 Method not found: completion/complete")
		s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "b:{x}", Name: "b",
			Complete: map[string]mcp.Completer{"x": mcp.CompleteFrom()}}, holding(nil))
		same(t, "one has", ask(t, s, bare(f.Revision), "completion/complete", request), `{"completion":{"values":[]}}`)
		declared := strings.Contains(string(s.AppendCapabilities(nil, f)), `"completions":{}`)
		if want := f.Revision != "2024-11-05"; declared != want {
			t.Errorf("completions declared: %t, want %t", declared, want)
		}
	})
}

func TestCompletersOfNoVariable(t *testing.T) {
	for name, completers := range map[string]map[string]mcp.Completer{
		"no such variable": {"y": mcp.CompleteFrom()}, "no completer": {"x": nil},
	} {
		s := quiet(mcp.ServerOptions{})
		said := panicOf(func() {
			s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a", Complete: completers}, holding(nil))
		})
		if !strings.HasPrefix(said, `mcp: resource template "a:{x}": Complete has the name`) {
			t.Errorf("%s: panic %q", name, said)
		}
	}
}
