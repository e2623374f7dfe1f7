package everything

import (
	"context"
	"fmt"
	"sync"

	"isthmus.internal/mcp"
)

// touches counts the calls of touch.
type touches struct {
	mu sync.Mutex // held while something is there for a moment
	n  int
}

func (t *touches) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("Touched %d times.", t.n)
}

// passing is the name of what is there for a moment.
const passing = "passing"

// touchedTool is the name of the tool that is there after each other touch.
const touchedTool = "touched"

// addChangeTools adds the tools that change the server while it runs. The tool touch
// makes one change of the list a call, so that what a client is told is certain; after
// the others, which outside suites call, the list is what it was before.
func (s *server) addChangeTools() {
	s.addChangeTool("touch", "Changes the list of tools, the readme and the watched resource.", func() {
		s.touched.n++
		s.turnTool()
		s.ResourceUpdated(readmeURI)
		s.ResourceUpdated(watchedURI)
	})
	s.addChangeTool("test_trigger_tool_change", "Changes the list of tools.", s.passTool)
	s.addChangeTool("test_trigger_prompt_change", "Changes the list of prompts.", s.passPrompt)
}

func (s *server) addChangeTool(name, description string, change func()) {
	s.AddTool(mcp.Tool{Name: name, Description: description, InputSchema: noArguments},
		func(context.Context, *mcp.Call) (*mcp.Result, error) {
			s.touched.mu.Lock()
			defer s.touched.mu.Unlock()
			change()
			return mcp.TextResult("changed"), nil
		})
}

// turnTool adds a tool, or takes it away again.
func (s *server) turnTool() {
	if !s.RemoveTool(touchedTool) {
		s.AddTool(mcp.Tool{Name: touchedTool, Description: "The next touch takes it away.", InputSchema: noArguments},
			func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("touched"), nil })
	}
}

// passTool has a tool come and go.
func (s *server) passTool() {
	s.AddTool(mcp.Tool{Name: passing, Description: "It is there for a moment.", InputSchema: noArguments},
		func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("caught"), nil })
	s.RemoveTool(passing)
}

// passPrompt has a prompt come and go.
func (s *server) passPrompt() {
	s.AddPrompt(mcp.Prompt{Name: passing, Description: "It is there for a moment."},
		func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return mcp.PromptText("Caught."), nil })
	s.RemovePrompt(passing)
}
