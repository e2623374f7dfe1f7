package discover

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// modernForms lists the modern revisions, newest first.
var modernForms = []*mcp.Form{{
	Revision:         "2026-07-28",
	Era:              mcp.Modern,
	Methods:          modernMethods,
	ResultType:       true,
	CacheHints:       true,
	ServerInfo:       true,
	ResourceNotFound: jsonrpc.InvalidParams,
	Codes: mcp.CodePolicy{
		Replaced: map[jsonrpc.Code]jsonrpc.Code{-32002: jsonrpc.InvalidParams}, // resource not found
		Lowest:   -32099,
		Highest:  -32020,
		Defined:  map[jsonrpc.Code]string{mcp.MissingRequiredClientCapability: "requiredCapabilities"},
	},
	Title:             true,
	Meta:              true,
	ToolAnnotations:   true,
	Audio:             true,
	ProgressMessage:   true,
	LastModified:      true,
	ResourceLink:      true,
	StructuredObject:  true,
	StructuredAny:     true,
	BooleanSchemas:    true,
	HeaderParams:      true,
	Icons:             true,
	Extensions:        true,
	Completions:       true,
	CompletionContext: true,
	Elicitation:       true,
	ElicitationModes:  true,
	FormDialect:       true,
	FormDefaults:      true,
	FormChoices:       true,
	SamplingTools:     true,
	MissingCapability: mcp.MissingRequiredClientCapability,
}}

// modernMethods are the requests of a modern client that the handler table
// answers. server/discover is the exchange's own. ping and logging/setLevel went
// with this revision, and initialize with them (2026-07-28 changelog, Major changes).
var modernMethods = []string{
	"tools/list", "tools/call",
	"resources/list", "resources/templates/list", "resources/read",
	"prompts/list", "prompts/get", "completion/complete",
	"subscriptions/listen",
}

// The fields of _meta as error messages name them.
const (
	pathProtocolVersion    = `params._meta["` + mcp.MetaProtocolVersion + `"]`
	pathClientInfo         = `params._meta["` + mcp.MetaClientInfo + `"]`
	pathClientCapabilities = `params._meta["` + mcp.MetaClientCapabilities + `"]`
	pathLogLevel           = `params._meta["` + mcp.MetaLogLevel + `"]`
)

// UnsupportedProtocolVersion answers a request in a version that is not served
// (2026-07-28 basic/index, Error Codes).
const UnsupportedProtocolVersion jsonrpc.Code = -32022

// Versions returns the modern revisions that are served, newest first: what _meta
// may carry.
//
//go:noinline
func Versions() []string {
	versions := make([]string, len(modernForms))
	for i, f := range modernForms {
		versions[i] = f.Revision
	}
	return versions
}

// Forms returns the forms of the modern revisions, newest first. They are the ones in
// use and must not be changed.
func Forms() []*mcp.Form { return slices.Clone(modernForms) }

// FormOf returns the form of a revision that is served, of either era, nil for any other. It
// is the one in use and must not be changed.
func FormOf(revision string) *mcp.Form {
	if f := commonForm(modernForms, []string{revision}); f != nil {
		return f
	}
	return legacy.FormOf(revision)
}

// Modern is the exchange of the modern era. It has no state that an answer depends
// on: a request says all there is to know (2026-07-28 basic/index, Statelessness). So one
// serves any number of clients. All methods may be called from several goroutines at once.
type Modern struct {
	server             *mcp.Server
	info, capabilities checked
}

// NewModern makes the modern exchange of a server.
func NewModern(s *mcp.Server) *Modern { return &Modern{server: s} }

// Sender is what a transport knows of the one who sent a message, the same in both eras.
type Sender = legacy.Sender

// checked remembers the last value that was found good, since a client says the
// same of itself in every request.
type checked struct{ last atomic.Pointer[[]byte] }

func (c *checked) is(value jsonrpc.Raw) bool {
	last := c.last.Load()
	return last != nil && bytes.Equal(*last, value)
}

func (c *checked) remember(value jsonrpc.Raw) {
	if len(value) > 1024 {
		return // not worth its memory
	}
	kept := bytes.Clone(value)
	c.last.Store(&kept)
}

// Request answers one request, as [jsonrpc.Handler] says.
func (x *Modern) Request(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, from Sender, dst []byte) ([]byte, error) {
	r, err := x.Open(m, from)
	if err != nil {
		return dst, err
	}
	return x.Answer(ctx, &r, p, dst)
}

// Answer answers a request that [Modern.Open] has made, and appends the result to dst as
// [jsonrpc.Handler] says. p is the peer that has sent it.
func (x *Modern) Answer(ctx context.Context, r *mcp.Request, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	r.Peer = p
	if string(r.Message.Method) == "server/discover" {
		return x.discover(dst, r.Form)
	}
	return x.server.Answer(ctx, r, dst)
}

// CheckVersion says why the version of a notification is not served. One whose text names
// none is in the one that the transport tells beside it (as in [EraOf]), and where that is ""
// in the newest.
func CheckVersion(m *jsonrpc.Message, version string) *jsonrpc.Error {
	named := m.Inner("_meta", mcp.MetaProtocolVersion)
	if named == nil {
		if version == "" {
			return nil
		}
		named = jsonrpc.AppendString(nil, version)
	}
	var told *jsonrpc.Error
	if _, err := supported(named); errors.As(err, &told) {
		return told
	}
	return nil
}

// Notification takes one notification in. One that names no version is in the newest;
// one that is malformed is dropped, unless a transport that can tell its sender has called
// [CheckVersion] before.
func (x *Modern) Notification(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer, from Sender) {
	form := modernForms[0]
	if version := m.Inner("_meta", mcp.MetaProtocolVersion); version != nil {
		var err error
		if form, err = supported(version); err != nil {
			return
		}
	}
	x.server.Notice(ctx, mcp.Request{Message: m, Peer: p, Form: form, Client: (*client)(m), Principal: from.Principal, Headers: from.Headers})
}

// Open checks the per-request protocol fields (2026-07-28 basic/index,
// Per-request protocol fields): the version first, because a peer of another
// version may mean other things by the rest. The request that it makes of the message has
// no [mcp.Request.Peer] yet, and is good as long as the message's spans are. An error is a
// [*jsonrpc.Error].
func (x *Modern) Open(m *jsonrpc.Message, from Sender) (r mcp.Request, err error) {
	if m.Batched {
		return r, jsonrpc.Errorf(jsonrpc.InvalidRequest, "revision %s has no batches: send each message on its own", modernForms[0].Revision)
	}
	form, err := supported(m.Inner("_meta", mcp.MetaProtocolVersion))
	if err != nil {
		return r, err
	}
	capabilities := m.Inner("_meta", mcp.MetaClientCapabilities)
	if capabilities == nil {
		return r, jsonrpc.Errorf(jsonrpc.InvalidParams, pathClientCapabilities+" must be an object: it is missing")
	}
	if !x.capabilities.is(capabilities) {
		if _, err := mcp.ReadClientCapabilities(capabilities, pathClientCapabilities); err != nil {
			return r, err
		}
		x.capabilities.remember(capabilities)
	}
	info := m.Inner("_meta", mcp.MetaClientInfo)
	if info != nil && !x.info.is(info) {
		if err := mcp.CheckImplementation(info, pathClientInfo); err != nil {
			return r, err
		}
		x.info.remember(info)
	}
	var level mcp.LogLevel
	if asked := m.Inner("_meta", mcp.MetaLogLevel); asked != nil {
		var ok bool
		if level, ok = mcp.ReadLogLevel(asked); !ok {
			return r, jsonrpc.Errorf(jsonrpc.InvalidParams, pathLogLevel+" must be one of "+mcp.LogLevelNames)
		}
	}
	return mcp.Request{Message: m, Form: form, Client: (*client)(m), Asker: asker{}, Principal: from.Principal, Headers: from.Headers, LogLevel: level}, nil
}

// client is who sent a modern message: it says so itself.
type client jsonrpc.Message

func (c *client) Info() jsonrpc.Raw {
	return (*jsonrpc.Message)(c).Inner("_meta", mcp.MetaClientInfo)
}

func (c *client) Capabilities() jsonrpc.Raw {
	return (*jsonrpc.Message)(c).Inner("_meta", mcp.MetaClientCapabilities)
}

// supported finds the form of the version that a request names. A legacy version
// is not served under _meta: it is reached by initialize (2026-07-28
// basic/versioning, Protocol Version Negotiation).
func supported(version jsonrpc.Raw) (*mcp.Form, error) {
	for _, f := range modernForms {
		if version.Is(f.Revision) {
			return f, nil
		}
	}
	switch {
	case version == nil:
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, pathProtocolVersion+" must be a string: it is missing")
	case version.Kind() != jsonrpc.KindString:
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, pathProtocolVersion+" must be a string")
	}
	e := jsonrpc.Errorf(UnsupportedProtocolVersion, "Unsupported protocol version")
	e.Data = append(appendVersions([]byte(`{"supported":`)), `,"requested":`...)
	e.Data = append(append(e.Data, version...), '}')
	return nil, e
}

func appendVersions(dst []byte) []byte {
	dst = append(dst, '[')
	for i, f := range modernForms {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, f.Revision)
	}
	return append(dst, ']')
}

// discover answers server/discover (2026-07-28 server/discover).
func (x *Modern) discover(dst []byte, f *mcp.Form) ([]byte, error) {
	body := appendVersions([]byte(`"supportedVersions":`))
	body = append(body, `,"capabilities":`...)
	body = x.server.AppendCapabilities(body, f)
	if text := x.server.Instructions(); text != "" {
		body = append(body, `,"instructions":`...)
		body = jsonrpc.AppendString(body, text)
	}
	hint := x.server.CacheHint()
	return x.server.AppendReply(dst, mcp.NewReply(body, &hint), f)
}
