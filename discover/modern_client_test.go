package discover_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// modernClient is a client of a modern server, which is not probed.
func modernClient(t *testing.T, s *fakeServer, o *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	c, _, err := discover.Connect(t.Context(), s, &discover.ConnectOptions{
		Client: o, Era: mcp.Modern, Known: &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// What every request of a client without options has in its _meta.
const plainMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"isthmus","version":"0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}`

// TestModernParams: what a request carries (2026-07-28 basic/index, Per-request protocol
// fields).
func TestModernParams(t *testing.T) {
	noProgress := func(mcp.ProgressParams) {}
	tests := []struct {
		name   string
		params string // "" for none
		o      *mcp.CallOptions
		want   string
	}{
		{"no params", ``, nil, `{"_meta":{` + plainMeta + `}}`},
		{"empty params", `{}`, nil, `{"_meta":{` + plainMeta + `}}`},
		{"empty params with space", "{ \n }", nil, `{"_meta":{` + plainMeta + `}}`},
		{"params", `{"a":{"b":[1.0]},"c":"}"}`, nil, `{"_meta":{` + plainMeta + `},"a":{"b":[1.0]},"c":"}"}`},
		{"a token", `{"a":1}`, &mcp.CallOptions{Progress: noProgress}, `{"_meta":{` + plainMeta + `,"progressToken":1},"a":1}`},
		{"the caller's _meta", ``, &mcp.CallOptions{Meta: mcp.Meta{"traceparent": jsonrpc.Raw(`"00-0"`), "com.example/a": jsonrpc.Raw(`[1]`), "com.example/b": nil}},
			`{"_meta":{` + plainMeta + `,"com.example/a":[1],"traceparent":"00-0"}}`},
		{"the protocol's fields are not the caller's", ``, &mcp.CallOptions{Meta: mcp.Meta{mcp.MetaProtocolVersion: jsonrpc.Raw(`"1"`), mcp.MetaClientInfo: jsonrpc.Raw(`{}`),
			mcp.MetaClientCapabilities: jsonrpc.Raw(`{}`), mcp.MetaLogLevel: jsonrpc.Raw(`"debug"`), mcp.MetaProgressToken: jsonrpc.Raw(`7`)}}, `{"_meta":{` + plainMeta + `}}`},
	}
	for _, test := range tests {
		s := &fakeServer{t: t, answer: func(context.Context, sent) (string, error) { return `{}`, nil }}
		c := modernClient(t, s, nil)
		if _, err := c.Do(t.Context(), "example/do", jsonrpc.Raw(test.params)[:len(test.params):len(test.params)], test.o); err != nil && test.params != "" {
			t.Errorf("%s: %v", test.name, err)
		}
		if test.params == "" {
			s.all = nil
			if _, err := c.Do(t.Context(), "example/do", nil, test.o); err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
		}
		if got := s.all[0]; got.params != test.want || got.method != "example/do" || got.version != "2026-07-28" || got.quiet || got.open {
			t.Errorf("%s\n got %s of %+v\nwant %s", test.name, got.params, got, test.want)
		}
	}
}

// TestModernDeclares: what the client can be asked for stands in every request.
func TestModernDeclares(t *testing.T) {
	s := &fakeServer{t: t, answer: newServer}
	c := modernClient(t, s, &mcp.ClientOptions{
		Info:       mcp.Implementation{Name: "a", Version: "2", Title: "A"},
		Elicit:     func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, mcp.ErrDeclined },
		Roots:      func(context.Context) ([]mcp.Root, error) { return nil, nil },
		LogLevel:   mcp.LogWarning,
		Extensions: map[string]jsonrpc.Raw{"com.example/e": jsonrpc.Raw(`{"v":1}`)},
	})
	const before = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","title":"A","version":"2"},` +
		`"io.modelcontextprotocol/clientCapabilities":{"roots":{},"elicitation":{"form":{}},"extensions":{"com.example/e":{"v":1}}}`
	levels := []struct {
		set  func() error
		want string
	}{
		{func() error { return nil }, `,"io.modelcontextprotocol/logLevel":"warning"`},
		{func() error { return c.SetLogLevel(t.Context(), mcp.LogDebug) }, `,"io.modelcontextprotocol/logLevel":"debug"`},
		{func() error { return c.SetLogLevel(t.Context(), 0) }, ``},
	}
	for i, level := range levels {
		if err := level.set(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		if got, want := s.all[i].params, before+level.want+`}}`; got != want {
			t.Errorf("step %d\n got %s\nwant %s", i, got, want)
		}
	}
	if h := s.history(); h != "tools/list tools/list tools/list" {
		t.Errorf("got %s, want nothing beside the requests", h)
	}
}

// TestModernCannotDeclare: what cannot be sent is an error of Connect that says so.
func TestModernCannotDeclare(t *testing.T) {
	settings := func(name, value string) map[string]jsonrpc.Raw {
		return map[string]jsonrpc.Raw{name: jsonrpc.Raw(value)}
	}
	for want, o := range map[string]*mcp.ClientOptions{
		"the client's Info cannot be sent":                                                    {Info: mcp.Implementation{Name: "a", Version: "1", WebsiteURL: "no url"}},
		`the client's capabilities cannot be sent: the settings of extension "com.example/e"`: {Extensions: settings("com.example/e", `{`)},
		`the settings of extension "com.example/f" must be a JSON object`:                     {Extensions: settings("com.example/f", `[]`)},
		`extension "ui" must have a name with a prefix`:                                       {Extensions: settings("ui", `{}`)},
		`extension "com example/ui" must have a name with a prefix`:                           {Extensions: settings("com example/ui", `{}`)},
		`the settings of the experimental capability "e" must be a JSON object`:               {Experimental: settings("e", `true`)},
	} {
		s := &fakeServer{t: t, answer: newServer}
		_, _, err := discover.Connect(t.Context(), s, &discover.ConnectOptions{Client: o})
		if err == nil || !strings.Contains(err.Error(), want) || s.open() != 0 {
			t.Errorf("got %v with %d links open\nwant %s", err, s.open(), want)
		}
	}
}

// TestModernVersions: a version that the server does not take (2026-07-28 basic/versioning,
// Protocol Version Negotiation).
func TestModernVersions(t *testing.T) {
	const ours = `"2026-07-28"`
	tests := []struct {
		name, supported string
		times           int // how often it is refused
		sent            int
		want            string // the error
	}{
		{"once, with the very version", `["2026-07-28"]`, 1, 2, ""},
		{"for ever", `["2026-07-28"]`, 9, 2, `the server refuses version 2026-07-28, although it says that it supports "2026-07-28"`},
		{"another one", `["2030-01-01"]`, 9, 1, `the server supports "2030-01-01", and this client ` + ours},
		{"a legacy one", `["2025-11-25"]`, 9, 1, `leave the era and the version open`},
		{"many that are long", `["1","2","3","4","5","6","7","` + strings.Repeat("8", 99) + `","9"]`, 9, 1, `"7", "` + strings.Repeat("8", 32) + `…", …, and`},
		{"none", `[]`, 9, 1, `jsonrpc: error -32022: Unsupported protocol version`},
	}
	for _, test := range tests {
		n := 0
		s := &fakeServer{t: t, answer: func(ctx context.Context, m sent) (string, error) {
			if n++; n <= test.times {
				return "", failWith(-32022, "Unsupported protocol version", `{"supported":`+test.supported+`,"requested":`+ours+`}`)
			}
			return newServer(ctx, m)
		}}
		c := modernClient(t, s, nil)
		_, err := c.ListTools(t.Context(), nil, nil)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || jsonrpc.CodeOf(err) != -32022) {
			t.Errorf("%s: got the error %v\nwant %s", test.name, err, test.want)
		}
		if len(s.all) != test.sent {
			t.Errorf("%s: it was sent %d times, want %d", test.name, len(s.all), test.sent)
		}
	}
}

// TestModernOlderVersion: a server that knows an older revision alone is spoken to in that one,
// from the request on that it has refused.
func TestModernOlderVersion(t *testing.T) {
	s := &fakeServer{t: t, answer: func(ctx context.Context, m sent) (string, error) {
		if m.version != "2026-07-28" {
			return "", failWith(-32022, "Unsupported protocol version", `{"supported":["2026-07-28"],"requested":"2027-01-01"}`)
		}
		return newServer(ctx, m)
	}}
	c := mcp.NewClient(nil)
	link, err := s.Modern(t.Context(), nil, c.Logger())
	if err != nil {
		t.Fatal(err)
	}
	x, err := discover.NewerExchange(c, link, "2027-01-01")
	if err != nil {
		t.Fatal(err)
	}
	c.Attach(x)
	defer c.Close()
	for range 2 {
		if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
			t.Error(err)
		}
	}
	var versions []string
	for _, m := range s.all {
		versions = append(versions, m.version)
		if !strings.Contains(m.params, `"io.modelcontextprotocol/protocolVersion":"`+m.version+`"`) {
			t.Errorf("sent as %s: %s", m.version, m.params)
		}
	}
	if got, want := strings.Join(versions, " "), "2027-01-01 2026-07-28 2026-07-28"; got != want || c.ProtocolVersion() != "2026-07-28" {
		t.Errorf("sent in %s, and the client speaks %s, want %s", got, c.ProtocolVersion(), want)
	}
}

// TestModernResultTypes: 2026-07-28 basic/index, ResultType.
func TestModernResultTypes(t *testing.T) {
	extended := &mcp.ClientOptions{Extensions: map[string]jsonrpc.Raw{"com.example/e": jsonrpc.Raw(`{}`)}}
	tests := []struct {
		name, result string
		o            *mcp.ClientOptions
		want         string // the error
	}{
		{"complete", `{"resultType":"complete","a":1}`, nil, ""},
		{"complete, said last", `{"a":1,"resultType":"complete"}`, nil, ""},
		{"complete, escaped", `{"resultType":"\u0063omplete"}`, nil, ""},
		{"it does not say", `{"a":1}`, nil, ""},
		{"unknown", `{"resultType":"task"}`, nil, `the server's result of example/do has the resultType "task", which this client does not know`},
		{"unknown, with an extension", `{"resultType":"task"}`, extended, ""},
		{"no string", `{"resultType":7}`, extended, "is no object with a proper resultType"},
		{"no object", `[]`, nil, "is no object with a proper resultType"},
		{"input for a method that has none", `{"resultType":"input_required","requestState":"a"}`, extended, "asks for input before it answers example/do, which is not allowed"},
	}
	for _, test := range tests {
		s := &fakeServer{t: t, answer: func(context.Context, sent) (string, error) { return test.result, nil }}
		got, err := modernClient(t, s, test.o).Do(t.Context(), "example/do", nil, nil)
		if test.want == "" && (err != nil || string(got) != test.result) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %s\n got %s, %v\nwant the error %q", test.name, test.result, got, err, test.want)
		}
	}
}

// TestModernDiscover: what the server says of itself is asked for and kept.
func TestModernDiscover(t *testing.T) {
	s := &fakeServer{t: t, answer: newServer}
	c := modernClient(t, s, nil)
	if c.Server() != nil {
		t.Error("the server is known before it was asked")
	}
	d, err := c.Discover(t.Context())
	if err != nil || d.Capabilities.Tools == nil || c.Server() != d {
		t.Errorf("got %+v, %v, and the client keeps %+v", d, err, c.Server())
	}
	if err := c.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	s.answer = func(context.Context, sent) (string, error) { return `{"supportedVersions":7}`, nil }
	var malformed *mcp.Malformed
	if _, err := c.Discover(t.Context()); !errors.As(err, &malformed) || c.Server() != d {
		t.Errorf("an answer that cannot be read: got %v", err)
	}
	if h := s.history(); h != "server/discover server/discover server/discover" {
		t.Errorf("got %s", h)
	}
}

// TestModernNotify: notifications go as they are.
func TestModernNotify(t *testing.T) {
	s := &fakeServer{t: t, answer: newServer}
	c := modernClient(t, s, nil)
	for i, params := range []string{"", `{"a":1}`} {
		var raw jsonrpc.Raw
		if params != "" {
			raw = jsonrpc.Raw(params)
		}
		if err := c.Notify(t.Context(), "example/note", raw); err != nil || s.all[i].params != params || s.all[i].version != "2026-07-28" {
			t.Errorf("got %+v, %v, want %s", s.all[i], err, params)
		}
	}
}

// TestModernProgress: what is told of a request comes to it, in order, before it returns, and
// what is told of none to nobody.
func TestModernProgress(t *testing.T) {
	s := &fakeServer{t: t}
	var token string
	s.answer = func(_ context.Context, m sent) (string, error) {
		token = m.id.String()
		tell := func(token, rest string) {
			s.tell("notifications/progress", `{"progressToken":`+token+rest+`}`)
		}
		tell(token, `,"progress":1,"total":2,"message":"half"`)
		tell("99", `,"progress":1.5`)
		tell(`"`+token+`"`, `,"progress":1.6`)
		tell(token, ``)
		tell(token, `,"progress":2`)
		return `{"content":[]}`, nil
	}
	c := modernClient(t, s, nil)
	var got []string
	o := &mcp.CallOptions{Progress: func(p mcp.ProgressParams) {
		got = append(got, fmt.Sprintf("%v %t %s", p.Progress, p.Total != nil, p.Message))
	}}
	if _, err := c.CallTool(t.Context(), "a", nil, o); err != nil {
		t.Fatal(err)
	}
	if want := "1 true half|2 false "; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.tell("notifications/progress", `{"progressToken":`+token+`,"progress":3}`)
	if len(got) != 2 {
		t.Errorf("it was told after its end: %q", got)
	}
}

// TestModernHears: notifications that are about no request.
func TestModernHears(t *testing.T) {
	told := make(chan string, 9)
	s := &fakeServer{t: t, answer: newServer}
	modernClient(t, s, &mcp.ClientOptions{
		Log:     func(m *mcp.LogMessageParams) { told <- "log " + string(m.Data) },
		Changed: func(c mcp.Change) { told <- string(c.Kind) + c.URI },
		Notice:  func(method string, params jsonrpc.Raw) { told <- method + string(params) },
	})
	s.tell("notifications/message", `{"level":"info","data":"a"}`)
	s.tell("notifications/tools/list_changed", `{}`)
	s.tell("notifications/resources/updated", `{"uri":"file:///a","_meta":{"io.modelcontextprotocol/subscriptionId":77}}`)
	s.tell("notifications/cancelled", `{"requestId":1}`)
	s.tell("notifications/subscriptions/acknowledged", `{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":77}}`)
	s.tell("example/note", `{"a":1}`)
	for _, want := range []string{`log "a"`, "notifications/tools/list_changed", "notifications/resources/updatedfile:///a", `example/note{"a":1}`} {
		if got := <-told; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestModernIsNotAsked: a request of the server's is not answered, since a client of this era
// sends no responses (2026-07-28 basic/transports/stdio, Sending Messages).
func TestModernIsNotAsked(t *testing.T) {
	s := &fakeServer{t: t, answer: newServer}
	modernClient(t, s, nil)
	peer := &cancelling{}
	_, err := s.handler.Request(t.Context(), scan(t, `{"jsonrpc":"2.0","id":"x","method":"roots/list"}`), peer, nil)
	if peer.cancelled != `"x"` || err == nil {
		t.Errorf("got %v, and cancelled %s", err, peer.cancelled)
	}
}

// cancelling is a peer that notes what is cancelled.
type cancelling struct {
	jsonrpc.Peer
	cancelled string
}

func (c *cancelling) Cancel(id jsonrpc.ID) { c.cancelled = id.String() }
