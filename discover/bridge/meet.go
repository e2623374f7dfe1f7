package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// meet has a modern server answer a request of a legacy client: what the server asks for, the
// client is asked in between.
func (l *line) meet(ctx context.Context, c *mcp.Call) (mcp.Reply, error) {
	of, params := newCall(l.bridge, c), paramsOf(c, ofRetries...)
	first := params.members
	for round := 1; ; round++ {
		raw, err := l.send(ctx, of, params)
		if err != nil {
			return l.bridge.refuse(ctx, c, err)
		}
		if mcp.ResultTypeOf(raw) != "input_required" {
			return l.bridge.reply(c, raw)
		}
		if round >= mostRounds {
			return mcp.Reply{}, errEndless
		}
		retry, err := answerRound(ctx, c, raw, round)
		if err != nil {
			return l.bridge.unanswered(ctx, c, err)
		}
		params.members = joined(first, retry)
	}
}

// mostRounds bounds how often one request may be answered with input_required.
const mostRounds = 1000

var errEndless = jsonrpc.Errorf(jsonrpc.InternalError, "The server behind the bridge has asked for input %d times without an answer, which is given up", mostRounds)

// unanswered is what becomes of a request whose client has not answered: a modern server
// cannot be told of that.
func (b *Bridge) unanswered(ctx context.Context, c *mcp.Call, err error) (mcp.Reply, error) {
	var bad *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return mcp.Reply{}, ctx.Err()
	case errors.As(err, &bad):
		return mcp.Reply{}, bad
	}
	b.log.Info("a question of the server was not answered", "method", c.Method(), "error", err)
	return mcp.Reply{}, jsonrpc.Errorf(jsonrpc.InternalError, "The server has asked something, and was not answered: %v", err)
}

// answerRound asks the client all that the server asks in one round, and gives the members of
// the retry.
func answerRound(ctx context.Context, c *mcp.Call, raw jsonrpc.Raw, round int) (jsonrpc.Raw, error) {
	asked, err := mcp.Read[mcp.InputRequired](raw, "result")
	if err != nil {
		return nil, err
	}
	keys := slices.Sorted(maps.Keys(asked.Requests))
	puts, questions := make([]put, len(keys)), make([]mcp.Question, len(keys))
	for i, key := range keys {
		q, err := readQuestion(asked.Requests[key])
		if err != nil {
			return nil, err
		}
		// The server may use a key again for another question.
		if puts[i], err = q.question(clipKey(fmt.Sprintf("%d-%d-%s", round, i, key))); err != nil {
			return nil, err
		}
		questions[i] = puts[i]
	}
	if err := c.AskAll(ctx, questions...); err != nil {
		return nil, err
	}
	retry := []byte{'{'}
	if len(keys) > 0 {
		answers := []byte{'{'}
		for i, key := range keys {
			text, err := written(puts[i].answer())
			if err != nil {
				return nil, err
			}
			answers = jsonrpc.AppendMember(answers, key, text)
		}
		retry = jsonrpc.AppendMember(retry, "inputResponses", append(answers, '}'))
	}
	if asked.State != nil {
		retry = jsonrpc.AppendMember(retry, "requestState", jsonrpc.AppendString(nil, *asked.State))
	}
	return append(retry, '}'), nil
}

// clipKey bounds a key: what stands in front of it is enough.
func clipKey(key string) string { return key[:min(len(key), 64)] }

// written is an answer as a modern server gets it.
func written(v mcp.Value, err error) (jsonrpc.Raw, error) {
	if err != nil {
		return nil, err
	}
	return mcp.Append(nil, v, discover.Forms()[0])
}

// joined is an object, nil for an empty one, with the members of another one.
func joined(object, more jsonrpc.Raw) jsonrpc.Raw {
	whole := []byte{'{'}
	for _, from := range []jsonrpc.Raw{object, more} {
		for o := jsonrpc.ReadObject(from); o.Next(); {
			whole = jsonrpc.AppendMember(whole, string(o.Name()), o.Value())
		}
	}
	return append(whole, '}')
}
