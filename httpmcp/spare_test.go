package httpmcp_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"isthmus.internal/httpmcp"
)

// What a request under way waits for is taken when no other request is: a client's answer to a
// question, and a cancellation. One that waits for its client takes no place: else clients that
// never answer could hold them all.
func TestAnswersAtTheBound(t *testing.T) {
	inEach(t, &httpmcp.Options{MaxInFlight: 1}, `"roots":{}`, func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		const answer = `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`
		e := c.begin("1", "roots", "")
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		c.has("another request, beside one that waits for its client", text(t, c.do("POST", tool("2", "log", ""))), answered("2", "logged"))
		held := c.begin("4", "wait", withToken)
		c.want("progress", held.message(), progress(1))
		c.has("another request", c.post(tool("2", "log", "")), "503 ")
		c.has("what is no message", c.post(`{`), "503 ")
		c.has("a batch", c.post(`[`+answer+`]`), "503 ")
		c.has("an answer of no session", c.post(answer, "Mcp-Session-Id: none"), "503 ")
		c.want("the answer", c.post(answer), "202  ")
		<-s.ended
		c.want("result", e.message(), answered("1", "0"))
		c.want("end", e.next(), "end")
		s.open <- struct{}{}
		<-s.ended
		synctest.Wait()

		e = c.begin("3", "roots", "")
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":2,"method":"roots/list"}`)
		c.want("cancelled", c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`), "202  ")
		<-s.ended
	})
}

// A call that waits for its client's answer when the endpoint ends gets it.
func TestAnswersAtTheEnd(t *testing.T) {
	inEach(t, nil, `"roots":{}`, func(t *testing.T, c *legacyClient, w *world, s *workshop) {
		e := c.begin("1", "roots", "")
		c.want("question", e.message(), `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		done := make(chan error)
		go func() { done <- w.Shutdown(context.Background()) }()
		synctest.Wait()
		c.has("a new request", c.post(tool("2", "log", "")), "503 ")
		c.want("the answer", c.post(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`), "202  ")
		<-s.ended
		c.want("result", e.message(), answered("1", "0"))
		c.want("Shutdown", fmt.Sprint(<-done), "<nil>")
	})
}
