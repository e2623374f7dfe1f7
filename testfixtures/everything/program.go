package everything

import (
	"errors"
	"flag"
	"log/slog"
	"strconv"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/fixture"
	"isthmus.internal/testfixtures/fixture/keyfile"
)

// Program is the server as a command, under the name by which it was called. http is the
// transport behind -http, nil for a program without that flag.
func Program(command string, http fixture.Transport) *fixture.Program {
	var keyFile string
	var sealer mcp.Sealer
	var page int
	return &fixture.Program{
		Command: command,
		Server:  name + " " + version,
		HTTP:    http,
		About: command + ` is an MCP server that does all a server can do, for trying out clients. It
answers in both eras of the protocol, message by message: after initialize in the
legacy one, and to each request with the modern _meta in the modern one. Standard
output holds the protocol and nothing else.

Among its tools:

  echo    answers with its arguments        ask    asks for {"name"} and greets
  add     {"a", "b"}, two integers          log    one log message of each level
  slow    {"ms"}, with progress             touch  changes the tools and the readme
  big     {"n"} letters                     stats  counts the calls of slow
  boom    panics                            open_page  asks to open a page

and those whose names begin with test_, which outside suites call. Resources are
test://static-text, which may be kept for a minute, file://docs/readme and others; templates file://docs/{name}
and test://template/{id}/data; the prompt greet takes a name and completes it.
`,
		Example: `printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' | ` + command + `

  printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}' | ` + command + `

The second asks back in its result. The answer goes into the same request once more, with
an id of its own and the requestState that came, to the same process:

  "inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}},"requestState":"…"

With -seal-key-file it may be another process that has the same file.`,
		Flags: func(flags *flag.FlagSet) {
			flags.Func("page", "put `N` entries on each page of a list; 0 for one page (default 0)", func(text string) (err error) {
				if page, err = strconv.Atoi(text); err != nil || page < 0 {
					return errors.New("must be a number of entries, or 0")
				}
				return nil
			})
			flags.StringVar(&keyFile, "seal-key-file", "", "seal state "+keyfile.Usage+". Servers with\nthe same ones take each other's state, and with -http sessions; without it, the secret\nis a random one of the process")
		},
		Build: func(logger *slog.Logger) (*mcp.Server, error) {
			o := &Options{Logger: logger, Page: page}
			if keyFile != "" {
				keys, err := keyfile.Read(keyFile)
				if err != nil {
					return nil, err
				}
				sealer, o.Keys = keys, keys
			}
			return NewServer(o), nil
		},
		Sealer: func() mcp.Sealer { return sealer },
	}
}
