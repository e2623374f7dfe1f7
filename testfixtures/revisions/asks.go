package revisions

import (
	"maps"
	"slices"
)

// What a server asks of a client: as a request of its own up to 2025-11-25, inside of a
// result that asks from 2026-07-28 on.

// blocks are the content of a message in sampling.
const blocks = "TextContent|ImageContent|AudioContent|ToolUseContent|ToolResultContent"

// ofAsks are the shapes in what is asked.
var ofAsks = map[string]shape{
	"JSONRPCRequest": of(version, member{"id", "id", always, always, ""}, member{"method", "string", always, always, ""}, member{"params", "object", "", always, ""}),
	"InputRequest":   of(member{"method", "string", modern, modern, ""}, member{"params", "object", "", modern, ""}),
	"InputRequiredResult": of(member{"resultType", `"input_required"`, modern, modern, ""}, member{"inputRequests", "Asks", "", modern, ""},
		member{"requestState", "string", "", modern, ""}, member{"_meta", "ResultMeta", modern, modern, ""}),

	"CreateMessageParams": of(member{"messages", "[]SamplingMessage", always, always, ""}, member{"modelPreferences", "ModelPreferences", "", always, ""},
		member{"systemPrompt", "string", "", always, ""}, member{"includeContext", `"none"|"thisServer"|"allServers"`, "", always, ""},
		member{"temperature", "number", "", always, ""}, member{"maxTokens", "integer", always, always, ""}, member{"stopSequences", "[]string", "", always, ""},
		member{"metadata", "object", "", always, ""}, member{"tools", "[]Tool", "", icons, ""}, member{"toolChoice", "ToolChoice", "", icons, ""},
		member{"_meta", "object", "", icons, icons}),
	"SamplingMessage": of(role, member{"content", "TextContent|ImageContent|AudioContent", always, always, titles},
		member{"content", blocks + "|Blocks", icons, icons, ""}, member{"_meta", "object", "", icons, ""}),
	"ModelPreferences": of(member{"hints", "[]ModelHint", "", always, ""}, member{"costPriority", "fraction", "", always, ""},
		member{"speedPriority", "fraction", "", always, ""}, member{"intelligencePriority", "fraction", "", always, ""}),
	"ModelHint":      of(member{"name", "string", "", always, ""}),
	"ToolChoice":     of(member{"mode", `"auto"|"required"|"none"`, "", icons, ""}),
	"ToolUseContent": of(member{"type", `"tool_use"`, icons, icons, ""}, member{"id", "string", icons, icons, ""}, member{"name", "string", icons, icons, ""}, member{"input", "object", icons, icons, ""}, meta),
	"ToolResultContent": of(member{"type", `"tool_result"`, icons, icons, ""}, member{"toolUseId", "string", icons, icons, ""},
		member{"content", "[]TextContent|ImageContent|AudioContent|ResourceLink|EmbeddedResource", icons, icons, ""},
		member{"structuredContent", "object", "", icons, icons}, member{"structuredContent", "any", "", modern, ""}, member{"isError", "boolean", "", icons, ""}, meta),

	"FormParams": of(member{"mode", `"form"`, "", icons, ""}, member{"message", "string", titles, titles, ""},
		member{"requestedSchema", "FormSchema", titles, titles, ""}, member{"_meta", "object", "", icons, icons}),
	"URLParams": of(member{"mode", `"url"`, icons, icons, ""}, member{"message", "string", icons, icons, ""}, member{"url", "uri", icons, icons, ""},
		member{"elicitationId", "string", icons, icons, icons}, member{"_meta", "object", "", icons, icons}),
	"FormSchema": of(member{"$schema", "string", "", icons, ""}, tag("object"), member{"properties", "objects", titles, titles, ""}, member{"required", "[]string", "", titles, ""}),
	"Nothing":    of(member{"_meta", "object", "", always, ""}),
}

// asks are the shapes of the params of what can be asked, and the first revision that
// has it.
var asks = map[string]struct{ is, since string }{
	"elicitation/create":     {"FormParams|URLParams", titles},
	"sampling/createMessage": {"CreateMessageParams", always},
	"roots/list":             {"Nothing", always},
}

// checkRequest holds a request of a server against what the revision has: none from
// 2026-07-28 on (2026-07-28 basic/patterns/mrtr).
func (c *checker) checkRequest(message map[string]any) {
	c.check("message", "JSONRPCRequest", message)
	switch {
	case c.revision >= modern:
		c.fail("message", "no request, since "+c.revision+" has none from server to client")
	case message["method"] == "ping":
		c.checkAskParams("message.params", "Nothing", message)
	default:
		c.checkAsk("message", message)
	}
}

// checkAsks checks what a result asks, by keys.
func (c *checker) checkAsks(at string, v any) {
	all, ok := v.(map[string]any)
	if !ok {
		c.fail(at, "an object")
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		c.check(at+"."+key, "InputRequest", all[key])
		one, _ := all[key].(map[string]any)
		c.checkAsk(at+"."+key, one)
	}
}

// checkAsk checks method and params of something that is asked.
func (c *checker) checkAsk(at string, one map[string]any) {
	method, _ := one["method"].(string)
	a, ok := asks[method]
	if !ok || c.revision < a.since {
		c.fail(at+".method", "something that a client of "+c.revision+" can be asked, not "+method)
		return
	}
	c.checkAskParams(at+".params", a.is, one)
}

// checkAskParams checks params, which may only be absent where nothing need be there.
func (c *checker) checkAskParams(at, is string, one map[string]any) {
	if params, there := one["params"]; there || is != "Nothing" {
		c.check(at, is, params)
	}
}
