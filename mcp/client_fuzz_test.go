package mcp_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// FuzzAnswer: whatever a server asks, it is answered with an object on one line, or with an
// error that it can be told; and the user is never shown what cannot be filled in or opened.
func FuzzAnswer(f *testing.F) {
	methods := []string{"elicitation/create", "sampling/createMessage", "roots/list"}
	for _, params := range []string{wantsAge, wantsPage, wantsDefaults, hello, `{"messages":[` + toolTurn + `,` + toolDone + `],"maxTokens":9}`, `{}`, `[]`, ``,
		`{"message":"m","requestedSchema":{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}}`} {
		for i := range methods {
			f.Add(i, params, `{"age":1}`)
		}
	}
	f.Fuzz(func(t *testing.T, method int, params, content string) {
		raw, err := jsonrpc.AppendCompact(nil, jsonrpc.Raw(params))
		if err != nil {
			raw = nil
		}
		c := mcp.NewClient(&mcp.ClientOptions{
			Logger: slog.New(slog.DiscardHandler),
			Elicit: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if (r.Form == nil) == (r.Page == nil) || r.Page != nil && r.Page.Host() == "" {
					t.Errorf("the user is asked for %+v", r)
				}
				return &mcp.ElicitResult{Action: "accept", Content: jsonrpc.Raw(content)}, nil
			},
			ElicitURL: true,
			Sample: func(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
				return &mcp.SampleResult{SamplingMessage: mcp.SamplingText("", content), Model: content}, nil
			},
			SampleTools: true,
			Roots:       func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: content}}, nil },
		})
		for _, form := range forms {
			result, err := c.Answer(context.Background(), methods[uint(method)%3], raw, form)
			var told *jsonrpc.Error
			if err != nil && (!errors.As(err, &told) || told.Code == 0) {
				t.Fatalf("%s: the server cannot be told of %v", form.Revision, err)
			}
			again, bad := jsonrpc.AppendCompact(nil, result)
			if err == nil && (bad != nil || string(again) != string(result) || result.Kind() != jsonrpc.KindObject) {
				t.Fatalf("%s: answered %s", form.Revision, result)
			}
		}
	})
}
