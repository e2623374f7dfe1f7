package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// busy is an exchange that notes what else than calls it is asked for.
type busy struct {
	talker
	did  []string
	err  error
	done chan struct{}
}

func (x *busy) note(format string, args ...any) error {
	x.did = append(x.did, fmt.Sprintf(format, args...))
	return x.err
}

func (x *busy) Notify(_ context.Context, method string, params jsonrpc.Raw) error {
	return x.note("notify %s %s", method, params)
}
func (x *busy) SetLogLevel(_ context.Context, l mcp.LogLevel) error { return x.note("level %s", l) }
func (x *busy) Ping(context.Context) error                          { return x.note("ping") }
func (x *busy) Close() error                                        { return x.note("close") }
func (x *busy) Done() <-chan struct{}                               { return x.done }
func (x *busy) Err() error                                          { return x.err }
func (x *busy) Discover(context.Context) (*mcp.DiscoverResult, error) {
	return x.server, x.note("discover")
}

// TestClientUnattached: a client without an exchange says so, and does no harm.
func TestClientUnattached(t *testing.T) {
	c, ctx := mcp.NewClient(nil), t.Context()
	errs := map[string]error{
		"Ping":        c.Ping(ctx),
		"SetLogLevel": c.SetLogLevel(ctx, mcp.LogInfo),
		"Notify":      c.Notify(ctx, "n", nil),
	}
	_, errs["Discover"] = c.Discover(ctx)
	_, errs["CallTool"] = c.CallTool(ctx, "t", nil, nil)
	_, errs["Do"] = c.Do(ctx, "m", nil, nil)
	_, errs["Complete"] = c.Complete(ctx, &mcp.CompleteParams{Prompt: "p"}, nil)
	_, errs["ListTools"] = c.ListTools(ctx, nil, nil)
	_, errs["Listen"] = c.Listen(ctx, nil)
	_, errs["CallTool of a type"] = mcp.CallTool[int](ctx, c, "t", nil, nil)
	for name, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "discover.Connect") {
			t.Errorf("%s: got error %v, want one that names discover.Connect", name, err)
		}
	}
	if c.Server() != nil || c.ProtocolVersion() != "" || c.Era() != 0 || c.Done() != nil || c.Err() != nil || c.Close() != nil {
		t.Error("a client without an exchange knows of a server")
	}
}

// TestClientExchange: what is not a call goes to the exchange, and the newest one has it.
func TestClientExchange(t *testing.T) {
	x := &busy{talker: talker{form: form("2025-06-18"), server: &mcp.DiscoverResult{Instructions: "i"}}, done: make(chan struct{})}
	c := mcp.NewClient(&mcp.ClientOptions{LogLevel: mcp.LogError})
	c.Attach(&busy{talker: talker{form: form("2026-07-28")}})
	if c.Era() != mcp.Modern {
		t.Errorf("the first exchange: era %v", c.Era())
	}
	c.Attach(x)
	ctx := t.Context()
	same(t, "revision", c.ProtocolVersion(), "2025-06-18")
	if c.Era() != mcp.Legacy || c.Server() != x.server || c.Done() != (<-chan struct{})(x.done) || c.LogLevel() != mcp.LogError {
		t.Errorf("era %v, server %v, level %v", c.Era(), c.Server(), c.LogLevel())
	}
	d, err := c.Discover(ctx)
	if d != x.server || err != nil {
		t.Errorf("Discover: %v, %v", d, err)
	}
	errs := []error{c.Ping(ctx), c.SetLogLevel(ctx, mcp.LogDebug), c.Notify(ctx, "n/x", jsonrpc.Raw(`{ "a": 1 }`)), c.Notify(ctx, "n/y", nil), c.Close()}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if c.LogLevel() != mcp.LogDebug {
		t.Errorf("level %v, want debug", c.LogLevel())
	}
	if err := c.Notify(ctx, "n/z", jsonrpc.Raw(`[]`)); err == nil {
		t.Error("params that are an array are sent")
	}
	want := []string{"discover", "ping", "level debug", `notify n/x {"a":1}`, "notify n/y ", "close"}
	if !reflect.DeepEqual(x.did, want) {
		t.Errorf("did\n got %q\nwant %q", x.did, want)
	}
	if err := c.SetLogLevel(ctx, 9); err == nil || !strings.Contains(err.Error(), "emergency") || c.LogLevel() != mcp.LogDebug {
		t.Errorf("a level that is none: %v, %v", err, c.LogLevel())
	}
	x.err = mcp.ErrLinkClosed
	if err := c.SetLogLevel(ctx, mcp.LogAlert); !errors.Is(err, mcp.ErrLinkClosed) || c.LogLevel() != mcp.LogDebug || !errors.Is(c.Err(), mcp.ErrLinkClosed) {
		t.Errorf("a level that could not be set: %v, %v", err, c.LogLevel())
	}
}

// TestClientDeclares: what a client says of itself, and what it can be asked for by the
// handlers that it has.
func TestClientDeclares(t *testing.T) {
	elicit := func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, nil }
	sample := func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) { return nil, nil }
	roots := func(context.Context) ([]mcp.Root, error) { return nil, nil }
	tests := []struct {
		name    string
		options *mcp.ClientOptions
		info    string
		want    string
	}{
		{"nothing", nil, "isthmus 0", `{}`},
		{"no name, but icons", &mcp.ClientOptions{Info: mcp.Implementation{Title: "T"}}, "isthmus 0", `{}`},
		{"a name", &mcp.ClientOptions{Info: mcp.Implementation{Name: "n", Version: "1"}}, "n 1", `{}`},
		{"a name alone", &mcp.ClientOptions{Info: mcp.Implementation{Name: "n"}}, "n 0", `{}`},
		{"elicitation", &mcp.ClientOptions{Elicit: elicit}, "isthmus 0", `{"elicitation":{"form":{}}}`},
		{"elicitation of pages", &mcp.ClientOptions{Elicit: elicit, ElicitURL: true}, "isthmus 0", `{"elicitation":{"form":{},"url":{}}}`},
		{"pages without a handler", &mcp.ClientOptions{ElicitURL: true, SampleTools: true, SampleContext: true}, "isthmus 0", `{}`},
		{"sampling", &mcp.ClientOptions{Sample: sample}, "isthmus 0", `{"sampling":{}}`},
		{"sampling with tools and context", &mcp.ClientOptions{Sample: sample, SampleTools: true, SampleContext: true}, "isthmus 0", `{"sampling":{"context":{},"tools":{}}}`},
		{"roots", &mcp.ClientOptions{Roots: roots}, "isthmus 0", `{"roots":{}}`},
		{"extensions", &mcp.ClientOptions{Extensions: map[string]jsonrpc.Raw{"a/b": jsonrpc.Raw(`{}`)}, Experimental: map[string]jsonrpc.Raw{"e": jsonrpc.Raw(`{"x":1}`)}}, "isthmus 0",
			`{"experimental":{"e":{"x":1}},"extensions":{"a/b":{}}}`},
	}
	for _, test := range tests {
		c := mcp.NewClient(test.options)
		same(t, test.name+": info", c.Info().String(), test.info)
		k := c.Capabilities()
		got, err := mcp.Append(nil, &k, form("2026-07-28"))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v\nwant %s", test.name, got, err, test.want)
		}
		if c.Logger() == nil {
			t.Errorf("%s: no logger", test.name)
		}
	}
}

// TestClientRequests: the params of each request, in the revision that is spoken, and what
// comes of its result.
func TestClientRequests(t *testing.T) {
	type names = map[string]string
	ctx := context.Background()
	tests := []struct {
		name   string
		call   func(c *mcp.Client) (any, error)
		answer string
		asked  string
		want   string
	}{
		{"resource", func(c *mcp.Client) (any, error) {
			r, err := c.ReadResource(ctx, "file:///a b", nil)
			return r.Contents[0].(*mcp.TextResource).Text, err
		}, `{"contents":[{"uri":"file:///a b","text":"t"}]}`, `resources/read {"uri":"file:///a b"}`, "t"},
		{"prompt", func(c *mcp.Client) (any, error) {
			r, err := c.GetPrompt(ctx, "p", names{"b": "2", "a": "\"1\""}, nil)
			return r.Description, err
		}, `{"description":"d","messages":[]}`, `prompts/get {"name":"p","arguments":{"a":"\"1\"","b":"2"}}`, "d"},
		{"prompt without arguments", func(c *mcp.Client) (any, error) {
			r, err := c.GetPrompt(ctx, "p", nil, nil)
			return len(r.Messages), err
		}, `{"messages":[]}`, `prompts/get {"name":"p"}`, "0"},
		{"completion", func(c *mcp.Client) (any, error) {
			r, err := c.Complete(ctx, &mcp.CompleteParams{Prompt: "p", Argument: "a", Value: "v", Context: names{"c": "d"}, Meta: mcp.Meta{"x": jsonrpc.Raw(`1`)}}, nil)
			return r.Values, err
		}, `{"completion":{"values":["v1","v2"]}}`,
			`completion/complete {"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"},"context":{"arguments":{"c":"d"}}}`, "[v1 v2]"},
		{"any", func(c *mcp.Client) (any, error) {
			r, err := c.Do(ctx, "x/y", jsonrpc.Raw(`{"n": 9007199254740993}`), nil)
			return string(r), err
		}, `{"n":9007199254740993}`, `x/y {"n":9007199254740993}`, `{"n":9007199254740993}`},
		{"any without params", func(c *mcp.Client) (any, error) { r, err := c.Do(ctx, "x/y", nil, nil); return string(r), err }, `{}`, `x/y`, `{}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			method, _, _ := strings.Cut(test.asked, " ")
			s := &scripted{answers: map[string][]string{method: {test.answer}}}
			got, err := test.call(meets(nil, s))
			if err != nil || fmt.Sprint(got) != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
			if !reflect.DeepEqual(s.asked, []string{test.asked}) {
				t.Errorf("asked\n got %q\nwant %q", s.asked, test.asked)
			}
		})
	}
}

// TestClientNotFound: a resource that is not there is one, whichever code the server has for that
// (B197; 2026-07-28 server/resources, Error Handling).
func TestClientNotFound(t *testing.T) {
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for code, want := range map[jsonrpc.Code]bool{-32002: true, -32602: f.Era == mcp.Modern, -32603: false, -32601: false, 0: false} {
			told := jsonrpc.Errorf(code, "Resource not found")
			c := talks(nil, &talker{form: f, call: func(context.Context, *mcp.ClientRequest) (jsonrpc.Raw, error) { return nil, told }})
			_, err := c.ReadResource(t.Context(), "file:///gone", nil)
			if errors.Is(err, mcp.ErrResourceNotFound) != want || !errors.Is(err, told) || err.Error() != told.Error() {
				t.Errorf("%d: got %v, want one that matches ErrResourceNotFound: %t", code, err, want)
			}
			if _, err := c.GetPrompt(t.Context(), "gone", nil, nil); errors.Is(err, mcp.ErrResourceNotFound) {
				t.Errorf("%d: the error of prompts/get is about a resource: %v", code, err)
			}
		}
	})
}

// TestClientCompletes: the arguments that are settled are told where the revision has them.
func TestClientCompletes(t *testing.T) {
	inForms(t, func(t *testing.T, f *mcp.Form) {
		var sent string
		c := talks(nil, &talker{form: f, call: func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
			sent = string(r.Params)
			return jsonrpc.Raw(`{"completion":{"values":[]}}`), nil
		}})
		in := &mcp.CompleteParams{URI: "file:///{a}/{b}", Argument: "b", Value: "v", Context: map[string]string{"a": "x"}}
		if _, err := c.Complete(t.Context(), in, nil); err != nil {
			t.Fatal(err)
		}
		want := `{"ref":{"type":"ref/resource","uri":"file:///{a}/{b}"},"argument":{"name":"b","value":"v"}`
		if f.Revision >= "2025-06-18" {
			want += `,"context":{"arguments":{"a":"x"}}`
		}
		if want += "}"; sent != want {
			t.Errorf("sent %s\nwant %s", sent, want)
		}
	})
}

// TestClientMeta: what a caller has for _meta is sent on one line, and not sent where its name or
// its value is none (2026-07-28 basic/index, _meta; basic/transports/stdio).
func TestClientMeta(t *testing.T) {
	tests := []struct{ name, key, value, want string }{
		{"plain", "com.example/a", `1`, `1`},
		{"lines", "com.example/a", "{\n\t\"b\": [1,\r\n2]}", `{"b":[1,2]}`},
		{"no prefix", "traceparent", `"00-0"`, `"00-0"`},
		{"no name behind the prefix", "com.example/", `{}`, `{}`},
		{"no JSON", "com.example/a", `{`, ""},
		{"two values", "com.example/a", `1 2`, ""},
		{"a space", "com example/a", `1`, ""},
		{"a label that is none", "com.-example/a", `1`, ""},
		{"two slashes", "a/b/c", `1`, ""},
		{"no name", "", `1`, ""},
		{"a sign at the end", "a-", `1`, ""},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			got, sent := "", false
			c := talks(nil, &talker{form: f, call: func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
				got, sent = string(r.Meta[test.key]), true
				return jsonrpc.Raw(`{"tools":[]}`), nil
			}})
			_, err := c.ListTools(t.Context(), nil, &mcp.CallOptions{Meta: mcp.Meta{test.key: jsonrpc.Raw(test.value)}})
			if (err == nil) != (test.want != "") || got != test.want || sent != (err == nil) || err != nil && !strings.Contains(err.Error(), "CallOptions.Meta") {
				t.Errorf("%s: %q: sent %q, %v, want %q", test.name, test.key, got, err, test.want)
			}
		}
	})
}

// TestClientDoMarks: a tool that is called by Do has its arguments in headers, too, and the tools
// listed anew where those were wrong (2026-07-28 basic/transports/streamable-http, Client Behavior).
func TestClientDoMarks(t *testing.T) {
	const list = `{"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}}],"ttlMs":0,"cacheScope":"public"}`
	for _, listed := range []string{"", "ListTools", "Do"} {
		var sent []string
		x := &talker{form: form("2026-07-28"), call: func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
			sent = append(sent, fmt.Sprintf("%s %d", r.Method, len(r.Marks)))
			switch {
			case r.Method == "tools/list":
				return jsonrpc.Raw(list), nil
			case len(r.Marks) == 0:
				return nil, jsonrpc.Errorf(-32020, "Header mismatch")
			}
			return jsonrpc.Raw(`{"resultType":"complete","content":[]}`), nil
		}}
		c, want := talks(nil, x), "[tools/list 0 tools/call 1]"
		var err error
		switch listed {
		case "ListTools":
			_, err = c.ListTools(t.Context(), nil, nil)
		case "Do":
			_, err = c.Do(t.Context(), "tools/list", nil, nil)
		default:
			want = "[tools/call 0 tools/list 0 tools/call 1]"
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(t.Context(), "tools/call", jsonrpc.Raw(`{"name":"t","arguments":{"a":"v"}}`), nil); err != nil || fmt.Sprint(sent) != want {
			t.Errorf("listed by %q: %v, sent %v, want %s", listed, err, sent, want)
		}
	}
}

// TestClientRefusesParams: what cannot be sent is not.
func TestClientRefusesParams(t *testing.T) {
	for _, params := range []string{`[]`, `1`, `{`, `{"a":1,"a":2}`, `{} {}`, `{"_meta":{}}`, `null`} {
		s := &scripted{}
		if _, err := meets(nil, s).Do(t.Context(), "x/y", jsonrpc.Raw(params), nil); err == nil || len(s.asked) > 0 {
			t.Errorf("%s: got %v, asked %q", params, err, s.asked)
		}
	}
}

// TestClientCallOptions: what the options say of a request reaches the exchange.
func TestClientCallOptions(t *testing.T) {
	tests := []struct {
		name    string
		options *mcp.ClientOptions
		call    *mcp.CallOptions
		want    string
	}{
		{"none", nil, nil, "meta 0, rounds 8, progress false"},
		{"meta", nil, &mcp.CallOptions{Meta: mcp.Meta{"a": jsonrpc.Raw(`1`)}}, "meta 1, rounds 8, progress false"},
		{"progress", nil, &mcp.CallOptions{Progress: func(mcp.ProgressParams) {}}, "meta 0, rounds 8, progress true"},
		{"rounds", &mcp.ClientOptions{MaxRounds: 3}, nil, "meta 0, rounds 3, progress false"},
		{"no rounds", &mcp.ClientOptions{MaxRounds: -1}, nil, "meta 0, rounds 0, progress false"},
	}
	for _, test := range tests {
		var got string
		c := talks(test.options, &talker{form: form("2025-11-25"), call: func(_ context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
			got = fmt.Sprintf("meta %d, rounds %d, progress %t", len(r.Meta), r.Rounds, r.Progress != nil)
			return jsonrpc.Raw(`{"content":[]}`), nil
		}})
		if _, err := c.CallTool(t.Context(), "t", nil, test.call); err != nil || got != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.name, got, err, test.want)
		}
	}
}

// TestClientCallCost: a call costs few allocations, so that with those of the exchange and
// the link it stays below fifteen.
func TestClientCallCost(t *testing.T) {
	answer := jsonrpc.Raw(`{"resultType":"complete","content":[{"type":"text","text":"hello"}]}`)
	c := talks(nil, &talker{form: form("2026-07-28"), call: func(context.Context, *mcp.ClientRequest) (jsonrpc.Raw, error) { return answer, nil }})
	var arguments any = jsonrpc.Raw(`{"text":"hello"}`)
	got := testing.AllocsPerRun(1000, func() {
		if _, err := c.CallTool(t.Context(), "echo", arguments, nil); err != nil {
			t.Fatal(err)
		}
	})
	if got > 9 {
		t.Errorf("a call allocates %v times, want 9 at the most", got)
	}
}

// BenchmarkClientCall is a call of a tool without a server: what the client itself costs.
func BenchmarkClientCall(b *testing.B) {
	answer := jsonrpc.Raw(`{"resultType":"complete","content":[{"type":"text","text":"hello"}]}`)
	c := talks(nil, &talker{form: form("2026-07-28"), call: func(context.Context, *mcp.ClientRequest) (jsonrpc.Raw, error) { return answer, nil }})
	arguments := jsonrpc.Raw(`{"text":"hello"}`)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.CallTool(ctx, "echo", arguments, nil); err != nil {
			b.Fatal(err)
		}
	}
}
