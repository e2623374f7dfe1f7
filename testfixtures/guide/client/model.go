package client

import (
	"context"
	"net/url"
	"path/filepath"

	"isthmus.internal/mcp"
)

// Lending are the options of a client that lets servers use a model, if its user agrees each
// time, and tells them which folder the user works in.
func Lending(folder string, w Window, complete func(ctx context.Context, system, prompt string, tokens int) (string, error)) *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Sample: func(ctx context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
			prompt := r.Messages[len(r.Messages)-1].Text()
			if !w.Confirm("Use the model?", prompt) {
				return nil, mcp.ErrDeclined
			}
			text, err := complete(ctx, r.SystemPrompt, prompt, r.MaxTokens)
			if err != nil {
				return nil, err // for the log: the server hears only that there was an error
			}
			return &mcp.SampleResult{SamplingMessage: mcp.SamplingText(mcp.RoleAssistant, text), Model: "local", StopReason: "endTurn"}, nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) {
			path, err := filepath.Abs(folder)
			root := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
			return []mcp.Root{{URI: root.String(), Name: filepath.Base(path)}}, err
		},
	}
}
