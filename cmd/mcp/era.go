package main

import (
	"fmt"
	"slices"
)

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
func legacyEra() *era {
	return &era{
		always: []expectation{{"it has no member that came with the modern era", "result",
			without, "resultType, ttlMs, cacheScope, _meta io.modelcontextprotocol/serverInfo"}},
	}
}

// modernEra is the era without a handshake, of the server with this identity.
func modernEra(serverInfo string) *era {
	return &era{
		meta: modernMeta,
		always: []expectation{
			{"resultType is complete", "result resultType", equal, `"complete"`},
			{"_meta says who the server is: " + serverInfo, "result _meta io.modelcontextprotocol/serverInfo", equal, serverInfo},
		},
		cached: []expectation{
			{"ttlMs is 0 or more", "result ttlMs", natural, ""},
			{"cacheScope is public or private", "result cacheScope", oneOf, "public, private"},
		},
	}
}

// request puts a request in the form of the era. id is JSON; params are the
// members of the params object, without its braces, and may be empty.
func (e *era) request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, e.params(params))
}

// notice puts a notification in the form of the era.
func (e *era) notice(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, e.params(params))
}

// params adds _meta to the members of a params object.
func (e *era) params(params string) string {
	switch {
	case e.meta == "":
		return params
	case params != "":
		params += ","
	}
	return params + `"_meta":{` + e.meta + `}`
}

// with is the era with more members of _meta in each request; there may be none.
func (e *era) with(members string) *era {
	if e.meta != "" && members != "" {
		members = "," + members
	}
	more := *e
	more.meta += members
	return &more
}

// trial is a request and what has to come of it, which each era puts in its own way. Tables
// of trials are data in the program; as calls they would be code, several times as much.
type trial struct {
	id, method, params string // see request
	meta               string // more members of _meta

	// A result, one that a client may keep (2026-07-28 server/utilities/caching, Cacheable
	// Results); or else this error, with the whole message, or any where that is "".
	kept    bool
	code    int
	message string

	says   string // where the content of the result is one block of text: the text, as JSON
	expect []expectation
	also   []arrival
}

// as is the same trial under another id.
func (t *trial) as(id string) *trial {
	same := *t
	same.id = id
	return &same
}

// noFault expects a tool's result that is not one of failure.
var noFault = []expectation{{"isError is absent or false", "result isError", absentOrEqual, `false`}}

// steps puts trials in the form of the era, step one of them.
func (e *era) steps(trials []trial) []*step {
	all := make([]*step, len(trials))
	for i := range trials {
		all[i] = e.step(&trials[i])
	}
	return all
}

func (e *era) step(t *trial) *step {
	s := &step{send: e.with(t.meta).request(t.id, t.method, t.params), kind: "result", also: t.also}
	if t.code != 0 {
		s.kind = "error"
		s.expect = []expectation{{fmt.Sprintf("the code is %d", t.code), "error code", equal, fmt.Sprint(t.code)}}
	} else {
		s.expect = slices.Clone(e.always)
	}
	if t.kept {
		s.expect = append(s.expect, e.cached...)
	}
	if t.message != "" {
		message := quote(t.message)
		s.expect = append(s.expect, expectation{"the message is " + message, "error message", equal, message})
	}
	if t.says != "" {
		s.expect = append(s.expect, expectation{"the content is one text block: " + t.says,
			"result content", equal, `[{"type":"text","text":` + t.says + `}]`})
	}
	s.expect = append(s.expect, t.expect...)
	return s
}

// handshake opens a legacy session with this revision.
func handshake(id, version string, expect ...expectation) []*step {
	return handshakeOf(`{}`, id, version, expect...)
}

// handshakeOf is that of a client with these capabilities.
func handshakeOf(capabilities, id, version string, expect ...expectation) []*step {
	params := `"protocolVersion":` + quote(version) + `,"capabilities":` + capabilities + `,"clientInfo":{"name":"tour","version":"1.0.0"}`
	agreed := expectation{"protocolVersion is " + version + ", as asked for", "result protocolVersion", equal, quote(version)}
	return []*step{
		legacyEra().step(&trial{id: id, method: "initialize", params: params, expect: append([]expectation{agreed}, expect...)}),
		{send: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
	}
}

// discovery is the first step of a modern client that wants to know the server
// (2026-07-28 server/discover).
func discovery(e *era, capabilities string) []*step {
	return []*step{e.step(&trial{id: `"discover-1"`, method: "server/discover", kept: true, expect: []expectation{
		{"supportedVersions lists " + modernVersion + " alone", "result supportedVersions", equal, `["` + modernVersion + `"]`},
		{"capabilities are " + capabilities, "result capabilities", equal, capabilities},
	}})}
}

// misfits are requests that the modern era refuses for what their _meta is.
func misfits(method string) []*step {
	const version, capabilities = `"io.modelcontextprotocol/protocolVersion":`, `"io.modelcontextprotocol/clientCapabilities":`
	bare := &era{}
	return bare.steps([]trial{
		{id: `"no-meta"`, method: method, code: -32602, expect: []expectation{
			{"the message names both ways in, initialize and _meta", "error message", mentions, "initialize, _meta"},
		}},
		{id: `"no-capabilities"`, method: method, meta: version + `"` + modernVersion + `"`, code: -32602, expect: []expectation{
			{"the message names clientCapabilities, which is missing", "error message", mentions, "clientCapabilities"},
		}},
		{id: `"1900"`, method: method, meta: version + `"1900-01-01",` + capabilities + `{}`, code: -32022, expect: []expectation{
			{"data.supported lists " + modernVersion + " alone", "error data supported", equal, `["` + modernVersion + `"]`},
			{"data.requested is 1900-01-01", "error data requested", equal, `"1900-01-01"`},
		}},
	})
}
