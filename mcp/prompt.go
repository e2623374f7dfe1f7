package mcp

import (
	"context"
	"errors"
	"fmt"
)

// Prompt defines a prompt: a template for messages that a user chooses (2026-07-28
// server/prompts, Data Types).
type Prompt struct {
	// Name identifies the prompt on its server. It must not be empty.
	Name string
	// Title is the name for people; may be empty.
	Title       string
	Description string
	// Arguments are what the user may fill in, in the order to show them. No two
	// have one name.
	Arguments []PromptArgument
	Icons     []Icon
	Meta      Meta

	// Visible says who is shown the prompt and may get it; to everybody else it
	// does not exist. It must be quick and must not change its mind within a
	// request. nil means everybody.
	Visible func(*Principal) bool
}

// PromptArgument is one argument of a prompt. Its value is a string.
type PromptArgument struct {
	Name, Title, Description string
	// Required: the prompt is not got without it. An empty string is a value.
	Required bool
	// Complete suggests values (see [Completer]); nil suggests none.
	Complete Completer
}

// PromptHandler gives the messages of one prompt. It may run many times at once.
// What it is asked for has been checked: every required argument is there, and all
// arguments are strings. A [*jsonrpc.Error] is answered as one (see [CodePolicy]),
// any other error as an internal one whose text stays in the log.
type PromptHandler func(ctx context.Context, c *Call) (*PromptResult, error)

// PromptResult is what a prompt has become with its arguments (2026-07-28 schema,
// GetPromptResult).
type PromptResult struct {
	Description string
	Messages    []PromptMessage
	Meta        Meta
}

// PromptMessage is one message to a model (2026-07-28 server/prompts,
// PromptMessage). A resource that is embedded in it must have a MIMEType.
type PromptMessage struct {
	Role    Role
	Content Content
}

// Role says who speaks.
type Role string

// The two who speak (2026-07-28 schema, Role).
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// PromptText makes a result of one message of text, from the user.
func PromptText(text string) *PromptResult {
	return &PromptResult{Messages: []PromptMessage{{RoleUser, &TextContent{Text: text}}}}
}

func (r *PromptResult) write(w *writer, f *Form) {
	w.optional("description", r.Description)
	w.open("messages", '[')
	for i, m := range r.Messages {
		switch {
		case m.Role != RoleUser && m.Role != RoleAssistant:
			w.fail(fmt.Sprintf(`message %d of a prompt has the role %q, which is neither "user" nor "assistant"`, i, m.Role))
			return
		case m.Content == nil:
			w.fail(fmt.Sprintf("message %d of a prompt has no content", i))
			return
		}
		if e, ok := m.Content.(*EmbeddedResource); ok && e.Contents != nil {
			w.needMIMEType("an embedded resource in a prompt", e.Contents.mimeType())
		}
		w.open("", '{')
		w.text("role", string(m.Role))
		w.key("content")
		m.Content.write(w, f)
		w.close('}')
	}
	w.close(']')
}

// prompt is a registered prompt.
type prompt struct {
	entry
	Prompt
	handler PromptHandler
}

func (p *prompt) filter() func(*Principal) bool { return p.Visible }

// argument finds an argument by its name, nil when there is none.
func (p *prompt) argument(name string) *PromptArgument {
	for i := range p.Arguments {
		if p.Arguments[i].Name == name {
			return &p.Arguments[i]
		}
	}
	return nil
}

// completes reports whether some argument has suggestions.
func (p *prompt) completes() bool {
	for _, a := range p.Arguments {
		if a.Complete != nil {
			return true
		}
	}
	return false
}

func (p *prompt) write(w *writer, f *Form) {
	w.open("", '{')
	w.text("name", p.Name)
	if f.Title {
		w.optional("title", p.Title)
	}
	w.optional("description", p.Description)
	if len(p.Arguments) > 0 {
		w.open("arguments", '[')
		for i := range p.Arguments {
			p.Arguments[i].write(w, f)
		}
		w.close(']')
	}
	w.icons(p.Icons, f)
	w.definitionMeta(p.Meta, f)
	w.close('}')
}

func (a *PromptArgument) write(w *writer, f *Form) {
	w.open("", '{')
	w.text("name", a.Name)
	if f.Title {
		w.optional("title", a.Title)
	}
	w.optional("description", a.Description)
	w.ifTrue("required", a.Required)
	w.close('}')
}

// AddPrompt registers a prompt, after all those registered before. Like
// [Server.AddTool] it panics on a definition that cannot be.
func (s *Server) AddPrompt(p Prompt, h PromptHandler) {
	added := &prompt{Prompt: p, handler: h}
	if err := added.check(); err != nil {
		panic(fmt.Sprintf("mcp: prompt %q: %v", p.Name, err))
	}
	if !s.add(promptKind, p.Name, added, s.answerPrompts) {
		panic(fmt.Sprintf("mcp: prompt %q is registered already", p.Name))
	}
}

// answerPrompts puts what answers for prompts into the table.
func (s *Server) answerPrompts(r *rows) {
	r.listPrompts, r.getPrompt, r.complete = s.listPrompts, s.getPrompt, s.complete
}

func (p *prompt) check() error {
	switch {
	case p.Name == "":
		return errors.New("a prompt must have a name")
	case p.handler == nil:
		return errors.New("no handler")
	}
	for i, a := range p.Arguments {
		switch {
		case a.Name == "":
			return fmt.Errorf("argument %d must have a name", i)
		case p.argument(a.Name) != &p.Arguments[i]:
			return fmt.Errorf("two arguments have the name %q", a.Name)
		}
	}
	return checkEncodes(p)
}
