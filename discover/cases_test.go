package discover_test

import (
	"strings"
	"testing"
)

// eraCase is one request that goes alike in all eras, but for what stands around
// it. Names that begin with B and a number are reported faults of other
// implementations.
type eraCase struct {
	name string
	line func(e era) string
	want func(e era) string // "" for no answer
}

// calling makes a case of a call of a tool.
func calling(name, params string, want func(e era) string) eraCase {
	return eraCase{name, func(e era) string { return e.request("1", "tools/call", params) }, want}
}

// asking makes a case of a request.
func asking(name, method, params string, want func(e era) string) eraCase {
	return eraCase{name, func(e era) string { return e.request("1", method, params) }, want}
}

// says is the want of a text from a tool.
func says(text string) func(era) string {
	return func(e era) string { return e.text("1", text) }
}

// fails is the want of an error.
func fails(code int, message string) func(era) string {
	return func(era) string { return failure("1", code, message, "") }
}

// unknown is the want of a resource that is not there.
func unknown(uri string) func(era) string {
	return func(e era) string { return e.noSuchResource("1", uri) }
}

// found is the want of a resource of one text.
func found(uri, text string) func(era) string {
	return func(e era) string { return e.cached("1", `"contents":[{"uri":"`+uri+`","text":"`+text+`"}]`) }
}

const hidden = "Internal error (correlation id)"

var callCases = []eraCase{
	calling("echo", `"name":"echo","arguments":{"a":[1.0,9007199254740993]}`, says(`{"a":[1.0,9007199254740993]}`)),
	calling("B02 names are exact", `"name":"echo","Name":"boom","NAME":"boom","arguments":{}`, says(`{}`)),
	calling("B02 arguments are exact", `"name":"echo","Arguments":{"a":1}`, says(`{}`)),
	{"B02 params with a long s", func(e era) string {
		return strings.Replace(request("1", "tools/call", `"name":"echo"`), "params", "param\u017f", 1)
	}, func(e era) string {
		if e.modern {
			// Without params there is no _meta, so the request is of no era.
			return failure("1", -32602, neither, "")
		}
		return failure("1", -32602, "params.name must be a string", "")
	}},
	calling("B13 unknown members", `"name":"echo","future":{"a":1},"task":null`, says(`{}`)),
	{"B13 unknown members in the envelope", func(e era) string {
		return strings.Replace(e.request("1", "tools/call", `"name":"echo"`), `"id"`, `"trace":{"a":1},"id"`, 1)
	}, says(`{}`)},
	calling("B118 arguments are a string", `"name":"echo","arguments":"{\"a\":1}"`, fails(-32602, "params.arguments must be an object")),
	calling("B118 arguments are an array", `"name":"echo","arguments":[1]`, fails(-32602, "params.arguments must be an object")),
	calling("arguments are null", `"name":"echo","arguments":null`, fails(-32602, "params.arguments must be an object")),
	calling("an argument twice", `"name":"echo","arguments":{"a":1,"a":2}`, fails(-32602, `duplicate member "a" in params.arguments`)),
	calling("B166 panic", `"name":"boom"`, fails(-32603, hidden)),
	calling("B167 neither result nor error", `"name":"nothing"`, fails(-32603, hidden)),
	calling("error of the tool", `"name":"fail"`, func(e era) string {
		return e.result("1", `"content":[{"type":"text","text":"the disk is full"}],"isError":true`)
	}),
	calling("protocol error", `"name":"protocol"`, fails(-32602, "told")),
	calling("B196 unknown tool", `"name":"nope"`, fails(-32602, "Unknown tool: nope")),
	calling("no name", ``, fails(-32602, "params.name must be a string")),
	calling("name is a number", `"name":7`, fails(-32602, "params.name must be a string")),
	calling("B100 progress without a token", `"name":"report"`, says("done")),
}

var otherCases = []eraCase{
	asking("B89 unknown method", "nonexistent/method", ``, fails(-32601, "Method not found: nonexistent/method")),
	asking("B89 capability that is not declared", "prompts/list", ``, fails(-32601, "Method not found: prompts/list")),
	asking("B196 unknown prompt on a server without any", "prompts/get", `"name":"nope"`, fails(-32601, "Method not found: prompts/get")),
	asking("method in other case", "Tools/list", ``, fails(-32601, "Method not found: Tools/list")),
	asking("resource", "resources/read", `"uri":"test:text"`, found("test:text", "x")),
	asking("template", "resources/read", `"uri":"file://docs/a%20b"`, found("file://docs/a%20b", "a b")),
	asking("B197 unknown resource", "resources/read", `"uri":"test:other"`, unknown("test:other")),
	asking("B197 not found by the handler", "resources/read", `"uri":"file://docs/gone"`, unknown("file://docs/gone")),
	asking("B199 empty uri", "resources/read", `"uri":""`, unknown("")),
	asking("B199 colons", "resources/read", `"uri":"::::"`, unknown("::::")),
	asking("B199 bad encoding", "resources/read", `"uri":"file://docs/%zz"`, unknown("file://docs/%zz")),
	asking("B199 a megabyte", "resources/read", `"uri":"`+strings.Repeat("a", 1<<20)+`"`, func(e era) string {
		long := e.noSuchResource("1", strings.Repeat("a", 256)+"…")
		return long[:strings.Index(long, `,"data"`)] + `}}`
	}),
	asking("uri is absent", "resources/read", ``, fails(-32602, "params.uri must be a string")),
	asking("uri is a number", "resources/read", `"uri":7`, fails(-32602, "params.uri must be a string")),
	asking("B200 garbage for a cursor", "tools/list", `"cursor":"garbage"`, fails(-32602, "params.cursor is not one that this server gave out")),
	asking("B200 empty cursor", "resources/list", `"cursor":""`, fails(-32602, "params.cursor is not one that this server gave out")),
	asking("B200 cursor is a number", "resources/templates/list", `"cursor":7`, fails(-32602, "params.cursor must be a string")),
	asking("resources", "resources/list", ``, func(e era) string { return e.cached("1", `"resources":[{"uri":"test:text","name":"text"}]`) }),
	asking("templates", "resources/templates/list", ``, func(e era) string {
		return e.cached("1", `"resourceTemplates":[{"uriTemplate":"file://docs/{name}","name":"docs"}]`)
	}),
	{"B206 unknown notification", func(era) string { return `{"jsonrpc":"2.0","method":"window/logMessage","params":{"x":1}}` }, nil},
	{"B206 unknown notification of the protocol", func(era) string { return `{"jsonrpc":"2.0","method":"notifications/unknown"}` }, nil},
	{"B206 modern notification", func(era) string {
		return `{"jsonrpc":"2.0","method":"notifications/unknown","params":{` + modernMeta + `}}`
	}, nil},
	{"notification with a method of a request", func(era) string {
		return `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"boom",` + modernMeta + `}}`
	}, nil},
	{"cancellation of nothing", func(era) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`
	}, nil},
	{"cancellation without an id", func(era) string { return `{"jsonrpc":"2.0","method":"notifications/cancelled"}` }, nil},
	{"cancellation of no usable id", func(era) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`
	}, nil},
	{"response that nobody asked for", func(era) string { return `{"jsonrpc":"2.0","id":1,"result":{}}` }, nil},
	{"error that nobody asked for", func(era) string { return `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}` }, nil},
	{"not JSON", func(era) string { return `{bad json` }, func(era) string {
		return unreadable(-32700, "Parse error: unexpected character at byte 1")
	}},
}

// TestCases sends every case in every era; after each one the connection still
// serves. The answers to errors carry no text that is not for peers: see checkLine.
func TestCases(t *testing.T) {
	inEras(t, func(w *wire, e era) {
		for _, c := range append(callCases, otherCases...) {
			var want []string
			if c.want != nil {
				want = []string{c.want(e)}
			}
			w.want(c.name, c.line(e), want...)
			w.want("after "+c.name, e.request(`"next"`, "tools/call", `"name":"echo"`), e.text(`"next"`, `{}`))
		}
	})
}

// TestIDs: an id comes back as the bytes that were sent.
func TestIDs(t *testing.T) {
	inEras(t, func(w *wire, e era) {
		for _, id := range []string{"0", "-1", "9007199254740993", "123456789012345678901234567890", `""`, `"0"`, `"req-abc"`, `"é\u0000"`, `"\u0061\/"`} {
			w.want("id "+id, e.request(id, "tools/call", `"name":"echo"`), e.text(id, `{}`))
			w.want("id "+id+" of an error", e.request(id, "tools/call", `"name":"nope"`), failure(id, -32602, "Unknown tool: nope", ""))
		}
		for _, id := range []string{"null", "1.5", "1e400", "1.0", "-0", "true", "{}", "[1]"} {
			w.want("id "+id, e.request(id, "tools/call", `"name":"boom"`), unreadable(-32600, "id must be a string or an integer"))
		}
	})
}

// TestProgress (B97, B98): the token comes back with its type and digits, values
// only grow, and the answer is the last that is said.
func TestProgress(t *testing.T) {
	inEras(t, func(w *wire, e era) {
		for _, token := range []string{"0", `""`, `"abc"`, "9007199254740993", "-1"} {
			note := func(progress string) string {
				return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":` + progress + `,"total":1}}`
			}
			w.want("token "+token, e.withMeta("1", "tools/call", `"name":"report"`, `"progressToken":`+token),
				note("0.25"), note("1"), e.text("1", "done"))
		}
		for _, token := range []string{"null", "1.5", "{}", "true", "[1]"} {
			w.want("token "+token, e.withMeta("1", "tools/call", `"name":"report"`, `"progressToken":`+token),
				failure("1", -32602, "params._meta.progressToken must be a string or an integer", ""))
		}
	})
}

// TestCancel (B91, B92): a cancelled request ends by its context and is never heard
// of again, whatever its handler does then; others go on.
func TestCancel(t *testing.T) {
	inEras(t, func(w *wire, e era) {
		for _, id := range []string{"3", "0", `""`, `"a"`} {
			cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + strings.Replace(id, "a", `\u0061`, 1) + `,"reason":"x"}}`
			for _, tool := range []string{"slow", "stubborn"} {
				w.want("call", e.withMeta(id, "tools/call", `"name":"`+tool+`"`, `"progressToken":1`))
				w.want("a call beside it", e.request("4", "tools/call", `"name":"echo"`), e.text("4", `{}`))
				w.want("its id is in use", e.request(id, "tools/list", ``),
					failure(id, -32600, "id is in use by a request that is not answered yet", ""))
				w.want("cancel", cancel)
				w.want("cancel again", cancel)
				w.want("its id is free", e.request(id, "tools/call", `"name":"echo"`), e.text(id, `{}`))
			}
		}
	})
}
