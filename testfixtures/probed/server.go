package probed

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// The eras of servers, as a client should find them.
const (
	Legacy = "legacy"
	Modern = "modern"
	None   = "" // there can be no connection, and the error has to say why
)

// Server is one way to answer the probe.
type Server struct {
	Name  string
	Probe string // for people: what comes for server/discover
	Era   string // what a client that speaks both eras has to find
	Says  string // for Era None: a part of the error that the client's user has to see
	Quiet bool   // the probe gets no answer: only a client that does not wait for ever finds the era

	stream func(c *conn, id jsonrpc.ID) error                          // nil over HTTP
	site   func(w http.ResponseWriter, r *http.Request, id jsonrpc.ID) // nil on streams

	always  bool // the site answers everything like that, not the probe alone
	ancient bool // the site is one of 2024-11-05
}

// Saw is told each method that a client calls or notifies, one at a time.
type Saw func(method string)

func (s Saw) tell(method string) {
	if s != nil {
		s(method)
	}
}

// Tool is the name of the one tool. It takes no arguments and answers with [Text].
const (
	Tool = "hello"
	Text = "hello to whoever has found me"
)

// named finds a server in a table. An error lists the names.
func named(table []Server, name string) (*Server, error) {
	var names []string
	for i := range table {
		if table[i].Name == name {
			return &table[i], nil
		}
		names = append(names, table[i].Name)
	}
	return nil, fmt.Errorf("there is no server %q: want one of %s", name, strings.Join(names, ", "))
}

// Streams returns the servers on streams of lines.
func Streams() []Server { return slices.Clone(streams) }

// Sites returns the servers over HTTP.
func Sites() []Server { return slices.Clone(sites) }

// Stream returns the server of this name on streams, and Site that over HTTP.
func Stream(name string) (*Server, error) { return named(streams, name) }

// Site returns the server of this name over HTTP.
func Site(name string) (*Server, error) { return named(sites, name) }

// scan reads a message. It is nil for what is none.
func scan(text []byte) *jsonrpc.Message {
	m := new(jsonrpc.Message)
	scanner := jsonrpc.Scanner{Inner: []string{"_meta"}}
	if scanner.Scan(text, m) != nil || m.Kind == jsonrpc.Invalid {
		return nil
	}
	return m
}

// modern reports whether a request is one of the modern era.
func modern(m *jsonrpc.Message) bool {
	return m.Inner("_meta", "io.modelcontextprotocol/protocolVersion") != nil
}

// probe reports whether a request is what a client makes to find the era. That is also any
// modern request to a server that knows no such.
func (s *Server) probe(m *jsonrpc.Message) bool {
	return string(m.Method) == "server/discover" || s.Era != Modern && modern(m)
}

// respond is the answer to a request that is not the probe.
func (s *Server) respond(m *jsonrpc.Message) []byte {
	result := s.results(m)[string(m.Method)]
	if result == "" {
		return failure(m.ID, jsonrpc.MethodNotFound, "Method not found")
	}
	return success(m.ID, result)
}

// results are those that the server gives in its era, by method.
func (s *Server) results(m *jsonrpc.Message) map[string]string {
	const tool = `{"name":"` + Tool + `","description":"Says hello.","inputSchema":{"type":"object"}}`
	const text = `"content":[{"type":"text","text":"` + Text + `"}]`
	if s.Era != Legacy {
		if !modern(m) {
			return nil
		}
		return map[string]string{
			"tools/list": `{"resultType":"complete","tools":[` + tool + `],"ttlMs":0,"cacheScope":"private"}`,
			"tools/call": `{"resultType":"complete",` + text + `}`,
		}
	}
	return map[string]string{
		"initialize": `{"protocolVersion":` + s.version(m) + `,"capabilities":{"tools":{}},"serverInfo":{"name":"probed","version":"1"}}`,
		"ping":       `{}`,
		"tools/list": `{"tools":[` + tool + `]}`,
		"tools/call": `{` + text + `}`,
	}
}

// version is the revision for the handshake: that of the client, but for a site that is older
// than the others.
func (s *Server) version(m *jsonrpc.Message) string {
	wanted := string(m.Param("protocolVersion"))
	if s.ancient {
		return `"2024-11-05"`
	}
	if known := []string{`"2024-11-05"`, `"2025-03-26"`, `"2025-06-18"`, `"2025-11-25"`}; slices.Contains(known, wanted) {
		return wanted
	}
	return `"2025-06-18"`
}

// success is an answer with a result, and failure one with an error.
func success(id jsonrpc.ID, result string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + string(id.Raw()) + `,"result":` + result + `}`)
}

func failure(id jsonrpc.ID, code jsonrpc.Code, message string) []byte {
	return jsonrpc.AppendError(nil, id, jsonrpc.Errorf(code, "%s", message))
}

// foreign is an error with this text as its id, "" for none.
func foreign(id string, code jsonrpc.Code, message string) []byte {
	if id != "" {
		id = `"id":` + id + `,`
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0",%s"error":{"code":%d,"message":%q}}`, id, code, message)
}

// What servers of the modern era say of versions and capabilities.
const (
	discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},` +
		`"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probed","version":"1"}}}`
	unsupported = `{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2027-01-01"],"requested":"2026-07-28"}}`
	lacking     = `{"code":-32021,"message":"Missing required client capability","data":{"requiredCapabilities":{"sampling":{}}}}`
	mismatch    = `{"code":-32020,"message":"Header mismatch: Mcp-Method is missing"}`
)

// modernError is an answer with one of them.
func modernError(id jsonrpc.ID, e string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + string(id.Raw()) + `,"error":` + e + `}`)
}
