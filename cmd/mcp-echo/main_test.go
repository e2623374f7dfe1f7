package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/fixture/fixturetest"
)

const (
	versions = "legacy 2024-11-05 2025-03-26 2025-06-18 2025-11-25, modern 2026-07-28"
	onStdio  = "echo-server 1.0.0 ready on stdio: " + versions + "\n"
)

// binary is the path of the command, built for these tests.
var binary string

func TestMain(m *testing.M) {
	os.Exit(fixturetest.Main(m, "isthmus.internal/cmd/mcp-echo", &binary))
}

// modern is a line that calls echo in the modern era.
func modern(id int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":%q},%s}}`+"\n",
		id, text, fixturetest.Meta)
}

// modernAnswer is the answer to it.
func modernAnswer(id int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","content":[{"type":"text","text":"echo: %s"}],`+
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"echo-server","version":"1.0.0"}}}}`, id, text)
}

// TestBurst sends a thousand requests and the end of the input at once, in both
// eras, many times over: each is answered once, and the exit status is 0.
func TestBurst(t *testing.T) {
	const requests = 1000
	runs := 100
	if testing.Short() {
		runs = 5
	}
	var input strings.Builder
	input.WriteString(fixturetest.Initialize("2025-06-18") + "\n")
	want := map[string]int{
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"echo-server","version":"1.0.0"}}}`: 1,
	}
	for id := 1; id <= requests; id++ {
		if id%2 == 0 {
			input.WriteString(modern(id, "text"))
			want[modernAnswer(id, "text")] = 1
			continue
		}
		fmt.Fprintf(&input, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"text"}}}`+"\n", id)
		want[fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"echo: text"}]}}`, id)] = 1
	}
	for run := range runs {
		ran := fixturetest.Run(t, input.String(), binary)
		if ran.Status != 0 || ran.Err != onStdio {
			t.Fatalf("run %d: got status %d and %q on standard error, want 0 and %q", run, ran.Status, ran.Err, onStdio)
		}
		got := make(map[string]int)
		for line := range strings.Lines(ran.Out) {
			got[strings.TrimSuffix(line, "\n")]++
		}
		for line, n := range got {
			if want[line] != n {
				t.Errorf("run %d: got %d times, want %d: %s", run, n, want[line], line)
			}
		}
		if len(got) != len(want) {
			t.Errorf("run %d: got %d different answers, want %d", run, len(got), len(want))
		}
	}
}

func TestEmptyInput(t *testing.T) {
	ran := fixturetest.Run(t, "", binary)
	if ran != (fixturetest.Ran{Err: onStdio}) {
		t.Errorf("got %+v, want nothing but the ready line, and status 0", ran)
	}
}

// TestHelp runs the line that the help offers for pasting.
func TestHelp(t *testing.T) {
	ran := fixturetest.Run(t, "", binary, "-h")
	if ran.Status != 0 || ran.Err != "" {
		t.Fatalf("-h: got status %d and %q on standard error, want 0 and nothing", ran.Status, ran.Err)
	}
	example := regexp.MustCompile(`(?m)^  (printf .*\| )mcp-echo$`).FindStringSubmatch(ran.Out)
	if example == nil {
		t.Fatalf("-h shows no line to paste:\n%s", ran.Out)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to paste into")
	}
	ran = fixturetest.Run(t, "", shell, "-c", example[1]+binary)
	if want := modernAnswer(1, "hello") + "\n"; ran.Status != 0 || ran.Out != want {
		t.Errorf("the example: got status %d and\n%s\nwant 0 and\n%s", ran.Status, ran.Out, want)
	}
}

func TestUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		want string // in the one line
	}{
		{"unknown flag", []string{"-port", "7000"}, "mcp-echo: flag provided but not defined: -port (mcp-echo -h explains)"},
		{"data is for notes", []string{"-data", "x"}, "mcp-echo: flag provided but not defined: -data"},
		{"stray argument", []string{"serve"}, `mcp-echo: unexpected argument "serve"`},
		{"bad level", []string{"-log", "loud"}, "must be off, error, info or debug"},
		{"bad address", []string{"-listen", "127.0.0.1:7000"}, "must be unix:PATH or tcp:HOST:PORT"},
		{"address of all the world", []string{"-listen", "tcp:0.0.0.0:0"}, "127.0.0.1"},
		{"port that is none", []string{"-listen", "tcp:127.0.0.1:99999"}, "99999"},
		{"file that is no socket", []string{"-listen", "unix:" + file}, file},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ran := fixturetest.Run(t, "", binary, test.args...)
			if ran.Status != 2 || ran.Out != "" || strings.Count(ran.Err, "\n") != 1 || !strings.Contains(ran.Err, test.want) {
				t.Errorf("mcp-echo %q\ngot  %+v\nwant status 2 and one line with %q", test.args, ran, test.want)
			}
		})
	}
}

func TestLog(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	const pong = `{"jsonrpc":"2.0","id":7,"result":{}}`
	input := fixturetest.Initialize("2025-11-25") + "\n" + ping + "\n" + modern(8, "x") + "{bad\n"
	tests := []struct {
		level string
		want  []string // in the log
		not   []string
	}{
		{"debug", []string{" --> legacy " + ping + "\n", " <-- legacy " + pong + "\n",
			" --> modern " + modern(8, "x"), " <-- modern " + modernAnswer(8, "x") + "\n", "{bad\n", "-32700"}, nil},
		{"info", []string{"-32700"}, []string{"-->", "<--"}},
		{"error", nil, []string{"-->", "<--", "-32700"}},
		{"off", nil, []string{"-->", "<--", "-32700"}},
	}
	for _, test := range tests {
		t.Run(test.level, func(t *testing.T) {
			ran := fixturetest.Run(t, input, binary, "-log", test.level)
			if ran.Status != 0 || strings.Count(ran.Out, "\n") != 4 || !strings.HasPrefix(ran.Err, onStdio) {
				t.Errorf("got %+v, want status 0, 4 answers, and the ready line first", ran)
			}
			for _, part := range test.want {
				if !strings.Contains(ran.Err, part) {
					t.Errorf("%q is missing in\n%s", part, ran.Err)
				}
			}
			for _, part := range test.not {
				if strings.Contains(ran.Err, part) {
					t.Errorf("%q should not be in\n%s", part, ran.Err)
				}
			}
		})
	}
}

func TestSignalEndsServing(t *testing.T) {
	var out bytes.Buffer
	p := fixturetest.Start(t, &out, binary, "-log", "error")
	if p.Ready+"\n" != onStdio {
		t.Errorf("got %q, want %q", p.Ready, onStdio)
	}
	if status, log := p.Terminate(); status != 0 || log != "" || out.Len() > 0 {
		t.Errorf("after SIGTERM: got status %d, %q on standard error, %q on standard output, want 0 and nothing", status, log, &out)
	}
}

// TestReaderGone shows a quiet end with status 1 when nobody reads the answers.
func TestReaderGone(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	cmd := exec.Command(binary)
	var log bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(modern(1, "x")), write, &log
	read.Close()
	cmd.Run()
	if status := cmd.ProcessState.ExitCode(); status != 1 || log.String() != onStdio {
		t.Errorf("got status %d and %q, want 1 and the ready line alone", status, &log)
	}
}

// TestLogReaderGone and TestLogUnread show that serving does not depend on whoever
// reads standard error.
func TestLogReaderGone(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	read.Close()
	checkBadLines(t, write)
}

func TestLogUnread(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	checkBadLines(t, write)
	write.Close()
	if first, err := bufio.NewReader(read).ReadString('\n'); first != onStdio {
		t.Errorf("standard error opens with %q, %v, want the ready line", first, err)
	}
}

// checkBadLines has a command log more than a pipe holds, into this file, and
// expects each line to be answered and status 0.
func checkBadLines(t *testing.T, log *os.File) {
	t.Helper()
	const lines = 5000
	cmd := exec.Command(binary)
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(strings.Repeat("{bad\n", lines)+modern(1, "x")), &out, log
	err := cmd.Run()
	if got := strings.Count(out.String(), "\n"); err != nil || got != lines+1 || !strings.Contains(out.String(), modernAnswer(1, "x")) {
		t.Errorf("got %d answers and the end %v, want %d with that of the call, and status 0", got, err, lines+1)
	}
}

// TestBothReadersGone shows that the end is told by the status when there is
// nobody to read of it.
func TestBothReadersGone(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	read.Close()
	cmd := exec.Command(binary)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(modern(1, "x")), write, write
	cmd.Run()
	if status := cmd.ProcessState.ExitCode(); status != 1 {
		t.Errorf("got %v, want status 1", cmd.ProcessState)
	}
}

func TestListen(t *testing.T) {
	// A directory of its own, since the path of a socket must be short.
	dir, err := os.MkdirTemp("", "echo")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	tests := []struct {
		name, listen string
		ready        *regexp.Regexp
	}{
		{"unix", "unix:" + path, regexp.MustCompile(`^echo-server 1\.0\.0 ready on unix:(` + regexp.QuoteMeta(path) + `): ` + versions + `$`)},
		{"tcp", "tcp:127.0.0.1:0", regexp.MustCompile(`^echo-server 1\.0\.0 ready on tcp:(127\.0\.0\.1:[1-9]\d*): ` + versions + `$`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := fixturetest.Start(t, io.Discard, binary, "-log", "error", "-listen", test.listen)
			place := test.ready.FindStringSubmatch(p.Ready)
			if place == nil {
				p.Terminate()
				t.Fatalf("got %q, want %s", p.Ready, test.ready)
			}
			// The end of standard input means nothing here.
			p.Stdin.Close()
			for id := range 2 {
				ask(t, test.name, place[1], modern(id, "x"), modernAnswer(id, "x"))
			}
			if status, log := p.Terminate(); status != 0 || log != "" {
				t.Errorf("after SIGTERM: got status %d and %q, want 0 and nothing", status, log)
			}
		})
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket file after the end: got %v, want it gone", err)
	}
}

// ask connects, sends one line and expects one line, then the end.
func ask(t *testing.T, network, place, send, want string) {
	t.Helper()
	c, err := net.Dial(network, place)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	if _, err := io.WriteString(c, send); err != nil {
		t.Error(err)
	}
	got, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || got != want+"\n" {
		t.Errorf("sent %s\ngot  %s, %v\nwant %s", strconv.Quote(send), strconv.Quote(got), err, strconv.Quote(want))
	}
}
