package httpmcp_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/mcp"
)

// stormy is a server whose calls take a while, report, ask and let go of their connections, as
// chance has it.
func stormy() *mcp.Server {
	s := mcp.NewServer("stormy", "1", nil)
	s.AddTool(mcp.Tool{Name: "work"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		for step := range 6 {
			switch rand.IntN(5) {
			case 0:
				c.Detach(time.Millisecond)
			case 1:
				// The client may have left for good.
				patient, stop := context.WithTimeout(ctx, 100*time.Millisecond)
				c.Roots(patient, fmt.Sprint(step))
				stop()
			case 2:
				select {
				case <-time.After(time.Duration(rand.IntN(3)) * time.Millisecond):
				case <-ctx.Done():
				}
			default:
				c.Progress(float64(step+1), 6, "")
			}
		}
		return mcp.TextResult("done"), nil
	})
	return s
}

// follow reads a call's stream to its answer, over as many connections as it takes, some of which
// it breaks or has taken over by another one. It returns how many answers have come.
func (c *legacyClient) follow(ctx context.Context, id string) (answers int, err error) {
	last := ""
	reply, err := c.try(ctx, "POST", tool(id, "work", withToken))
	for round := 0; err == nil && round < 100; round++ {
		if reply.Header.Get("Content-Type") != "text/event-stream" {
			got := summary(c.t, reply)
			if last == "" && strings.Contains(got, "done") {
				return answers + 1, nil
			}
			return answers, fmt.Errorf("round %d, behind %q: %s", round, last, got)
		}
		again := make(chan *http.Response, 1)
		if rand.IntN(4) == 0 && last != "" {
			go func(last string) { // while the other is open
				r, err := c.try(ctx, "GET", "", "Last-Event-ID: "+last)
				if err != nil {
					r = nil
				}
				again <- r
			}(last)
		} else {
			close(again)
		}
		n, newest := c.some(ctx, reply, id)
		answers += n
		if other := <-again; other != nil {
			more, behind := c.some(ctx, other, id)
			// It starts behind the same event, so it may have the same answer.
			answers, newest = max(answers, more), max(behind, newest)
		}
		if answers > 0 {
			return answers, nil
		}
		if newest != "" {
			last = newest
		}
		if last == "" {
			return 0, nil // the client knows no way back
		}
		reply, err = c.try(ctx, "GET", "", "Last-Event-ID: "+last)
	}
	return answers, err
}

// some reads events of a stream until it ends, or breaks it, and answers questions.
func (c *legacyClient) some(ctx context.Context, reply *http.Response, id string) (answers int, last string) {
	defer reply.Body.Close()
	in := bufio.NewScanner(reply.Body)
	for in.Scan() {
		field, value, _ := strings.Cut(in.Text(), ": ")
		switch {
		case field == "id":
			last = value
		case field == "data" && strings.Contains(value, `"id":`+id+`,"result"`):
			answers++
		case field == "data" && strings.Contains(value, `"roots/list"`):
			n, _, _ := strings.Cut(strings.TrimPrefix(value, `{"jsonrpc":"2.0","id":`), ",")
			if r, err := c.try(ctx, "POST", `{"jsonrpc":"2.0","id":`+n+`,"result":{"roots":[]}}`); err == nil {
				r.Body.Close()
			}
		}
		if in.Text() == "" && last != "" && rand.IntN(6) == 0 {
			return answers, last
		}
	}
	return answers, last
}

// Calls whose connections break, are let go and are taken over, in sessions that end at any
// moment: each answer comes once, and nothing is left behind.
func TestStormOfStreams(t *testing.T) {
	url, _ := serve(t, stormy(), nil)
	transport := &http.Transport{MaxIdleConnsPerHost: 20}
	defer transport.CloseIdleConnections()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	var all sync.WaitGroup
	var mu sync.Mutex
	answered := 0
	for n := range 6 {
		all.Go(func() {
			c := &legacyClient{t: t, url: url, version: "2025-11-25", http: &http.Client{Transport: transport}}
			for session := range 4 {
				c.session = ""
				c.open(`"roots":{}`)
				c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				var calls sync.WaitGroup
				for id := range 6 {
					calls.Go(func() {
						answers, err := c.follow(ctx, fmt.Sprint(id))
						if session < 3 && (err != nil || answers > 1) {
							t.Errorf("client %d, session %d, call %d: %d answers, %v", n, session, id, answers, err)
						}
						mu.Lock()
						answered += answers
						mu.Unlock()
					})
				}
				if session == 3 { // in the middle of it all
					c.do("DELETE", "").Body.Close()
				}
				calls.Wait()
			}
		})
	}
	all.Wait()
	t.Logf("%d of %d calls were answered", answered, 6*4*6)
	if answered < 6*3*6/2 {
		t.Errorf("%d answers have come of %d calls in sessions that last", answered, 6*3*6)
	}
}
