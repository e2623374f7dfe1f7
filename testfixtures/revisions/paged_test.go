package revisions_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
	"isthmus.internal/testfixtures/mcptest"
	"isthmus.internal/testfixtures/revisions"
)

// pagedServer is a server with pages of two, hints of all kinds, something hidden, and
// files.
func pagedServer(t testing.TB) *mcp.Server {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"a.md": "# a", "b c.bin": "\xff\x00", "d.json": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	nobody := func(*mcp.Principal) bool { return false }
	s := mcp.NewServer("paged", "1.0.0", &mcp.ServerOptions{PageSize: 2, Keys: seal.RandomKeys(), Logging: true,
		Cache:      mcp.CacheHint{TTL: time.Second, Public: true},
		ToolsCache: &mcp.CacheHint{TTL: time.Minute, Public: true}, ResourcesCache: &mcp.CacheHint{}})
	for i := range 5 {
		s.AddTool(mcp.Tool{Name: fmt.Sprint("tool", i)}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult(""), nil })
		prompt := mcp.Prompt{Name: fmt.Sprint("prompt", i)}
		if i == 1 {
			prompt.Visible = nobody
		}
		s.AddPrompt(prompt, func(context.Context, *mcp.Call) (*mcp.PromptResult, error) { return mcp.PromptText(""), nil })
	}
	if err := s.AddFiles("docs:///", root, &mcp.FilesOptions{Name: "docs", Cache: &mcp.CacheHint{TTL: time.Hour}}).List(); err != nil {
		t.Fatal(err)
	}
	for _, template := range []string{"a:{x}", "b:{/x*}", "c:{?x,y*}"} {
		s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: template, Name: template}, func(_ context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI()}}, nil
		})
	}
	return s
}

// TestPagedLists goes from page to page in every revision, and finds everything once and
// nothing that is hidden.
func TestPagedLists(t *testing.T) {
	want := map[string]string{
		"tools/list":               "tool0 tool1 tool2 tool3 tool4",
		"prompts/list":             "prompt0 prompt2 prompt3 prompt4",
		"resources/list":           "a.md b c.bin d.json",
		"resources/templates/list": "docs a:{x} b:{/x*} c:{?x,y*}",
	}
	for _, revision := range revisions.All {
		t.Run(revision, func(t *testing.T) {
			c := mcptest.Dial(t, pagedServer(t), &mcptest.Options{Revision: revision})
			defer c.Close()
			for method, names := range want {
				if got := mcptest.Names(c.List(method), "name"); strings.Join(got, " ") != names {
					t.Errorf("%s: %q; want %s", method, got, names)
				}
			}
			if uris := mcptest.Names(c.List("resources/list"), "uri"); !slices.Contains(uris, "docs:///b%20c.bin") {
				t.Errorf("the resources are %q; want one with an encoded name", uris)
			}
		})
	}
}

// TestPagedConforms holds the server against all that a server must do.
func TestPagedConforms(t *testing.T) {
	mcptest.Conform(t, pagedServer, nil)
}
