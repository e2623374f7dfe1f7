package discover

import (
	"errors"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// hasType reports whether a result says of which type it is, as no legacy server does.
func hasType(result jsonrpc.Raw) bool { return result.Member("resultType") != nil }

// headerMismatch answers a request whose headers do not fit its body (2026-07-28
// basic/index, Error Codes).
const headerMismatch jsonrpc.Code = -32020

// knownModern reports whether an error is one that the modern era alone has, whatever the
// version (2026-07-28 basic/index, Error Codes).
func knownModern(err error) bool {
	var told *jsonrpc.Error
	return errors.As(err, &told) && (told.Code == headerMismatch || told.Code == mcp.MissingRequiredClientCapability)
}

// onlyReads reports whether a request changes nothing on the server, so that it may be sent
// again although it may have been served.
func onlyReads(method string) bool {
	switch method {
	case "tools/list", "resources/list", "resources/templates/list", "resources/read",
		"prompts/list", "prompts/get", "completion/complete", "server/discover":
		return true
	}
	return false
}

// unserved reports whether a server that has turned out to be of the legacy era has surely
// not done what a request in modern words asked for: it was refused as a whole, or in the
// same words as server/discover, which the server does not know. refusal is the answer to that.
func unserved(err, refusal error) bool {
	var rejected *mcp.Rejected
	if errors.As(err, &rejected) {
		return 400 <= rejected.Status && rejected.Status < 500
	}
	var told, other *jsonrpc.Error
	if !errors.As(err, &told) {
		return false
	}
	switch told.Code {
	case jsonrpc.ParseError, jsonrpc.InvalidRequest, jsonrpc.MethodNotFound, jsonrpc.InvalidParams, UnsupportedProtocolVersion:
		return true
	}
	return errors.As(refusal, &other) && other.Code == told.Code && other.Message == told.Message
}
