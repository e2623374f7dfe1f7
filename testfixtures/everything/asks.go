package everything

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// who is a form.
type who struct {
	Name string `json:"name" mcp:"your name"`
}

// addAskTools adds the tools that ask the client one thing.
func (s *server) addAskTools() {
	mcp.AddTool(s.Server, mcp.Tool{Name: "ask", Description: "Asks the user for a name, and greets."}, ask)
	mcp.AddTool(s.Server, mcp.Tool{Name: "open_page", Description: "Asks the user to open a page."}, openPage)
	mcp.AddTool(s.Server, mcp.Tool{Name: "test_sampling", Description: "Has the client's model go on from a prompt."}, sample)
	mcp.AddTool(s.Server, mcp.Tool{Name: "test_elicitation", Description: "Asks the user for a name and an address."}, elicit)
	s.addFormTool("test_elicitation_sep1034_defaults", "Asks with a form that has defaults.", formOfDefaults)
	s.addFormTool("test_elicitation_sep1330_enums", "Asks with a form that has choices of all kinds.", formOfChoices)
	mcp.AddTool(s.Server, mcp.Tool{Name: "test_missing_capability", Description: "Needs a client that has a model."},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			return sample(ctx, c, sampleArguments{Prompt: "Say something."})
		})
	mcp.AddTool(s.Server, mcp.Tool{Name: "test_streaming_elicitation", Description: "Asks the user for a name."}, ask)
}

// ask says what the user did, so that to decline is no failure.
func ask(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
	in, err := mcp.Ask[who](ctx, c, "name", "What is your name?")
	switch {
	case errors.Is(err, mcp.ErrDeclined):
		return "declined", nil
	case errors.Is(err, mcp.ErrCancelled):
		return "cancelled", nil
	}
	return "hello " + in.Name, err
}

// openPage says what the user did, as ask does. There is nothing to be done on the page.
func openPage(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
	err := c.ElicitURL(ctx, "page", &mcp.ElicitURL{Message: "Please look at this page.", URL: "https://example.com/"})
	switch {
	case errors.Is(err, mcp.ErrDeclined):
		return "declined", nil
	case errors.Is(err, mcp.ErrCancelled):
		return "cancelled", nil
	}
	return "the user has agreed to open the page", err
}

// sampleArguments are those of test_sampling.
type sampleArguments struct {
	Prompt string `json:"prompt" mcp:"what the model is given"`
}

func sample(ctx context.Context, c *mcp.Call, in sampleArguments) (string, error) {
	said, err := c.Sample(ctx, "prompt", &mcp.SampleRequest{
		Messages:  []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, in.Prompt)},
		MaxTokens: 100,
	})
	if err != nil {
		return "", err
	}
	return "LLM response: " + said.Text(), nil
}

// elicitArguments are those of test_elicitation.
type elicitArguments struct {
	Message string `json:"message" mcp:"what the user is told" minLength:"1"`
}

// user is the form of test_elicitation.
type user struct {
	Username string `json:"username" mcp:"the name of the user"`
	Email    string `json:"email" mcp:"the address of the user" format:"email"`
}

func elicit(ctx context.Context, c *mcp.Call, in elicitArguments) (string, error) {
	u, err := mcp.Ask[user](ctx, c, "user", in.Message)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("User response: %s <%s>", u.Username, u.Email), nil
}

// addFormTool adds a tool that asks with a form and answers with what came back.
func (s *server) addFormTool(name, description string, form jsonrpc.Raw) {
	mcp.AddTool(s.Server, mcp.Tool{Name: name, Description: description},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			filled, err := c.Elicit(ctx, "form", &mcp.ElicitForm{Message: "Please fill in this form.", Schema: form})
			if err != nil {
				return "", err
			}
			return "Elicitation completed: " + string(filled), nil
		})
}

// formOfDefaults has a default of each kind of value.
var formOfDefaults = jsonrpc.Raw(`{"type":"object","properties":{` +
	`"name":{"type":"string","description":"The name of the user","default":"John Doe"},` +
	`"age":{"type":"integer","description":"The age of the user","default":30},` +
	`"score":{"type":"number","description":"The score of the user","default":95.5},` +
	`"status":{"type":"string","description":"What the user does","enum":["active","inactive","pending"],"default":"active"},` +
	`"verified":{"type":"boolean","description":"Whether the user is verified","default":true}},"required":[]}`)

// formOfChoices has choices of one and of several, with titles and without, and the
// older form of titles.
var formOfChoices = jsonrpc.Raw(`{"type":"object","properties":{` +
	`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
	`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First option"},{"const":"value2","title":"Second option"}]},` +
	`"legacyEnum":{"type":"string","enum":["opt1","opt2"],"enumNames":["Option one","Option two"]},` +
	`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},` +
	`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First choice"},{"const":"value2","title":"Second choice"}]}}},` +
	`"required":[]}`)
