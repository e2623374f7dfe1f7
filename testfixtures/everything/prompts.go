package everything

import (
	"context"
	"fmt"

	"isthmus.internal/mcp"
)

// addPrompts adds the prompts that ask for nothing.
func (s *server) addPrompts() {
	s.AddPrompt(mcp.Prompt{Name: "test_simple_prompt", Title: "Simple prompt", Description: "A prompt without arguments."},
		func(context.Context, *mcp.Call) (*mcp.PromptResult, error) {
			return mcp.PromptText("This is a simple prompt for testing."), nil
		})
	s.AddPrompt(mcp.Prompt{Name: "test_prompt_with_arguments", Description: "A prompt of two arguments.",
		Arguments: []mcp.PromptArgument{
			{Name: "arg1", Description: "The first argument.", Required: true, Complete: mcp.CompleteFrom("paris", "park", "party", "testValue1")},
			{Name: "arg2", Description: "The second argument.", Required: true, Complete: mcp.CompleteFrom("testValue2")},
		}},
		func(_ context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
			arg1, _ := c.PromptArgument("arg1")
			arg2, _ := c.PromptArgument("arg2")
			return mcp.PromptText(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", arg1, arg2)), nil
		})
	s.AddPrompt(mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "A prompt with a resource inside.",
		Arguments: []mcp.PromptArgument{{Name: "resourceUri", Description: "The uri of the resource.", Required: true}}}, embeddedPrompt)
	s.AddPrompt(mcp.Prompt{Name: "test_prompt_with_image", Description: "A prompt with a picture."},
		func(context.Context, *mcp.Call) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{
				{Role: mcp.RoleUser, Content: redDot()},
				{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Please analyze the image above."}},
			}}, nil
		})
	s.AddPrompt(mcp.Prompt{Name: "greet", Title: "Greeting", Description: "Asks a model to greet somebody.",
		Arguments: []mcp.PromptArgument{{Name: "name", Title: "Name", Description: "Who is greeted.", Required: true,
			Complete: mcp.CompleteFrom("Ada", "Alan", "Barbara", "Edsger", "Grace")}}},
		func(_ context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
			who, _ := c.PromptArgument("name")
			return &mcp.PromptResult{Description: "A greeting for " + who,
				Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Greet " + who + " in one sentence."}}}}, nil
		})
}

// embeddedPrompt has a resource of the uri that the user gave. What it says is the
// prompt's own: nothing is read.
func embeddedPrompt(_ context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
	uri, _ := c.PromptArgument("resourceUri")
	return &mcp.PromptResult{Messages: []mcp.PromptMessage{
		{Role: mcp.RoleUser, Content: embedded(uri)},
		{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Please process the embedded resource above."}},
	}}, nil
}
