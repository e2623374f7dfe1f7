//go:build unix

package stdio_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// parts are what this test binary plays as a child of its own, by its first
// argument.
var parts = map[string]func() int{
	"part-server":   playServer,
	"part-listener": playListener,
}

// The exit statuses of a child.
const (
	statusPeerGone = 3
	statusOther    = 4
)

// playServer serves the standard streams. The tool gate ends when file 3 does, the
// tool child runs a process of its own.
func playServer() int {
	gate := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.NewFile(3, "gate"))
		close(gate)
	}()
	s := newServer(slog.New(slog.NewTextHandler(os.Stderr, nil)), gate)
	s.AddTool(mcp.Tool{Name: "child", InputSchema: jsonrpc.Raw(`{"type":"object"}`)},
		func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			c.Logger().Info("a child is born")
			// A shell keeps what it inherits; a child in Go would not.
			out, err := exec.CommandContext(ctx, "/bin/sh", "-c", "cat; echo hello; kill -PIPE $$; echo SIGPIPE is ignored").Output()
			return mcp.TextResult(fmt.Sprintf("%s%v", out, err)), nil
		})
	switch err := stdio.Serve(context.Background(), s, nil); {
	case errors.Is(err, stdio.ErrPeerGone):
		return statusPeerGone
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return statusOther
	}
	return 0
}

// playListener serves a socket, whose address it prints, until its input ends.
func playListener() int {
	l, err := stdio.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return statusOther
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	fmt.Println(l.Addr())
	if stdio.ServeListener(ctx, l, newServer(slog.New(slog.NewTextHandler(os.Stderr, nil)), nil), nil) != nil {
		return statusOther
	}
	return 0
}

// child is a server in a process of its own.
type child struct {
	*client
	t    *testing.T
	cmd  *exec.Cmd
	in   io.Closer
	out  io.Closer
	gate io.Closer
	log  *bufio.Reader // its standard error
}

// command starts a child. Under the race detector it ends without a pause.
func command(part string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], part)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	return cmd
}

func startChild(t *testing.T) *child {
	t.Helper()
	cmd := command("part-server")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	theirs, gate, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	cmd.ExtraFiles = []*os.File{theirs}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gate.Close(); cmd.Process.Kill(); cmd.Wait() })
	return &child{newClient(t, out, in), t, cmd, in, out, gate, bufio.NewReader(log)}
}

func (c *child) signal(sig os.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil {
		c.t.Fatal(err)
	}
}

// awaitEnding waits until the child has said that it takes no more input.
func (c *child) awaitEnding() {
	c.t.Helper()
	line, err := c.log.ReadString('\n')
	if !strings.Contains(line, "asked to end") {
		c.t.Fatalf("on a signal the child logged %q, %v", line, err)
	}
}

// exit waits for the child's end, after all its output has been read.
func (c *child) exit() syscall.WaitStatus {
	c.t.Helper()
	c.cmd.Wait()
	return c.cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// A signal is an end of input: what is in flight is answered, then status 0. The
// input stays open, so the child's read never ends.
func TestChildSignal(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			eachEra(t, func(t *testing.T, e era) {
				c := startChild(t)
				c.open(e)
				if m := c.ask(e.call(1, "gate", "")); m.Method != "notifications/progress" {
					t.Fatalf("the call began with %s", m.line)
				}
				c.signal(sig)
				c.awaitEnding()
				c.gate.Close()
				if m := c.receive(); m.text() != "through" {
					t.Errorf("the request in flight was answered with %s", m.line)
				}
				if all := c.rest(); len(all) > 0 {
					t.Errorf("after the signal came %v", all)
				}
				if status := c.exit(); !status.Exited() || status.ExitStatus() != 0 {
					t.Errorf("the child ended with %v, want status 0", c.cmd.ProcessState)
				}
			})
		})
	}
}

// An open stream of changes is idle, too; it is ended gracefully first (B155, B161).
func TestChildSignalWhileListening(t *testing.T) {
	c := startChild(t)
	c.ask(listen(1))
	c.signal(syscall.SIGTERM)
	if m := c.receive(); m.Method != "notifications/cancelled" {
		t.Errorf("the stream ended with %s", m.line)
	}
	if all := c.rest(); len(all) != 1 || all["1"].Result == nil {
		t.Errorf("the stream was answered with %v", all)
	}
	if status := c.exit(); !status.Exited() || status.ExitStatus() != 0 {
		t.Errorf("the child ended with %v, want status 0", c.cmd.ProcessState)
	}
}

func TestChildSignalWhileIdle(t *testing.T) {
	c := startChild(t)
	c.ask(modernEra.call(1, "echo", "it listens"))
	c.signal(syscall.SIGTERM)
	c.rest()
	if status := c.exit(); !status.Exited() || status.ExitStatus() != 0 {
		t.Errorf("the child ended with %v, want status 0", c.cmd.ProcessState)
	}
}

// A second signal does what it does to a program that catches none.
func TestChildSecondSignal(t *testing.T) {
	c := startChild(t)
	c.ask(modernEra.call(1, "gate", ""))
	c.signal(syscall.SIGTERM)
	c.awaitEnding()
	c.signal(syscall.SIGTERM)
	c.rest()
	if status := c.exit(); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("the child ended with %v, want an end by the second signal", c.cmd.ProcessState)
	}
}

// The reader of the answers has gone: an error, and neither a signal nor a word.
func TestChildPeerGone(t *testing.T) {
	c := startChild(t)
	c.ask(modernEra.call(1, "echo", ""))
	c.out.Close()
	c.send(modernEra.call(2, "echo", ""))
	said, _ := io.ReadAll(c.log)
	if status := c.exit(); status.ExitStatus() != statusPeerGone || len(said) > 0 {
		t.Errorf("the child ended with %v and said %q, want status %d for ErrPeerGone, quietly", c.cmd.ProcessState, said, statusPeerGone)
	}
}

// The reader of the log has gone, and any peer can cause a line of it.
func TestChildLogReaderGone(t *testing.T) {
	cmd := command("part-listener")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	cmd.Stderr = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for id := range 2 {
		conn, err := net.Dial("tcp", strings.TrimSpace(addr))
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, conn, conn)
		if m := c.ask("{bad"); m.Error == nil {
			t.Errorf("a bad line was answered with %s", m.line)
		}
		if m := c.ask(modernEra.call(id, "echo", "a")); m.text() != "a" {
			t.Errorf("the call after a bad line was answered with %s", m.line)
		}
		conn.Close()
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child ended with %v, want status 0", err)
	}
}

// B161: nothing to read at all.
func TestChildEmptyInput(t *testing.T) {
	cmd := command("part-server") // its input is the null device
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || len(out) > 0 || errs.Len() > 0 {
		t.Errorf("with empty input the child ended with %v, wrote %q and said %q; want status 0 and silence", err, out, errs.String())
	}
}

// B32: a tool's child process gets none of the protocol, adds nothing to it, and
// inherits no ignored signal. What tools log goes to standard error.
func TestChildOfATool(t *testing.T) {
	eachEra(t, func(t *testing.T, e era) {
		c := startChild(t)
		c.open(e)
		c.send(e.call(1, "child", ""), e.call(2, "echo", "next"))
		got := map[string]string{}
		for range 2 {
			m := c.receive()
			got[string(m.ID)] = m.text()
		}
		if want := "hello\nsignal: broken pipe"; got["1"] != want || got["2"] != "next" {
			t.Errorf("the answers are %q, want %q and next", got, want)
		}
		if line, err := c.log.ReadString('\n'); !strings.Contains(line, "a child is born") {
			t.Errorf("standard error has %q, %v, want the tool's log line", line, err)
		}
		c.in.Close()
		c.rest()
		if status := c.exit(); status.ExitStatus() != 0 {
			t.Errorf("the child ended with %v, want status 0", c.cmd.ProcessState)
		}
	})
}
