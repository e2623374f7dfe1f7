package mcp

import (
	"context"
	"errors"

	"isthmus.internal/jsonrpc"
)

// sample answers sampling/createMessage.
func (c *Client) sample(ctx context.Context, params jsonrpc.Raw, f *Form) (Value, error) {
	request, err := Read[SampleRequest](params, "params")
	if err != nil {
		return nil, unreadable(err)
	}
	if err := c.checkSample(&request, f); err != nil {
		return nil, err
	}
	if f.SamplingTools && !c.opts.SampleContext && request.IncludeContext != "none" {
		request.IncludeContext = "" // which servers should not send to clients that have not declared it
	}
	given, err := c.opts.Sample(ctx, &request)
	switch {
	case err != nil:
		return nil, err
	case given == nil:
		return nil, errors.New("the handler has given neither a result nor an error")
	}
	result := *given
	if result.Role == "" {
		result.Role = RoleAssistant
	}
	if !f.SamplingTools {
		result.Content = asOneText(result.Content)
	}
	return &result, nil
}

// checkSample holds a request against what the client has declared and what a model can go on
// from (2025-11-25 client/sampling, Error Handling; schema, CreateMessageRequestParams).
func (c *Client) checkSample(request *SampleRequest, f *Form) error {
	if request.usesTools() && !(c.opts.SampleTools && f.SamplingTools) {
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "params uses tools, and the client has not declared sampling.tools")
	}
	for i := range request.Messages {
		if err := request.Messages[i].check(); err != nil {
			return jsonrpc.Errorf(jsonrpc.InvalidParams, "params.messages[%d]: %v", i, err)
		}
	}
	if err := checkBalance(request.Messages); err != nil {
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "params.messages: %v", err)
	}
	return nil
}

// asOneText makes one block of several texts, for a revision whose messages have one.
func asOneText(content []SamplingContent) []SamplingContent {
	for _, block := range content {
		if _, ok := block.(*TextContent); !ok {
			return content
		}
	}
	if len(content) < 2 {
		return content
	}
	whole := SamplingMessage{Content: content}
	return []SamplingContent{&TextContent{Text: whole.Text()}}
}
