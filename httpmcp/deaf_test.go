package httpmcp_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// A handler that ignores the end of its context holds shutting down up for a second and
// no longer.
func TestShutdownLeavesTheDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, until := toolServer(t), make(chan struct{})
		s.AddTool(mcp.Tool{Name: "deaf"}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
			<-until
			return mcp.TextResult(""), nil
		})
		e := httpmcp.Handler(s, nil)
		r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(modernCall("1", "deaf", "")))
		for name, value := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "deaf"} {
			r.Header.Set(name, value)
		}
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			e.ServeHTTP(httptest.NewRecorder(), r)
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		err := e.Shutdown(ctx)
		if !errors.Is(err, jsonrpc.ErrDrain) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown: %v, want %v and %v", err, jsonrpc.ErrDrain, context.DeadlineExceeded)
		}
		if took := time.Since(began); took != 6*time.Second { // by the clock of the bubble
			t.Errorf("Shutdown took %v, want 6s", took)
		}
		close(until)
		<-answered
	})
}

// A request whose body comes when the time to end is over is answered as one that was worked
// on by then: its handler is told at once.
func TestBodyBehindTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := toolServer(t)
		s.AddTool(mcp.Tool{Name: "obedient"}, func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Minute): // by the clock of the bubble
				return nil, errors.New("the handler is not told that the time is over")
			}
		})
		e := httpmcp.Handler(s, nil)
		body, send := io.Pipe()
		r := httptest.NewRequest("POST", "http://localhost/mcp", body)
		for name, value := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "obedient"} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			e.ServeHTTP(w, r)
		}()
		synctest.Wait()
		late, cancel := context.WithCancel(t.Context())
		cancel()
		down := make(chan error, 1)
		go func() { down <- e.Shutdown(late) }()
		synctest.Wait() // it has cancelled what there is, and waits a little
		io.WriteString(send, modernCall("1", "obedient", ""))
		send.Close()
		<-answered
		if err := <-down; !errors.Is(err, jsonrpc.ErrDrain) {
			t.Errorf("Shutdown: %v, want %v", err, jsonrpc.ErrDrain)
		}
		if got, want := w.Body.String(), "the server is shutting down"; !strings.Contains(got, want) {
			t.Errorf("got %s, want an error with %q", got, want)
		}
	})
}
