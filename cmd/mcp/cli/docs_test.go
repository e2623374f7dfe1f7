package cli_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the output in docs/cli.md")

const (
	docsPath = "../../../docs/cli.md"
	// shownURL is where the docs have the server over HTTP.
	shownURL = "127.0.0.1:8080"
)

// TestDocs runs every command of docs/cli.md and compares what it prints. A block begins with
// ```console; lines with "$ " are commands, what follows each is its output, standard error
// included. Before a block that names the URL of a server one is started there.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	bin := buildCommands(t)
	address := startServer(t, bin)
	var now strings.Builder
	commands := 0
	for _, part := range splitBlocks(string(text)) {
		if !part.console {
			now.WriteString(part.text)
			continue
		}
		for _, c := range part.commands() {
			commands++
			got := run(t, bin, address, c.line)
			fmt.Fprintf(&now, "$ %s\n%s", c.line, got)
			if got != c.output && !*update {
				t.Errorf("$ %s\n got:\n%s\nwant:\n%s", c.line, got, c.output)
			}
		}
	}
	if commands < 20 {
		t.Errorf("docs/cli.md has %d commands: where are the others?", commands)
	}
	if *update {
		if err := os.WriteFile(docsPath, []byte(now.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDocsNameAll holds the page to the table of commands.
func TestDocsNameAll(t *testing.T) {
	text, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	bin := buildCommands(t)
	out, err := exec.Command(filepath.Join(bin, "mcp"), "-h").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^  mcp (\S+)`).FindAllStringSubmatch(string(out), -1) {
		if shown := regexp.MustCompile(`(?m)^\$ (.*[ (])?mcp ` + m[1] + `\b`); !shown.Match(text) {
			t.Errorf("docs/cli.md shows no mcp %s", m[1])
		}
	}
}

// block is a part of the page: of console lines, or of anything else.
type block struct {
	console bool
	text    string
}

func splitBlocks(page string) (all []block) {
	const open, shut = "```console\n", "```\n"
	for {
		before, rest, found := strings.Cut(page, open)
		if !found {
			return append(all, block{text: page})
		}
		inside, after, _ := strings.Cut(rest, shut)
		all = append(all, block{text: before + open}, block{console: true, text: inside}, block{text: shut})
		page = after
	}
}

// shown is a command with its output.
type shown struct{ line, output string }

func (b block) commands() (all []shown) {
	for line := range strings.Lines(b.text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, shown{line: strings.TrimSuffix(command, "\n")})
			continue
		}
		all[len(all)-1].output += line
	}
	return all
}

// buildCommands compiles the commands into a folder.
func buildCommands(t *testing.T) (bin string) {
	t.Helper()
	bin = t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "isthmus.internal/cmd/...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	return bin
}

// startServer has mcp-everything serve over HTTP until the test ends.
func startServer(t *testing.T, bin string) (address string) {
	t.Helper()
	server := exec.Command(filepath.Join(bin, "mcp-everything"), "-http", "127.0.0.1:0")
	said, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Signal(os.Interrupt)
		server.Wait()
	})
	first := make([]byte, 1024)
	n, err := said.Read(first)
	m := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)`).FindSubmatch(first[:n])
	if m == nil {
		t.Fatalf("the server says %q and %v, want where it serves", first[:n], err)
	}
	return string(m[1])
}

// volatile are parts of the output that are never the same.
var volatile = []struct {
	pattern *regexp.Regexp
	stands  string
}{
	{regexp.MustCompile(`Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT`), "Date: Tue, 01 Dec 2026 09:00:00 GMT"},
	{regexp.MustCompile(`(?i)(Mcp-Session-Id: )\S+`), "${1}SESSION"},
	// The figures of mcp bench.
	{regexp.MustCompile(`(?m)^(requests +\d+ in )[\d.]+ m?s`), "${1}1.00 s"},
	{regexp.MustCompile(`(?m)^(rate +)\d+ requests/s`), "${1}50000 requests/s"},
	{regexp.MustCompile(`(?m)^(latency +p50 ).* max .*`), "${1}15.0 µs, p90 25.0 µs, p99 60.0 µs, max 1.00 ms"},
	{regexp.MustCompile(`(?m)^((server|client) CPU +)[\d.]+ .s/request`), "${1}10.0 µs/request"},
	{regexp.MustCompile(`(?m)^(server memory +)[\d.]+ MiB`), "${1}13.0 MiB"},
	{regexp.MustCompile(`(?m)^([a-zA-Z0-9 ]+ )[\d.]+ \([\d.]+ to [\d.]+\)$`), "${1}1.00 (0.90 to 1.10)"},
}

// run runs one line in a shell that finds the commands.
func run(t *testing.T, bin, address, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c", `PATH="$0:$PATH"; `+strings.ReplaceAll(line, shownURL, address), bin)
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	err := shell.Run()
	if ctx.Err() != nil {
		t.Fatalf("$ %s\nhas not ended within 30 s; it has printed:\n%s", line, &out)
	}
	text := strings.ReplaceAll(out.String(), address, shownURL)
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.stands)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err != nil {
		text += fmt.Sprintf("(%v)\n", err)
	}
	return text
}
