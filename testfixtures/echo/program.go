package echo

import (
	"log/slog"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/fixture"
)

// Program is the server as a command, under the name by which it was called. http is the
// transport behind -http, nil for a program without that flag.
func Program(command string, http fixture.Transport) *fixture.Program {
	return &fixture.Program{
		Command: command,
		Server:  name + " " + version,
		HTTP:    http,
		About: command + ` is an MCP server with one tool, echo, for trying out clients. It answers in
both eras of the protocol, message by message: after initialize in the legacy
one, and to each request with the modern _meta in the modern one. Standard
output holds the protocol and nothing else.

The tool takes {"text": STRING} and answers with one block of text, "echo: TEXT".
A text that is missing or no string is the protocol error -32602, and not a failed
call as the protocol advises, because clients of this fixture expect that.
`,
		Example: `printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' | ` + command,
		Build: func(logger *slog.Logger) (*mcp.Server, error) {
			return NewServer(logger), nil
		},
	}
}
