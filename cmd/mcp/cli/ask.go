package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// elicit puts a question of the server to the user.
func (r *request) elicit(ctx context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	if q.Page != nil {
		return r.openPage(ctx, q)
	}
	given, missing, err := r.fromFlags(q.Form)
	if err == nil && len(r.answers) > 0 && len(missing) == 0 {
		if given, err = q.Form.Fill(given); err == nil {
			return accept(given), nil
		}
		err = fmt.Errorf("-answer: %w", err)
	}
	if err != nil {
		r.wrong.CompareAndSwap(nil, &misuse{err})
		return nil, r.wrong.Load()
	}
	r.screen.end()
	if !r.env.Terminal {
		fmt.Fprintf(r.env.Err, "The server asks, and is declined: %s\n%s", brief(q.Form.Message), adviceOnAnswers(q.Form, missing))
		return nil, mcp.ErrDeclined
	}
	if err := r.beginDialogue(ctx); err != nil {
		return nil, err
	}
	defer r.endDialogue()
	return r.fillIn(ctx, q)
}

// adviceOnAnswers says which flags would have answered.
func adviceOnAnswers(form *mcp.ElicitForm, missing []property) string {
	const most = 8
	if len(missing) == 0 { // one of any will do
		missing = properties(form.Schema)
	}
	var flags []string
	for _, p := range missing[:min(len(missing), most)] {
		flags = append(flags, fmt.Sprintf("-answer %s=%s", oneLine(p.name), strings.ToUpper(p.kind)))
	}
	return strings.Join(flags, " ") + " answers it.\n"
}

func accept(content jsonrpc.Raw) *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "accept", Content: content}
}

// asks is how a question begins: which server it is of, and what that calls itself, which proves
// nothing (2026-07-28 client/elicitation, User Interaction Model).
func (r *request) asks(server *mcp.Implementation) string {
	text := "\nThe server " + oneLine(r.target.String())
	if server != nil && server.Name != "" {
		text += ", which calls itself " + brief(server.Name) + ","
	}
	return text + " asks"
}

// sample has the user speak for the model that this program does not have.
func (r *request) sample(ctx context.Context, q *mcp.SampleRequest) (*mcp.SampleResult, error) {
	text, given := r.answer("sample")
	if !given {
		var err error
		if text, err = r.askSample(ctx, q); err != nil {
			return nil, err
		}
	}
	return &mcp.SampleResult{SamplingMessage: mcp.SamplingText(mcp.RoleAssistant, text), Model: "a person", StopReason: "endTurn"}, nil
}

// askSample asks the user what a model would say.
func (r *request) askSample(ctx context.Context, q *mcp.SampleRequest) (string, error) {
	r.screen.end()
	if !r.env.Terminal {
		fmt.Fprintf(r.env.Err, "The server asks for a model's answer, and is declined: -answer sample=TEXT answers it.\n")
		return "", mcp.ErrDeclined
	}
	if err := r.beginDialogue(ctx); err != nil {
		return "", err
	}
	defer r.endDialogue()
	fmt.Fprintf(r.env.Err, "%s for what a model would say to this, in %d tokens at the most:\n", r.asks(nil), q.MaxTokens)
	if q.SystemPrompt != "" {
		fmt.Fprintf(r.env.Err, "  system: %s\n", printable(q.SystemPrompt))
	}
	for _, m := range q.Messages {
		for _, content := range m.Content {
			said := "[content that is no text]"
			if text, ok := content.(*mcp.TextContent); ok {
				said = printable(text.Text)
			}
			fmt.Fprintf(r.env.Err, "  %s: %s\n", oneLine(string(m.Role)), said)
		}
	}
	fmt.Fprintf(r.env.Err, "Answer for it in one line; a line with only ! declines: ")
	return r.line(ctx)
}

// listRoots gives the folders of -root.
func (r *request) listRoots(context.Context) ([]mcp.Root, error) {
	var all []mcp.Root
	for _, folder := range r.roots {
		path, err := filepath.Abs(folder)
		if err != nil {
			return nil, errors.New("a folder of -root cannot be found")
		}
		all = append(all, mcp.Root{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String(), Name: filepath.Base(path)})
	}
	return all, nil
}
