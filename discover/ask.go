package discover

import (
	"context"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// asker puts questions to a modern client: the request is answered with input_required,
// and the client sends it again with the answers (2026-07-28 basic/patterns/mrtr). All that
// has to be known then travels with the client, so any process may take the retry.
type asker struct{}

// Ask implements [mcp.Asker].
func (asker) Ask(context.Context, *mcp.Request, []mcp.Inquiry) ([]mcp.Answer, error) {
	return nil, mcp.ErrInputRequired
}

// Resume implements [mcp.Asker].
func (asker) Resume(s *mcp.Server, r *mcp.Request) (*mcp.Rounds, error) {
	responses, state := r.Message.Param("inputResponses"), r.Message.Param("requestState")
	if responses == nil && state == nil {
		return nil, nil
	}
	return s.OpenRounds(r, responses, state, "params.inputResponses")
}

// Suspend implements [mcp.Asker] (2026-07-28 basic/patterns/mrtr, InputRequiredResult).
func (asker) Suspend(s *mcp.Server, r *mcp.Request, rounds *mcp.Rounds) (mcp.Reply, error) {
	state, open, err := s.SealRounds(r, rounds)
	if err != nil {
		return mcp.Reply{}, err
	}
	var body []byte
	if len(open) > 0 {
		body = append(body, `"inputRequests":{`...)
		for i, q := range open {
			if i > 0 {
				body = append(body, ',')
			}
			body = appendInquiry(body, q)
		}
		body = append(body, `},`...)
	}
	body = append(body, `"requestState":`...)
	return mcp.NewInputRequired(jsonrpc.AppendString(body, state)), nil
}

// appendInquiry appends one of inputRequests: a request without an envelope, by its key
// (2026-07-28 basic/patterns/mrtr, InputRequests).
func appendInquiry(dst []byte, q mcp.Inquiry) []byte {
	dst = append(jsonrpc.AppendString(dst, q.Key), `:{"method":`...)
	dst = jsonrpc.AppendString(dst, q.Method)
	if q.Params != nil {
		dst = append(append(dst, `,"params":`...), q.Params...)
	}
	return append(dst, '}')
}

var _ mcp.Asker = asker{}
