package legacy

import (
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// revision is all that this package knows about one revision of the protocol:
// the form of what is sent, the methods included, and whether batches exist.
type revision struct {
	form    *mcp.Form
	batches bool // an array of messages may arrive (2025-03-26 basic/index, Batching)
}

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
var revisions = []*revision{
	{
		form: &mcp.Form{
			Revision:          "2025-11-25",
			Era:               mcp.Legacy,
			Methods:           core,
			ResourceNotFound:  resourceNotFound,
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
		},
	},
	{
		form: &mcp.Form{
			Revision:          "2025-06-18",
			Era:               mcp.Legacy,
			Methods:           core,
			ResourceNotFound:  resourceNotFound,
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
	},
	{
		batches: true,
		form: &mcp.Form{
			Revision:         "2025-03-26",
			Era:              mcp.Legacy,
			Methods:          core,
			ResourceNotFound: resourceNotFound,
			ToolAnnotations:  true,
			Audio:            true,
			ProgressMessage:  true,
			Completions:      true,
		},
	},
	{
		form: &mcp.Form{
			Revision:         "2024-11-05",
			Era:              mcp.Legacy,
			Methods:          core,
			ResourceNotFound: resourceNotFound,
		},
	},
}

// Versions returns the legacy revisions that this package serves, newest first.
func Versions() []string {
	versions := make([]string, len(revisions))
	for i, r := range revisions {
		versions[i] = r.form.Revision
	}
	return versions
}

// negotiate picks the revision of a session (2025-11-25 basic/lifecycle, Version
// Negotiation): the one that was asked for if it is served, else the newest.
func negotiate(asked string) *revision {
	for _, r := range revisions {
		if r.form.Revision == asked {
			return r
		}
	}
	return revisions[0]
}

// Forms returns the forms of the legacy revisions, newest first. They are the ones in
// use and must not be changed.
func Forms() []*mcp.Form {
	forms := make([]*mcp.Form, len(revisions))
	for i, r := range revisions {
		forms[i] = r.form
	}
	return forms
}
