package guide_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/guide"
	"isthmus.internal/testfixtures/mcptest"
)

// quiet makes a server of a section that takes nothing.
func quiet(newServer func() *mcp.Server) func(testing.TB) *mcp.Server {
	return func(testing.TB) *mcp.Server { return newServer() }
}

// folder is a folder with two files, and a link that leads out of it.
func folder(t testing.TB) string {
	dir := filepath.Join(t.TempDir(), "shown")
	err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "docs"), 0o700),
		os.WriteFile(filepath.Join(dir, "docs", "plan.md"), []byte("Plan"), 0o600),
		os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("Notes"), 0o600),
		os.WriteFile(filepath.Join(dir, "..", "secret.txt"), []byte("Secret"), 0o600),
		os.Symlink("../secret.txt", filepath.Join(dir, "link.txt")),
	)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func newErrors(testing.TB) *mcp.Server {
	return guide.NewErrors(func(item string, _ int) error {
		if item == "table" {
			return errors.New("db-7 refuses the password")
		}
		return nil
	})
}

func newUntrusted(testing.TB) *mcp.Server {
	return guide.NewUntrusted(func(context.Context, string) (string, string, string, error) {
		return "Eve", "Hi\u202e", "a\u200bb\x1b[31m\nc" + strings.Repeat("x", 5000), nil
	})
}

func newPaths(t testing.TB) *mcp.Server {
	root, err := os.OpenRoot(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return guide.NewPaths(root)
}

func newFiles(t testing.TB) *mcp.Server {
	s, _, err := guide.NewFiles(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newLong(testing.TB) *mcp.Server {
	return guide.NewLong(func(ctx context.Context, page int) error {
		if page == 2 {
			return errors.New("smudged")
		}
		return ctx.Err()
	})
}

// TestConform puts every server of the guide through every revision.
func TestConform(t *testing.T) {
	servers := map[string]func(testing.TB) *mcp.Server{
		"arguments": quiet(guide.NewArguments), "errors": newErrors, "results": quiet(guide.NewResults),
		"handles": quiet(guide.NewHandles), "annotations": quiet(guide.NewAnnotations), "untrusted": newUntrusted,
		"paths": newPaths, "addresses": quiet(guide.NewAddresses),
		"resources": quiet(func() *mcp.Server { return guide.NewResources("# Hello", []byte("\x89PNG")) }),
		"templates": quiet(guide.NewTemplates), "files": newFiles, "prompts": quiet(guide.NewPrompts),
		"lists": quiet(guide.NewLists), "several": quiet(guide.NewSeveral), "once": func(testing.TB) *mcp.Server { return newTrain(nil).replica() },
		"changes": quiet(guide.NewChanges), "long": newLong, "principals": quiet(guide.NewPrincipals),
		"middleware": quiet(func() *mcp.Server { return guide.NewMiddleware(slog.New(slog.NewTextHandler(io.Discard, nil))) }),
	}
	for name, newServer := range servers {
		t.Run(name, func(t *testing.T) { mcptest.Conform(t, newServer, nil) })
	}
}

// says fails the test unless a call of a tool gives this text, as an error or not.
func says(t *testing.T, r *mcptest.Response, isError bool, want string) {
	t.Helper()
	if r.Text() != want || r.IsError() != isError {
		t.Errorf("got %s, want the text %q, isError %t", r, want, isError)
	}
}

func TestArguments(t *testing.T) {
	mcptest.Each(t, quiet(guide.NewArguments), func(t *testing.T, c *mcptest.Client) {
		says(t, c.Call("search_orders", `{"customer":"C000042"}`), false, "no orders of C000042 among the newest 20")
		says(t, c.Call("search_orders", `{"customer":"C000042","since":"2026-07-28T00:00:00Z"}`), false,
			"no orders of C000042 among the newest 20 since 2026-07-28")
		says(t, c.Call("search_orders", `{"customer":"Ada","limit":"all"}`), true, argumentsRefused)
	})
}

// argumentsRefused is what the guide shows.
const argumentsRefused = `Invalid arguments for tool search_orders: arguments.customer: expected a string that matches the regular expression ^C[0-9]{6}$, got the string "Ada"; arguments.limit: expected an integer, got the string "all"`

func TestErrors(t *testing.T) {
	mcptest.Each(t, newErrors, func(t *testing.T, c *mcptest.Client) {
		says(t, c.Call("order", `{"item":"sofa","count":1}`), true, `there is no item "sofa"; list_items shows all of them`)
		says(t, c.Call("order", `{"item":"lamp","count":4}`), true, "only 3 of lamp are left; order fewer")
		if r := c.Call("order", `{"item":"lamp","count":1}`); r.Code() != -32602 {
			t.Errorf("without _meta: got %s, want -32602", r)
		}
	})
}

func TestResults(t *testing.T) {
	mcptest.Each(t, quiet(guide.NewResults), func(t *testing.T, c *mcptest.Client) {
		const want = `{"city":"Oslo","celsius":21.5,"rain":false}`
		r := c.Call("get_forecast", `{"city":"Oslo"}`)
		if got := string(r.At("structuredContent")); got != want && c.Revision() >= "2025-06-18" {
			t.Errorf("got %s, want structured content %s", r, want)
		}
		says(t, r, false, want)
		if got := c.Call("get_report", `{"city":"Oslo"}`).Text(); !strings.HasPrefix(got, "It was dry in Oslo.") {
			t.Errorf("got %q", got)
		}
	})
}

func TestHandles(t *testing.T) {
	mcptest.Each(t, quiet(guide.NewHandles), func(t *testing.T, c *mcptest.Client) {
		text, ok := mcptest.At(c.Call("open_basket", "").At("structuredContent"), "basket").Text()
		if !ok { // a revision without structured content
			text = strings.Split(c.Call("open_basket", "").Text(), `"`)[3]
		}
		says(t, c.Call("add_to_basket", `{"basket":"`+text+`","item":"lamp"}`), false, "the basket holds 1 items")
		says(t, c.Call("add_to_basket", `{"basket":"guess","item":"lamp"}`), true, "there is no such basket; open one with open_basket")
	})
}

func TestAnnotations(t *testing.T) {
	mcptest.Each(t, quiet(guide.NewAnnotations), func(t *testing.T, c *mcptest.Client) {
		got := string(mcptest.At(c.List("tools/list")[1], "annotations"))
		want := `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}`
		if c.Revision() < "2025-03-26" {
			want = ""
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestUntrusted(t *testing.T) {
	mcptest.Each(t, newUntrusted, func(t *testing.T, c *mcptest.Client) {
		text := c.Call("read_mail", `{"id":"1f"}`).Text()
		if !strings.HasPrefix(text, `{"from":"Eve","subject":"Hi","body":"ab[31m\ncxxx`) || !strings.HasSuffix(text, `"cut":true}`) {
			t.Errorf("got %.100s … %s", text, text[max(0, len(text)-20):])
		}
	})
}

func TestPaths(t *testing.T) {
	mcptest.Each(t, newPaths, func(t *testing.T, c *mcptest.Client) {
		says(t, c.Call("read_file", `{"path":"docs/plan.md"}`), false, "Plan")
		for _, path := range []string{"../secret.txt", "link.txt", "docs/../../secret.txt", "/etc/passwd", "docs", "none"} {
			says(t, c.Call("read_file", `{"path":"`+path+`"}`), true, `there is no file "`+path+`" in the project`)
		}
	})
}

func TestAddresses(t *testing.T) {
	m := &mcptest.Matrix{Clock: true} // it has connections to make
	m.Each(t, quiet(guide.NewAddresses), func(t *testing.T, c *mcptest.Client) {
		for _, host := range []string{
			"127.0.0.1", "[::1]", "10.0.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "[::ffff:127.0.0.1]",
			"[64:ff9b::7f00:1]", "[fd00::1]", "[fe80::1]", "[fec0::1]", "[2002:7f00:1::]", "93.184.215.14:8443",
		} {
			says(t, c.Call("fetch_page", `{"url":"https://`+host+`/"}`), true, host+" cannot be fetched, or is not on the public web")
		}
		if r := c.Call("fetch_page", `{"url":"file:///etc/passwd"}`); !r.IsError() {
			t.Errorf("a file: got %s", r)
		}
	})
}

func TestResources(t *testing.T) {
	newServer := quiet(func() *mcp.Server { return guide.NewResources("# Hello", []byte("\x89PNG")) })
	mcptest.Each(t, newServer, func(t *testing.T, c *mcptest.Client) {
		if text := c.Read("project://readme").Text(); text != "# Hello" {
			t.Errorf("got %q", text)
		}
		if blob, _ := c.Read("project://logo").At("contents", 0, "blob").Text(); blob != "iVBORw==" {
			t.Errorf("got %q", blob)
		}
	})
}

func TestTemplates(t *testing.T) {
	mcptest.Each(t, quiet(guide.NewTemplates), func(t *testing.T, c *mcptest.Client) {
		for uri, want := range map[string]string{
			"tracker://issues/1":         "The door squeaks.",
			"tracker://issues/2?lang=no": `The lamp is broken. (not translated to "no")`,
		} {
			if text := c.Read(uri).Text(); text != want {
				t.Errorf("%s: got %q, want %q", uri, text, want)
			}
		}
		if r := c.Read("tracker://issues/3"); r.Error == nil {
			t.Errorf("got %s, want an error", r)
		}
	})
}

func TestFiles(t *testing.T) {
	mcptest.Each(t, newFiles, func(t *testing.T, c *mcptest.Client) {
		got := mcptest.Names(c.List("resources/list"), "uri")
		if want := []string{"handbook:///docs/plan.md", "handbook:///notes.txt"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if text := c.Read("handbook:///docs/plan.md").Text(); text != "Plan" {
			t.Errorf("got %q", text)
		}
		if r := c.Read("handbook:///link.txt"); r.Error == nil {
			t.Errorf("got %s, want an error", r)
		}
	})
}
