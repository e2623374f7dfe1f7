package stdio_test

import (
	"context"
	"fmt"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// TestResultsAreApart has a client call a tool again and again, from two goroutines: each
// result stays what it was while those after it are read.
func TestResultsAreApart(t *testing.T) {
	s := mcp.NewServer("s", "1", nil)
	s.AddTool(mcp.Tool{Name: "all"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		text, _ := c.Argument("text").Text()
		return resultOf(text), nil
	})
	for _, era := range []mcp.Eras{mcp.Legacy, mcp.Modern} {
		t.Run(fmt.Sprint(era), func(t *testing.T) {
			c := connectIn(t, s, era)
			var all sync.WaitGroup
			for part := range 2 {
				all.Go(func() { checkApart(t, c, part) })
			}
			all.Wait()
		})
	}
}

// textOf is longer, or shorter, from call to call.
func textOf(part, i int) string {
	return strings.Repeat(fmt.Sprintf("%d-%d.", part, i), 1+(i*7919)%4000)
}

// checkApart looks at many results once all are there.
func checkApart(t *testing.T, c *mcp.Client, part int) {
	var results []*mcp.Result
	for i := range 50 {
		r, err := c.CallTool(bounded(t), "all", map[string]string{"text": textOf(part, i)}, nil)
		if err != nil {
			t.Error(err)
			return
		}
		delete(r.Meta, mcp.MetaServerInfo) // the modern era's
		results = append(results, r)
	}
	for i, r := range results {
		if want := resultOf(textOf(part, i)); !reflect.DeepEqual(r, want) {
			t.Errorf("result %d of part %d is not what the server has said: %+v", i, part, r)
		}
	}
}

// connectIn connects to a server over a pair in memory, in one era.
func connectIn(t *testing.T, s *mcp.Server, era mcp.Eras) *mcp.Client {
	t.Helper()
	ours, theirs := net.Pipe()
	var serving sync.WaitGroup
	serving.Go(func() { stdio.ServeStream(context.Background(), theirs, s, nil) })
	t.Cleanup(serving.Wait)
	c, _, err := discover.Connect(bounded(t), stdio.Stream(ours, nil), &discover.ConnectOptions{Era: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// resultOf has text in all that a result may have.
func resultOf(text string) *mcp.Result {
	quoted := jsonrpc.Raw(jsonrpc.AppendString(nil, text))
	return &mcp.Result{
		Content: []mcp.Content{
			&mcp.TextContent{Text: text},
			&mcp.ImageContent{Data: []byte(text), MIMEType: "image/png"},
			&mcp.EmbeddedResource{Contents: &mcp.TextResource{URI: "a:b", Text: text}},
		},
		Structured: jsonrpc.Raw(`{"text":` + string(quoted) + `}`),
		Meta:       mcp.Meta{"example.org/text": quoted},
	}
}
