package mcp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

// Eras names the eras of the protocol in which something exists.
type Eras uint8

// The eras: legacy opens with initialize, modern has its version in each message.
const (
	Legacy Eras = 1 << iota
	Modern
	Both = Legacy | Modern
)

// String is "legacy", "modern", "legacy and modern", or "no era" for 0.
func (e Eras) String() string {
	switch e {
	case 0:
		return "no era"
	case Legacy:
		return "legacy"
	case Modern:
		return "modern"
	case Both:
		return "legacy and modern"
	}
	return "Eras(" + strconv.Itoa(int(e)) + ")"
}

// Handler answers one request of the handler table. It may run many times at once.
// An error that is a [*jsonrpc.Error] is told to the client, with the code that the
// client's revision allows ([CodePolicy]); any other one stays in the log.
type Handler func(ctx context.Context, c *Call) (Reply, error)

// Middleware makes a handler out of the next one. It sees every request that the
// handler table answers, in either era: [Call.Method] tells which. It may look at the
// reply, answer by itself, or return an error in place of either.
type Middleware func(next Handler) Handler

// method is a row of the handler table.
type method struct {
	run Handler
	// in is where the method exists, 0 for one of the protocol's own, which exists
	// where the form says so.
	in Eras
	// declared reports whether the capability that brings the method is declared.
	declared func(s *Server, reg *registry) bool
	// cacheable: its results say for how long and for whom they may be kept.
	cacheable bool
}

// existsIn reports whether the form has the method.
func (m *method) existsIn(f *Form, name []byte) bool {
	if m.in == 0 {
		return slices.Contains(f.Methods, string(name))
	}
	return m.in&f.Era != 0
}

// fillTable enters the methods of the protocol.
func (s *Server) fillTable() {
	s.enter("tools/list", s.listTools, (*Server).offersTools)
	s.enter("tools/call", inRounds(s.callTool), (*Server).offersTools)
	s.enter("resources/list", byRegistry(func(r *rows) Handler { return r.listResources }), (*Server).offersResources)
	s.enter("resources/templates/list", byRegistry(func(r *rows) Handler { return r.listTemplates }), (*Server).offersResources)
	s.enter("resources/read", inRounds(byRegistry(func(r *rows) Handler { return r.readResource })), (*Server).offersResources)
	s.enter("prompts/list", byRegistry(func(r *rows) Handler { return r.listPrompts }), (*Server).offersPrompts)
	s.enter("prompts/get", inRounds(byRegistry(func(r *rows) Handler { return r.getPrompt })), (*Server).offersPrompts)
	s.enter("completion/complete", byRegistry(func(r *rows) Handler { return r.complete }), (*Server).offersCompletions)
	s.enter("resources/subscribe", byRegistry(func(r *rows) Handler { return r.subscribe }), (*Server).offersSubscriptions)
	s.enter("resources/unsubscribe", byRegistry(func(r *rows) Handler { return r.unsubscribe }), (*Server).offersSubscriptions)
	s.enter("subscriptions/listen", s.listen, (*Server).offersListening)
}

// byRegistry is the handler of a row that registering has set. It is not called before:
// until then the row is not declared.
func byRegistry(row func(r *rows) Handler) Handler {
	return func(ctx context.Context, c *Call) (Reply, error) { return row(&c.reg.rows)(ctx, c) }
}

func (s *Server) enter(name string, h Handler, declared func(*Server, *registry) bool) {
	s.table.Add(name, &method{run: s.wrap(h), declared: declared, cacheable: slices.Contains(cacheable, name)})
}

// cacheable are the methods of the table whose results say for how long and for whom they
// may be kept (2026-07-28 server/utilities/caching, Cacheable Results).
var cacheable = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}

// hint is what a reply of the method says of that, also where middleware has answered. The
// replies of methods that a program has added say what they say.
func (m *method) hint(reply *Reply) *CacheHint {
	switch {
	case m.in != 0:
		return reply.cache
	case !m.cacheable, reply.InputRequired():
		return nil
	case reply.cache == nil:
		return &CacheHint{}
	}
	return reply.cache
}

// wrap puts the middleware around a handler, the first outermost.
func (s *Server) wrap(h Handler) Handler {
	for _, m := range slices.Backward(s.opts.Middleware) {
		h = m(h)
	}
	return h
}

// ofExchanges are the methods that never reach the table, because the exchange of the
// era answers them.
var ofExchanges = []string{"initialize", "ping", "logging/setLevel", "server/discover"}

// Handle adds a request method of the program's own, or of an extension, to the
// handler table: there it stands beside those of the protocol, behind the same
// middleware, and answers clients of the eras named. It panics, with the method's
// name, when the method is taken. Call it before the server serves.
func (s *Server) Handle(name string, in Eras, h Handler) {
	switch {
	case h == nil:
		panic(fmt.Sprintf("mcp: method %q: no handler", name))
	case in == 0 || in&^Both != 0:
		panic(fmt.Sprintf("mcp: method %q: it must exist in mcp.Legacy, mcp.Modern or mcp.Both", name))
	case slices.Contains(ofExchanges, name):
		panic(fmt.Sprintf("mcp: method %q is the protocol's own", name))
	case !s.table.Add(name, &method{run: s.wrap(h), in: in, declared: always}):
		panic(fmt.Sprintf("mcp: method %q is empty or taken", name))
	}
}

func always(*Server, *registry) bool { return true }
