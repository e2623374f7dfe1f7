package legacy_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// versions are the revisions of this era, newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// client is one session and the peer of its requests.
type client struct {
	*legacy.Session
	t testing.TB

	mu    sync.Mutex
	notes []string
}

func dial(t testing.TB, s *mcp.Server) *client {
	return &client{Session: legacy.NewSession(s, nil), t: t}
}

func (c *client) AllowBatch() *jsonrpc.Error       { return nil }
func (c *client) Label(*jsonrpc.Message) slog.Attr { return slog.Attr{} }
func (c *client) Cancel(jsonrpc.ID)                {}
func (c *client) Ending() <-chan struct{}          { return nil }

func (c *client) Call(context.Context, string, []byte) (jsonrpc.Raw, error) {
	return nil, jsonrpc.ErrClosed
}

func (c *client) Notify(method string, params []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, method+" "+string(params))
	return nil
}

// sent returns the notifications so far, on lines of their own.
func (c *client) sent() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.notes, "\n")
}

// ask has a request answered; rest is what stands behind the method: "" or
// `,"params":…`. The answer is the result, or code, message and data of the error.
// The bytes of the request are destroyed afterwards: nobody may have kept a span.
func (c *client) ask(method, rest string) string {
	c.t.Helper()
	return c.answer(method, rest, false)
}

func (c *client) answer(method, rest string, batched bool) string {
	c.t.Helper()
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"` + rest + `}`)
	scanner := jsonrpc.Scanner{Inner: []string{"_meta", "arguments"}}
	var m jsonrpc.Message
	if e := scanner.Scan(line, &m); e != nil {
		return fmt.Sprintf("refused by the scanner: %v", e)
	}
	m.Batched = batched
	out, told := jsonrpc.Invoke(context.Background(), c, &m, c, nil, slog.New(slog.DiscardHandler))
	for i := range line {
		line[i] = '#'
	}
	switch {
	case told != nil && told.Data != nil:
		return fmt.Sprintf("%d %s %s", told.Code, told.Message, told.Data)
	case told != nil:
		return fmt.Sprintf("%d %s", told.Code, told.Message)
	case !scanner.Valid(out):
		c.t.Errorf("%s%s: not JSON: %s", method, rest, out)
	}
	return string(out)
}

// open asks for a version and returns the answer.
func (c *client) open(version string) string {
	c.t.Helper()
	return c.ask("initialize", `,"params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"0"}}`)
}

// same fails the test unless got is want.
func same(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}

func pointer[T any](v T) *T { return &v }

// server has one of everything, so that what a revision leaves out can be seen.
func server() *mcp.Server {
	annotations := &mcp.Annotations{Audience: []string{"user"}, LastModified: someday}
	meta := mcp.Meta{"m": jsonrpc.Raw(`1`)}
	icons := []mcp.Icon{{Src: "data:,"}}
	s := mcp.NewServer("all", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Title: "All",
		Description: "Has it.", WebsiteURL: "https://example.com", Icons: icons, Instructions: "Use it.",
		Extensions: map[string]jsonrpc.Raw{"a/b": jsonrpc.Raw(`{}`)}, Experimental: map[string]jsonrpc.Raw{"e": jsonrpc.Raw(`{}`)}})
	s.AddTool(mcp.Tool{Name: "object", Title: "Object", Meta: meta, Icons: icons, OutputSchema: jsonrpc.Raw(`{"type":"object"}`),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: pointer(false)}}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Progress(1, 2, "half")
		return &mcp.Result{Structured: jsonrpc.Raw(`{"o":1}`), Content: []mcp.Content{
			&mcp.AudioContent{MIMEType: "audio/wav"},
			&mcp.ResourceLink{Resource: mcp.Resource{URI: "a:l", Name: "l"}},
			&mcp.TextContent{Text: c.ProtocolVersion() + " " + c.ClientInfo().String(), Annotations: annotations, Meta: meta},
		}}, nil
	})
	s.AddTool(mcp.Tool{Name: "array", OutputSchema: jsonrpc.Raw(`{"type":"array"}`)}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return &mcp.Result{Structured: jsonrpc.Raw(`[1]`), Meta: mcp.Meta{"r": jsonrpc.Raw(`2`)}}, nil
	})
	s.AddResource(mcp.Resource{URI: "a:b", Name: "n", Size: pointer(int64(1)), Annotations: annotations}, func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{&mcp.TextResource{URI: "a:b", Text: "x", Meta: meta}}, nil
	})
	return s
}

// versionsFrom returns the revisions from one on; none for "never".
func versionsFrom(first string) []string {
	i := slices.Index(versions, first)
	return versions[:i+1]
}
