package client

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Explain says what has become of a call, and what to do about it.
func Explain(err error) string {
	var (
		failed   *mcp.ToolError
		invalid  *mcp.InvalidResult
		refused  *jsonrpc.Error
		broken   *jsonrpc.BrokenResponse
		rejected *mcp.Rejected
		later    *mcp.RetryAfter
	)
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &failed):
		return "the tool could not do it: let the model read why: " + err.Error()
	case errors.As(err, &invalid):
		return "the tool has not kept to its own schema: tell its author"
	case errors.Is(err, mcp.ErrDeclined):
		return "the user does not want it"
	case errors.As(err, &later):
		return fmt.Sprintf("the server has too much to do: call again in %v", later.Wait)
	case errors.As(err, &refused):
		return fmt.Sprintf("the server refuses (%d): call it otherwise", refused.Code)
	case errors.As(err, &broken):
		return "the server has answered with what is no answer: it may have been done all the same: " + broken.Reason
	case errors.As(err, &rejected):
		return fmt.Sprintf("something in front of the server refuses (HTTP status %d): look at token and address", rejected.Status)
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time: it may have been done all the same"
	case errors.Is(err, context.Canceled):
		return "given up"
	case errors.Is(err, mcp.ErrAnswerLost):
		return "the connection was lost before the answer came: it may have been done all the same"
	case errors.Is(err, mcp.ErrLinkClosed):
		return "the connection has ended: connect anew"
	}
	return "something else: " + err.Error()
}
