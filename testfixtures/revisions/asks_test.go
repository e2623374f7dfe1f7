package revisions_test

// asked makes a request of a server.
func asked(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// inside makes a result that asks.
func inside(members string) string {
	return result(`"resultType":"input_required","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}` + members)
}

const (
	form     = `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`
	formMode = `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`
	words    = `{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1}`
	manyWord = `{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"maxTokens":1}`
)

// askTests are the rows of TestCheckFinds about what a server asks.
var askTests = []struct{ revision, method, message, want string }{
	{"2025-03-26", "", asked("ping", `{}`), ""},
	{"2025-03-26", "", asked("nope", `{}`), "message.method: must be something that a client of 2025-03-26 can be asked, not nope"},
	{"2025-03-26", "", asked("elicitation/create", form), "message.method: must be something that a client of 2025-03-26 can be asked"},
	{"2025-06-18", "", asked("elicitation/create", form), ""},
	{"2025-06-18", "", asked("elicitation/create", formMode), "message.params.mode: must be left out"},
	{"2025-11-25", "", asked("elicitation/create", formMode), ""},
	{"2025-11-25", "", asked("elicitation/create", `{"message":"m"}`), "message.params.requestedSchema: must be there"},
	{"2025-11-25", "", asked("elicitation/create", `{"mode":"url","message":"m","url":"a:b","elicitationId":"e"}`), ""},
	{"2025-11-25", "", asked("elicitation/create", `{"mode":"url","message":"m","url":"a:b"}`), "message.params.elicitationId: must be there"},
	{"2024-11-05", "", asked("sampling/createMessage", words), ""},
	{"2025-06-18", "", asked("sampling/createMessage", manyWord), "message.params.messages[0].content: must be TextContent|"},
	{"2025-11-25", "", asked("sampling/createMessage", manyWord), ""},
	{"2025-11-25", "", asked("sampling/createMessage", `{"messages":[]}`), "message.params.maxTokens: must be there"},
	{"2024-11-05", "", `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, ""},
	{"2026-07-28", "", asked("ping", `{}`), "message: must be no request"},

	{"2026-07-28", "tools/call", inside(`,"requestState":"s"`), ""},
	{"2026-07-28", "tools/call", inside(``), "message.result: must be with inputRequests or requestState"},
	{"2026-07-28", "tools/list", inside(`,"requestState":"s"`), `message.result.resultType: must be "complete"`},
	{"2025-11-25", "tools/call", inside(`,"requestState":"s"`), "message.result.requestState: must be left out"},
	{"2026-07-28", "prompts/get", inside(`,"inputRequests":{"a":{"method":"elicitation/create","params":` + formMode + `},"b":{"method":"roots/list"}}`), ""},
	{"2026-07-28", "prompts/get", inside(`,"inputRequests":{"a":{"method":"ping"}}`), "message.result.inputRequests.a.method: must be something"},
	{"2026-07-28", "prompts/get", inside(`,"inputRequests":{"a":{"method":"roots/list","id":1}}`), "message.result.inputRequests.a.id: must be left out"},
	{"2026-07-28", "prompts/get", inside(`,"inputRequests":[]`), "message.result.inputRequests: must be an object"},
	{"2026-07-28", "", failure(`"code":-32021,"message":"m","data":{"requiredCapabilities":{"sampling":{}}}`), ""},
	{"2026-07-28", "", failure(`"code":-32021,"message":"m"`), "message.error.data: must be an object"},

	{"2025-03-26", "prompts/get", result(`"messages":[{"role":"user","content":{"type":"text","text":"x"}}]`), ""},
	{"2025-03-26", "prompts/get", result(`"messages":[{"role":"system","content":{"type":"text","text":"x"}}]`), `message.result.messages[0].role: must be "user"|"assistant"`},
	{"2025-03-26", "prompts/list", result(`"prompts":[{"name":"p","arguments":[{"name":"a","title":"T"}]}]`), "message.result.prompts[0].arguments[0].title: must be left out"},
	{"2025-06-18", "prompts/list", result(`"prompts":[{"name":"p","title":"T","arguments":[{"name":"a","title":"T","required":true}]}]`), ""},
	{"2025-06-18", "completion/complete", result(`"completion":{"values":null}`), "message.result.completion.values: must be an array"},
	{"2025-06-18", "logging/setLevel", result(`"level":"info"`), "message.result.level: must be left out"},
	{"2024-11-05", "initialize", result(`"protocolVersion":"v","capabilities":{"completions":{}},"serverInfo":{"name":"s","version":"1"}`), "message.result.capabilities.completions: must be left out"},
	{"2026-07-28", "subscriptions/listen", result(`"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"a"}`), ""},
	{"2026-07-28", "subscriptions/listen", result(modernAround), "message.result._meta.io.modelcontextprotocol/subscriptionId: must be there"},
}
