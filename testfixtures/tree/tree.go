// Package tree checks the shape of the project itself: which folders exist, which way imports point, that
// nothing is required from outside, that links in comments lead somewhere, that exported names have comments
// and functions end within a screen, and the few habits that a compiler does not hold (no sleeping tests, no
// init functions, no switches in the environment).
//
// The rules are data where they can be; each fault names the file and line, says what was found, and what to
// do instead. The checker reads an fs.FS, so its own tests run it on small trees in memory.
package tree

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Fault is one broken rule.
type Fault struct {
	Place string // file, slash separated, with ":line" when the fault has a line
	Text  string // what is wrong and what to do
}

// String returns the fault on one line, place first.
func (f Fault) String() string { return f.Place + ": " + f.Text }

// Check reads the tree under fsys and returns its faults sorted by place. Folders that the top-level
// .gitignore names are not part of the tree. An error means that the tree could not be read or that a Go
// file has a syntax error.
func Check(fsys fs.FS) ([]Fault, error) {
	ignored, err := ignoredNames(fsys)
	if err != nil {
		return nil, err
	}
	var faults []Fault
	packages, links := packageComments{}, newDocLinks()
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if top := !strings.Contains(name, "/"); top {
			if ignored[name] {
				return skip(d)
			}
			faults = append(faults, checkTop(name, d.IsDir())...)
		}
		if d.IsDir() {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		found, err := checkFile(name, text, packages, links)
		faults = append(faults, found...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	faults = append(faults, packages.faults()...)
	faults = append(faults, links.faults()...)
	slices.SortFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Text, b.Text))
	})
	return faults, nil
}

// checkFile applies the rules that look at one file.
func checkFile(name string, text []byte, packages packageComments, links *docLinks) ([]Fault, error) {
	faults := checkWords(name, text)
	if name == "go.mod" {
		faults = append(faults, checkModule(name, text)...)
	}
	if !isSource(name) {
		return faults, nil
	}
	s, err := parse(name, text)
	if err != nil {
		return faults, err
	}
	packages.add(s)
	links.add(s)
	faults = append(faults, s.checkImports()...)
	faults = append(faults, s.checkShape()...)
	return append(faults, s.checkHabits()...), nil
}

// isSource tells whether the go command would read the file: it skips testdata, and names that begin with
// a dot or an underscore.
func isSource(name string) bool {
	if path.Ext(name) != ".go" {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "testdata" || part[0] == '.' || part[0] == '_' {
			return false
		}
	}
	return true
}

// ignoredNames reads the top-level names that are not committed: .git, and each line of .gitignore of the
// form /name or /name/. Other patterns are left to git.
func ignoredNames(fsys fs.FS) (map[string]bool, error) {
	names := map[string]bool{".git": true}
	text, err := fs.ReadFile(fsys, ".gitignore")
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		if name, ok := strings.CutPrefix(line, "/"); ok {
			names[strings.TrimSuffix(name, "/")] = true
		}
	}
	return names, nil
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
