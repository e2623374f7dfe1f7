package legacy

import (
	"cmp"
	"slices"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// resourceNotFound is the code up to 2025-11-25 (server/resources, Error Handling).
// Later revisions keep it reserved and never send it.
const resourceNotFound jsonrpc.Code = -32002

// core holds the methods of a server that every legacy revision has. The session
// answers logging/setLevel itself, where the server logs.
var core = []string{
	"tools/list", "tools/call",
	"resources/list", "resources/templates/list", "resources/read",
	"prompts/list", "prompts/get", "completion/complete",
	"resources/subscribe", "resources/unsubscribe",
	"logging/setLevel",
}

// revisions lists the legacy revisions, newest first. What each had beyond the one
// below it is in its changelog (2025-11-25, 2025-06-18, 2025-03-26) or, as with
// lastModified, only in its schema.
var revisions = []*mcp.Form{
	{
		Revision:          "2025-11-25",
		Era:               mcp.Legacy,
		Methods:           core,
		ResourceNotFound:  resourceNotFound,
		RootsListChanged:  true,
		Icons:             true,
		Title:             true,
		Meta:              true,
		LastModified:      true,
		ResourceLink:      true,
		StructuredObject:  true,
		ToolAnnotations:   true,
		Audio:             true,
		ProgressMessage:   true,
		Completions:       true,
		CompletionContext: true,
		Elicitation:       true,
		ElicitationModes:  true,
		ElicitationID:     true,
		FormDialect:       true,
		FormDefaults:      true,
		FormChoices:       true,
		SamplingTools:     true,
		Polling:           true,
	},
	{
		Revision:          "2025-06-18",
		Era:               mcp.Legacy,
		Methods:           core,
		ResourceNotFound:  resourceNotFound,
		RootsListChanged:  true,
		Title:             true,
		Meta:              true,
		LastModified:      true,
		ResourceLink:      true,
		StructuredObject:  true,
		ToolAnnotations:   true,
		Audio:             true,
		ProgressMessage:   true,
		Completions:       true,
		CompletionContext: true,
		Elicitation:       true,
	},
	{
		Revision:         "2025-03-26",
		Era:              mcp.Legacy,
		Methods:          core,
		Batches:          true,
		ResourceNotFound: resourceNotFound,
		RootsListChanged: true,
		ToolAnnotations:  true,
		Audio:            true,
		ProgressMessage:  true,
		Completions:      true,
	},
	{
		Revision:         "2024-11-05",
		Era:              mcp.Legacy,
		Methods:          core,
		ResourceNotFound: resourceNotFound,
		RootsListChanged: true,
	},
}

// Versions returns the legacy revisions that this package serves, newest first.
//
//go:noinline
func Versions() []string {
	versions := make([]string, len(revisions))
	for i, f := range revisions {
		versions[i] = f.Revision
	}
	return versions
}

// FormOf returns the form of a legacy revision that is served, nil for any other. It is the
// one in use and must not be changed.
//
//go:noinline
func FormOf(version string) *mcp.Form {
	for _, f := range revisions {
		if f.Revision == version {
			return f
		}
	}
	return nil
}

// Serves reports whether a version is one of the legacy revisions that are served.
func Serves(version string) bool { return FormOf(version) != nil }

// negotiate picks the revision of a session (2025-11-25 basic/lifecycle, Version
// Negotiation): the one that was asked for if it is served, else the newest.
func negotiate(asked string) *mcp.Form { return cmp.Or(FormOf(asked), revisions[0]) }

// Forms returns the forms of the legacy revisions, newest first. They are the ones in
// use and must not be changed.
func Forms() []*mcp.Form { return slices.Clone(revisions) }
