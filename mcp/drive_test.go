package mcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"sync"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// methods are those that every revision has.
var methods = []string{"tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
	"prompts/list", "prompts/get", "completion/complete",
	"resources/subscribe", "resources/unsubscribe", "subscriptions/listen"}

// forms are the five revisions, oldest first, as their changelogs have them. The
// tests keep their own copy: the tables that are served are those of the rooms to
// the right.
var forms = []*mcp.Form{
	{Revision: "2024-11-05", Era: mcp.Legacy, Methods: methods, ResourceNotFound: -32002, RootsListChanged: true},
	{Revision: "2025-03-26", Era: mcp.Legacy, Methods: methods, ResourceNotFound: -32002, RootsListChanged: true, ToolAnnotations: true, Audio: true, ProgressMessage: true,
		Completions: true},
	{Revision: "2025-06-18", Era: mcp.Legacy, Methods: methods, ResourceNotFound: -32002, RootsListChanged: true, ToolAnnotations: true, Audio: true, ProgressMessage: true,
		Title: true, Meta: true, LastModified: true, ResourceLink: true, StructuredObject: true, Completions: true, CompletionContext: true,
		Elicitation: true},
	{Revision: "2025-11-25", Era: mcp.Legacy, Methods: methods, ResourceNotFound: -32002, RootsListChanged: true, ToolAnnotations: true, Audio: true, ProgressMessage: true,
		Title: true, Meta: true, LastModified: true, ResourceLink: true, StructuredObject: true, Icons: true,
		Completions: true, CompletionContext: true,
		Elicitation: true, ElicitationModes: true, ElicitationID: true, FormDialect: true, FormDefaults: true, FormChoices: true, SamplingTools: true},
	{Revision: "2026-07-28", Era: mcp.Modern, Methods: methods, ResourceNotFound: -32602, ToolAnnotations: true, Audio: true, ProgressMessage: true,
		Title: true, Meta: true, LastModified: true, ResourceLink: true, StructuredObject: true, Icons: true,
		Completions: true, CompletionContext: true, StructuredAny: true, BooleanSchemas: true, HeaderParams: true, Extensions: true, ResultType: true, CacheHints: true, ServerInfo: true,
		Elicitation: true, ElicitationModes: true, FormDialect: true, FormDefaults: true, FormChoices: true, SamplingTools: true,
		MissingCapability: -32021, Codes: mcp.CodePolicy{Replaced: map[jsonrpc.Code]jsonrpc.Code{-32002: -32602},
			Lowest: -32099, Highest: -32020, Defined: map[jsonrpc.Code]string{-32021: "requiredCapabilities"}}},
}

// form returns the form of a revision.
func form(revision string) *mcp.Form {
	i := slices.IndexFunc(forms, func(f *mcp.Form) bool { return f.Revision == revision })
	return forms[i]
}

// inForms runs f as a subtest in each revision.
func inForms(t *testing.T, f func(t *testing.T, form *mcp.Form)) {
	for _, form := range forms {
		t.Run(form.Revision, func(t *testing.T) { f(t, form) })
	}
}

// quiet is a server without a log.
func quiet(o mcp.ServerOptions) *mcp.Server {
	o.Logger = slog.New(slog.DiscardHandler)
	return mcp.NewServer("test-server", "1.2.3", &o)
}

// exchange makes a server a handler in one form, and is the peer of its requests.
type exchange struct {
	server             *mcp.Server
	form               *mcp.Form
	info, capabilities jsonrpc.Raw
	log                *slog.Logger
	principal          *mcp.Principal
	level              mcp.LogLevel
	session            *mcp.SessionLevel
	headers            map[string][]string
	asker              mcp.Asker

	mu    sync.Mutex
	notes []string // method and params of what was sent meanwhile
	err   error    // of Notify
}

func (x *exchange) Request(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	return x.server.Answer(ctx, &mcp.Request{Message: m, Peer: p, Form: x.form, Client: declared{x},
		Principal: x.principal, LogLevel: x.level, SessionLevel: x.session, Headers: x.headers, Asker: x.asker}, dst)
}

// declared is the client of an exchange.
type declared struct{ x *exchange }

func (d declared) Info() jsonrpc.Raw         { return d.x.info }
func (d declared) Capabilities() jsonrpc.Raw { return d.x.capabilities }

func (x *exchange) Notification(context.Context, *jsonrpc.Message, jsonrpc.Peer) {}
func (x *exchange) AllowBatch() *jsonrpc.Error                                   { return nil }
func (x *exchange) Label(*jsonrpc.Message) slog.Attr                             { return slog.Attr{} }

func (x *exchange) Notify(method string, params []byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.notes = append(x.notes, method+" "+string(params))
	return x.err
}

func (x *exchange) Call(context.Context, string, []byte) (jsonrpc.Raw, error) {
	return nil, jsonrpc.ErrClosed
}

func (x *exchange) Cancel(jsonrpc.ID) {}

func (x *exchange) Ending() <-chan struct{} { return nil }

// sent returns the notifications so far.
func (x *exchange) sent() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.notes)
}

var internal = regexp.MustCompile(`^Internal error \(correlation id [0-9a-z]+\)$`)

// ask has a request answered. It returns the result, or the code, message and data
// of the error with a space between them. What an internal error hides must be
// hidden: its message is checked and cut to its first two words.
func (x *exchange) ask(t testing.TB, ctx context.Context, method, params string) string {
	t.Helper()
	line := `{"jsonrpc":"2.0","id":1,"method":` + string(jsonrpc.AppendString(nil, method)) + `,"params":` + params + `}`
	scanner := jsonrpc.Scanner{Inner: []string{"_meta", "arguments"}}
	var m jsonrpc.Message
	switch e := scanner.Scan([]byte(line), &m); {
	case e != nil && e.Code == jsonrpc.InvalidParams: // what a connection would answer
		return fmt.Sprintf("%d %s", e.Code, e.Message)
	case e != nil:
		t.Fatalf("the request of the test is broken: %s: %v", line, e)
	}
	log := x.log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	const before = `before:`
	out, told := jsonrpc.Invoke(ctx, x, &m, x, []byte(before), log)
	if string(out[:len(before)]) != before {
		t.Errorf("%s: the bytes before the result became %q", line, out[:len(before)])
	}
	if told == nil {
		if !scanner.Valid(out[len(before):]) {
			t.Errorf("%s: not JSON: %s", line, out)
		}
		return string(out[len(before):])
	}
	if told.Code == jsonrpc.InternalError && internal.MatchString(told.Message) {
		return "-32603 Internal error"
	}
	text := fmt.Sprintf("%d %s", told.Code, told.Message)
	if told.Data != nil {
		text += " " + string(told.Data)
	}
	return text
}

// ask is [exchange.ask] for a request that needs nothing else.
func ask(t testing.TB, s *mcp.Server, f *mcp.Form, method, params string) string {
	t.Helper()
	return (&exchange{server: s, form: f}).ask(t, context.Background(), method, params)
}

// bare is a form without what the modern era puts around every result, for tests
// that look at the rest.
func bare(revision string) *mcp.Form {
	f := *form(revision)
	f.ResultType, f.CacheHints, f.ServerInfo = false, false, false
	return &f
}

// same fails the test unless got is want.
func same(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}

// answering is a tool handler that always gives the same.
func answering(r *mcp.Result, err error) mcp.ToolHandler {
	return func(context.Context, *mcp.Call) (*mcp.Result, error) { return r, err }
}

// holding is a resource handler that always gives the same.
func holding(err error, contents ...mcp.ResourceContents) mcp.ResourceHandler {
	return func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) { return contents, err }
}

// panicOf runs f and returns what it panics with, "" when it does not.
func panicOf(f func()) (said string) {
	defer func() {
		if v := recover(); v != nil {
			said = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}
