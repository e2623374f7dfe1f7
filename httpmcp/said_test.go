package httpmcp_test

import (
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
)

// What clients say of themselves is kept as long as their sessions, so it is bounded: of one
// client, and of all together.
func TestClientSaysMuch(t *testing.T) {
	everyVersion(t, tools(t), nil, "", func(t *testing.T, c *legacyClient, _ *httpmcp.Endpoint) {
		long := func(n int) string {
			return strings.Replace(initialize(c.version, ""), `"name":"t"`, `"name":"`+strings.Repeat("n", n)+`"`, 1)
		}
		c.has("too long", c.post(long(64<<10), "Mcp-Session-Id"), "200 application/json", `"id":0,"error":{"code":-32602,"message":"params.clientInfo and params.capabilities are too long`)
		open := func() (status int, id string) {
			reply := c.do("POST", long(60<<10), "Mcp-Session-Id")
			text(t, reply)
			return reply.StatusCode, reply.Header.Get("Mcp-Session-Id")
		}
		var first string
		n := 0
		for status := 200; status == 200; n++ {
			var id string
			if status, id = open(); n == 0 {
				first = id
			}
			if n > 2000 {
				t.Fatal("there is no bound")
			}
			if status != 200 && status != 503 {
				t.Fatalf("status %d", status)
			}
		}
		if n < 1000 {
			t.Errorf("%d sessions of 60 KiB are too many, want room for 64 MiB", n)
		}
		c.want("DELETE", summary(t, c.do("DELETE", "", "Mcp-Session-Id: "+first)), "204  ")
		if status, _ := open(); status != 200 {
			t.Errorf("status %d where there is room again", status)
		}
	})
}

// It is so over the deprecated transport, too.
func TestDeprecatedClientSaysMuch(t *testing.T) {
	url, _ := serveOld(t, toolServer(t), nil)
	c := open(t, url)
	long := strings.Replace(initialize("2024-11-05", ""), `"name":"t"`, `"name":"`+strings.Repeat("n", 64<<10)+`"`, 1)
	if got := c.send(long); !strings.HasPrefix(got, "400 ") || !strings.Contains(got, `"code":-32602,"message":"params.clientInfo and params.capabilities are too long`) {
		t.Errorf("got %s, want a refusal", got)
	}
}
