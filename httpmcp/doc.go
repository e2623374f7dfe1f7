// Package httpmcp serves MCP over Streamable HTTP, both eras at one URL (2026-07-28
// basic/transports/streamable-http; legacy basic/transports).
package httpmcp
