package everything

import (
	"context"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// logger is the name that log messages go out under.
const logger = "everything"

// addLogTools adds the tools that send log messages.
func (s *server) addLogTools() {
	s.AddTool(mcp.Tool{Name: "log", Description: "Sends one log message of each level.", InputSchema: noArguments}, logAll)
	for _, name := range []string{"test_tool_with_logging", "test_logging_tool"} {
		s.AddTool(mcp.Tool{Name: name, Description: "Sends three log messages of the level info.", InputSchema: noArguments}, logThree)
	}
}

func logAll(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
	for level := mcp.LogDebug; level <= mcp.LogEmergency; level++ {
		c.Log(level, logger, jsonrpc.Raw(`{"level":"`+level.String()+`","text":"This is a message of the level `+level.String()+`."}`))
	}
	return mcp.TextResult("logged"), nil
}

func logThree(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
	for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		c.Log(mcp.LogInfo, logger, text)
	}
	return mcp.TextResult("The tool has sent three log messages."), nil
}
