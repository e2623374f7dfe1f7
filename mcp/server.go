package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
)

// Server is what a program offers over MCP: its tools, resources and prompts behind
// one handler table, which every era and every transport serves. All methods may be
// called at any time and from any goroutine.
type Server struct {
	opts     ServerOptions // a copy
	identity Implementation
	log      *slog.Logger
	table    jsonrpc.Table[*method]
	notices  jsonrpc.Table[notice]

	changing sync.Mutex
	draft    *registry                // what is registered; behind changing
	snapshot atomic.Pointer[registry] // a copy of draft, nil when that has changed since
	stamp    atomic.Pointer[stamp]    // of the last form that was asked for

	hub    hub    // who is told of changes
	origin string // of this server's changes on a bus

	held  atomic.Pointer[Sealer] // seals when there are no keys
	forms sync.Map               // reflect.Type to *typedForm: see elicit_typed.go
	kept  sync.Map               // reflect.Type to *keptForm: see once.go
	front *front                 // nil for a server that answers itself
}

// NewServer makes a server that says it is name, version. A nil o means all
// defaults. It panics when name is empty or an option is not JSON where it must
// be, as only a fault of the program can cause.
func NewServer(name, version string, o *ServerOptions) *Server {
	if name == "" {
		panic("mcp: NewServer: the name is empty")
	}
	s := &Server{identity: o.identity(name, version), log: o.logger()}
	if o != nil {
		s.opts = *o
	}
	for _, m := range []map[string]jsonrpc.Raw{o.experimental(), o.extensions()} {
		for key, settings := range m {
			if !isObject(settings) {
				panic(fmt.Sprintf("mcp: NewServer: the settings of capability %q must be a JSON object", key))
			}
		}
	}
	for name := range o.extensions() {
		if !IsMetaName(name) || !strings.Contains(name, "/") {
			panic(fmt.Sprintf("mcp: NewServer: extension %q must have a name with a prefix, as in com.example/%s", name, name))
		}
	}
	if s.opts.PageSize > 0 && s.opts.Keys == nil {
		panic("mcp: NewServer: PageSize needs Keys, which seal the cursors: seal.NewKeys, or seal.RandomKeys for a single process")
	}
	if err := checkEncodes(&s.identity); err != nil {
		panic(fmt.Sprintf("mcp: NewServer: %v", err))
	}
	s.draft = newRegistry()
	s.fillTable()
	if s.opts.Bus != nil && s.notifies() {
		s.origin = strconv.FormatUint(rand.Uint64(), 36) // it guards nothing
		s.opts.Bus.Subscribe(s.hear)
	}
	return s
}

// Identity is what the server says of itself.
func (s *Server) Identity() Implementation { return s.identity }

// Instructions tell a model how to use the server; may be empty.
func (s *Server) Instructions() string { return s.opts.instructions() }

// CacheHint is the hint on results that clients may cache.
func (s *Server) CacheHint() CacheHint { return s.opts.cache() }

// Logs reports whether the server logs to its clients ([ServerOptions.Logging]).
func (s *Server) Logs() bool { return s.opts.Logging }

// Logger is where faults go that no peer is told.
func (s *Server) Logger() *slog.Logger { return s.log }

// Request is one request as an exchange hands it to the table.
type Request struct {
	// Message is the request as scanned, with the members of _meta and arguments
	// recorded. Its spans, and so the whole Request, are good until
	// [Server.Answer] returns.
	Message *jsonrpc.Message
	// Peer takes notifications about the request.
	Peer jsonrpc.Peer
	// Form is that of the exchange.
	Form *Form
	// Client is the one who asks; nil when that is not known.
	Client Caller
	// Principal is who asks, as the transport has proved it; nil when it does not
	// know.
	Principal *Principal
	// Changes is what the client's session hears of changes with, where there is a
	// session that can be told; nil otherwise.
	Changes *Listener
	// Stateless: the client's session keeps nothing from one request to the next, so
	// the client cannot be asked and subscribes to nothing. It is told so.
	Stateless bool
	// Headers are those of the request where the transport has any, by canonical
	// name; nil otherwise.
	Headers map[string][]string
	// Asker puts the handler's questions to the client; nil when it cannot be asked.
	Asker Asker
	// LogLevel is the least grave level that the request wants to be told of, 0 when
	// it wants nothing. SessionLevel stands in its place unless it is nil.
	LogLevel     LogLevel
	SessionLevel *SessionLevel
}

// Caller is what a client has said of itself, as received: in its request or in
// the handshake before it.
type Caller interface {
	// Info is an object that [ReadImplementation] can read, or nil.
	Info() jsonrpc.Raw
	// Capabilities is an object that [ReadClientCapabilities] can read, or nil.
	Capabilities() jsonrpc.Raw
}

// Answer looks r's method up in the handler table, runs what it finds, and
// appends the result, in r's form, to dst. The errors are for the peer, except
// that one which is no [*jsonrpc.Error] must be hidden from it ([jsonrpc.Invoke]
// does).
func (s *Server) Answer(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	m, c, err := s.call(r)
	if err != nil {
		return dst, err
	}
	defer c.end(ctx)
	reply, err := m.run(ctx, c)
	return c.answer(m, &reply, err, dst)
}

// call finds what answers a request. It is apart from what waits for the handler, which may
// take hours and has its stack all that time.
func (s *Server) call(r *Request) (*method, *Call, error) {
	reg := s.registry()
	m, ok := s.table.Lookup(r.Message.Method)
	if !ok && s.front != nil {
		m, ok = s.front.foreign, true
	}
	if !ok || !m.existsIn(r.Form, r.Message.Method) || !m.declared(s, reg) {
		return nil, nil, MethodNotFound(r.Message)
	}
	if token := r.Message.Inner("_meta", MetaProgressToken); token != nil {
		// An id and a token have the same type (2026-07-28 basic/patterns/progress,
		// Progress Flow).
		if _, ok := jsonrpc.ParseID(token); !ok {
			return nil, nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "params._meta.progressToken must be a string or an integer")
		}
	}
	return m, &Call{server: s, reg: reg, asked: *r}, nil
}

// answer appends the reply that the handler gave, or has its error told as the form allows.
func (c *Call) answer(m *method, reply *Reply, err error, dst []byte) ([]byte, error) {
	f := c.asked.Form
	if err != nil {
		return dst, f.Codes.apply(err, f.Revision)
	}
	reply.cache = m.hint(reply)
	c.out.dst = dst
	return c.server.appendReply(&c.out, *reply, f)
}

// MethodNotFound is the answer to a request whose method nothing answers to.
func MethodNotFound(m *jsonrpc.Message) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.MethodNotFound, "Method not found: %s", jsonrpc.Clip(m.Method))
}
