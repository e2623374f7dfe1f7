package main

import "fmt"

// era knows how a client of one era puts a request, and what that era adds to
// every result. With it one table of steps serves both.
type era struct {
	meta   string        // the members of every request's params._meta; "" for none
	always []expectation // hold for every result
	cached []expectation // hold for those results that a client may keep
}

// The versions the tour speaks.
const (
	modernVersion = "2026-07-28"
	legacyVersion = "2025-11-25" // the newest
)

// modernMeta is what makes a request one of the modern era (2026-07-28
// basic/index, _meta).
const modernMeta = `"io.modelcontextprotocol/protocolVersion":"` + modernVersion + `",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"tour","version":"1.0.0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}`

// legacyEra is the era of the handshake: no result shows anything that came later.
func legacyEra() era {
	return era{
		always: []expectation{
			{"it has no member that came with the modern era", "result",
				without("resultType", "ttlMs", "cacheScope", "_meta io.modelcontextprotocol/serverInfo")},
		},
	}
}

// modernEra is the era without a handshake, of the server with this identity.
func modernEra(serverInfo string) era {
	return era{
		meta: modernMeta,
		always: []expectation{
			{"resultType is complete", "result resultType", equal(`"complete"`)},
			{"_meta says who the server is: " + serverInfo, "result _meta io.modelcontextprotocol/serverInfo", equal(serverInfo)},
		},
		cached: []expectation{
			{"ttlMs is 0 or more", "result ttlMs", natural()},
			{"cacheScope is public or private", "result cacheScope", oneOf("public", "private")},
		},
	}
}

// request puts a request in the form of the era. id is JSON; params are the
// members of the params object, without its braces, and may be empty.
func (e era) request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, e.params(params))
}

// notice puts a notification in the form of the era.
func (e era) notice(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, e.params(params))
}

// params adds _meta to the members of a params object.
func (e era) params(params string) string {
	switch {
	case e.meta == "":
		return params
	case params != "":
		params += ","
	}
	return params + `"_meta":{` + e.meta + `}`
}

// with is the era with more members of _meta in each request.
func (e era) with(members string) era {
	if e.meta != "" {
		members = e.meta + "," + members
	}
	e.meta = members
	return e
}

// result is a step that has to end well.
// It stands in many places: inlined it is more code in each than the call.
//
//go:noinline
func (e era) result(id, method, params string, expect ...expectation) step {
	all := append([]expectation{}, e.always...)
	return step{send: e.request(id, method, params), kind: "result", expect: append(all, expect...)}
}

// kept is result for the methods whose results carry caching hints (2026-07-28
// server/utilities/caching, Cacheable Results).
//
//go:noinline
func (e era) kept(id, method, params string, expect ...expectation) step {
	s := e.result(id, method, params, e.cached...)
	s.expect = append(s.expect, expect...)
	return s
}

// refusal is a step that has to end in this error. text is the whole message.
func (e era) refusal(id, method, params string, code int, text string) step {
	return step{send: e.request(id, method, params), kind: "error", expect: []expectation{
		codeIs(code),
		{"the message is " + quote(text), "error message", equal(quote(text))},
	}}
}

func codeIs(code int) expectation {
	return expectation{fmt.Sprintf("the code is %d", code), "error code", equal(fmt.Sprint(code))}
}

// handshake opens a legacy session with this revision.
func handshake(id, version string, expect ...expectation) []step {
	return handshakeOf(`{}`, id, version, expect...)
}

// handshakeOf is that of a client with these capabilities.
func handshakeOf(capabilities, id, version string, expect ...expectation) []step {
	params := `"protocolVersion":` + quote(version) + `,"capabilities":` + capabilities + `,"clientInfo":{"name":"tour","version":"1.0.0"}`
	agreed := expectation{"protocolVersion is " + version + ", as asked for", "result protocolVersion", equal(quote(version))}
	return []step{
		legacyEra().result(id, "initialize", params, append([]expectation{agreed}, expect...)...),
		{send: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
	}
}

// discovery is the first step of a modern client that wants to know the server
// (2026-07-28 server/discover).
func discovery(e era, capabilities string) step {
	return e.kept(`"discover-1"`, "server/discover", "",
		expectation{"supportedVersions lists " + modernVersion + " alone", "result supportedVersions", equal(`["` + modernVersion + `"]`)},
		expectation{"capabilities are " + capabilities, "result capabilities", equal(capabilities)},
	)
}

// misfits are requests that the modern era refuses for what their _meta is.
func misfits(method string) []step {
	bare := era{}
	vague := era{meta: `"io.modelcontextprotocol/protocolVersion":"` + modernVersion + `"`}
	ancient := era{meta: `"io.modelcontextprotocol/protocolVersion":"1900-01-01",` +
		`"io.modelcontextprotocol/clientCapabilities":{}`}
	return []step{
		{send: bare.request(`"no-meta"`, method, ""), kind: "error", expect: []expectation{
			codeIs(-32602),
			{"the message names both ways in, initialize and _meta", "error message", mentions("initialize", "_meta")},
		}},
		{send: vague.request(`"no-capabilities"`, method, ""), kind: "error", expect: []expectation{
			codeIs(-32602),
			{"the message names clientCapabilities, which is missing", "error message", mentions("clientCapabilities")},
		}},
		{send: ancient.request(`"1900"`, method, ""), kind: "error", expect: []expectation{
			codeIs(-32022),
			{"data.supported lists " + modernVersion + " alone", "error data supported", equal(`["` + modernVersion + `"]`)},
			{"data.requested is 1900-01-01", "error data requested", equal(`"1900-01-01"`)},
		}},
	}
}
