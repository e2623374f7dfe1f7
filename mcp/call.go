package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/uritemplate"
)

// Call is one request as its handler sees it: what was asked, by whom, and how to
// say something meanwhile.
//
// A Call, and what its methods give, is good until the handler returns; what is
// needed longer is copied before. Progress, Log and Notify may be called later, from any
// goroutine, and then do nothing.
type Call struct {
	server *Server
	reg    *registry
	asked  Request
	name   string   // of the tool, resource, template or prompt
	read   *reading // resources/read, and completion of a template
	out    writer   // of the answer

	mu        sync.Mutex
	ended     bool
	reporting *reporting // nil before the first report
	logging   *logging   // nil before the first message
	mayAsk    bool       // the client
	rounds    *Rounds    // nil before anything is asked
	asking    *asking    // nil before a question has to wait
}

// reading is what a handler of resources sees beyond the name.
type reading struct {
	uri       string
	mimeType  string             // of the resource or template
	variables uritemplate.Values // of the template
}

// Name is the name of the tool that is called, of the resource or template that is
// read, of the prompt that is got, or of the prompt or template that is completed; ""
// in other requests.
func (c *Call) Name() string { return c.name }

// Method is the request's method, such as "tools/call".
func (c *Call) Method() string { return string(c.asked.Message.Method) }

// streams reports whether what is sent about the request stands on the stream of a
// subscription. There are no log messages there (2026-07-28 server/utilities/logging,
// Per-request log level), and nothing without the subscription's id (2026-07-28
// basic/index, _meta).
func (c *Call) streams() bool { return string(c.asked.Message.Method) == "subscriptions/listen" }

// Param is one member of the request's params by its exact name, nil when it is
// absent. Handlers of methods of their own read them so.
func (c *Call) Param(name string) jsonrpc.Raw { return c.asked.Message.Param(name) }

// paramText is a member of params that must be there and be a string.
func (c *Call) paramText(name string) (string, error) {
	text, ok := c.Param(name).Text()
	if !ok {
		return "", jsonrpc.Errorf(jsonrpc.InvalidParams, "params.%s must be a string", name)
	}
	return text, nil
}

// Principal is who makes the request, nil when the transport does not know.
func (c *Call) Principal() *Principal { return c.asked.Principal }

// Headers are those of the request by canonical name, as in net/http, where the
// transport has any; nil otherwise. They are not to be changed.
func (c *Call) Headers() map[string][]string { return c.asked.Headers }

// URI is the resource that is read, "" in a call of a tool.
func (c *Call) URI() string {
	if c.read == nil {
		return ""
	}
	return c.read.uri
}

// Variable is the decoded value of a variable of the resource template, the first one
// of a list, and "" when the uri or the template has no such variable. Decoded it may
// hold anything, "../" included: never join it to a path; open files through
// [os.Root], as [Server.AddFiles] does (2026-07-28 server/resources, Security
// Considerations).
func (c *Call) Variable(name string) string {
	if c.read == nil {
		return ""
	}
	return c.read.variables[name].Text()
}

// Variables are the decoded values of a variable with *, as in {/path*}: none when the
// uri has none. Of another variable it is the one value.
func (c *Call) Variables(name string) []string {
	if c.read == nil {
		return nil
	}
	return c.read.variables[name].List()
}

// ProtocolVersion is the revision in which the request is answered: negotiated
// for the session in the legacy era, named by the request in the modern one.
func (c *Call) ProtocolVersion() string { return c.asked.Form.Revision }

// ClientInfo is what the client says of itself; empty when it says nothing.
func (c *Call) ClientInfo() Implementation {
	if c.asked.Client == nil || c.asked.Client.Info() == nil {
		return Implementation{}
	}
	i, _ := ReadImplementation(c.asked.Client.Info(), "clientInfo") // checked on arrival
	return i
}

// ClientCapabilities is what the client can be asked for.
func (c *Call) ClientCapabilities() ClientCapabilities {
	if c.asked.Client == nil || c.asked.Client.Capabilities() == nil {
		return ClientCapabilities{}
	}
	k, _ := ReadClientCapabilities(c.asked.Client.Capabilities(), "clientCapabilities") // checked on arrival
	return k
}

// Meta is one member of the request's _meta by its exact name, nil when it is
// absent: trace context, for example, or what an extension has put there.
func (c *Call) Meta(name string) jsonrpc.Raw { return c.asked.Message.Inner("_meta", name) }

// Logger is the server's logger with the method and the name of this call. What it
// takes stays on the server's side; it is not the logging of MCP.
func (c *Call) Logger() *slog.Logger {
	return c.server.log.With("method", string(c.asked.Message.Method), "name", c.name)
}

// Notify sends a notification of an extension about the request, while it runs; after
// the handler has returned it does nothing, nor for subscriptions/listen, whose stream is
// for what was subscribed to (2026-07-28 basic/patterns/subscriptions). params is a JSON
// object, or nil. Use it for methods that the client has declared to understand, and not
// for those of the protocol, which [Call.Progress], [Call.Log] and their like send. The
// error says that the params are no object or that the client is gone.
func (c *Call) Notify(method string, params jsonrpc.Raw) error {
	var text []byte
	if params != nil {
		var err error
		if text, err = jsonrpc.AppendCompact(nil, params); err != nil || params.Kind() != jsonrpc.KindObject {
			return fmt.Errorf("mcp: the params of notification %q must be a JSON object", method)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.streams() {
		return nil
	}
	return c.asked.Peer.Notify(method, text)
}

// Detach lets go of the connection that the client waits at, and not of its request: the
// client comes back for the rest after retry, or after a time of its own choice when retry
// is zero (2025-11-25 basic/transports, Sending Messages to the Server). What is sent
// meanwhile waits for it. So a call that takes long holds no connection. It reports false,
// and changes nothing, where there is no such way: over other transports than HTTP, in other
// revisions than 2025-11-25, for a client that takes no streams, and after the handler has
// returned. Handlers need not care.
func (c *Call) Detach(retry time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	p, ok := c.asked.Peer.(interface {
		Detach(retry time.Duration) bool
	})
	return ok && p.Detach(retry)
}

// end says what was held back, unless the client no longer listens because ctx has ended, and
// stops everything that is said about the request before its answer.
func (c *Call) end(ctx context.Context) {
	if err := c.lastWords(ctx.Err() == nil); err != nil {
		c.server.log.Debug("what was held back was not sent", "error", err)
	}
}

func (c *Call) lastWords(listens bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if listens && c.reporting != nil {
		if err := c.reporting.end(c); err != nil {
			return err
		}
	}
	if listens && c.logging != nil {
		return c.logging.end(c)
	}
	return nil
}
