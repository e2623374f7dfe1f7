package jsonrpc_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc"
)

// What a server asks at once is bounded not in number alone: each question may be long, and
// the answers may take people.
func TestAskedTextIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := `{"x":"` + strings.Repeat("x", 40<<20) + `"}`
		release := make(chan struct{})
		wait := func(exchange) (string, error) {
			<-release
			return "{}", nil
		}
		r := dial(t, &script{requests: map[string]func(exchange) (string, error){"hold": wait}}, &jsonrpc.Options{Client: true})
		r.send(ask("1", "hold", long))
		synctest.Wait()
		r.send(ask("2", "hold", long))
		r.want(refused("2", jsonrpc.InternalError))
		r.send(ask("3", "hold", "{}"))
		synctest.Wait()
		close(release)
		r.wantAnyOrder(answer("1", "{}"), answer("3", "{}"))
		r.send(ask("4", "ping", long))
		r.want(answer("4", "{}"))
		r.finish(nil)
	})
}
