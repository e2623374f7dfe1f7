package everything_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"isthmus.internal/testfixtures/mcptest"
)

// TestSlow: progress each 50 ms, and only where somebody has a token.
func TestSlow(t *testing.T) {
	asking := &mcptest.Matrix{Options: mcptest.Options{Progress: true}}
	asking.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		begun := time.Now()
		r := c.Call("slow", `{"ms":200}`)
		if took := time.Since(begun); took < 200*time.Millisecond || took > 300*time.Millisecond {
			t.Errorf("it took %v of the clock of the bubble, want 200ms", took)
		}
		var got []string
		for _, n := range r.Of("notifications/progress") {
			got = append(got, fmt.Sprintf("%s/%s", n.At("progress"), n.At("total")))
		}
		same(t, "progress", strings.Join(got, " "), "50/200 100/200 150/200")
		same(t, "the result", r.Text(), "done")
	})
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		if r := c.Call("slow", `{"ms":200}`); len(r.Notes) > 0 {
			t.Errorf("notifications that nobody asked for: %v", r.Notes)
		}
	})
}

// TestReconnection: the answer comes later than at once, and ends with its call.
func TestReconnection(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		begun := time.Now()
		same(t, "the result", c.Call("test_reconnection", "").Text(), "The answer has come through.")
		if took := time.Since(begun); took < 100*time.Millisecond {
			t.Errorf("it took %v of the clock of the bubble, want 100ms", took)
		}
		p := c.StartCall("test_reconnection", "")
		p.Cancel()
		c.Settle() // in which nothing may come
		same(t, "slow was not called", c.Call("stats", "").Text(), `{"started":0,"done":0,"cancelled":0}`)
	})
}

// TestSlowCancelled: the call ends when it is cancelled, and stats tells.
func TestSlowCancelled(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		p := c.StartCall("slow", `{"ms":600000}`)
		c.Settle()
		same(t, "before", string(c.Call("stats", "").Text()), `{"started":1,"done":0,"cancelled":0}`)
		p.Cancel()
		c.Settle()
		same(t, "after", c.Call("stats", "").Text(), `{"started":1,"done":0,"cancelled":1}`)
		c.Call("slow", `{"ms":0}`)
		same(t, "after another", c.Call("stats", "").Text(), `{"started":2,"done":1,"cancelled":1}`)
	})
}
