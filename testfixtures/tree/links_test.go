package tree_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s#]*)(?:#([^)\s]+))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	notSlug = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// TestLinks follows each link in README.md and docs/ that leads to a place in the tree.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages", err)
	}
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		for _, m := range link.FindAllStringSubmatch(prose(t, page), -1) {
			to, anchor := page, m[2]
			if strings.Contains(m[1], "://") {
				continue
			}
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[0])
			} else if anchor != "" && !anchors(t, to)[anchor] {
				t.Errorf("%s: %s has no heading for %q", page, to, anchor)
			}
		}
	}
}

// prose is a page without its blocks of code.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return fenced.ReplaceAllString(string(text), "")
}

// anchors are the names that a page's headings give.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(prose(t, page), -1) {
		names[strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return names
}
