//go:build unix

package stdio_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// shell is a child that runs this script.
func shell(script string) *exec.Cmd { return exec.Command("/bin/sh", "-c", script) }

// run opens the link to a child. Its standard error is kept.
func run(t *testing.T, cmd *exec.Cmd, o *stdio.ClientOptions) (mcp.Link, *notebook) {
	t.Helper()
	said := &notebook{}
	if o == nil {
		o = &stdio.ClientOptions{}
	}
	o.Stderr = said
	l, err := stdio.Command(cmd, o).Modern(t.Context(), newVisitor(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return l, said
}

var ping = &mcp.Outgoing{Method: "ping"}

func TestCommand(t *testing.T) {
	l, said := run(t, command("part-server"), nil)
	for _, size := range []int{0, 70_000, 5 << 20} {
		text := strings.Repeat("x", size)
		result, err := l.Call(bounded(t), echoCall(text))
		if err != nil || echoed(t, result) != text {
			t.Fatalf("%d bytes: %.100s, %v", size, result, err)
		}
	}
	began := time.Now()
	if err := l.Close(); err != nil {
		t.Errorf("Close: %v\n%s", err, said)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("Close took %v, want no wait for a child that ends at once", took)
	}
	if err := l.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
	if _, err := l.Call(t.Context(), ping); !errors.Is(err, mcp.ErrLinkClosed) || !strings.Contains(err.Error(), "it was closed on this side") {
		t.Errorf("Call after Close: %v, want one that matches ErrLinkClosed, and says who has closed it", err)
	}
}

// When the child ends, the call that waits and those that follow fail at once, and say with
// what status and last words (B181).
func TestCommandEnds(t *testing.T) {
	tests := []struct {
		name, script string
		want         []string
		not          string
	}{
		{"while a call waits", "read line; echo one >&2; echo two >&2; exit 3", []string{"sh has ended: exit status 3", "\tone\n\ttwo"}, ""},
		{"before it is called", "echo no such file >&2; exit 127", []string{"exit status 127", "no such file"}, ""},
		{"without a word", "read line; exit 0", []string{"exit status 0"}, "said"},
		{"in the middle of a line", `read line; printf '{"jsonrpc":"2.0","id":1,"res'; printf half >&2; exit 1`, []string{"exit status 1", "\thalf"}, ""},
		{"by a signal", "read line; kill -9 $$", []string{"signal: killed"}, ""},
		{"after many words", "read line; for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i >&2; done; exit 1", []string{"line 3", "line 10"}, "line 2"},
		{"in colour", `read line; printf '\033[31mred\033[0m\n' >&2; exit 1`, []string{"red"}, "\x1b"},
		{"its child holds the output", "sleep 15 & read line; exit 4", []string{"exit status 4"}, ""},
		{"its child holds the output, out of reach", "setsid sleep 15 & read line; exit 4", []string{"exit status 4"}, ""},
		{"its output alone", "read line; exec >&-; exec sleep 5", []string{"sh has closed its output"}, ""},
		{"its input alone", "exec <&-; echo deaf >&2; exec sleep 5", []string{"sh is not to be reached any more", "broken pipe", "deaf"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, said := run(t, shell(tt.script), &stdio.ClientOptions{Grace: time.Nanosecond})
			until(t, func() bool {
				return !strings.Contains(tt.script, "echo deaf") || strings.Contains(said.String(), "deaf")
			})
			began := time.Now()
			_, err := l.Call(bounded(t), ping)
			check := func(what string, err error) {
				t.Helper()
				if !errors.Is(err, mcp.ErrLinkClosed) {
					t.Errorf("%s: %v does not match ErrLinkClosed", what, err)
					return
				}
				for _, want := range tt.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%s: %q does not say %q", what, err, want)
					}
				}
				if tt.not != "" && strings.Contains(err.Error(), tt.not) {
					t.Errorf("%s: %q says %q", what, err, tt.not)
				}
			}
			check("the call", err)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			select {
			case <-l.Done():
			default:
				t.Error("Done is open")
			}
			check("Err", l.Err())
			_, err = l.Call(t.Context(), ping)
			check("a later call", err)
			check("a later notification", l.Notify(t.Context(), ping))
			if err := l.Close(); err != nil && !strings.Contains(err.Error(), "killed") {
				t.Error(err)
			}
		})
	}
}

// The steps of the end: the input closed, SIGTERM, SIGKILL; each only when the one before
// has not helped.
func TestCommandClose(t *testing.T) {
	tests := []struct {
		name, script string
		grace        time.Duration
		err          string
		atLeast      time.Duration
		said         string
	}{
		{"input closed", "while read line; do :; done; echo end of input >&2", 25 * time.Second, "", 0, "end of input"},
		{"much to say at the end", "cat >/dev/null; head -c 1000000 /dev/zero; echo all said >&2", 25 * time.Second, "", 0, "all said"},
		{"does not read", "trap 'echo told >&2; exit 0' TERM; echo up >&2; while :; do sleep 0.01; done", time.Second, "", time.Second, "told"},
		{"will not end", "trap '' TERM; echo up >&2; while :; do sleep 0.01; done", 50 * time.Millisecond, "sh had to be killed", 100 * time.Millisecond, ""},
		{"no time", "trap '' TERM; echo up >&2; while :; do sleep 0.01; done", -1, "sh had to be killed", 0, ""},
		{"has ended", "exit 5", 25 * time.Second, "", 0, ""},
		{"its child will not end", "sh -c 'echo $$ >&2; exec sleep 100' & wait", time.Second, "", time.Second, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, said := run(t, shell("echo $$ >&2;"+tt.script), &stdio.ClientOptions{Grace: tt.grace})
			until(t, func() bool { return strings.Contains(said.String(), "\n") })
			if strings.Contains(tt.script, "echo up") {
				until(t, func() bool { return strings.Contains(said.String(), "up") })
			}
			began := time.Now()
			err := l.Close()
			took := time.Since(began)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("Close: %v, want %q", err, tt.err)
			}
			if err := l.Close(); err != nil {
				t.Errorf("the second Close: %v", err)
			}
			if took < tt.atLeast || took > 20*time.Second {
				t.Errorf("Close took %v, want at least %v", took, tt.atLeast)
			}
			if !strings.Contains(said.String(), tt.said) {
				t.Errorf("the child said %q, want %q", said, tt.said)
			}
			for _, line := range strings.Fields(said.String()) {
				if pid, err := strconv.Atoi(line); err == nil {
					until(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
				}
			}
		})
	}
}

// until waits for something that is about to be so.
func until(t *testing.T, so func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 20_000 {
		if so() {
			return
		}
		<-tick.C
	}
	t.Error("it is not so after 20 seconds")
}

// A call whose context ends returns at once although the child reads nothing (B190).
func TestCommandDoesNotRead(t *testing.T) {
	l, _ := run(t, shell("exec sleep 100"), &stdio.ClientOptions{Grace: time.Second})
	var all sync.WaitGroup
	for _, size := range []int{10, 100_000, 1 << 20} {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			began := time.Now()
			if _, err := l.Call(ctx, echoCall(strings.Repeat("x", size))); err != context.DeadlineExceeded {
				t.Errorf("%d bytes: %v, want the error of the context", size, err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%d bytes: returned after %v", size, took)
			}
		})
	}
	all.Wait()
	began := time.Now()
	if err := l.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("Close took %v", took)
	}
}

// A child has a process group of its own, unless the command has wishes about that.
func TestCommandGroup(t *testing.T) {
	ours, err := syscall.Getpgid(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		attr *syscall.SysProcAttr
		own  bool
	}{{"no wish", nil, true}, {"none of its own", &syscall.SysProcAttr{}, false}, {"a session", &syscall.SysProcAttr{Setsid: true}, true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := shell("echo $$ >&2; trap 'echo told >&2; exit' TERM; while :; do sleep 0.01; done")
			cmd.SysProcAttr = tt.attr
			l, said := run(t, cmd, &stdio.ClientOptions{Grace: time.Second})
			until(t, func() bool { return strings.Contains(said.String(), "\n") })
			pid, err := strconv.Atoi(strings.TrimSpace(said.String()))
			if err != nil {
				t.Fatal(err)
			}
			if group, err := syscall.Getpgid(pid); err != nil || (group == pid) != tt.own || (group == ours) == tt.own {
				t.Errorf("the child %d is in the group %d, %v, and ours is %d", pid, group, err, ours)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if !strings.Contains(said.String(), "told") {
				t.Error("the child was not sent SIGTERM")
			}
		})
	}
}

func TestCommandCannotBeStarted(t *testing.T) {
	before := descriptors(t)
	for _, cmd := range []*exec.Cmd{exec.Command("/no/such/server"), exec.Command("no-such-server-anywhere"), {Path: t.TempDir()}} {
		l, err := stdio.Command(cmd, nil).Modern(t.Context(), newVisitor(), slog.New(slog.DiscardHandler))
		if err == nil || l != nil || !strings.Contains(err.Error(), "cannot be started") || !strings.Contains(err.Error(), cmd.Path) {
			t.Errorf("%s: %v, %v", cmd.Path, l, err)
		}
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors were left open", after-before)
	}
}

// A child that has ended is started again when a link is asked for; one that lives is not.
func TestCommandStartsAgain(t *testing.T) {
	said := &notebook{}
	cmd := shell("echo start >&2; read line; exit 1")
	cmd.Stderr = said
	var children []int
	tr := stdio.Command(cmd, &stdio.ClientOptions{Started: func(p *os.Process) { children = append(children, p.Pid) }})
	log := slog.New(slog.DiscardHandler)
	first, err := tr.Modern(t.Context(), newVisitor(), log)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := tr.Legacy(t.Context(), newVisitor(), log); same != first || err != nil {
		t.Errorf("Legacy = %v, %v, want the link that is there", same, err)
	}
	if _, err := first.Call(bounded(t), ping); err == nil {
		t.Error("the child has answered")
	}
	second, err := tr.Legacy(t.Context(), newVisitor(), log)
	if err != nil || second == first {
		t.Fatalf("Legacy = %v, %v, want another link", second, err)
	}
	if _, err := second.Call(bounded(t), ping); err == nil {
		t.Error("the second child has answered")
	}
	second.Close()
	if got := said.String(); got != "start\nstart\n" {
		t.Errorf("standard error is %q, want two starts", got)
	}
	if cmd.Process != nil {
		t.Error("the command itself was started")
	}
	if len(children) != 2 || children[0] == children[1] {
		t.Errorf("told of the children %v, want two", children)
	}
}

// descriptors counts those that this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	dir, err := os.Open("/dev/fd")
	if err != nil {
		t.Skip(err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return len(names)
}

// A client that starts many children keeps nothing of them.
func TestCommandsLeaveNothing(t *testing.T) {
	before := 0
	for i := range 30 {
		l, _ := run(t, shell("read line; exit $(($$ % 2))"), nil)
		if i%3 > 0 {
			l.Call(bounded(t), ping)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if i == 0 {
			before = descriptors(t) // those of the poller are there by now
		}
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors were left open", after-before)
	}
}
