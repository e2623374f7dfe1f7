package tree_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
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

// readmeBlocks are the programs, the commands and the outputs that README shows. The outputs are
// those of the tour and of the first two commands, and the last one is a module.
func readmeBlocks(t *testing.T) (programs, shells, outputs []string) {
	t.Helper()
	programs, shells, outputs = readme(t, "go"), readme(t, "sh"), readme(t, "")
	if len(programs) != 2 || len(shells) != 3 || len(outputs) != 4 {
		t.Fatalf("README has %d programs, %d shell blocks and %d outputs, want 2, 3 and 4", len(programs), len(shells), len(outputs))
	}
	return programs, shells, outputs
}

// offline is what go needs to build in a module with nothing but the tree.
func offline() []string { return append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off") }

// module puts a program into a module, as README shows one, and returns its folder.
func module(t *testing.T, program, module string) string {
	t.Helper()
	dir := t.TempDir()
	tree, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	module = strings.ReplaceAll(module, "./path/to/isthmus", tree)
	for name, text := range map[string]string{"go.mod": module, "main.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The server that README shows builds offline, in the module that README shows, and
// answers the lines that README feeds it, of either era, with those it shows.
func TestReadmeServer(t *testing.T) {
	programs, shells, outputs := readmeBlocks(t)
	dir := module(t, programs[0], outputs[3])
	for i, want := range outputs[1:3] {
		c := exec.Command("sh", "-c", shells[i])
		c.Dir = dir
		c.Env = offline()
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", shells[i], err)
		}
		if got := string(out); got != want {
			t.Errorf("%s\n got %s\nwant %s", shells[i], got, want)
		}
	}
}

// The server that README shows for HTTP builds likewise, gives the answer of the one on stdio
// to the command that README shows, and ends with status 0 on SIGTERM.
func TestReadmeHTTP(t *testing.T) {
	programs, shells, outputs := readmeBlocks(t)
	const shown = "127.0.0.1:7000"
	place := freePort(t)
	if !strings.Contains(programs[1], shown) || !strings.Contains(shells[2], shown) {
		t.Fatalf("README does not have %s in program and command", shown)
	}
	dir := module(t, strings.ReplaceAll(programs[1], shown, place), outputs[3])
	build := exec.Command("go", "build", "-o", "server", ".")
	build.Dir, build.Env = dir, offline()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := exec.Command(filepath.Join(dir, "server"))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	reachable := waitFor(place)
	if _, err := exec.LookPath("curl"); reachable && err == nil {
		out, err := exec.Command("sh", "-c", strings.ReplaceAll(shells[2], shown, place)).Output()
		if want := strings.TrimSuffix(outputs[1], "\n"); err != nil || string(out) != want {
			t.Errorf("%s\n got %s, %v\nwant %s", shells[2], out, err, want)
		}
	}
	server.Process.Signal(syscall.SIGTERM)
	if err := server.Wait(); err != nil || !reachable {
		t.Errorf("the server could be reached: %t; it ended with %v, want status 0", reachable, err)
	}
}

// freePort is an address that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// waitFor waits until an address can be reached, and gives up in the end.
func waitFor(place string) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 1000 {
		if c, err := net.Dial("tcp", place); err == nil {
			c.Close()
			return true
		}
		<-tick.C
	}
	return false
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
