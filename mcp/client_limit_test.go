package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// slow answers after a time, and tells of progress at each interval.
func slow(after, interval time.Duration) *talker {
	return &talker{form: form("2026-07-28"), call: func(ctx context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
		end := time.After(after)
		var ticks <-chan time.Time
		if interval > 0 && r.Progress != nil {
			ticker := time.NewTicker(interval)
			defer ticker.Stop()
			ticks = ticker.C
		}
		for n := 1.0; ; n++ {
			select {
			case <-end:
				return jsonrpc.Raw(`{"content":[]}`), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-ticks:
				r.Progress(mcp.ProgressParams{Progress: n})
			}
		}
	}}
}

func TestClientTimeout(t *testing.T) {
	second, minute, hour := time.Second, time.Minute, time.Hour
	tests := []struct {
		name            string
		options         mcp.ClientOptions
		call            mcp.CallOptions
		after, interval time.Duration // of the server
		progress        bool          // is asked for
		until           time.Duration
		err             string
	}{
		{"in time", mcp.ClientOptions{}, mcp.CallOptions{}, 59 * second, 0, false, 59 * second, ""},
		{"by default", mcp.ClientOptions{}, mcp.CallOptions{}, hour, 0, false, minute, "mcp: tools/call: nothing came for 1m0s (Timeout)"},
		{"of the client", mcp.ClientOptions{Timeout: second}, mcp.CallOptions{}, hour, 0, false, second, "nothing came for 1s"},
		{"of the call", mcp.ClientOptions{Timeout: second}, mcp.CallOptions{Timeout: 2 * second}, hour, 0, false, 2 * second, "nothing came for 2s"},
		{"none for the call", mcp.ClientOptions{Timeout: second}, mcp.CallOptions{Timeout: -1, MaxTimeout: -1}, hour, 0, false, hour, ""},
		{"none for the client", mcp.ClientOptions{Timeout: -1, MaxTimeout: -1}, mcp.CallOptions{}, hour, 0, false, hour, ""},
		{"most alone", mcp.ClientOptions{Timeout: -1}, mcp.CallOptions{}, hour, 0, false, 10 * minute, "within 10m0s"},
		{"progress that nobody asks for", mcp.ClientOptions{}, mcp.CallOptions{}, hour, second, false, minute, "nothing came for 1m0s"},
		{"progress gives time", mcp.ClientOptions{}, mcp.CallOptions{}, 5 * minute, 50 * second, true, 5 * minute, ""},
		{"progress that is too slow", mcp.ClientOptions{}, mcp.CallOptions{}, hour, 61 * second, true, minute, "nothing came for 1m0s"},
		{"progress to the most", mcp.ClientOptions{}, mcp.CallOptions{}, hour, 50 * second, true, 10 * minute, "mcp: tools/call was not answered within 10m0s, the longest that it may take (MaxTimeout)"},
		{"most of the call", mcp.ClientOptions{}, mcp.CallOptions{MaxTimeout: 2 * minute}, hour, 50 * second, true, 2 * minute, "within 2m0s"},
		{"most of the client", mcp.ClientOptions{MaxTimeout: 90 * second}, mcp.CallOptions{}, hour, 50 * second, true, 90 * second, "within 1m30s"},
		{"no most", mcp.ClientOptions{MaxTimeout: -1}, mcp.CallOptions{}, hour, 50 * second, true, hour, ""},
		{"most below the other", mcp.ClientOptions{MaxTimeout: second}, mcp.CallOptions{}, hour, 0, false, second, "within 1s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if test.progress {
					test.call.Progress = func(mcp.ProgressParams) {}
				}
				start := time.Now()
				_, err := talks(&test.options, slow(test.after, test.interval)).CallTool(t.Context(), "t", nil, &test.call)
				if took := time.Since(start); took != test.until {
					t.Errorf("it took %v, want %v", took, test.until)
				}
				if test.err == "" && err != nil || test.err != "" && (!errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), test.err)) {
					t.Errorf("got error %v, want %q", err, test.err)
				}
			})
		})
	}
}

// TestClientContext: the end of the caller's context is told as what it is, and so is an
// error of the server that comes when time is over.
func TestClientContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := talks(nil, slow(time.Hour, 0))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.CallTool(ctx, "t", nil, nil); err != context.DeadlineExceeded {
			t.Errorf("deadline: got %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := c.CallTool(ctx, "t", nil, nil); err != context.Canceled {
			t.Errorf("cancelled: got %v", err)
		}
		refuses := &talker{form: form("2026-07-28"), call: func(ctx context.Context, _ *mcp.ClientRequest) (jsonrpc.Raw, error) {
			<-ctx.Done()
			return nil, jsonrpc.Errorf(jsonrpc.InternalError, "too late")
		}}
		if _, err := talks(nil, refuses).CallTool(t.Context(), "t", nil, nil); !errors.Is(err, &jsonrpc.Error{Code: jsonrpc.InternalError}) {
			t.Errorf("error of the server: got %v", err)
		}
	})
}
