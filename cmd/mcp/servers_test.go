package main_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// alone puts mcp into a folder where nothing stands beside it. The environment has an empty
// folder for temporary files, in which nothing may be left.
func alone(t *testing.T) (mcp string, env []string) {
	t.Helper()
	mcp, temporary := filepath.Join(t.TempDir(), filepath.Base(binary)), t.TempDir()
	if err := os.Link(binary, mcp); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return mcp, append(os.Environ(), "TMPDIR="+temporary)
}

// beside is the path of a server that was built beside the command.
func beside(server string) string { return filepath.Join(filepath.Dir(binary), "mcp-"+server) }

// How the servers stand beside the command is in TestTour, and how go run has none there is in
// testfixtures/tree.
func TestServersBuilt(t *testing.T) {
	mcp, env := alone(t)
	tour := exec.Command(mcp, "tour", "-notes", beside("notes"), "-everything", beside("everything"))
	var said bytes.Buffer
	tour.Env, tour.Stderr = env, &said
	out, err := tour.Output()
	if _, failed := verdicts(t, string(out)); err != nil || failed > 0 {
		t.Errorf("%v, %d failed:\n%s", err, failed, out)
	}
	if want := "mcp tour: building mcp-echo, which takes some seconds the first time\n"; said.String() != want {
		t.Errorf("on standard error:\n got %q\nwant %q", &said, want)
	}
}

func TestServersMissing(t *testing.T) {
	for _, test := range []struct {
		name string
		env  string // besides
		args []string
		want []string // in the message, in this order
	}{
		{"outside of the tree", "GOFLAGS=", nil, []string{
			"missing mcp-echo, mcp-notes, mcp-everything: ", "go build:\n\t", "isthmus.internal/cmd/mcp-echo: ",
			"\nRun make build ", "-echo COMMAND -notes COMMAND -everything COMMAND\n",
		}},
		{"without go", "PATH=", []string{"-notes", "a-command"}, []string{
			"missing mcp-echo, mcp-everything: ", `go build: exec: "go": executable file not found in $PATH` + "\n",
			"Run make build ", "-echo COMMAND -everything COMMAND\n",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			mcp, env := alone(t)
			tour := exec.Command(mcp, append([]string{"tour"}, test.args...)...)
			var said bytes.Buffer
			tour.Dir, tour.Env, tour.Stderr = t.TempDir(), append(env, test.env), &said
			out, _ := tour.Output()
			if status := tour.ProcessState.ExitCode(); status != 1 || len(out) > 0 {
				t.Errorf("got status %d and %q, want 1 and nothing", status, out)
			}
			rest := said.String()
			for _, want := range append([]string{"mcp tour: building "}, test.want...) {
				_, behind, found := strings.Cut(rest, want)
				if !found {
					t.Errorf("%q is missing, or not in this order, in\n%s", want, &said)
				}
				rest = behind
			}
			if folder := filepath.Dir(mcp); !strings.Contains(said.String(), " in "+folder+",") {
				t.Errorf("it does not say that it looked in %s:\n%s", folder, &said)
			}
		})
	}
}

// TestInterrupted: a tour ends at ^C, wherever it is, long before the deadline of a step; then
// there is neither a verdict on the server nor a count, and what was built is gone.
func TestInterrupted(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	endless := t.TempDir()
	if err := os.WriteFile(filepath.Join(endless, "go"), []byte("#!/bin/sh\nexec /bin/sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		path string   // the PATH, "" for the usual one
		args []string // one server is always left to be built
		last string   // the interrupt comes behind this line
	}{
		{"building", endless, []string{"-echo", "x", "-notes", "x"}, "mcp tour: building mcp-everything,"},
		{"a silent server", "", []string{"-echo", self + " -fault=silent -server=echo", "-everything", "x"}, `--> {"jsonrpc":"2.0","id":1,"method":"initialize"`},
		{"a slow server over HTTP", "", []string{"-http", "-echo", beside("echo"), "-everything", beside("everything")}, `--> {"jsonrpc":"2.0","id":"wait"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			mcp, env := alone(t)
			if test.path != "" {
				env = append(env, "PATH="+test.path)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			tour := exec.CommandContext(ctx, mcp, append([]string{"tour", "-deadline", "10m"}, test.args...)...)
			printed := &watcher{line: test.last, do: func() { tour.Process.Signal(os.Interrupt) }}
			tour.Env, tour.Stdout, tour.Stderr = env, printed, printed
			tour.Run()
			out := printed.text.String()
			if by := endedBy(tour); by != syscall.SIGINT || !strings.HasSuffix(out, "mcp tour: interrupted\n") {
				t.Errorf("got signal %d, want %d and a last line that says why:\n%s", by, syscall.SIGINT, out)
			}
			if strings.Contains(out, "FAIL ") || strings.Contains(out, " expectations: ") {
				t.Errorf("there are verdicts on what was interrupted:\n%s", out)
			}
		})
	}
}

// watcher keeps what is written, and does something once at the first line that begins so.
type watcher struct {
	text strings.Builder
	line string
	do   func()
}

func (w *watcher) Write(p []byte) (int, error) {
	n, err := w.text.Write(p)
	if w.do != nil && strings.Contains("\n"+w.text.String(), "\n"+w.line) {
		w.do()
		w.do = nil
	}
	return n, err
}
