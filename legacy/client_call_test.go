package legacy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// TestParams is what becomes of a request on its way out. What would make it one of the
// modern era stays behind.
func TestParams(t *testing.T) {
	meta := mcp.Meta{"b/c": jsonrpc.Raw(`{"d": 1}`), "a": jsonrpc.Raw(`"x"`)}
	told := func(mcp.ProgressParams) {}
	modern := mcp.Meta{
		mcp.MetaProtocolVersion: jsonrpc.Raw(`"2026-07-28"`), mcp.MetaClientInfo: jsonrpc.Raw(`{}`),
		mcp.MetaClientCapabilities: jsonrpc.Raw(`{}`), mcp.MetaLogLevel: jsonrpc.Raw(`"info"`),
		mcp.MetaProgressToken: jsonrpc.Raw(`7`), "a": jsonrpc.Raw(`1`), "none": nil,
	}
	tests := []struct {
		name, params string
		meta         mcp.Meta
		progress     func(mcp.ProgressParams)
		want         string
	}{
		{"nothing", ``, nil, nil, ``},
		{"params", `{"name":"n"}`, nil, nil, `{"name":"n"}`},
		{"meta alone", ``, meta, nil, `{"_meta":{"a":"x","b/c":{"d":1}}}`},
		{"meta with no params", `{}`, meta, nil, `{"_meta":{"a":"x","b/c":{"d":1}}}`},
		{"meta and params", `{"name":"n"}`, meta, nil, `{"name":"n","_meta":{"a":"x","b/c":{"d":1}}}`},
		{"progress", `{"name":"n"}`, nil, told, `{"name":"n","_meta":{"progressToken":1}}`},
		{"progress and meta", ``, meta, told, `{"_meta":{"progressToken":1,"a":"x","b/c":{"d":1}}}`},
		{"names of the protocol", ``, modern, told, `{"_meta":{"progressToken":1,"a":1}}`},
		{"names of the protocol without progress", `{"x":1}`, modern, nil, `{"x":1,"_meta":{"a":1}}`},
	}
	for _, version := range versions {
		for _, test := range tests {
			l := serve(`{}`)
			x := connect(t, l, nil, version)
			r := &mcp.ClientRequest{Method: "tools/call", Meta: test.meta, Progress: test.progress, Rounds: 8,
				Marks: []mcp.HeaderParam{{}}}
			if test.params != "" {
				r.Params = jsonrpc.Raw(test.params)
			}
			result, err := x.Call(t.Context(), r)
			if err != nil || string(result) != `{}` {
				t.Errorf("%s: %s: %s, %v", version, test.name, result, err)
			}
			lines(t, test.name, l.lines[2:], strings.TrimRight(version+" tools/call "+test.want, " "))
		}
	}
	x := connect(t, serve(`{}`), nil, "")
	_, err := x.Call(t.Context(), &mcp.ClientRequest{Method: "m", Meta: mcp.Meta{"a": jsonrpc.Raw(`{`)}})
	if err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("_meta that is not JSON: %v", err)
	}
}

// TestServerError: an error of the server is one that errors.As finds.
func TestServerError(t *testing.T) {
	l := serve(`{}`)
	l.onlyFor("tools/call", func(context.Context, string) (string, error) { return "", jsonrpc.Errorf(-32602, "Unknown tool") })
	x := connect(t, l, nil, "")
	var told *jsonrpc.Error
	if _, err := x.Call(t.Context(), &mcp.ClientRequest{Method: "tools/call"}); !errors.As(err, &told) || told.Message != "Unknown tool" {
		t.Errorf("got %v", err)
	}
}

// TestProgress: each call hears of itself alone, in order, and of nothing after its end.
func TestProgress(t *testing.T) {
	l := serve(`{}`)
	x := connect(t, l, nil, "")
	var mu sync.Mutex
	var stale []string
	l.onlyFor("tools/call", func(_ context.Context, params string) (string, error) {
		p, err := mcp.Read[mcp.CallToolParams](jsonrpc.Raw(params), "params")
		if err != nil {
			return "", err
		}
		token := string(p.Meta[mcp.MetaProgressToken])
		for i := range 3 {
			tell(t, x, "notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":3,"message":"%s"}`, token, i, p.Name))
		}
		for _, other := range []string{`"` + token + `"`, token + `.5`, `99999`, `null`} {
			tell(t, x, "notifications/progress", `{"progressToken":`+other+`,"progress":7}`)
		}
		tell(t, x, "notifications/progress", `{"progressToken":`+token+`}`)
		tell(t, x, "notifications/progress", `{"progressToken":`+token+`,"progress":"x"}`)
		mu.Lock()
		defer mu.Unlock()
		stale = append(stale, token)
		return `{}`, nil
	})
	var calls sync.WaitGroup
	for i := range 8 {
		calls.Go(func() {
			var got []string
			r := &mcp.ClientRequest{Method: "tools/call", Params: jsonrpc.Raw(fmt.Sprintf(`{"name":"t%d"}`, i))}
			r.Progress = func(p mcp.ProgressParams) {
				got = append(got, fmt.Sprintf("%s %v/%v", p.Message, p.Progress, *p.Total))
			}
			if _, err := x.Call(t.Context(), r); err != nil {
				t.Error(err)
			}
			name := fmt.Sprintf("t%d", i)
			lines(t, name, got, name+" 0/3", name+" 1/3", name+" 2/3")
		})
	}
	calls.Wait()
	slices.Sort(stale)
	if tokens := len(slices.Compact(stale)); tokens != 8 {
		t.Errorf("8 calls had %d tokens", tokens)
	}
	for _, token := range stale {
		tell(t, x, "notifications/progress", `{"progressToken":`+token+`,"progress":9,"total":9}`) // nobody may hear it
	}
}

// TestProgressBeforeReturn: what is being told when the answer comes has been told when the
// call returns.
func TestProgressBeforeReturn(t *testing.T) {
	l := serve(`{}`)
	x := connect(t, l, nil, "")
	running, goOn := make(chan struct{}), make(chan struct{})
	var telling sync.WaitGroup
	l.onlyFor("tools/call", func(context.Context, string) (string, error) {
		telling.Go(func() { tell(t, x, "notifications/progress", `{"progressToken":1,"progress":1}`) })
		<-running
		close(goOn)
		return `{}`, nil
	})
	told := false
	_, err := x.Call(t.Context(), &mcp.ClientRequest{Method: "tools/call", Progress: func(mcp.ProgressParams) {
		close(running)
		<-goOn
		told = true
	}})
	if err != nil || !told {
		t.Errorf("told %t before the return, %v", told, err)
	}
	telling.Wait()
}

// TestCallGivenUp: the end of the context is the error, and the link's to tell.
func TestCallGivenUp(t *testing.T) {
	l := serve(`{}`)
	ctx, cancel := context.WithCancel(t.Context())
	l.onlyFor("tools/call", func(ctx context.Context, _ string) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	})
	x := connect(t, l, nil, "")
	if _, err := x.Call(ctx, &mcp.ClientRequest{Method: "tools/call"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	lines(t, "not quiet", l.sent(), "tools/call")
}

// TestNotify: notifications go out in the session's revision.
func TestNotify(t *testing.T) {
	l := serve(`{}`)
	x := connect(t, l, nil, "2025-06-18")
	if err := x.Notify(t.Context(), "notifications/roots/list_changed", nil); err != nil {
		t.Error(err)
	}
	if err := x.Notify(t.Context(), "a/b", jsonrpc.Raw(`{"c":1}`)); err != nil {
		t.Error(err)
	}
	lines(t, "sent", l.lines[2:], "2025-06-18 notifications/roots/list_changed", `2025-06-18 a/b {"c":1}`)
}

// TestLinkEnds: all fails at once, and says why.
func TestLinkEnds(t *testing.T) {
	l := serve(declaresAll)
	x := connect(t, l, nil, "")
	l.onlyFor("tools/call", func(ctx context.Context, _ string) (string, error) {
		l.end("it has left")
		return "", l.Err()
	})
	listening, err := x.Listen(t.Context(), &mcp.Filter{ToolsListChanged: true}, func(mcp.Change) {})
	if err != nil {
		t.Fatal(err)
	}
	_, err = x.Call(t.Context(), &mcp.ClientRequest{Method: "tools/call"})
	ended(t, "the call", err)
	<-x.Done()
	ended(t, "the client", x.Err())
	<-listening.Done()
	ended(t, "the listening", listening.Err())
	ended(t, "a later call", x.Ping(t.Context()))
	_, err = x.Listen(t.Context(), &mcp.Filter{ResourceSubscriptions: []string{"a:b"}}, func(mcp.Change) {})
	ended(t, "a later listening", err)
	if err := x.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func ended(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, mcp.ErrLinkClosed) || !strings.Contains(err.Error(), "it has left") {
		t.Errorf("%s: %v", what, err)
	}
}
