package tree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// readme returns the blocks of code of README.md in this language, in order.
func readme(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if m[1] == language {
			blocks = append(blocks, m[2])
		}
	}
	return blocks
}

// The server that README shows builds offline, in the module that README shows, and
// answers the lines that README feeds it, of either era, with those it shows.
func TestReadmeServer(t *testing.T) {
	dir := t.TempDir()
	tree, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	programs, shells, outputs := readme(t, "go"), readme(t, "sh"), readme(t, "")
	if len(programs) != 1 || len(shells) != 2 || len(outputs) != 4 {
		t.Fatalf("README has %d programs, %d shell blocks and %d outputs, want 1, 2 and 4", len(programs), len(shells), len(outputs))
	}
	module := strings.ReplaceAll(outputs[3], "./path/to/isthmus", tree)
	for name, text := range map[string]string{"go.mod": module, "main.go": programs[0]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range outputs[1:3] {
		c := exec.Command("sh", "-c", shells[i])
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", shells[i], err)
		}
		if got := string(out); got != want {
			t.Errorf("%s\n got %s\nwant %s", shells[i], got, want)
		}
	}
}

// README shows what the tour prints: each of its lines that is not cut short stands
// in the output, and those that are cut begin one.
func TestReadmeTour(t *testing.T) {
	c := exec.Command("go", "run", "./cmd/mcp", "tour")
	c.Dir = root
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("tour: %v\n%s", err, out)
	}
	printed := "\n" + string(out)
	for line := range strings.Lines(readme(t, "")[0]) {
		line = strings.TrimSuffix(line, "\n")
		start, cut := strings.CutSuffix(line, "…")
		if !cut {
			start += "\n"
		}
		if !strings.Contains(printed, "\n"+start) {
			t.Errorf("README says that the tour prints %q, but it does not", line)
		}
	}
	servers := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^(\S+-server), `).FindAllStringSubmatch(printed, -1) {
		servers[m[1]] = true
	}
	numbers := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "starts " + numbers[len(servers)] + " small servers"; !strings.Contains(string(text), want) {
		t.Errorf("README does not say that the tour %s", want)
	}
}
