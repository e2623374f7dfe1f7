package guide_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
	"isthmus.internal/testfixtures/guide"
	"isthmus.internal/testfixtures/mcptest"
)

// canAsk leaves out the revisions that have no elicitation.
func canAsk() *mcptest.Matrix {
	return &mcptest.Matrix{Except: map[string]string{"2024-11-05": "it has no elicitation", "2025-03-26": "it has no elicitation"}}
}

func TestMissingCapability(t *testing.T) {
	m := &mcptest.Matrix{Options: mcptest.Options{Capabilities: `{}`}}
	m.Each(t, newPost, func(t *testing.T, c *mcptest.Client) {
		says(t, c.Call("send_parcel", ""), true, "this client cannot ask its user; ask for the recipient yourself and call send_parcel_to")
	})
}

func TestSeveral(t *testing.T) {
	m := canAsk()
	m.Options.Answer = func(a mcptest.Ask) (string, *jsonrpc.Error) {
		return map[string]string{
			"elicitation/create":     `{"action":"accept","content":{"topic":"rain"}}`,
			"roots/list":             `{"roots":[{"uri":"file:///a"}]}`,
			"sampling/createMessage": `{"role":"assistant","content":{"type":"text","text":"ABAB"},"model":"m"}`,
		}[a.Method], nil
	}
	m.Each(t, quiet(guide.NewSeveral), func(t *testing.T, c *mcptest.Client) {
		r := c.Call("plan_poem", "")
		says(t, r, false, "A poem about rain, ABAB, for 1 folders.")
		if r.Rounds > 2 {
			t.Errorf("%d rounds, want one for all questions", r.Rounds)
		}
	})
}

// train counts what the replicas of a server have done.
type train struct {
	keys mcp.Sealer
	held atomic.Int64
	seen chan string // what was booked
}

func newTrain(keys mcp.Sealer) *train { return &train{keys: keys, seen: make(chan string, 10)} }

func (tr *train) replica() *mcp.Server {
	return guide.NewOnce(tr.keys,
		func() (int, error) { return int(tr.held.Add(1)), nil },
		func(seat int, name string) error { tr.seen <- fmt.Sprint(name, " ", seat); return nil })
}

// TestOnce has each retry go to another replica.
func TestOnce(t *testing.T) {
	keys, err := seal.NewKeys([]byte("a secret that all replicas share"))
	if err != nil {
		t.Fatal(err)
	}
	var tr *train
	m := canAsk()
	m.Options.Answer = func(a mcptest.Ask) (string, *jsonrpc.Error) {
		if text, _ := a.At("message").Text(); strings.HasPrefix(text, "Book") {
			return `{"action":"accept","content":{"ok":true}}`, nil
		}
		return `{"action":"accept","content":{"name":"Ada"}}`, nil
	}
	m.Options.Replica = func() *mcp.Server { return tr.replica() }
	m.Each(t, func(testing.TB) *mcp.Server { tr = newTrain(keys); return tr.replica() }, func(t *testing.T, c *mcptest.Client) {
		says(t, c.Call("book_seat", ""), false, "seat 1 is booked for Ada")
		if n, booked := tr.held.Load(), len(tr.seen); n != 1 || booked != 1 {
			t.Errorf("held %d seats and booked %d, want 1 and 1", n, booked)
		}
	})
}

func TestPrompts(t *testing.T) {
	mcptest.Each(t, quiet(guide.NewPrompts), func(t *testing.T, c *mcptest.Client) {
		want := "Review the branch main of api. Name the file and the line of each finding."
		if text, _ := c.Prompt("review", `{"project":"api"}`).At("messages", 0, "content", "text").Text(); text != want {
			t.Errorf("got %q, want %q", text, want)
		}
		if r := c.Prompt("review", `{}`); r.Code() != -32602 {
			t.Errorf("without project: got %s, want -32602", r)
		}
		if c.Revision() >= "2025-06-18" { // context is known from there on
			got := string(c.CompletePrompt("review", "branch", "re", `{"project":"site"}`).At("completion", "values"))
			if got != `["redesign"]` {
				t.Errorf("got %s", got)
			}
		}
	})
}

func TestLists(t *testing.T) {
	mcptest.Each(t, quiet(guide.NewLists), func(t *testing.T, c *mcptest.Client) {
		if pages := c.Pages("tools/list"); len(pages) != 3 {
			t.Errorf("got %d pages, want 3", len(pages))
		}
		if r := c.Request("tools/list", `{"cursor":"2"}`); r.Code() != -32602 {
			t.Errorf("a cursor made up: got %s, want -32602", r)
		}
	})
}

func TestChanges(t *testing.T) {
	mcptest.Each(t, quiet(guide.NewChanges), func(t *testing.T, c *mcptest.Client) {
		stream := c.Listen(mcptest.Filter{Tools: true, URIs: []string{"heating://degrees"}})
		says(t, c.Call("set_degrees", `{"degrees":21}`), false, "set")
		if note := stream.Next(); note.Method != string(mcp.ResourceUpdated) {
			t.Errorf("got %s", note.Line)
		}
		says(t, c.Call("remove_controls", ""), false, "read-only")
		if note := stream.Next(); note.Method != string(mcp.ToolsListChanged) {
			t.Errorf("got %s", note.Line)
		}
		says(t, c.Call("remove_controls", ""), false, "it was read-only before")
	})
}

func TestLong(t *testing.T) {
	m := &mcptest.Matrix{Options: mcptest.Options{Progress: true, LogLevel: "warning"}}
	m.Each(t, newLong, func(t *testing.T, c *mcptest.Client) {
		r := c.Call("convert_book", `{"pages":3}`)
		says(t, r, false, "3 pages, 1 skipped")
		if progress, logs := len(r.Of("notifications/progress")), len(r.Of("notifications/message")); progress != 3 || logs != 1 {
			t.Errorf("got %d reports of progress and %d log messages, want 3 and 1", progress, logs)
		}
	})
}

func TestPrincipals(t *testing.T) {
	for _, test := range []struct {
		who   *mcp.Principal
		says  string
		tools []string
	}{
		{nil, "nobody in particular", []string{"who_am_i"}},
		{&mcp.Principal{ID: "bob", Scopes: []string{"user"}}, "bob", []string{"who_am_i"}},
		{&mcp.Principal{ID: "ada", Scopes: []string{"admin"}}, "ada", []string{"who_am_i", "lock_account"}},
	} {
		m := &mcptest.Matrix{Options: mcptest.Options{Principal: test.who}}
		m.Each(t, quiet(guide.NewPrincipals), func(t *testing.T, c *mcptest.Client) {
			says(t, c.Call("who_am_i", ""), false, test.says)
			if got := mcptest.Names(c.List("tools/list"), "name"); !slices.Equal(got, test.tools) {
				t.Errorf("%s sees %q, want %q", test.says, got, test.tools)
			}
			r := c.Call("lock_account", `{"name":"eve"}`)
			if locked := r.Text() == "locked eve"; locked != (len(test.tools) == 2) {
				t.Errorf("%s calls lock_account: got %s", test.says, r)
			}
		})
	}
}

func TestMiddleware(t *testing.T) {
	var log *bytes.Buffer
	newServer := func(testing.TB) *mcp.Server {
		log = new(bytes.Buffer)
		return guide.NewMiddleware(slog.New(slog.NewTextHandler(log, nil)))
	}
	mcptest.Each(t, newServer, func(t *testing.T, c *mcptest.Client) {
		c.Call("get_time", "")
		c.Close()
		if got := log.String(); !strings.Contains(got, "method=tools/call name=get_time failed=false time=") {
			t.Errorf("got %q", got)
		}
	})
}

func TestMethods(t *testing.T) {
	viewed := make(chan string, 1)
	m := &mcptest.Matrix{Clock: true, Options: mcptest.Options{Unchecked: true}}
	newServer := func(testing.TB) *mcp.Server { return guide.NewMethods(func(page string) { viewed <- page }) }
	m.Each(t, newServer, func(t *testing.T, c *mcptest.Client) {
		if n, _ := c.Request("com.example/count", `{"text":"abc"}`).At("bytes").Int(); n != 3 {
			t.Errorf("got %d bytes, want 3", n)
		}
		if r := c.Request("com.example/count", ""); r.Code() != -32602 {
			t.Errorf("got %s, want -32602", r)
		}
		params := `{"page":"home"}`
		if c.Revision() == mcptest.Modern { // where a message says in which revision it is
			params = `{"page":"home","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
		}
		c.Notify("notifications/com.example/viewed", params)
		if page := <-viewed; page != "home" {
			t.Errorf("got %q", page)
		}
	})
}
