package legacy

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Session is one client's legacy session with a server. The zero state is before
// initialize, which may succeed once. All methods may be called from several
// goroutines at once.
type Session struct {
	server *mcp.Server
	opts   *Options
	opened atomic.Pointer[opened] // nil before initialize, then set for good
	level  mcp.SessionLevel
	told   changes
}

// opened is what the handshake settled. It does not change afterwards, but for ready.
type opened struct {
	form         *mcp.Form // of the negotiated revision
	clientInfo   jsonrpc.Raw
	capabilities jsonrpc.Raw
	ready        chan struct{} // closed when notifications/initialized has come
	isReady      sync.Once     // closes it
}

// Info and Capabilities make it the [mcp.Caller] of the session's requests.
func (o *opened) Info() jsonrpc.Raw         { return o.clientInfo }
func (o *opened) Capabilities() jsonrpc.Raw { return o.capabilities }

// NewSession makes a session that waits for initialize. A nil o means all defaults.
func NewSession(s *mcp.Server, o *Options) *Session { return &Session{server: s, opts: o} }

// Opened reports whether initialize has succeeded.
func (s *Session) Opened() bool { return s.opened.Load() != nil }

// Version is the negotiated revision, "" before initialize.
func (s *Session) Version() string {
	if o := s.opened.Load(); o != nil {
		return o.form.Revision
	}
	return ""
}

// Form is that of the negotiated revision, nil before initialize.
func (s *Session) Form() *mcp.Form {
	if o := s.opened.Load(); o != nil {
		return o.form
	}
	return nil
}

// AllowsBatches reports whether the negotiated revision has batches: 2025-03-26
// alone does.
func (s *Session) AllowsBatches() bool {
	o := s.opened.Load()
	return o != nil && o.form.Batches
}

// Request answers one request and appends the result to dst, as
// [jsonrpc.Handler] says.
func (s *Session) Request(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	return s.RequestFrom(ctx, m, p, Sender{Principal: s.opts.principal()}, dst)
}

// RequestFrom is [Session.Request] for a request of this sender.
func (s *Session) RequestFrom(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, from Sender, dst []byte) ([]byte, error) {
	switch string(m.Method) {
	case "initialize":
		return s.initialize(m, dst)
	case "ping":
		// An empty result, nothing else (2025-11-25 basic/utilities/ping).
		return append(dst, `{}`...), nil
	}
	o := s.opened.Load()
	if o == nil {
		// 2025-11-25 basic/lifecycle, Initialization.
		return dst, jsonrpc.Errorf(jsonrpc.InvalidParams, "Not initialized: send initialize first")
	}
	if string(m.Method) == "logging/setLevel" && s.server.Logs() {
		if s.opts.stateless() {
			return dst, errNoLevel
		}
		return s.setLevel(m, dst)
	}
	r := s.open(o, m, p, from)
	return s.server.Answer(ctx, &r, dst)
}

// open makes the request of a message as the handler table takes it.
func (s *Session) open(o *opened, m *jsonrpc.Message, p jsonrpc.Peer, from Sender) mcp.Request {
	return mcp.Request{
		Message: m, Peer: p, Form: o.form, Client: o, Asker: o, Principal: from.Principal, Headers: from.Headers,
		Stateless: s.opts.stateless(), SessionLevel: &s.level, Changes: s.told.listening(),
	}
}

// errNoLevel is told to a client that sets the level of a session which keeps none.
var errNoLevel = jsonrpc.Errorf(jsonrpc.MethodNotFound,
	"Method not found: logging/setLevel: the server keeps no state of this session between requests, so there is no level to set")

// setLevel answers logging/setLevel (2025-11-25 server/utilities/logging, Setting Log
// Level). The level holds at once, for requests in flight as well.
func (s *Session) setLevel(m *jsonrpc.Message, dst []byte) ([]byte, error) {
	level, ok := mcp.ReadLogLevel(m.Param("level"))
	if !ok {
		return dst, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.level must be one of "+mcp.LogLevelNames)
	}
	s.level.Set(level)
	return append(dst, `{}`...), nil
}

// Notification takes one notification in. From notifications/initialized on the client
// is told of changes and can be asked; requests are served as soon as initialize has
// been answered, since over HTTP nothing orders the two.
func (s *Session) Notification(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer) {
	s.NotificationFrom(ctx, m, p, Sender{Principal: s.opts.principal()})
}

// NotificationFrom is [Session.Notification] for a notification of this sender.
func (s *Session) NotificationFrom(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, from Sender) {
	o := s.opened.Load()
	if o == nil {
		return
	}
	if string(m.Method) == "notifications/initialized" {
		o.isReady.Do(func() { close(o.ready) })
		s.told.deliver(s.opts.outlet())
	}
	s.server.Notice(ctx, s.open(o, m, p, from))
}

// initialize opens the session (2025-11-25 basic/lifecycle, Initialization).
func (s *Session) initialize(m *jsonrpc.Message, dst []byte) ([]byte, error) {
	if m.Batched {
		// 2025-03-26 basic/lifecycle, Initialization.
		return dst, jsonrpc.Errorf(jsonrpc.InvalidRequest, "initialize must not be part of a batch")
	}
	o, err := readInitialize(m)
	if err != nil {
		return dst, err
	}
	if !s.opened.CompareAndSwap(nil, o) {
		// It is the first interaction, and there is one of it (2025-11-25
		// basic/lifecycle, Initialization).
		return dst, jsonrpc.Errorf(jsonrpc.InvalidRequest, "Already initialized: a session is initialized once")
	}
	if !s.opts.stateless() {
		s.told.listen(s.server)
	}
	return s.appendInitializeResult(dst, o.form)
}

// readInitialize checks the params of initialize, all three of which the schema
// requires (2025-11-25 schema, InitializeRequestParams).
func readInitialize(m *jsonrpc.Message) (*opened, error) {
	asked, ok := m.Param("protocolVersion").Text()
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.protocolVersion must be a string")
	}
	capabilities := m.Param("capabilities")
	if _, err := mcp.ReadClientCapabilities(capabilities, "params.capabilities"); err != nil {
		return nil, err
	}
	info := m.Param("clientInfo")
	if err := mcp.CheckImplementation(info, "params.clientInfo"); err != nil {
		return nil, err
	}
	return &opened{
		form:         negotiate(asked),
		clientInfo:   bytes.Clone(info),
		capabilities: bytes.Clone(capabilities),
		ready:        make(chan struct{}),
	}, nil
}

// appendInitializeResult appends what the server says of itself (2025-11-25
// schema, InitializeResult).
func (s *Session) appendInitializeResult(dst []byte, f *mcp.Form) ([]byte, error) {
	dst = append(dst, `{"protocolVersion":`...)
	dst = jsonrpc.AppendString(dst, f.Revision)
	dst = append(dst, `,"capabilities":`...)
	if s.opts.stateless() {
		dst = s.server.AppendStatelessCapabilities(dst, f)
	} else {
		dst = s.server.AppendCapabilities(dst, f)
	}
	dst = append(dst, `,"serverInfo":`...)
	dst = s.server.AppendIdentity(dst, f)
	if text := s.server.Instructions(); text != "" {
		dst = append(dst, `,"instructions":`...)
		dst = jsonrpc.AppendString(dst, text)
	}
	return append(dst, '}'), nil
}
