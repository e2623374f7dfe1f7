package everything_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"isthmus.internal/testfixtures/mcptest"
)

// TestBreak breaks the connection at each of its first writes while streams are open,
// handlers ask, report and wait: serving ends with the fault of the write, and nothing is
// left running, which the bubble would not survive.
func TestBreak(t *testing.T) {
	const writes = 12
	for _, revision := range mcptest.Revisions() {
		for _, transport := range mcptest.Transports() {
			t.Run(revision+" over "+transport.Name, func(t *testing.T) {
				broken := 0
				for n := 1; n <= writes; n++ {
					synctest.Test(t, func(t *testing.T) {
						o := answering(all).Options
						o.Revision, o.Transport, o.Progress, o.Faults = revision, transport, true, mcptest.Faults{BreakWrite: n}
						c := mcptest.DialRaw(t, quiet(t), &o)
						everythingAtOnce(c)
						c.Close()
						if c.ServeError() != nil {
							broken++
						}
					})
				}
				if least := writes - 2; !transport.Lasting && broken < least || transport.Lasting && broken > 0 {
					t.Errorf("serving ended with an error for %d of %d faults; want at least %d, or none where it outlasts connections", broken, writes, least)
				}
			})
		}
	}
}

// everythingAtOnce sends what makes a server write much, and waits for nothing.
func everythingAtOnce(c *mcptest.Client) {
	if c.Revision() != mcptest.Modern {
		c.Start("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"t","version":"0"}}`,
			c.Revision(), mcptest.Capabilities(c.Revision())))
		c.Settle()
	}
	for range 2 {
		c.Start("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
		c.Start("resources/subscribe", `{"uri":"file://docs/readme"}`)
		for _, call := range []string{
			`{"name":"slow","arguments":{"ms":500}}`, `{"name":"touch"}`, `{"name":"ask"}`, `{"name":"test_sampling","arguments":{"prompt":"x"}}`,
			`{"name":"test_tool_with_progress"}`, `{"name":"echo","arguments":{"a":1}}`,
		} {
			c.Start("tools/call", call)
			c.Settle()
		}
	}
}
