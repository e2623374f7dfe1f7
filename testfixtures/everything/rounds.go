package everything

import (
	"context"
	"fmt"
	"strings"

	"isthmus.internal/mcp"
)

// addRoundTools adds the tools of several questions, and those that outside suites call to
// see how a request goes through its rounds. They serve the legacy revisions, too, where
// the same questions are requests of the server.
func (s *server) addRoundTools() {
	for _, t := range []struct {
		name, description string
		run               func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error)
	}{
		{"interview", "Asks three questions one after the other, and draws one number.", s.interview},
		{"elicitation", "Asks for a name.", greetUser},
		{"sampling", "Asks the model.", askModel},
		{"list_roots", "Asks for the roots.", askRoots},
		{"request_state", "Asks for a confirmation, with a state of its own.", confirmByState},
		{"multiple_inputs", "Asks three things at once.", askThree},
		{"multi_round", "Asks one thing, and then another.", twoRounds},
		{"tampered_state", "Asks for a confirmation, and takes no altered state.", confirmByState},
		{"capabilities", "Asks what the client can be asked.", askWhatCanBe},
	} {
		name := t.name
		if name != "interview" {
			name = "test_input_required_result_" + name
		}
		mcp.AddTool(s.Server, mcp.Tool{Name: name, Description: t.description}, t.run)
	}
	s.AddPrompt(mcp.Prompt{Name: "test_input_required_result_prompt", Description: "A prompt that asks for its context."}, promptOfContext)
}

// The forms.
type (
	colour struct {
		Colour string `json:"colour" mcp:"the colour you like" enum:"red,green,blue"`
	}
	// favorite is spelt as outside suites spell their answer.
	favorite struct {
		Color string `json:"color" mcp:"your favorite color"`
	}
	confirmation struct {
		OK bool `json:"ok" mcp:"whether to go on"`
	}
	promptContext struct {
		Context string `json:"context" mcp:"what the prompt is about"`
	}
)

// interview asks three questions in a row. Its number is drawn once, however often it
// runs.
func (s *server) interview(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
	number, err := mcp.Once(c, "number", func() (int64, error) { return s.drawn.Add(1), nil })
	if err != nil {
		return "", err
	}
	name, err := mcp.Ask[who](ctx, c, "name", "What is your name?")
	if err != nil {
		return "", err
	}
	liked, err := mcp.Ask[colour](ctx, c, "colour", name.Name+", which colour do you like?")
	if err != nil {
		return "", err
	}
	sure, err := mcp.Ask[confirmation](ctx, c, "sure", "Are you sure of "+liked.Colour+"?")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("number %d: %s likes %s, sure: %t", number, name.Name, liked.Colour, sure.OK), nil
}

func greetUser(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
	in, err := mcp.Ask[who](ctx, c, "user_name", "What is your name?")
	return "Hello, " + in.Name + "!", err
}

// capital is what the model is asked.
func capital() *mcp.SampleRequest {
	return &mcp.SampleRequest{Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "What is the capital of France?")}, MaxTokens: 100}
}

func askModel(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
	said, err := c.Sample(ctx, "capital_question", capital())
	if err != nil {
		return "", err
	}
	return "The model says: " + said.Text(), nil
}

func askRoots(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
	roots, err := c.Roots(ctx, "client_roots")
	if err != nil {
		return "", err
	}
	return "Roots: " + uris(roots), nil
}

func uris(roots []mcp.Root) string {
	var all []string
	for _, r := range roots {
		all = append(all, r.URI)
	}
	return strings.Join(all, ", ")
}

// confirmByState keeps its own account of what it has asked.
func confirmByState(_ context.Context, c *mcp.Call, _ struct{}) (string, error) {
	if c.InputResponse("confirm") == nil {
		return "", c.RequireInput([]byte("asked"), mcp.QuestionFor[confirmation]("confirm", "Shall we go on?"))
	}
	return "state-ok: " + string(c.RequestState()), nil
}

func askThree(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
	name, said, roots := mcp.QuestionFor[who]("user_name", "What is your name?"), mcp.SampleQuestion("capital_question", capital()), mcp.RootsQuestion("client_roots")
	if err := c.AskAll(ctx, name, said, roots); err != nil {
		return "", err
	}
	in, err := name.Answer()
	if err != nil {
		return "", err
	}
	reply, err := said.Answer()
	if err != nil {
		return "", err
	}
	given, err := roots.Answer()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, the model says: %s; roots: %s", in.Name, reply.Text(), uris(given)), nil
}

func twoRounds(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
	name, err := mcp.Ask[who](ctx, c, "step1", "Step 1: what is your name?")
	if err != nil {
		return "", err
	}
	liked, err := mcp.Ask[favorite](ctx, c, "step2", "Step 2: What is your favorite color?")
	if err != nil {
		return "", err
	}
	return name.Name + " likes " + liked.Color, nil
}

// askWhatCanBe never asks for what the client has not declared.
func askWhatCanBe(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
	var questions []mcp.Question
	can := c.ClientCapabilities()
	if can.Elicitation != nil && can.Elicitation.Form {
		questions = append(questions, mcp.QuestionFor[who]("user_name", "What is your name?"))
	}
	if can.Sampling != nil {
		questions = append(questions, mcp.SampleQuestion("capital_question", capital()))
	}
	if err := c.AskAll(ctx, questions...); err != nil {
		return "", err
	}
	return fmt.Sprintf("asked %d things", len(questions)), nil
}

func promptOfContext(ctx context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
	in, err := mcp.Ask[promptContext](ctx, c, "user_context", "What should the prompt be about?")
	if err != nil {
		return nil, err
	}
	return mcp.PromptText("Use this context: " + in.Context), nil
}
