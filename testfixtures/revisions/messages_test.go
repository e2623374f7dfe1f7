package revisions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/transcripts"
)

// exchange is a message of a server, with the revision in which it was said and the
// request that it answers.
type exchange struct {
	where    string
	revision string
	method   string // of the request, "" when it has none that can be read
	request  string
	message  string
}

// call is what is looked at in a request.
type call struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}

// modern reports whether the request says that it is.
func (c call) modern() bool {
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	return json.Unmarshal(c.Params, &params) == nil && params.Meta["io.modelcontextprotocol/protocolVersion"] != nil
}

// answer is what is looked at in a message of a server.
type answer struct {
	ID     json.RawMessage
	Method string
	Result struct {
		ProtocolVersion string
	}
	Error json.RawMessage
}

// pair finds the exchanges among the lines of one connection, each answer anywhere
// behind its request. session is the revision of what does not say its own: that which
// is negotiated before the first line, or "" where one of the lines does that.
func pair(t *testing.T, where, session string, lines []transcripts.Entry) []exchange {
	var all []exchange
	requests := map[string]exchange{} // by id, the last one with it
	receive := func(text string) {
		var a answer
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%s: %v: %s", where, err, text)
		}
		x := requests[string(a.ID)]
		if a.Method != "" {
			x.revision = session
		}
		if x.method == "initialize" && a.Result.ProtocolVersion != "" {
			session = a.Result.ProtocolVersion
			x.revision = session
		}
		if a.ID == nil && a.Error != nil && x.revision < "2025-11-25" {
			// Up to 2025-06-18 the schema has no error without an id, although JSON-RPC
			// knows requests whose id cannot be read. 2025-11-25 has repaired it.
			x.revision = "2025-11-25"
		}
		x.where, x.message = where, text
		all = append(all, x)
	}
	for _, e := range lines {
		for _, text := range elements(e.Text) {
			switch e.Kind {
			case transcripts.Received:
				receive(text)
			case transcripts.Sent:
				var c call
				if json.Unmarshal([]byte(text), &c) != nil || c.ID == nil {
					continue
				}
				x := exchange{revision: session, method: c.Method, request: text}
				if c.modern() {
					x.revision = "2026-07-28"
				} else if session == "" {
					x.revision = "2025-11-25" // of no era: the newest that has no _meta
				}
				requests[string(c.ID)] = x
			}
		}
	}
	return all
}

// elements takes a batch apart.
func elements(line string) []string {
	var batch []json.RawMessage
	if json.Unmarshal([]byte(line), &batch) != nil {
		return []string{line}
	}
	var all []string
	for _, e := range batch {
		all = append(all, string(e))
	}
	return all
}

// fixtureMessages are the exchanges of all transcripts.
func fixtureMessages(t *testing.T) []exchange {
	t.Helper()
	recorded, err := transcripts.All()
	if err != nil {
		t.Fatal(err)
	}
	var all []exchange
	for _, tr := range recorded {
		all = append(all, pair(t, tr.Name, "", tr.Entries)...)
	}
	return all
}

func pointer[T any](v T) *T { return &v }

// richServer says all that the vocabulary can say, and more than most revisions can.
func richServer() *mcp.Server {
	hints := &mcp.Annotations{Audience: []string{"user", "assistant"}, Priority: pointer(0.5), LastModified: time.Unix(0, 0)}
	meta := mcp.Meta{"example.com/m": jsonrpc.Raw(`{"deep":[1,2.5,null]}`)}
	icons := []mcp.Icon{{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}, {Src: "data:,"}}
	object := jsonrpc.Raw(`{"type":"object","properties":{"a":{"type":"integer"},"b":true},"required":["a"]}`)
	s := mcp.NewServer("rich", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Title: "Rich", Description: "All of it.",
		WebsiteURL: "https://example.com", Icons: icons, Instructions: "Use it.", Cache: mcp.CacheHint{TTL: time.Minute, Public: true},
		Experimental: map[string]jsonrpc.Raw{"e": jsonrpc.Raw(`{"x":1}`)}, Extensions: map[string]jsonrpc.Raw{"example.com/x": jsonrpc.Raw(`{}`)}})
	text, blob := &mcp.TextResource{URI: "rich:text", MIMEType: "text/plain", Text: "", Meta: meta}, &mcp.BlobResource{URI: "rich:blob", Blob: []byte{0xff}, Meta: meta}
	resource := mcp.Resource{URI: "rich:all", Name: "all", Title: "All", Description: "Is.", MIMEType: "text/plain",
		Size: pointer(int64(1)), Annotations: hints, Icons: icons, Meta: meta}
	contents := []mcp.Content{
		&mcp.TextContent{Text: "t", Annotations: hints, Meta: meta},
		&mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png", Annotations: hints, Meta: meta},
		&mcp.AudioContent{Data: []byte{1}, MIMEType: "audio/wav", Annotations: hints, Meta: meta},
		&mcp.ResourceLink{Resource: resource},
		&mcp.EmbeddedResource{Contents: text, Annotations: hints, Meta: meta},
		&mcp.EmbeddedResource{Contents: blob},
	}
	for name, structured := range map[string]string{"object": `{"a":1}`, "array": `[1]`, "number": `1.5`} {
		s.AddTool(mcp.Tool{Name: name, Title: "T", Description: "Does.", InputSchema: object, Icons: icons, Meta: meta,
			OutputSchema: jsonrpc.Raw(`{"type":"` + name + `"}`),
			Annotations:  &mcp.ToolAnnotations{Title: "T", ReadOnlyHint: pointer(true), DestructiveHint: pointer(false), IdempotentHint: pointer(true), OpenWorldHint: pointer(false)},
		}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Progress(0.5, 1, "half")
			return &mcp.Result{Content: contents, Structured: jsonrpc.Raw(structured), IsError: name == "number", Meta: meta}, nil
		})
	}
	read := func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{text, blob}, nil
	}
	s.AddResource(resource, read)
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "rich:t/{x}", Name: "t", Title: "T", Description: "Are.",
		MIMEType: "text/plain", Annotations: hints, Icons: icons, Meta: meta}, read)
	return s
}

// richMessages are the exchanges of richServer with a client of each revision.
func richMessages(t *testing.T) []exchange {
	t.Helper()
	requests := []string{`"tools/list"`, `"resources/list"`, `"resources/templates/list"`, `"resources/read","params":{"uri":"rich:all"}`,
		`"resources/read","params":{"uri":"rich:t/1"}`, `"resources/read","params":{"uri":"rich:none"}`, `"nope"`, `"ping"`, `"server/discover"`,
		`"tools/call","params":{"name":"nope"}`, `"tools/call","params":{"name":"object","_meta":{"progressToken":"p"}}`,
		`"tools/call","params":{"name":"array","_meta":{"progressToken":7}}`, `"tools/call","params":{"name":"number"}`}
	var all []exchange
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		meta := `"io.modelcontextprotocol/protocolVersion":"` + revision + `","io.modelcontextprotocol/clientCapabilities":{}`
		lines := []transcripts.Entry{{Kind: transcripts.Sent, Text: `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"` +
			revision + `","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`}}
		if revision == "2026-07-28" {
			lines = nil
		}
		for i, r := range requests {
			text := `{"jsonrpc":"2.0","id":` + string(jsonrpc.AppendInt(nil, int64(i))) + `,"method":` + r + `}`
			if revision == "2026-07-28" {
				switch {
				case strings.Contains(text, `"_meta":{`):
					text = strings.Replace(text, `"_meta":{`, `"_meta":{`+meta+`,`, 1)
				case strings.Contains(text, `"params":{`):
					text = strings.Replace(text, `"params":{`, `"params":{"_meta":{`+meta+`},`, 1)
				default:
					text = strings.TrimSuffix(text, "}") + `,"params":{"_meta":{` + meta + `}}}`
				}
			}
			lines = append(lines, transcripts.Entry{Kind: transcripts.Sent, Text: text})
		}
		all = append(all, pair(t, "rich in "+revision, revision, append(lines, serve(t, richServer(), lines)...))...)
	}
	return all
}

// stream is a connection whose input is there as a whole.
type stream struct {
	io.Reader
	bytes.Buffer
}

func (s *stream) Read(p []byte) (int, error) { return s.Reader.Read(p) }
func (s *stream) Close() error               { return nil }

// serve returns what a server has to say to some lines.
func serve(t *testing.T, s *mcp.Server, lines []transcripts.Entry) []transcripts.Entry {
	t.Helper()
	var input strings.Builder
	for _, line := range lines {
		input.WriteString(line.Text + "\n")
	}
	end := &stream{Reader: strings.NewReader(input.String())}
	if err := stdio.ServeStream(context.Background(), end, s, nil); err != nil {
		t.Fatal(err)
	}
	var received []transcripts.Entry
	for line := range strings.Lines(end.String()) {
		received = append(received, transcripts.Entry{Kind: transcripts.Received, Text: strings.TrimSuffix(line, "\n")})
	}
	return received
}
