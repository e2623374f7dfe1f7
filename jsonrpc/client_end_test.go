package jsonrpc_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
)

// When the peer goes, calls that wait and calls that follow fail at once, handlers are told
// to end, and nothing is waited for.
func TestClientEnds(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name  string
		end   func(r *rig, out *strait)
		cause error
		took  time.Duration
	}{
		{"end of input", func(r *rig, _ *strait) { close(r.in.arrivals) }, nil, 0},
		{"reading fails", func(r *rig, _ *strait) { r.in.arrivals <- []event{{err: broken}} }, broken, 0},
		{"closed here", func(r *rig, _ *strait) { r.cancel() }, nil, 0},
		{"writing fails", func(r *rig, out *strait) {
			out.close(broken)
			r.conn.Tell(r.Context(), "x", nil)
		}, broken, 250 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ended := make(chan error, 1)
			h := &script{requests: map[string]func(exchange) (string, error){
				"hold": func(x exchange) (string, error) {
					<-x.ctx.Done()
					ended <- context.Cause(x.ctx)
					return "", x.ctx.Err()
				}}}
			visit(t, wide, h, jsonrpc.Options{}, func(r *rig, out *strait) {
				r.send(ask("1", "hold", ""))
				came := r.asks(context.Background(), "{}", false)
				tt.end(r, out)
				got := within(r.T, came)
				var told *jsonrpc.Error
				if got.err == nil || errors.As(got.err, &told) || got.took != tt.took {
					r.Errorf("Ask = %s, %v after %v; want an error of this side after %v", got.result, got.err, got.took, tt.took)
				}
				within(r.T, ended)
				within(r.T, r.conn.Ended())
				if err := r.conn.Cause(); !errors.Is(err, tt.cause) || tt.cause == nil && err != nil {
					r.Errorf("Cause = %v, want %v", err, tt.cause)
				}
				if err := within(r.T, r.served); !errors.Is(err, tt.cause) {
					r.Errorf("Serve returned %v, want %v", err, tt.cause)
				}
				r.served <- nil
				if got := within(r.T, r.asks(context.Background(), "{}", false)); got.err == nil || got.took != 0 {
					r.Errorf("a later Ask returned %v after %v, want an error at once", got.err, got.took)
				}
				if err := r.conn.Tell(context.Background(), "x", nil); err == nil {
					r.Error("a later Tell returned nil")
				}
			})
		})
	}
}

// What a peer has said before it stopped to read is heard.
func TestLastWords(t *testing.T) {
	visit(t, wide, nil, jsonrpc.Options{}, func(r *rig, out *strait) {
		came := r.asks(r.Context(), "{}", false)
		out.close(errors.New("broken"))
		r.conn.Tell(r.Context(), "x", nil)
		synctest.Wait()
		r.send(answer("1", `"last"`))
		if got := within(r.T, came); got.result != `"last"` {
			r.Errorf("Ask = %s, %v, want what the peer has said last", got.result, got.err)
		}
	})
}

// A client that ends behind a peer that does not read does not wait for it long, and a
// write that was held up ends.
func TestClientEndsBehindSlowPeer(t *testing.T) {
	visit(t, 3, nil, jsonrpc.Options{Drain: 200 * time.Millisecond}, func(r *rig, _ *strait) {
		ctx, cancel := context.WithCancel(r.Context())
		came := r.asks(ctx, "{}", false)
		cancel()
		within(r.T, came)
		began := time.Now()
		r.cancel()
		within(r.T, r.served)
		r.served <- nil
		if took := time.Since(began); took != 200*time.Millisecond {
			r.Errorf("Serve returned after %v, want Drain", took)
		}
	})
}

// A context that has ended already sends nothing.
func TestAskTooLate(t *testing.T) {
	visit(t, wide, nil, jsonrpc.Options{}, func(r *rig, out *strait) {
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		if got := within(r.T, r.asks(ctx, "{}", false)); got.err != context.Canceled {
			r.Errorf("Ask returned %v, want that of the context", got.err)
		}
		if err := r.conn.Tell(ctx, "x", nil); err != context.Canceled {
			r.Errorf("Tell returned %v, want that of the context", err)
		}
		synctest.Wait()
		if sent := out.text(); sent != "" {
			r.Errorf("sent %q, want nothing", sent)
		}
	})
}
