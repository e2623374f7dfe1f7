package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// heard is what a server has told the client, and asked of it.
type heard struct {
	logs    chan string
	changes chan mcp.Change
	reports chan float64

	mu     sync.Mutex
	filled string   // what the next form is filled in with; "" declines
	asked  []string // what was asked for
}

func newHeard() *heard {
	return &heard{logs: make(chan string, 1000), changes: make(chan mcp.Change, 1000), reports: make(chan float64, 1000)}
}

// put keeps what there is room for.
func put[T any](to chan T, what T) {
	select {
	case to <- what:
	default:
	}
}

// options are those of the client. Its one root is dir.
func (h *heard) options(dir string) *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Info:      mcp.Implementation{Name: "interop", Version: "1"},
		Elicit:    h.elicit,
		ElicitURL: true,
		Sample:    h.sample,
		Roots: func(context.Context) ([]mcp.Root, error) {
			return []mcp.Root{{URI: "file://" + dir, Name: "work"}}, nil
		},
		Log:     func(m *mcp.LogMessageParams) { put(h.logs, m.Level.String()+" "+string(m.Data)) },
		Changed: func(change mcp.Change) { put(h.changes, change) },
	}
}

func (h *heard) progress(p mcp.ProgressParams) { put(h.reports, p.Progress) }

// fill says what the next forms are filled in with.
func (h *heard) fill(content string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.filled, h.asked = content, nil
}

// questions are what was asked for since fill.
func (h *heard) questions() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

func (h *heard) elicit(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Page != nil {
		h.asked = append(h.asked, r.Page.Message+" "+r.Page.URL)
		return &mcp.ElicitResult{Action: "accept"}, nil
	}
	h.asked = append(h.asked, r.Form.Message)
	if h.filled == "" {
		return nil, mcp.ErrDeclined
	}
	return &mcp.ElicitResult{Action: "accept", Content: jsonrpc.Raw(h.filled)}, nil
}

func (h *heard) sample(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range r.Messages {
		h.asked = append(h.asked, string(m.Role)+": "+m.Text())
	}
	return &mcp.SampleResult{SamplingMessage: mcp.SamplingText("assistant", "hi"), Model: "model-1", StopReason: "endTurn"}, nil
}

// silence is how long nothing may come before there is nothing to come.
const silence = 300 * time.Millisecond

// next waits for what passes.
func next[T any](ctx context.Context, from chan T, what string, passes func(T) bool) error {
	for {
		select {
		case got := <-from:
			if passes(got) {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("there was no %s: %w", what, ctx.Err())
		}
	}
}

// empty forgets what has come.
func empty[T any](from chan T) {
	for {
		select {
		case <-from:
		default:
			return
		}
	}
}

// quiet sees that nothing that passes comes for a while.
func quiet[T any](from chan T, passes func(T) bool) error {
	over := time.After(silence)
	for {
		select {
		case got := <-from:
			if passes(got) {
				return fmt.Errorf("there still comes %+v", got)
			}
		case <-over:
			return nil
		}
	}
}
