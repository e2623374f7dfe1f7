package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"isthmus.internal/jsonrpc"
)

// SampleRequest asks the client to have its language model go on from Messages
// (2026-07-28 client/sampling, Creating Messages). The protocol advises new servers
// against it: sampling is deprecated from 2026-07-28 on.
type SampleRequest struct {
	// Messages are the conversation. Where the assistant uses tools, the next message
	// is the user's and holds the result of each use and nothing else (2026-07-28
	// client/sampling, Tool Use and Result Balance).
	Messages []SamplingMessage
	// MaxTokens is the most that the model may generate, at least 1.
	MaxTokens int
	// SystemPrompt may be empty. The client may change it.
	SystemPrompt string
	// Preferences tell which model to choose; may be nil.
	Preferences *ModelPreferences
	// IncludeContext is "", "none", "thisServer" or "allServers". The last two are
	// deprecated, and left out where the client has not declared sampling.context and
	// the revision has that.
	IncludeContext string
	// Temperature is the provider's; nil for its default.
	Temperature   *float64
	StopSequences []string
	// Metadata is an object for the provider, or nil.
	Metadata jsonrpc.Raw
	// Tools are those that the model may use. They need not be the server's. The client
	// must have declared sampling.tools, as it must for messages about their use.
	Tools []Tool
	// ToolChoice is "", "auto", "required" or "none" (2026-07-28 schema, ToolChoice).
	ToolChoice string
}

// ModelPreferences are advice (2026-07-28 client/sampling, Model Preferences).
type ModelPreferences struct {
	// Hints are names, or parts of names, of models, the best first.
	Hints []string
	// The priorities run from 0 to 1; nil for no advice.
	CostPriority, SpeedPriority, IntelligencePriority *float64
}

// SamplingMessage is one message of a conversation with a model.
type SamplingMessage struct {
	Role Role
	// Content has at least one block.
	Content []SamplingContent
	Meta    Meta
}

// SampleResult is what the model has said.
type SampleResult struct {
	SamplingMessage
	// Model is the one that the client has chosen.
	Model string
	// StopReason is "endTurn", "stopSequence", "maxTokens", "toolUse", one of the
	// provider's own, or "" when it is not known.
	StopReason string
}

// Text is the text of the message: that of all its blocks of text, one behind the other.
func (m *SamplingMessage) Text() string {
	text := ""
	for _, block := range m.Content {
		if t, ok := block.(*TextContent); ok {
			text += t.Text
		}
	}
	return text
}

// ToolUses are the uses of tools that the model asks for.
func (m *SamplingMessage) ToolUses() []*ToolUse {
	var uses []*ToolUse
	for _, block := range m.Content {
		if u, ok := block.(*ToolUse); ok {
			uses = append(uses, u)
		}
	}
	return uses
}

// SamplingText makes a message of one block of text.
func SamplingText(role Role, text string) SamplingMessage {
	return SamplingMessage{Role: role, Content: []SamplingContent{&TextContent{Text: text}}}
}

// Sample has the client's model go on. The errors are those of [Ask], where
// [ErrDeclined] means that the user does not let the model be used, and one that names
// what of the request cannot be sent.
func (c *Call) Sample(ctx context.Context, key string, request *SampleRequest) (*SampleResult, error) {
	return askOne(ctx, c, SampleQuestion(key, request))
}

// SampleQuestion is the question of [Call.Sample], for [Call.AskAll].
//
//go:noinline
func SampleQuestion(key string, request *SampleRequest) *Asked[*SampleResult] {
	// Inlined, this would be two closures more in each place.
	return &Asked[*SampleResult]{
		ask: func(c *Call) (Inquiry, error) {
			if err := request.check(); err != nil {
				return Inquiry{}, fmt.Errorf("mcp: the request to the model %q: %w", key, err)
			}
			sampling := c.ClientCapabilities().Sampling
			switch f := c.asked.Form; {
			case request.usesTools() && !f.SamplingTools:
				return Inquiry{}, c.unknown("sampling.tools")
			case request.usesTools() && (sampling == nil || !sampling.Tools):
				return Inquiry{}, c.undeclared("sampling.tools")
			case sampling == nil:
				return Inquiry{}, c.undeclared("sampling")
			}
			w := writer{}
			request.write(&w, c.asked.Form, sampling.Context)
			return Inquiry{Key: key, Method: "sampling/createMessage", Params: w.dst}, w.err
		},
		read: readSample,
		// 2025-11-25 client/sampling, Error Handling.
		declined: func(e *jsonrpc.Error) bool { return e.Code == -1 },
	}
}

// usesTools reports whether the client must know of tools.
func (r *SampleRequest) usesTools() bool {
	if len(r.Tools) > 0 || r.ToolChoice != "" {
		return true
	}
	for _, m := range r.Messages {
		for _, block := range m.Content {
			switch block.(type) {
			case *ToolUse, *ToolResult:
				return true
			}
		}
	}
	return false
}

// check holds the request against what every client may expect.
func (r *SampleRequest) check() error {
	switch {
	case len(r.Messages) == 0:
		return errors.New("there are no messages")
	case r.MaxTokens < 1:
		return errors.New("MaxTokens must be at least 1")
	case !oneOf(r.IncludeContext, "", "none", "thisServer", "allServers"):
		return fmt.Errorf("IncludeContext is %q, and not none, thisServer or allServers", r.IncludeContext)
	case !oneOf(r.ToolChoice, "", "auto", "required", "none"):
		return fmt.Errorf("ToolChoice is %q, and not auto, required or none", r.ToolChoice)
	case r.Metadata != nil && !isObject(r.Metadata):
		return errors.New("Metadata must be a JSON object")
	}
	for _, t := range r.Tools {
		if _, err := describedTool(t); err != nil {
			return fmt.Errorf("tool %q: %w", t.Name, err)
		}
	}
	for i, m := range r.Messages {
		if err := m.check(); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if err := checkBalance(r.Messages); err != nil {
		return err
	}
	return r.Preferences.check()
}

func (m *SamplingMessage) check() error {
	if m.Role != RoleUser && m.Role != RoleAssistant {
		return fmt.Errorf(`the role is %q, which is neither "user" nor "assistant"`, m.Role)
	}
	if len(m.Content) == 0 {
		return errors.New("it has no content")
	}
	for _, block := range m.Content {
		if block == nil {
			return errors.New("a block of its content is nil")
		}
	}
	return nil
}

func (p *ModelPreferences) check() error {
	if p == nil {
		return nil
	}
	for _, priority := range []*float64{p.CostPriority, p.SpeedPriority, p.IntelligencePriority} {
		if priority != nil && !(0 <= *priority && *priority <= 1) {
			return fmt.Errorf("the priority %v is not from 0 to 1", *priority)
		}
	}
	return nil
}

// checkBalance checks that each use of a tool has its result in the next message, which
// has nothing else, and that there is no result without a use (2026-07-28
// client/sampling, Tool Use and Result Balance).
func checkBalance(messages []SamplingMessage) error {
	var waiting map[string]bool // uses of the message before, by id
	for i, m := range messages {
		results := 0
		for _, block := range m.Content {
			result, ok := block.(*ToolResult)
			if !ok {
				continue
			}
			results++
			if m.Role != RoleUser || !waiting[result.ToolUseID] {
				return fmt.Errorf("message %d has a result for the tool use %q, which the message before it does not ask for", i, result.ToolUseID)
			}
			delete(waiting, result.ToolUseID)
		}
		switch {
		case results > 0 && results < len(m.Content):
			return fmt.Errorf("message %d has results of tools beside other content: they stand alone", i)
		case len(waiting) > 0:
			return fmt.Errorf("message %d must hold a result for each tool use of the message before it: %d missing", i, len(waiting))
		}
		waiting = make(map[string]bool)
		for _, use := range m.ToolUses() {
			if m.Role != RoleAssistant || use.ID == "" || waiting[use.ID] {
				return fmt.Errorf("message %d has a tool use that is not the assistant's, or has no id of its own", i)
			}
			waiting[use.ID] = true
		}
	}
	if len(waiting) > 0 {
		return errors.New("the last message uses tools: their results are missing behind it")
	}
	return nil
}

// describedTool checks a tool that nobody calls here.
func describedTool(t Tool) (*tool, error) {
	if t.InputSchema == nil {
		t.InputSchema = anyArguments
	}
	return newTool(t, func(context.Context, *Call) (*Result, error) { return nil, nil })
}

// oneOf reports whether text is one of the words.
func oneOf(text string, words ...string) bool {
	return slices.Contains(words, text)
}
