// Package echo is the smallest fixture: a server with one tool, which sends back
// the text it is given. Clients that are being tested need a peer whose answers
// are known to the byte, in either era.
package echo

import (
	"context"
	"log/slog"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Name and version, as the server tells them in both eras.
const (
	name    = "echo-server"
	version = "1.0.0"
)

// NewServer returns the server echo-server 1.0.0. Its one tool, echo, takes the
// required string text and answers with one block of text, "echo: " and the
// text. Arguments without a string text are a protocol error (-32602), not a
// failure of the tool: the clients that use the fixture expect that.
//
// A nil logger is the default of [mcp.ServerOptions].
func NewServer(logger *slog.Logger) *mcp.Server {
	s := mcp.NewServer(name, version, &mcp.ServerOptions{Logger: logger, Static: true})
	s.AddTool(mcp.Tool{
		Name:        "echo",
		Description: "Sends back the text it is given.",
		InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"text":{"type":"string","description":"What to send back."}},"required":["text"]}`),
	}, answer)
	return s
}

func answer(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
	const mark = "echo: "
	text := c.Argument("text")
	var answer strings.Builder
	answer.Grow(len(mark) + len(text))
	answer.WriteString(mark)
	if !text.WriteText(&answer) {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "arguments.text must be a string")
	}
	return mcp.TextResult(answer.String()), nil
}
