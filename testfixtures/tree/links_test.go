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
	named   = regexp.MustCompile("`((?:cmd|discover|jsonrpc|legacy|httpmcp|mcp|stdio|testfixtures)/[\\w/.-]*)`")
	making  = regexp.MustCompile("`make ([a-z-]+)")
)

// pages are README.md and those in docs/.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(all) == 0 {
		t.Fatal("no pages", err)
	}
	return append(all, filepath.Join(root, "README.md"))
}

// TestLinks follows each link of the pages that leads to a place in the tree.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
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

// TestNamed looks for the files and folders that the pages name in code, and for the targets
// of make.
func TestNamed(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, page := range pages(t) {
		for _, m := range named.FindAllStringSubmatch(prose(t, page), -1) {
			files++
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
		for _, m := range making.FindAllStringSubmatch(prose(t, page), -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+": ") {
				t.Errorf("%s names make %s, which is no target", page, m[1])
			}
		}
	}
	if files < 30 {
		t.Errorf("only %d files are named", files)
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
