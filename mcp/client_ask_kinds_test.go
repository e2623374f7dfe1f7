package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

const (
	noTools  = "-32602 params uses tools, and the client has not declared sampling.tools"
	hello    = `{"messages":[{"role":"user","content":{"type":"text","text":"Hello"}}],"maxTokens":9}`
	saysHi   = `{"role":"assistant","content":{"type":"text","text":"Hi"},"model":"m","stopReason":"endTurn"}`
	toolTurn = `{"role":"assistant","content":{"type":"tool_use","id":"u","name":"t","input":{}}}`
	toolDone = `{"role":"user","content":{"type":"tool_result","toolUseId":"u","content":[]}}`
)

// TestAnswerSampling: a model goes on from what the server has sent, if a model can.
func TestAnswerSampling(t *testing.T) {
	says := func(blocks ...mcp.SamplingContent) *mcp.SampleResult {
		return &mcp.SampleResult{SamplingMessage: mcp.SamplingMessage{Content: blocks}, Model: "m", StopReason: "endTurn"}
	}
	text := func(s string) mcp.SamplingContent { return &mcp.TextContent{Text: s} }
	plain := says(text("Hi"))
	tests := []struct {
		name, params string
		gives        *mcp.SampleResult
		want         string
		before       string // what revisions before sampling with tools get, if it is another answer
	}{
		{"a text", hello, plain, saysHi, ""},
		{"several texts", hello, says(text("H"), text("i")),
			`{"role":"assistant","content":[{"type":"text","text":"H"},{"type":"text","text":"i"}],"model":"m","stopReason":"endTurn"}`, saysHi},
		{"a text and an image", hello, says(text("H"), &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"}),
			`{"role":"assistant","content":[{"type":"text","text":"H"},{"type":"image","data":"AQ==","mimeType":"image/png"}],"model":"m","stopReason":"endTurn"}`, notAnswered},
		{"no content", hello, says(), notAnswered, ""},
		{"nothing", hello, nil, notAnswered, ""},
		{"a use of a tool", `{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"},` + hello[1:],
			says(&mcp.ToolUse{ID: "u", Name: "t"}),
			`{"role":"assistant","content":{"type":"tool_use","id":"u","name":"t","input":{}},"model":"m","stopReason":"endTurn"}`, noTools},
		{"a result of a tool", `{"messages":[` + toolTurn + `,` + toolDone + `],"maxTokens":9}`, plain, saysHi, noTools},
		{"a result is missing", `{"messages":[` + toolTurn + `],"maxTokens":9}`, plain,
			"-32602 params.messages: the last message uses tools: their results are missing behind it", noTools},
		{"a result beside other content", `{"messages":[` + toolTurn + `,{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","toolUseId":"u","content":[]}]}],"maxTokens":9}`, plain,
			"-32602 params.messages: message 1 has results of tools beside other content: they stand alone", noTools},
		{"a result without a use", `{"messages":[` + toolDone + `],"maxTokens":9}`, plain,
			`-32602 params.messages: message 0 has a result for the tool use "u", which the message before it does not ask for`, noTools},
		{"a message without content", `{"messages":[{"role":"user","content":[]}],"maxTokens":9}`, plain, "-32602 params.messages[0]: it has no content", ""},
		{"another role", `{"messages":[{"role":"system","content":[]}],"maxTokens":9}`, plain, `-32602 params.messages[0].role must be "user" or "assistant"`, ""},
		{"no messages", `{"maxTokens":9}`, plain, "-32602 params.messages must be there", ""},
		{"no maxTokens", `{"messages":[]}`, plain, "-32602 params.maxTokens must be there", ""},
		{"no params", ``, plain, "-32602 params must be an object: it is missing", ""},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			c := mcp.NewClient(&mcp.ClientOptions{SampleTools: true, Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) { return test.gives, nil }})
			want := test.want
			if test.before != "" && !f.SamplingTools {
				want = test.before
			}
			same(t, test.name, answered(t, c, context.Background(), f, "sampling/createMessage", test.params), want)
		}
	})
}

// TestAnswerSamplingUndeclared: tools and context are for clients that have declared them.
func TestAnswerSamplingUndeclared(t *testing.T) {
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range []struct {
			context, want string
			heeds         bool
		}{
			{"thisServer", "thisServer", true},
			{"none", "none", true},
			{"thisServer", "", false},
			{"allServers", "", false},
			{"none", "none", false},
		} {
			var saw *mcp.SampleRequest
			c := mcp.NewClient(&mcp.ClientOptions{SampleContext: test.heeds, Sample: func(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
				saw = r
				return nil, mcp.ErrDeclined
			}})
			want := test.want
			if !f.SamplingTools { // a revision that has no such capability
				want = test.context
			}
			same(t, test.context, answered(t, c, context.Background(), f, "sampling/createMessage", `{"includeContext":"`+test.context+`",`+hello[1:]), "-1 User rejected sampling request")
			same(t, test.context, saw.IncludeContext, want)
			same(t, "tools", answered(t, c, context.Background(), f, "sampling/createMessage", `{"tools":[{"name":"t","inputSchema":{"type":"object"}}],`+hello[1:]), noTools)
		}
	})
}

// TestAnswerRoots: roots go to the server when each is one that may.
func TestAnswerRoots(t *testing.T) {
	tests := []struct {
		name  string
		roots []mcp.Root
		err   error
		want  string
	}{
		{"none", nil, nil, `{"roots":[]}`},
		{"two", []mcp.Root{{URI: "file:///a", Name: "A"}, {URI: "file://host/b%20c/"}}, nil, `{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file://host/b%20c/"}]}`},
		{"names with dots", []mcp.Root{{URI: "file:///a/..b/c../..."}}, nil, `{"roots":[{"uri":"file:///a/..b/c../..."}]}`},
		{"another scheme", []mcp.Root{{URI: "file:///a"}, {URI: "https://example.com"}}, nil, notAnswered},
		{"a path", []mcp.Root{{URI: "/a"}}, nil, notAnswered},
		{"a space", []mcp.Root{{URI: "file:///a b"}}, nil, notAnswered},
		{"upwards", []mcp.Root{{URI: "file:///a/../../etc"}}, nil, notAnswered},
		{"upwards, encoded", []mcp.Root{{URI: "file:///a/.%2E/etc"}}, nil, notAnswered},
		{"upwards, all of it encoded", []mcp.Root{{URI: "file:///a/b%2F..%2fetc"}}, nil, notAnswered},
		{"upwards, as Windows has it", []mcp.Root{{URI: "file:///c:/a%5C..%5cb"}}, nil, notAnswered},
		{"a percent sign", []mcp.Root{{URI: "file:///a/%252e%252e/b"}}, nil, `{"roots":[{"uri":"file:///a/%252e%252e/b"}]}`},
		{"declined", nil, mcp.ErrDeclined, "-32603 The user does not want this to be answered"},
		{"an error", nil, errors.New("x"), notAnswered},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			c := mcp.NewClient(&mcp.ClientOptions{Roots: func(context.Context) ([]mcp.Root, error) { return test.roots, test.err }})
			for _, params := range []string{"", `{}`, `{"_meta":{}}`} {
				same(t, test.name+" "+params, answered(t, c, context.Background(), f, "roots/list", params), test.want)
			}
		}
	})
}

// forwarding is the asker of a server whose client is one of ours.
type forwarding struct {
	asking
	client *mcp.Client
	form   *mcp.Form
}

func (a *forwarding) Ask(ctx context.Context, _ *mcp.Request, questions []mcp.Inquiry) ([]mcp.Answer, error) {
	answers := make([]mcp.Answer, len(questions))
	for i, q := range questions {
		result, err := a.client.Answer(ctx, q.Method, q.Params, a.form)
		answers[i].Result = result
		errors.As(err, &answers[i].Refusal)
	}
	return answers, nil
}

// TestAnswerServer: what a handler of ours asks, a client of ours answers, in every revision
// that can ask it.
func TestAnswerServer(t *testing.T) {
	client := mcp.NewClient(&mcp.ClientOptions{
		Elicit: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if r.Page != nil {
				return nil, mcp.ErrCancelled
			}
			return &mcp.ElicitResult{Action: "accept", Content: jsonrpc.Raw(`{"name":"Ada"}`)}, nil
		},
		ElicitURL: true,
		Sample: func(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
			return &mcp.SampleResult{SamplingMessage: mcp.SamplingText("", "to "+r.Messages[0].Text()), Model: "m"}, nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///home"}}, nil },
	})
	type form struct {
		Name string `json:"name"`
		Loud bool   `json:"loud" default:"true"`
	}
	tests := []struct {
		name, want string
		has        func(f *mcp.Form) bool
		ask        func(ctx context.Context, c *mcp.Call) (string, error)
	}{
		{"a form", "{Ada true}", func(f *mcp.Form) bool { return f.Elicitation }, func(ctx context.Context, c *mcp.Call) (string, error) {
			in, err := mcp.Ask[form](ctx, c, "k", "Who?")
			return fmt.Sprint(in), err
		}},
		{"a page", "the user has cancelled", func(f *mcp.Form) bool { return f.ElicitationModes }, func(ctx context.Context, c *mcp.Call) (string, error) {
			return "", c.ElicitURL(ctx, "k", &mcp.ElicitURL{Message: "m", URL: "https://example.com/"})
		}},
		{"a model", "to Hello", func(*mcp.Form) bool { return true }, func(ctx context.Context, c *mcp.Call) (string, error) {
			r, err := c.Sample(ctx, "k", &mcp.SampleRequest{Messages: []mcp.SamplingMessage{mcp.SamplingText("user", "Hello")}, MaxTokens: 1})
			if err != nil {
				return "", err
			}
			return r.Text(), nil
		}},
		{"roots", "file:///home", func(*mcp.Form) bool { return true }, func(ctx context.Context, c *mcp.Call) (string, error) {
			roots, err := c.Roots(ctx, "k")
			if len(roots) != 1 {
				return "", err
			}
			return roots[0].URI, err
		}},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			s := quiet(mcp.ServerOptions{})
			s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
				text, err := test.ask(ctx, c)
				if err != nil {
					text = err.Error()
				}
				return mcp.TextResult(text), nil
			})
			capabilities := client.Capabilities()
			declared, err := mcp.Append(nil, &capabilities, f)
			if err != nil {
				t.Fatal(err)
			}
			form := bare(f.Revision)
			x := &exchange{server: s, form: form, capabilities: declared, asker: &forwarding{client: client, form: form}}
			got := x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
			if test.has(f) != strings.Contains(got, test.want) {
				t.Errorf("%s: got %s, want %q in it: %t", test.name, got, test.want, test.has(f))
			}
		}
	})
}

// TestFill: a handler can have its form filled itself, to ask its user again.
func TestFill(t *testing.T) {
	form := &mcp.ElicitForm{Message: "m", Schema: jsonrpc.Raw(`{"type":"object","properties":{"age":{"type":"integer","minimum":18,"default":30}}}`)}
	for _, test := range []struct{ content, want, err string }{
		{`{}`, `{"age":30}`, ""},
		{`{"age":19}`, `{"age":19}`, ""},
		{`{"age":17}`, ``, "/age: expected"},
		{`"x"`, ``, "must be a JSON object"},
		{`{`, ``, "must be a JSON object"},
	} {
		got, err := form.Fill(jsonrpc.Raw(test.content))
		if string(got) != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: got %s and %v, want %s and %q", test.content, got, err, test.want, test.err)
		}
	}
	if got, err := form.Fill(nil); string(got) != `{"age":30}` || err != nil {
		t.Errorf("nothing: got %s and %v", got, err)
	}
	form.Schema = jsonrpc.Raw(`{"type":1}`)
	if _, err := form.Fill(nil); err == nil {
		t.Error("a schema that is none: no error")
	}
}

// TestPageWarnings: a user sees where a page really is, and what about its address may deceive.
func TestPageWarnings(t *testing.T) {
	tests := []struct {
		url, host string
		warnings  []string // a word of each
	}{
		{"https://example.com/a?b=c@d#e", "example.com", nil},
		{"HTTPS://EXAMPLE.com", "EXAMPLE.com", nil},
		{"https://[::1]:8443/x", "[::1]:8443", nil},
		{"http://localhost/", "localhost", []string{"encrypted"}},
		{"https://bank.example@evil.example/", "evil.example", []string{"@"}},
		{"https://a@b@c.example/", "c.example", []string{"@"}},
		{"https://login.XN--80ak6aa92e.com/xn--", "login.XN--80ak6aa92e.com", []string{"Punycode"}},
		{"https://example.com/xn--a", "example.com", nil},
		{"http://x@xn--a.com", "xn--a.com", []string{"encrypted", "@", "Punycode"}},
		{"mailto:a@b", "", []string{"encrypted"}},
		{"", "", []string{"encrypted"}},
	}
	for _, test := range tests {
		page := &mcp.ElicitURL{URL: test.url}
		got := page.Warnings()
		fits := slices.EqualFunc(got, test.warnings, func(line, word string) bool { return strings.Contains(line, word) })
		if page.Host() != test.host || !fits {
			t.Errorf("%s: got host %q and %q, want %q and %q", test.url, page.Host(), got, test.host, test.warnings)
		}
	}
}

// TestRootsChangedUndeclared: a server is told of changed roots only by a client that has declared it.
func TestRootsChangedUndeclared(t *testing.T) {
	roots := func(context.Context) ([]mcp.Root, error) { return nil, nil }
	for _, tt := range []struct {
		name string
		o    mcp.ClientOptions
		want string // part of the error
	}{
		{"no roots", mcp.ClientOptions{RootsListChanged: true}, "set Roots and RootsListChanged"},
		{"roots that do not change", mcp.ClientOptions{Roots: roots}, "set Roots and RootsListChanged"},
		{"not connected", mcp.ClientOptions{Roots: roots, RootsListChanged: true}, "not connected"},
	} {
		if err := mcp.NewClient(&tt.o).RootsChanged(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}
