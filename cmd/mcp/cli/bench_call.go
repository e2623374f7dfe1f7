package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/load"
)

// benchCall is the request that a load consists of: the call of a tool, or one of another method.
type benchCall struct {
	tool      string
	arguments jsonrpc.Raw // of the tool
	method    string      // when there is no tool
}

// harmless are tools that servers for trying out clients have, and that do nothing but answer.
var harmless = []benchCall{
	{tool: "echo", arguments: jsonrpc.Raw(`{"text":"hello"}`)},
	{tool: "echo", arguments: jsonrpc.Raw(`{"message":"hello"}`)},
	{tool: "add", arguments: jsonrpc.Raw(`{"a":2,"b":3}`)},
	{tool: "get-sum", arguments: jsonrpc.Raw(`{"a":2,"b":3}`)},
	{tool: "test_simple_text", arguments: jsonrpc.Raw(`{}`)},
}

// chooseCall is what the flags say, or what the server offers.
func (r *request) chooseCall(ctx context.Context) (*benchCall, error) {
	if name := r.bench.tool; name != "" {
		schema, err := schemaOf(ctx, r.client, name)
		if err != nil {
			return nil, err
		}
		arguments, err := r.readArguments(ctx, r.words, schema)
		return &benchCall{tool: name, arguments: arguments}, err
	}
	best := len(harmless) // the tools are not kept: there may be any number
	for t, err := range r.client.Tools(ctx) {
		if errors.Is(err, &jsonrpc.Error{Code: jsonrpc.MethodNotFound}) {
			return &benchCall{method: "ping"}, nil
		}
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(harmless[:best], func(s benchCall) bool { return s.fits(t) }); i >= 0 {
			best = i
		}
	}
	if best < len(harmless) {
		return &harmless[best], nil
	}
	return &benchCall{method: "tools/list"}, nil
}

// fits reports whether t is the tool that is called, by its name and by what its schema takes and requires.
func (s *benchCall) fits(t *mcp.Tool) bool {
	if t.Name != s.tool {
		return false
	}
	given := map[string]bool{}
	for o := jsonrpc.ReadObject(s.arguments); o.Next(); {
		given[string(o.Name())] = true
	}
	taken := 0
	for _, p := range properties(t.InputSchema) {
		if given[p.name] {
			taken++
		} else if p.required {
			return false
		}
	}
	return taken == len(given)
}

func (s *benchCall) String() string {
	if s.tool == "" {
		return s.method
	}
	return brief(s.tool + " " + string(s.arguments))
}

// ask has a client send it. What is compared is the result, but for its _meta, in which servers put
// what is not part of the answer.
func (s *benchCall) ask(c *mcp.Client) load.Ask {
	switch {
	case s.tool != "":
		form := discover.Forms()[0] // one for all, so that answers of both eras can be compared
		return func(ctx context.Context, dst []byte) ([]byte, error) {
			result, err := c.CallToolRaw(ctx, s.tool, s.arguments, nil)
			if err != nil {
				return dst, err
			}
			if result.IsError {
				return dst, fmt.Errorf("the tool %s says that its call has failed: %s", s.tool, brief(firstText(result)))
			}
			result.Meta = nil
			return mcp.Append(dst, result, form)
		}
	case s.method == "ping":
		return func(ctx context.Context, dst []byte) ([]byte, error) { return dst, c.Ping(ctx) }
	}
	return func(ctx context.Context, dst []byte) ([]byte, error) {
		result, err := c.Do(ctx, s.method, nil, nil)
		return appendBare(dst, result), err
	}
}

// appendBare appends an object without its _meta.
func appendBare(dst []byte, object jsonrpc.Raw) []byte {
	dst = append(dst, '{')
	for o := jsonrpc.ReadObject(object); o.Next(); {
		if name := string(o.Name()); name != "_meta" {
			dst = jsonrpc.AppendMember(dst, name, o.Value())
		}
	}
	return append(dst, '}')
}

// firstText is the text that a result begins with.
func firstText(result *mcp.Result) string {
	for _, block := range result.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			return t.Text
		}
	}
	return ""
}
