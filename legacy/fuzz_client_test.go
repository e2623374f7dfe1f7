package legacy_test

import (
	"context"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// FuzzClient has a client take in whatever a server may send: it must not panic, and the
// session must go on.
func FuzzClient(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":null}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"x","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
		`{"jsonrpc":"2.0","id":3,"method":"roots/list"}`,
	} {
		f.Add(seed)
	}
	o := &mcp.ClientOptions{Elicit: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: jsonrpc.Raw(`{}`)}, nil
	}}
	x := legacy.NewClient(mcp.NewClient(o), nil)
	if err := x.Open(context.Background(), serve(declaresAll)); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { x.Close() })
	n, err := x.Listen(context.Background(), &mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:b"}}, func(mcp.Change) {})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var m jsonrpc.Message
		scanner := jsonrpc.Scanner{Inner: []string{"_meta"}}
		if scanner.Scan([]byte(line), &m) != nil || m.Kind != jsonrpc.Request && m.Kind != jsonrpc.Notification {
			return
		}
		out := from(t, x, &peer{}, line)
		if m.Kind == jsonrpc.Request && out == "" {
			t.Errorf("no answer to %s", line)
		}
		if n.Err() != nil || x.Ping(t.Context()) != nil {
			t.Errorf("the session has ended after %s", line)
		}
	})
}

// FuzzInitializeResult: whatever a server answers opens a session of a known revision, or none.
func FuzzInitializeResult(f *testing.F) {
	for _, version := range append(versions, "2026-07-28", "") {
		f.Add(welcome(version, declaresAll), true)
		f.Add(`{"supported":["`+version+`"]}`, false)
	}
	f.Fuzz(func(t *testing.T, answer string, isResult bool) {
		if _, err := jsonrpc.AppendCompact(nil, []byte(answer)); err != nil {
			return // no link passes it on
		}
		l := serve(`{}`)
		l.onlyFor("initialize", func(context.Context, string) (string, error) {
			if isResult {
				return answer, nil
			}
			return "", &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "no", Data: jsonrpc.Raw(answer)}
		})
		x := legacy.NewClient(mcp.NewClient(nil), nil)
		err := x.Open(t.Context(), l)
		defer x.Close()
		if err == nil && (x.Form() == nil || x.Server() == nil || !isResult) {
			t.Errorf("a session was opened by %s", answer)
		}
		if tries := l.handshakes(); tries > 2 {
			t.Errorf("%d handshakes", tries)
		}
	})
}
