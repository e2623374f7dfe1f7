package tree

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What may stand at the top. Everything else belongs into one of the folders.
var (
	topFolders = []string{".ci", ".github", "cmd", "discover", "docs", "httpmcp", "jsonrpc", "legacy", "mcp", "stdio", "testfixtures"}
	topFiles   = []string{".gitattributes", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md", "go.mod"}
)

func checkTop(name string, folder bool) []Fault {
	allowed, kind := topFiles, "file"
	if folder {
		allowed, kind = topFolders, "folder"
	}
	if slices.Contains(allowed, name) {
		return nil
	}
	return []Fault{{name, fmt.Sprintf("no such top-level %s is agreed; move it into one of %s", kind, strings.Join(topFolders, ", "))}}
}

// checkModule holds go.mod to its two lines. A require, replace, exclude, tool or toolchain line would make
// the build reach for something that is not in the tree.
func checkModule(name string, text []byte) []Fault {
	var faults []Fault
	line := 0
	for row := range bytes.Lines(text) {
		line++
		code, _, _ := strings.Cut(string(row), "//")
		words := strings.Fields(code)
		if len(words) == 0 || len(words) == 2 && (words[0] == "module" || words[0] == "go") {
			continue
		}
		faults = append(faults, Fault{place(name, line), fmt.Sprintf("%q: go.mod has a module line and a go line, nothing else", strings.TrimSpace(code))})
	}
	return faults
}

// words are texts that have no business in a committed file. The first letter of each stands in brackets so
// that this file does not match itself.
var words = []struct {
	pattern *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`(^|[^/\w])/([h]ome|[r]oot|[U]sers)/\w+`), "the path of somebody's machine; name a place that every reader has"},
	{regexp.MustCompile(`^([<]<<<<<<|[>]>>>>>>) `), "left over from a merge; resolve it"},
	{regexp.MustCompile(`\b([F]IXME|[X]XX|[H]ACK|[W]IP)\b`), "unfinished work; finish it, or state the limit as a fact"},
}

func checkWords(name string, text []byte) []Fault {
	var faults []Fault
	line := 0
	for row := range bytes.Lines(text) {
		line++
		for _, w := range words {
			if found := w.pattern.Find(row); found != nil {
				faults = append(faults, Fault{place(name, line), fmt.Sprintf("%q: %s", bytes.TrimSpace(found), w.why)})
			}
		}
	}
	return faults
}

func place(name string, line int) string { return fmt.Sprintf("%s:%d", name, line) }
