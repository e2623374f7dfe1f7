package notes

import (
	"flag"
	"log/slog"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/fixture"
)

// Program is the server as a command, under the name by which it was called. http is the
// transport behind -http, nil for a program without that flag.
func Program(command string, http fixture.Transport) *fixture.Program {
	var data string
	given := false
	return &fixture.Program{
		Command: command,
		Server:  name + " " + version,
		HTTP:    http,
		About: command + ` is an MCP server with a few notes, for trying out clients. It answers in
both eras of the protocol, message by message: after initialize in the legacy
one, and to each request with the modern _meta in the modern one. Standard
output holds the protocol and nothing else.

  tool      notes_query   takes {"tag": STRING}, which may be left out, and answers
                          with the notes that have this tag, as a JSON array
  resource  notes://all   all notes
  template  notes://{id}  one note

Two answers are not what the protocol advises, because clients of this fixture
expect them: a tag that is no string is the protocol error -32602, not a failed
call, and so is an unknown resource in the legacy era, where it should be -32002.
`,
		Example: `printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes_query","arguments":{"tag":"release"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' | ` + command,
		Flags: func(flags *flag.FlagSet) {
			flags.Func("data", "hold the notes of `FILE`, a JSON array of {\"id\": INTEGER, \"tag\": STRING, \"text\": STRING},\nand not the three built in", func(path string) error {
				data, given = path, true
				return nil
			})
		},
		Build: func(logger *slog.Logger) (*mcp.Server, error) {
			notes := Default()
			if given {
				var err error
				if notes, err = Load(data); err != nil {
					return nil, err
				}
			}
			return NewServer(logger, notes), nil
		},
	}
}
