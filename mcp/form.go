package mcp

import (
	"errors"
	"fmt"
	"slices"

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
type Form struct {
	// Revision is the protocol version, e.g. "2025-11-25".
	Revision string
	// Era is the era that the revision belongs to.
	Era Eras
	// Methods are the requests of a client that the handler table answers in this
	// revision, or the exchange in its place; those of extensions aside.
	Methods []string

	// ResultType: every result carries resultType (2026-07-28 basic/index,
	// ResultType).
	ResultType bool
	// CacheHints: cacheable results carry ttlMs and cacheScope (2026-07-28
	// server/utilities/caching).
	CacheHints bool
	// ServerInfo: every result names the server in its _meta (2026-07-28
	// basic/index, Per-response protocol fields).
	ServerInfo bool

	// ResourceNotFound is the code for a resource that does not exist: -32002 up
	// to 2025-11-25, -32602 from 2026-07-28 on (server/resources, Error Handling).
	ResourceNotFound jsonrpc.Code

	// Codes tells which codes of a handler's the revision may not send
	// (2026-07-28 basic/index, Error Codes).
	Codes CodePolicy

	// Title: name has a title for people beside it (since 2025-06-18).
	Title bool
	// Meta: definitions and contents, and not only results, may carry _meta
	// (since 2025-06-18).
	Meta bool
	// ToolAnnotations: tools carry behaviour hints (since 2025-03-26).
	ToolAnnotations bool
	// Audio: audio is a kind of content (since 2025-03-26).
	Audio bool
	// ProgressMessage: progress carries a text (since 2025-03-26).
	ProgressMessage bool
	// LastModified is one of the annotations (since 2025-06-18).
	LastModified bool
	// ResourceLink is a kind of content (since 2025-06-18).
	ResourceLink bool
	// StructuredObject: tools declare an output schema and give structured
	// content, both of type object (since 2025-06-18).
	StructuredObject bool
	// BooleanSchemas: a property's schema may be true or false (since 2026-07-28).
	BooleanSchemas bool
	// StructuredAny: both may be of any JSON type (since 2026-07-28).
	StructuredAny bool
	// Icons: definitions carry icons, an implementation also description and
	// websiteUrl (since 2025-11-25).
	Icons bool
	// Completions is one of the capabilities (since 2025-03-26; the method is older).
	Completions bool
	// CompletionContext: a client says which arguments are filled in already (since
	// 2025-06-18).
	CompletionContext bool
	// Extensions is one of the capabilities (since 2026-07-28).
	Extensions bool

	// Elicitation: the user can be asked, with a form (since 2025-06-18).
	Elicitation bool
	// ElicitationModes: the user can be sent to a url, too, and a question says
	// which of the two it is (since 2025-11-25).
	ElicitationModes bool
	// ElicitationID: a question with a url has an id (2025-11-25 alone).
	ElicitationID bool
	// FormDialect: the schema of a form may name its $schema (since 2025-11-25).
	FormDialect bool
	// FormDefaults: fields of a form other than booleans may have defaults (since
	// 2025-11-25).
	FormDefaults bool
	// FormChoices: in a form several values may be chosen, and values have their
	// titles beside them (since 2025-11-25). Before, titles stand in enumNames.
	FormChoices bool
	// SamplingTools: a client's model may use tools, and a message to it has several
	// blocks (since 2025-11-25).
	SamplingTools bool
	// MissingCapability is the code for a request that needs a capability which the
	// client has not declared; 0 where the revision has none.
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
	// handlers may use those in Defined.
	Lowest, Highest jsonrpc.Code
	Defined         []jsonrpc.Code
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
	if p.Lowest <= e.Code && e.Code <= p.Highest && e.Code != 0 && !slices.Contains(p.Defined, e.Code) {
		return fmt.Errorf("mcp: handler error %d %q: revision %s keeps that code for itself", e.Code, e.Message, revision)
	}
	return err
}
