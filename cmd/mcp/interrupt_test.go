package main_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestEndsByTheSignal: a command that is interrupted says so and ends by the signal itself, which a
// shell looks at before it goes on; one that goes on until then ends as when all went well.
func TestEndsByTheSignal(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		at   string // the signal comes behind this line
		with syscall.Signal
		by   syscall.Signal // that ends it; 0: it ends by itself, with 0
		said string
	}{
		{"call, ^C", []string{"wire", "call", "slow", "ms=60000", "--", beside("everything")}, `--> {"jsonrpc":"2.0","id":3,"method":"tools/call"`, syscall.SIGINT, syscall.SIGINT, "mcp call: interrupted\n"},
		{"call, ended", []string{"wire", "call", "slow", "ms=60000", "--", beside("everything")}, `--> {"jsonrpc":"2.0","id":3,"method":"tools/call"`, syscall.SIGTERM, syscall.SIGTERM, "mcp call: interrupted\n"},
		{"listen", []string{"listen", "--", beside("everything")}, "listening to", syscall.SIGINT, 0, ""},
		{"bridge", []string{"bridge", "--", beside("echo")}, "mcp bridge: ready on", syscall.SIGINT, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			mcp := exec.CommandContext(ctx, binary, tt.args...)
			said := &watcher{line: tt.at, do: func() { mcp.Process.Signal(tt.with) }}
			mcp.Stderr = said
			if _, err := mcp.StdinPipe(); err != nil { // it stays open
				t.Fatal(err)
			}
			err := mcp.Run()
			text := said.text.String()
			if by := endedBy(mcp); by != tt.by || by == 0 && err != nil || !strings.HasSuffix(text, tt.said) {
				t.Errorf("mcp %q\n got: %v, %s\nwant: signal %d, %q", tt.args, err, text, tt.by, tt.said)
			}
		})
	}
}

// TestInterruptedLoop: ^C ends the loop of a shell around the command as well.
func TestInterruptedLoop(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to run a loop")
	}
	asked := make(chan struct{}, 3)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or its end would not be seen
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	loop := exec.CommandContext(ctx, bash, "-c", `for i in 1 2 3; do "$0" tools "$1"; done; echo "it went on"`, binary, silent.URL)
	loop.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell at a terminal has it
	var out bytes.Buffer
	loop.Stdout, loop.Stderr = &out, &out
	if err := loop.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := syscall.Kill(-loop.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err = loop.Wait()
	if got, want := out.String(), "mcp tools: interrupted\n"; got != want || endedBy(loop) != syscall.SIGINT {
		t.Errorf("got %q, %v; want %q and the end by SIGINT", got, err, want)
	}
}

// endedBy is the signal that has ended a process, 0 for one that has ended by itself.
func endedBy(c *exec.Cmd) syscall.Signal {
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal()
	}
	return 0
}
