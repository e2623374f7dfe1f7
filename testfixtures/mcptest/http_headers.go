package mcptest

import (
	"encoding/base64"
	"net/http"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// headers are those that the message has: in the modern era they repeat what is in it
// (2026-07-28 basic/transports/streamable-http, Request Metadata), in the legacy era they
// name the session (2025-11-25 basic/transports, Session Management and Protocol Version
// Header).
func (l *httpLink) headers(p *post) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if p.modern {
		l.repeat(h, p)
		return h
	}
	l.sessionHeaders(h)
	return h
}

func (l *httpLink) sessionHeaders(h http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session != "" {
		h.Set("Mcp-Session-Id", l.session)
	}
	if l.version >= "2025-06-18" { // which brought the header
		h.Set("MCP-Protocol-Version", l.version)
	}
}

// repeat sets the headers of a modern message.
func (l *httpLink) repeat(h http.Header, p *post) {
	params := At(p.message, "params")
	h.Set("MCP-Protocol-Version", text(At(params, "_meta", mcp.MetaProtocolVersion)))
	if At(params, "_meta", mcp.MetaProtocolVersion).Kind() != jsonrpc.KindString {
		h.Set("MCP-Protocol-Version", l.o.Revision)
	}
	if p.method != "" {
		h.Set("Mcp-Method", p.method)
	}
	for method, name := range map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"} {
		if value, ok := At(params, name).Text(); ok && p.method == method {
			h.Set("Mcp-Name", headerText(value))
		}
	}
	if p.method != "tools/call" {
		return
	}
	for _, mark := range l.server.HeaderParams([]byte(text(At(params, "name"))), l.o.Principal) {
		path := []any{"arguments"}
		for _, name := range mark.Path {
			path = append(path, name)
		}
		switch value := At(params, path...); value.Kind() {
		case jsonrpc.KindString:
			h.Set(mark.Name, headerText(text(value)))
		case jsonrpc.KindNumber, jsonrpc.KindBool:
			h.Set(mark.Name, string(value))
		}
	}
}

// headerText is a text in a header: as it is where a header can hold it, as Base64
// otherwise, or where it looks like Base64 (2026-07-28
// basic/transports/streamable-http, Value Encoding).
func headerText(value string) string {
	const begin, end = "=?base64?", "?="
	odd := func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }
	if strings.ContainsFunc(value, odd) || strings.Trim(value, " \t") != value || strings.HasPrefix(value, begin) && strings.HasSuffix(value, end) {
		return begin + base64.StdEncoding.EncodeToString([]byte(value)) + end
	}
	return value
}
