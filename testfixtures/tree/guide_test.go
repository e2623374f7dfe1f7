package tree_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the code of the pages anew")

// shownFile is a block of code in a page behind a link to the file that it shows.
var shownFile = regexp.MustCompile("(?ms)^\\[\\w+\\.go\\]\\((\\.\\./testfixtures/guide/[\\w/]+\\.go)\\):\n\n```go\n(.*?)^```$")

// TestGuide holds each block of Go code in a page to the file that is named above it: a
// program to all of it, any other file to what stands behind its imports. Those
// files are compiled, and tested beside them. None is shown twice, and none of a page's folder
// is left out.
func TestGuide(t *testing.T) {
	for page, folder := range map[string]string{"guide.md": "guide", "http.md": "guide/overhttp", "client.md": "guide/client"} {
		t.Run(page, func(t *testing.T) { checkCode(t, page, folder) })
	}
}

func checkCode(t *testing.T, page, folder string) {
	text := docs(t, page)
	shown := make(map[string]bool)
	written := shownFile.ReplaceAllStringFunc(text, func(block string) string {
		m := shownFile.FindStringSubmatch(block)
		if shown[m[1]] {
			t.Errorf("%s is shown twice", m[1])
		}
		shown[m[1]] = true
		want := code(t, filepath.Join(root, "docs", m[1]))
		if m[2] != want && !*update {
			t.Errorf("docs/%s does not show %s as it is: run make golden\n got %s\nwant %s", page, m[1], m[2], want)
		}
		return strings.TrimSuffix(block, m[2]+"```") + want + "```"
	})
	if *update {
		if err := os.WriteFile(filepath.Join(root, "docs", page), []byte(written), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if blocks := strings.Count(text, "\n```go"); blocks != len(shown) {
		t.Errorf("%d blocks of Go code, and %d with a file of testfixtures/guide named above them", blocks, len(shown))
	}
	files, err := filepath.Glob(filepath.Join(root, "testfixtures", folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		link := "../testfixtures/" + folder + "/" + filepath.Base(file)
		if filepath.Base(file) != "doc.go" && !strings.HasSuffix(file, "_test.go") && !shown[link] {
			t.Errorf("docs/%s does not show %s", page, link)
		}
	}
}

// code is a program, or what stands behind the imports of another file.
func code(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, behind, found := strings.Cut(string(text), "\n)\n\n")
	if strings.HasSuffix(file, "main.go") {
		return string(text)
	}
	if !found {
		t.Fatalf("%s has no block of imports", file)
	}
	return behind
}

// TestGuideProgram runs what the guides have their readers run, from the root of the tree, and
// compares the output.
func TestGuideProgram(t *testing.T) {
	for _, page := range []string{"guide.md", "client.md"} {
		t.Run(page, func(t *testing.T) { checkProgram(t, page) })
	}
}

func checkProgram(t *testing.T, page string) {
	runs := regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n\n.*?^```\n(.*?)^```$").FindAllStringSubmatch(docs(t, page), -1)
	if len(runs) != 1 {
		t.Fatalf("docs/%s has %d commands with their output, want 1", page, len(runs))
	}
	build(t, runs[0][1])
	c := exec.Command("sh", "-c", runs[0][1])
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v", runs[0][1], err)
	}
	got, want := slices.Sorted(strings.Lines(string(out))), slices.Sorted(strings.Lines(runs[0][2]))
	if !slices.Equal(got, want) { // answers come in any order
		t.Errorf("%s\n got %s\nwant %s", runs[0][1], got, want)
	}
}

// build runs the last program of a command by itself, a server, which then has no input and ends:
// a client does not wait for its compiler.
func build(t *testing.T, command string) {
	t.Helper()
	all := regexp.MustCompile(`go run (\S+)`).FindAllStringSubmatch(command, -1)
	c := exec.Command("go", "run", all[len(all)-1][1])
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
}

// docs is the text of a page.
func docs(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
