package overhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/fixture/fixturetest"
	"isthmus.internal/testfixtures/guide/overhttp"
)

// TestReplicas: a legacy session and a modern question that one replica has begun go on at the
// other; one with another secret knows neither.
func TestReplicas(t *testing.T) {
	type name struct {
		Name string `json:"name"`
	}
	register := func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "greet"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			who, err := mcp.Ask[name](ctx, c, "who", "Who is it?")
			return "Hello " + who.Name, err
		})
	}
	var urls []string
	for _, secret := range []string{"0123456789abcdef", "0123456789abcdef", "fedcba9876543210"} {
		e, err := overhttp.NewReplica([]byte(secret), register)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(e)
		defer server.Close()
		urls = append(urls, server.URL)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	post := func(url, message string, header ...string) (status int, text, session string) {
		t.Helper()
		r := fixturetest.Post(t, client, url, message, header...)
		return r.StatusCode, fixturetest.Body(t, r), r.Header.Get("Mcp-Session-Id")
	}

	_, _, session := post(urls[0], fixturetest.Request("1", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"1"}`))
	meta := strings.Replace(fixturetest.Meta, `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`, 1)
	_, asked, _ := post(urls[0], fixturetest.Request("1", "tools/call", `"name":"greet",`+meta))
	_, state, _ := strings.Cut(asked, `"requestState":"`)
	state, _, _ = strings.Cut(state, `"`)
	answer := fixturetest.Request("2", "tools/call", `"name":"greet","inputResponses":{"who":{"action":"accept","content":{"name":"Ada"}}},"requestState":"`+state+`",`+meta)

	for i, want := range []struct {
		status int
		says   string
	}{{200, "Hello Ada"}, {200, "Hello Ada"}, {404, "params.requestState is not valid"}} {
		if status, text, _ := post(urls[i], fixturetest.Request("2", "ping", ""), "Mcp-Session-Id", session); status != want.status {
			t.Errorf("replica %d, session\ngot  %d %s\nwant %d", i, status, text, want.status)
		}
		if _, text, _ := post(urls[i], answer); !strings.Contains(text, want.says) {
			t.Errorf("replica %d, answer\ngot  %s\nwant %q", i, text, want.says)
		}
	}
}
