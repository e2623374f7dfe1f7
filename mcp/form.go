package mcp

import (
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
)

// Form is what one revision of the protocol can say, and how it says it. All that
// differs between revisions in what a server sends is a field here; the tables of
// package legacy and package discover hold one Form a revision. Handlers and
// results know nothing of revisions: they are written in the Form of the exchange
// that asked.
//
// A Form is not changed once it is in use, and is known by its address: lists are
// encoded once per Form.
//
// The first sentence of each field's comment is a row of docs/revisions.md, for people
// who have not read this file.
type Form struct {
	// Revision is the protocol version, e.g. "2025-11-25".
	Revision string
	// Era is the era that the revision belongs to.
	Era Eras
	// Methods are the requests of a client that the handler table answers in this
	// revision, or the exchange in its place; those of extensions aside.
	Methods []string
	// Batches: several messages may come as one array (2025-03-26 basic/index,
	// Batching).
	Batches bool

	// ResultType: every result says of which kind it is, in resultType (2026-07-28
	// basic/index, ResultType).
	ResultType bool
	// CacheHints: results that clients may keep say for how long and for whom, in ttlMs
	// and cacheScope (2026-07-28 server/utilities/caching).
	CacheHints bool
	// ServerInfo: every result names the server in its _meta (2026-07-28
	// basic/index, Per-response protocol fields).
	ServerInfo bool

	// ResourceNotFound: the error code for a resource that does not exist
	// (server/resources, Error Handling).
	ResourceNotFound jsonrpc.Code

	// Codes: some error codes are the protocol's own, and a handler's error with one of
	// them is replaced or hidden (2026-07-28 basic/index, Error Codes).
	Codes CodePolicy

	// Title: tools, resources, prompts and implementations have a title for people
	// beside their name (since 2025-06-18).
	Title bool
	// Meta: definitions, blocks of content and contents of resources may carry _meta,
	// and not results and params alone (since 2025-06-18).
	Meta bool
	// ToolAnnotations: tools carry hints on how they behave (since 2025-03-26).
	ToolAnnotations bool
	// Audio: a block of content may be audio (since 2025-03-26).
	Audio bool
	// ProgressMessage: a report of progress may have a message (since 2025-03-26).
	ProgressMessage bool
	// LastModified: annotations may say when something was last changed (since
	// 2025-06-18).
	LastModified bool
	// ResourceLink: a block of content may be a link to a resource (since 2025-06-18).
	ResourceLink bool
	// StructuredObject: a tool may declare the schema of its output, and give
	// structured content, an object (since 2025-06-18).
	StructuredObject bool
	// BooleanSchemas: true and false may stand for the schema of a property in the
	// schemas of a tool (since 2026-07-28).
	BooleanSchemas bool
	// StructuredAny: structured content, and what its schema describes, may be any JSON
	// value (since 2026-07-28).
	StructuredAny bool
	// HeaderParams: a tool may mark arguments that clients repeat in headers, in
	// x-mcp-header (since 2026-07-28).
	HeaderParams bool
	// Icons: definitions may carry icons, and implementations icons, a description and
	// a websiteUrl (since 2025-11-25).
	Icons bool
	// Completions: a server that completes arguments declares the capability for it
	// (since 2025-03-26). The method is older.
	Completions bool
	// CompletionContext: with a request for completion come the arguments that are
	// filled in already (since 2025-06-18).
	CompletionContext bool
	// Extensions: both sides declare extensions among their capabilities (since
	// 2026-07-28).
	Extensions bool

	// RootsListChanged: a client can say that its roots have changed (before 2026-07-28).
	RootsListChanged bool
	// Elicitation: a server can have the user fill in a form (since 2025-06-18).
	Elicitation bool
	// ElicitationModes: a server can send the user to a url, too, and each question says
	// which of the two it is (since 2025-11-25).
	ElicitationModes bool
	// ElicitationID: a question that sends the user to a url has an id (2025-11-25
	// alone).
	ElicitationID bool
	// FormDialect: the schema of a form may name its dialect, in $schema (since
	// 2025-11-25).
	FormDialect bool
	// FormDefaults: every kind of field in a form may have a default, and not booleans
	// alone (since 2025-11-25).
	FormDefaults bool
	// FormChoices: a form may let the user choose several values, and has the titles of
	// values beside them, in oneOf or anyOf (since 2025-11-25). Before, titles stand in
	// enumNames.
	FormChoices bool
	// SamplingTools: the client's model may use tools, and a message to or from it may
	// have several blocks (since 2025-11-25).
	SamplingTools bool
	// Polling: over HTTP the stream of a call begins with an event that has an id and no data,
	// and the server may close the connection before the answer, for the client to come back
	// and take the stream up again (since 2025-11-25). Clients of earlier revisions read every
	// event as a message.
	Polling bool
	// MissingCapability: the error code for a request that needs a capability which the
	// client has not declared (2026-07-28 basic/index, Error Codes). 0 where the revision
	// has none.
	MissingCapability jsonrpc.Code
}

// MissingRequiredClientCapability is the code for a request that needs a capability
// which the client has not declared; the data's requiredCapabilities names it
// (2026-07-28 basic/index, Per-request protocol fields).
const MissingRequiredClientCapability jsonrpc.Code = -32021

// CodePolicy says which error codes a revision keeps for itself. The zero value
// keeps none.
type CodePolicy struct {
	// Replaced maps codes of earlier revisions to what stands for them now.
	Replaced map[jsonrpc.Code]jsonrpc.Code
	// Lowest to Highest is the range that the specification reserves. Of it,
	// handlers may use those in Defined, each with data that has the member named, an
	// object.
	Lowest, Highest jsonrpc.Code
	Defined         map[jsonrpc.Code]string
}

// apply returns err as the revision may send it. A code that it may not send makes
// it an error to be hidden and logged, since a peer would take it for another.
func (p *CodePolicy) apply(err error, revision string) error {
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e == nil {
		return err
	}
	if now, ok := p.Replaced[e.Code]; ok {
		return &jsonrpc.Error{Code: now, Message: e.Message, Data: e.Data}
	}
	if e.Code < p.Lowest || p.Highest < e.Code || e.Code == 0 {
		return err
	}
	switch member, ok := p.Defined[e.Code]; {
	case !ok:
		return fmt.Errorf("mcp: handler error %d %q: revision %s keeps that code for itself", e.Code, e.Message, revision)
	case !hasObject(e.Data, member):
		return fmt.Errorf("mcp: handler error %d %q: revision %s has that code only with the member %s in its data", e.Code, e.Message, revision, member)
	}
	return err
}

// hasObject reports whether raw is an object whose member of this name is one.
func hasObject(raw jsonrpc.Raw, name string) bool {
	has := false
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
		has = has || string(o.Name()) == name && o.Value().Kind() == jsonrpc.KindObject
	}
	return has && o.Err() == nil
}
