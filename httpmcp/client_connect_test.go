package httpmcp_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// connectModern connects a client of the modern era, until the end of the test.
func connectModern(t *testing.T, url string, o *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	c, verdict, err := discover.Connect(t.Context(), httpmcp.Dial(url, nil), &discover.ConnectOptions{Client: o, Era: mcp.Modern})
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Version != "2026-07-28" {
		t.Errorf("verdict %+v", verdict)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// mock is a modern server that answers by the method, and holds each request to the rules for
// headers.
type mock struct {
	t       *testing.T
	results map[string]string // by method, or by method and name: "tools/call echo"
	refuse  int               // so many requests are answered with -32022 first

	mu   sync.Mutex
	seen []*http.Request
	said []message
}

// message is what a mock has been sent.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name, URI string
		Arguments map[string]any
		Meta      map[string]json.RawMessage `json:"_meta"`
	}
}

func (s *mock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var m message
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil || r.Method != "POST" {
		s.t.Errorf("%s %s %v", r.Method, body, err)
		w.WriteHeader(400)
		return
	}
	if told := httpmcp.CheckOwn(r.Header, string(body), nil); told != nil {
		s.t.Errorf("%s: %s", m.Method, told.Message)
	}
	s.seen, s.said = append(s.seen, r), append(s.said, m)
	if s.refuse > 0 {
		s.refuse--
		write(w, 400, plainKind, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":%s}}}`,
			m.ID, m.Params.Meta["io.modelcontextprotocol/protocolVersion"]))
		return
	}
	result, ok := s.results[strings.TrimSpace(m.Method+" "+m.Params.Name+m.Params.URI)]
	if !ok {
		result, ok = s.results[m.Method]
	}
	if !ok {
		write(w, 404, plainKind, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":{"code":-32601,"message":"Method not found"}}`)
		return
	}
	write(w, 200, plainKind, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"resultType":"complete",`+result+`}}`)
}

const discovered = `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{}},"ttlMs":0,"cacheScope":"public"`

// TestRequestMetadata: every POST says who asks and in which revision, also behind a refusal of the
// first.
func TestRequestMetadata(t *testing.T) {
	s := &mock{t: t, refuse: 1, results: map[string]string{
		"server/discover": discovered,
		"tools/list":      `"tools":[{"name":"a","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"`,
		"tools/call":      `"content":[]`,
	}}
	c := connectModern(t, scripted(t, s.ServeHTTP), &mcp.ClientOptions{Info: mcp.Implementation{Name: "me", Version: "7"}})
	if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
		t.Error(err)
	}
	if _, err := c.CallTool(t.Context(), "a", nil, nil); err != nil {
		t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var methods []string
	for i, m := range s.said {
		methods = append(methods, m.Method)
		if version := s.seen[i].Header.Get("MCP-Protocol-Version"); version != "2026-07-28" ||
			string(m.Params.Meta["io.modelcontextprotocol/protocolVersion"]) != `"2026-07-28"` ||
			!strings.Contains(string(m.Params.Meta["io.modelcontextprotocol/clientInfo"]), `"me"`) ||
			string(m.Params.Meta["io.modelcontextprotocol/clientCapabilities"]) != `{}` {
			t.Errorf("%s: version %s, _meta %s", m.Method, version, m.Params.Meta)
		}
	}
	if want := []string{"server/discover", "server/discover", "tools/list", "tools/call"}; !slices.Equal(methods, want) {
		t.Errorf("requests %q, want %q", methods, want)
	}
}

// TestStandardHeadersOfClient: Mcp-Method beside each request, and Mcp-Name beside those that have one.
func TestStandardHeadersOfClient(t *testing.T) {
	s := &mock{t: t, results: map[string]string{
		"server/discover": discovered, "tools/list": `"tools":[]`, "prompts/list": `"prompts":[]`, "resources/list": `"resources":[]`,
		"tools/call": `"content":[]`, "prompts/get": `"messages":[]`, "resources/read": `"contents":[]`,
	}}
	c := connectModern(t, scripted(t, s.ServeHTTP), nil)
	ctx := t.Context()
	steps := []struct {
		method, name string
		do           func() error
	}{
		{"server/discover", "", func() error { return nil }},
		{"tools/list", "", func() error { _, err := c.ListTools(ctx, nil, nil); return err }},
		{"tools/call", "my-hyphenated-tool", func() error { _, err := c.CallTool(ctx, "my-hyphenated-tool", nil, nil); return err }},
		{"tools/call", "wörter", func() error { _, err := c.CallTool(ctx, "wörter", nil, nil); return err }},
		{"resources/list", "", func() error { _, err := c.ListResources(ctx, nil, nil); return err }},
		{"resources/read", "file:///path/to/file%20name.txt", func() error { _, err := c.ReadResource(ctx, "file:///path/to/file%20name.txt", nil); return err }},
		{"resources/read", "https://example.com/resource?id=123", func() error {
			_, err := c.ReadResource(ctx, "https://example.com/resource?id=123", nil)
			return err
		}},
		{"prompts/list", "", func() error { _, err := c.ListPrompts(ctx, nil, nil); return err }},
		{"prompts/get", "test_prompt", func() error { _, err := c.GetPrompt(ctx, "test_prompt", nil, nil); return err }},
	}
	for i, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(step.method, err)
		}
		h := s.seen[i].Header
		name, _ := httpmcp.Decode(h.Get("Mcp-Name"))
		if _, stands := h["Mcp-Name"]; h.Get("Mcp-Method") != step.method || name != step.name || stands != (step.name != "") {
			t.Errorf("%s %s: headers %q %q", step.method, step.name, h["Mcp-Method"], h["Mcp-Name"])
		}
	}
}

// TestCustomHeadersOfClient: the marked arguments of a call come as headers, as the list has marked them.
func TestCustomHeadersOfClient(t *testing.T) {
	schema := `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"priority":{"type":"integer","x-mcp-header":"Priority"},` +
		`"verbose":{"type":"boolean","x-mcp-header":"Verbose"},"empty":{"type":"string","x-mcp-header":"EmptyVal"},"method":{"type":"string","x-mcp-header":"Method"},` +
		`"text":{"type":"string","x-mcp-header":"NonAscii"},"tab":{"type":"string","x-mcp-header":"Tab"},"none":{"type":"string","x-mcp-header":"None"},` +
		`"float_val":{"type":"number"},"query":{"type":"string"}}}`
	s := &mock{t: t, results: map[string]string{
		"server/discover": discovered,
		"tools/list":      `"tools":[{"name":"marked","inputSchema":` + schema + `}],"ttlMs":300000,"cacheScope":"public"`,
		"tools/call":      `"content":[]`,
	}}
	c := connectModern(t, scripted(t, s.ServeHTTP), nil)
	if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	arguments := jsonrpc.Raw(`{"region":"us-west1","priority":1e2,"verbose":false,"empty":"","method":"tools/list","text":"日本","tab":"a\tb","none":null,"float_val":1.5,"query":"q"}`)
	if _, err := c.CallTool(t.Context(), "marked", arguments, nil); err != nil {
		t.Fatal(err)
	}
	h := s.seen[len(s.seen)-1].Header
	want := map[string]string{"Region": "us-west1", "Priority": "100", "Verbose": "false", "Emptyval": "", "Method": "tools/list",
		"Nonascii": "=?base64?" + base64.StdEncoding.EncodeToString([]byte("日本")) + "?=", "Tab": "=?base64?YQli?="}
	for name, values := range h {
		rest, ok := strings.CutPrefix(name, "Mcp-Param-")
		if !ok {
			continue
		}
		if value, known := want[rest]; !known || len(values) != 1 || values[0] != value {
			t.Errorf("%s: %q, want %q", name, values, value)
		}
		delete(want, rest)
	}
	if len(want) > 0 {
		t.Errorf("missing: %q", want)
	}
}

// TestInvalidToolHeaders: tools whose marks break the rules are left out with a warning, and the others
// stay (B146).
func TestInvalidToolHeaders(t *testing.T) {
	invalid := []string{
		`{"type":"string","x-mcp-header":""}`, `{"type":"object","x-mcp-header":"A"}`, `{"type":"array","x-mcp-header":"A"}`,
		`{"type":"null","x-mcp-header":"A"}`, `{"type":"number","x-mcp-header":"A"}`, `{"type":"string","x-mcp-header":"B"}`,
		`{"type":"string","x-mcp-header":"b"}`, `{"type":"string","x-mcp-header":"Bad Name"}`, `{"type":"string","x-mcp-header":"a:b"}`,
		`{"type":"string","x-mcp-header":"ü"}`, `{"type":"string","x-mcp-header":"a\tb"}`, `{"type":"string","x-mcp-header":7}`,
		`{"type":"array","items":{"type":"string","x-mcp-header":"A"}}`, `{"anyOf":[{"type":"string","x-mcp-header":"A"}]}`,
	}
	var tools strings.Builder
	for i, schema := range invalid {
		fmt.Fprintf(&tools, `{"name":"bad%d","inputSchema":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"B"},"a":%s}}},`, i, schema)
	}
	s := &mock{t: t, results: map[string]string{
		"server/discover": discovered,
		"tools/list":      `"tools":[` + tools.String() + `{"name":"valid_tool","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}],"ttlMs":0,"cacheScope":"public"`,
		"tools/call":      `"content":[]`,
	}}
	var log bytes.Buffer
	c := connectModern(t, scripted(t, s.ServeHTTP), &mcp.ClientOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	var names []string
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"valid_tool"}) {
		t.Errorf("tools %q are listed", names)
	}
	for i := range invalid {
		if !strings.Contains(log.String(), "tool=bad"+strconv.Itoa(i)) {
			t.Errorf("no warning of %s in\n%s", invalid[i], log.String())
		}
	}
	if _, err := c.CallTool(t.Context(), "valid_tool", map[string]string{"region": "x"}, nil); err != nil {
		t.Error(err)
	}
	if got := s.seen[len(s.seen)-1].Header["Mcp-Param-Region"]; !slices.Equal(got, []string{"x"}) {
		t.Errorf("Mcp-Param-Region %q", got)
	}
}

// TestMismatchRetried: a tool whose marks have changed since it was listed is listed anew, and called once
// more.
func TestMismatchRetried(t *testing.T) {
	s, runs := markedServer(t)
	url, _ := serve(t, s, nil)
	c := connectModern(t, url+"/", nil)
	arguments := map[string]any{"region": "ü", "count": 42}
	if _, err := c.CallTool(t.Context(), "marked", arguments, nil); err != nil {
		t.Error("a tool that was never listed:", err)
	}
	if n := runs.Load(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
		t.Error(err)
	}
	if _, err := c.CallTool(t.Context(), "marked", arguments, nil); err != nil {
		t.Error("a tool that was listed:", err)
	}
}

// TestConnectToEndpoint: a client finds the modern era of an endpoint, and is told progress and changes.
func TestConnectToEndpoint(t *testing.T) {
	s := toolServer(t)
	url, _ := serve(t, s, nil)
	c, verdict, err := discover.Connect(t.Context(), httpmcp.Dial(url+"/", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if verdict.Era != mcp.Modern {
		t.Errorf("verdict %+v", verdict)
	}
	var told []float64
	result, err := c.CallTool(t.Context(), "progress", map[string]string{"text": "x"}, &mcp.CallOptions{Progress: func(p mcp.ProgressParams) { told = append(told, p.Progress) }})
	if err != nil || len(result.Content) != 1 || !slices.Equal(told, []float64{1}) {
		t.Errorf("result %+v, error %v, progress %v", result, err, told)
	}
	sub, err := c.Listen(t.Context(), &mcp.Filter{ToolsListChanged: true})
	if err != nil {
		t.Fatal(err)
	}
	s.RemoveTool("fail")
	for change := range sub.All() {
		if change.Kind != mcp.ToolsListChanged {
			t.Errorf("change %+v", change)
		}
		break
	}
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
}

// TestLinksTrace: the debug log has every message, of both eras.
func TestLinksTrace(t *testing.T) {
	url, _ := serve(t, toolServer(t), nil)
	for _, era := range []mcp.Eras{mcp.Modern, mcp.Legacy} {
		log := &syncedBuffer{}
		c, _, err := discover.Connect(t.Context(), httpmcp.Dial(url+"/", nil), &discover.ConnectOptions{Era: era,
			Client: &mcp.ClientOptions{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "echo", map[string]string{"text": "hello"}, nil); err != nil {
			t.Error(err)
		}
		c.Close()
		name := map[mcp.Eras]string{mcp.Modern: "modern", mcp.Legacy: "legacy"}[era]
		for _, dir := range []string{"out", "in"} {
			found := false
			for line := range strings.Lines(log.String()) {
				found = found || strings.Contains(line, "era="+name) && strings.Contains(line, "msg=message") && strings.Contains(line, "direction="+dir) && strings.Contains(line, "hello")
			}
			if !found {
				t.Errorf("%s: no message %s in\n%s", name, dir, log.String())
			}
		}
	}
}

// syncedBuffer is a buffer for several goroutines.
type syncedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
