// Package revisions knows what each revision of the protocol lets a server send, and
// finds what it does not: a member that is missing, is of another type, or belongs to
// another revision. It knows the messages that the engine sends, and no more.
//
// The knowledge is written down by hand, as one table (shapes.go, asks.go), because the
// engine's own tables cannot prove themselves. Beside it stand the schemas in which the
// specification publishes its messages (schema.go): our own validator holds the same
// messages, and the table itself, against that data, where somebody has it at hand.
package revisions

import "maps"

// The revisions, oldest first. They compare as strings.
var All = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// Words for the table below: from which revision on, and up to which.
const (
	always = "2024-11-05"
	hints  = "2025-03-26"
	titles = "2025-06-18"
	icons  = "2025-11-25"
	modern = "2026-07-28"
)

// member is what a revision says of one member of an object.
type member struct {
	name  string
	is    string // see kinds in check.go: a kind of JSON value, []KIND, or a shape
	need  string // the first revision that requires it, "" for none
	since string // the first revision that knows it
	until string // the last one, "" for no end
}

// shape is the members of one kind of object. What it does not list is unknown, unless
// the shape is open.
type shape struct {
	open    bool
	members []member
}

var (
	meta       = member{"_meta", "object", "", titles, ""}
	resultMeta = []member{
		{"_meta", "object", "", always, icons},
		{"_meta", "ResultMeta", modern, modern, ""},
		{"resultType", `"complete"`, modern, modern, ""},
	}
	cached = []member{
		{"ttlMs", "count", modern, modern, ""},
		{"cacheScope", `"private"|"public"`, modern, modern, ""},
	}
	described = []member{
		{"name", "string", always, always, ""},
		{"title", "string", "", titles, ""},
		{"description", "string", "", always, ""},
		{"icons", "[]Icon", "", icons, ""},
		meta,
	}
	annotated = member{"annotations", "Annotations", "", always, ""}
)

// of makes a shape of members and groups of members.
func of(groups ...any) shape {
	var s shape
	for _, g := range groups {
		switch g := g.(type) {
		case member:
			s.members = append(s.members, g)
		case []member:
			s.members = append(s.members, g...)
		}
	}
	return s
}

// tag is the member type with its one value.
func tag(value string) member { return member{"type", `"` + value + `"`, always, always, ""} }

// shapes are the objects by their names in the schema, all revisions in one.
var shapes = together(ofAnswers, ofAsks)

func together(tables ...map[string]shape) map[string]shape {
	all := map[string]shape{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// ofAnswers are those in answers and notifications.
var ofAnswers = map[string]shape{
	"JSONRPCResultResponse": of(version, member{"id", "id", always, always, ""}, member{"result", "object", always, always, ""}),
	"JSONRPCErrorResponse": of(version, member{"error", "Error", always, always, ""},
		member{"id", "id", always, always, titles}, member{"id", "id", "", icons, ""}),
	"JSONRPCNotification": of(version, member{"method", "string", always, always, ""}, member{"params", "object", "", always, ""}),
	"Error":               of(member{"code", "integer", always, always, ""}, member{"message", "string", always, always, ""}, member{"data", "any", "", always, ""}),
	"CapabilityData":      of(member{"requiredCapabilities", "object", modern, modern, ""}),
	"VersionData":         of(member{"supported", "[]string", modern, modern, ""}, member{"requested", "string", modern, modern, ""}),
	"Progress": of(member{"progressToken", "id", always, always, ""}, member{"progress", "number", always, always, ""},
		member{"total", "number", "", always, ""}, member{"message", "string", "", hints, ""}),

	"InitializeResult": of(member{"protocolVersion", "string", always, always, icons}, member{"capabilities", "ServerCapabilities", always, always, icons},
		member{"serverInfo", "Implementation", always, always, icons}, member{"instructions", "string", "", always, icons}, resultMeta),
	"DiscoverResult": of(member{"supportedVersions", "[]string", modern, modern, ""}, member{"capabilities", "ServerCapabilities", modern, modern, ""},
		member{"instructions", "string", "", modern, ""}, cached, resultMeta),
	"EmptyResult":                 of(resultMeta),
	"ListToolsResult":             of(member{"tools", "[]Tool", always, always, ""}, next, cached, resultMeta),
	"ListResourcesResult":         of(member{"resources", "[]Resource", always, always, ""}, next, cached, resultMeta),
	"ListResourceTemplatesResult": of(member{"resourceTemplates", "[]ResourceTemplate", always, always, ""}, next, cached, resultMeta),
	"ListPromptsResult":           of(member{"prompts", "[]Prompt", always, always, ""}, next, cached, resultMeta),
	"GetPromptResult":             of(member{"description", "string", "", always, ""}, member{"messages", "[]PromptMessage", always, always, ""}, resultMeta),
	"CompleteResult":              of(member{"completion", "Completion", always, always, ""}, resultMeta),
	"SubscriptionsListenResult":   of(member{"_meta", "SubscriptionMeta", modern, modern, ""}, member{"resultType", `"complete"`, modern, modern, ""}),
	"ReadResourceResult":          of(member{"contents", "[]TextResourceContents|BlobResourceContents", always, always, ""}, cached, resultMeta),
	"CallToolResult": of(member{"content", "[]TextContent|ImageContent|AudioContent|ResourceLink|EmbeddedResource", always, always, ""},
		member{"isError", "boolean", "", always, ""},
		member{"structuredContent", "object", "", titles, icons}, member{"structuredContent", "any", "", modern, ""}, resultMeta),

	// The specification asks servers to name themselves in every result; ours do.
	"ResultMeta": {open: true, members: []member{{"io.modelcontextprotocol/serverInfo", "Implementation", modern, modern, ""}}},
	"Implementation": of(member{"name", "string", always, always, ""}, member{"version", "string", always, always, ""},
		member{"title", "string", "", titles, ""}, member{"description", "string", "", icons, ""},
		member{"websiteUrl", "uri", "", icons, ""}, member{"icons", "[]Icon", "", icons, ""}),
	"Icon": of(member{"src", "uri", icons, icons, ""}, member{"mimeType", "string", "", icons, ""},
		member{"sizes", "[]string", "", icons, ""}, member{"theme", `"light"|"dark"`, "", icons, ""}),
	"ServerCapabilities": of(member{"experimental", "objects", "", always, ""}, member{"extensions", "objects", "", modern, ""},
		member{"tools", "Changing", "", always, ""}, member{"resources", "Subscribing", "", always, ""}, member{"prompts", "Changing", "", always, ""},
		member{"logging", "object", "", always, ""}, member{"completions", "object", "", hints, ""}),
	"Changing":    of(member{"listChanged", "boolean", "", always, ""}),
	"Subscribing": of(member{"listChanged", "boolean", "", always, ""}, member{"subscribe", "boolean", "", always, ""}),

	"Tool": of(described, member{"inputSchema", "InputSchema", always, always, ""},
		member{"outputSchema", "InputSchema", "", titles, icons}, member{"outputSchema", "object", "", modern, ""},
		member{"annotations", "ToolAnnotations", "", hints, ""}),
	"InputSchema": {open: true, members: []member{tag("object"), {"properties", "objects", "", always, icons}, {"required", "[]string", "", always, icons}}},
	"ToolAnnotations": of(member{"title", "string", "", hints, ""}, member{"readOnlyHint", "boolean", "", hints, ""}, member{"destructiveHint", "boolean", "", hints, ""},
		member{"idempotentHint", "boolean", "", hints, ""}, member{"openWorldHint", "boolean", "", hints, ""}),
	"Resource":         of(described, resource),
	"ResourceTemplate": of(described, annotated, member{"uriTemplate", "template", always, always, ""}, member{"mimeType", "string", "", always, ""}),
	"Annotations": of(member{"audience", `[]"user"|"assistant"`, "", always, ""}, member{"priority", "fraction", "", always, ""},
		member{"lastModified", "string", "", titles, ""}),

	"Prompt":         of(described, member{"arguments", "[]PromptArgument", "", always, ""}),
	"PromptArgument": of(member{"name", "string", always, always, ""}, member{"title", "string", "", titles, ""}, member{"description", "string", "", always, ""}, member{"required", "boolean", "", always, ""}),
	"PromptMessage":  of(role, member{"content", "TextContent|ImageContent|AudioContent|ResourceLink|EmbeddedResource", always, always, ""}),
	"Completion":     of(member{"values", "[]string", always, always, ""}, member{"total", "integer", "", always, ""}, member{"hasMore", "boolean", "", always, ""}),

	"SubscriptionMeta": {open: true, members: []member{{"io.modelcontextprotocol/subscriptionId", "id", modern, modern, ""}, {"io.modelcontextprotocol/serverInfo", "Implementation", "", modern, ""}}},
	"SubscriptionFilter": of(member{"toolsListChanged", "boolean", "", modern, ""}, member{"promptsListChanged", "boolean", "", modern, ""},
		member{"resourcesListChanged", "boolean", "", modern, ""}, member{"resourceSubscriptions", "[]string", "", modern, ""}),
	"Acknowledged": of(tagged, member{"notifications", "SubscriptionFilter", modern, modern, ""}),
	"Changed":      of(tagged),
	"Updated":      of(tagged, member{"uri", "uri", always, always, ""}),
	"Cancelled":    of(member{"_meta", "SubscriptionMeta", "", modern, ""}, member{"requestId", "id", always, always, ""}, member{"reason", "string", "", always, ""}),
	"LogMessage": of(member{"level", levels, always, always, ""}, member{"logger", "string", "", always, ""}, member{"data", "any", always, always, ""},
		member{"_meta", "object", "", modern, ""}),

	"TextContent":          of(tag("text"), member{"text", "string", always, always, ""}, annotated, meta),
	"ImageContent":         of(tag("image"), binary, annotated, meta),
	"AudioContent":         of(member{"type", `"audio"`, hints, hints, ""}, binary, annotated, meta),
	"ResourceLink":         of(member{"type", `"resource_link"`, titles, titles, ""}, described, resource),
	"EmbeddedResource":     of(tag("resource"), member{"resource", "TextResourceContents|BlobResourceContents", always, always, ""}, annotated, meta),
	"TextResourceContents": of(contents, member{"text", "string", always, always, ""}),
	"BlobResourceContents": of(contents, member{"blob", "base64", always, always, ""}),
}

var (
	version  = member{"jsonrpc", `"2.0"`, always, always, ""}
	role     = member{"role", `"user"|"assistant"`, always, always, ""}
	tagged   = member{"_meta", "SubscriptionMeta", modern, modern, ""}
	next     = member{"nextCursor", "string", "", always, ""}
	resource = []member{{"uri", "uri", always, always, ""}, {"mimeType", "string", "", always, ""}, {"size", "integer", "", always, ""}, annotated}
	contents = []member{{"uri", "uri", always, always, ""}, {"mimeType", "string", "", always, ""}, meta}
	binary   = []member{{"data", "base64", always, always, ""}, {"mimeType", "string", always, always, ""}}
)

// levels are those of log messages.
const levels = `"debug"|"info"|"notice"|"warning"|"error"|"critical"|"alert"|"emergency"`

// notices are the shapes of the params of notifications by method. since and until are
// the revisions that have them.
var notices = map[string]struct{ is, since, until string }{
	"notifications/progress":                   {"Progress", always, ""},
	"notifications/message":                    {"LogMessage", always, ""},
	"notifications/cancelled":                  {"Cancelled", always, ""},
	"notifications/tools/list_changed":         {"Changed", always, ""},
	"notifications/prompts/list_changed":       {"Changed", always, ""},
	"notifications/resources/list_changed":     {"Changed", always, ""},
	"notifications/resources/updated":          {"Updated", always, ""},
	"notifications/subscriptions/acknowledged": {"Acknowledged", modern, ""},
}

// results are the shapes, and the names in the schema, of results by method.
var results = map[string]string{
	"initialize":               "InitializeResult",
	"server/discover":          "DiscoverResult",
	"ping":                     "EmptyResult",
	"tools/list":               "ListToolsResult",
	"tools/call":               "CallToolResult",
	"resources/list":           "ListResourcesResult",
	"resources/templates/list": "ListResourceTemplatesResult",
	"resources/read":           "ReadResourceResult",
	"resources/subscribe":      "EmptyResult",
	"resources/unsubscribe":    "EmptyResult",
	"prompts/list":             "ListPromptsResult",
	"prompts/get":              "GetPromptResult",
	"completion/complete":      "CompleteResult",
	"logging/setLevel":         "EmptyResult",
	"subscriptions/listen":     "SubscriptionsListenResult",
}
