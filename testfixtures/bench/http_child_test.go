package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"syscall"
)

// endpoint is a program that serves HTTP, under measurement.
type endpoint struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	cancel context.CancelFunc
	host   string // 127.0.0.1:PORT
	path   string
	rest   chan []byte // what it wrote to standard error behind the line that says where it serves
}

// readyLine is what a fixture, or the floor, says on standard error when it can be talked to.
var readyLine = regexp.MustCompile(`ready on http://([0-9.]+:\d+)(/[\w/]*)`)

// startEndpoint starts a program and waits until it says where it serves.
func startEndpoint(program []string) (*endpoint, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	e := &endpoint{cmd: exec.CommandContext(ctx, program[0], program[1:]...), cancel: cancel, rest: make(chan []byte, 1)}
	e.cmd.Env = append(os.Environ(), "GOMAXPROCS=2") // the same for all, whatever the machine
	stderr, err := e.cmd.StderrPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	stdin, err1 := e.cmd.StdinPipe()
	stdout, err2 := e.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, e.cmd.Start()); err != nil {
		cancel()
		return nil, err
	}
	e.stdin, e.stdout = stdin, bufio.NewReader(stdout)
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n')
	go func() {
		rest, _ := io.ReadAll(lines)
		e.rest <- rest
	}()
	place := readyLine.FindStringSubmatch(first)
	if err != nil || place == nil {
		e.cmd.Process.Kill()
		return nil, fmt.Errorf("%q says %q, %v; want a line with where it serves", program, first, errors.Join(err, e.wait()))
	}
	e.host, e.path = place[1], place[2]
	return e, nil
}

// stop asks the program to end, and expects it to do so in order and without a word.
func (e *endpoint) stop() error {
	return errors.Join(e.cmd.Process.Signal(syscall.SIGTERM), e.wait())
}

func (e *endpoint) wait() error {
	defer e.cancel()
	rest := <-e.rest
	err := e.cmd.Wait()
	if err != nil || len(rest) > 0 {
		return fmt.Errorf("%s: ended with %v and %.2000q", e.cmd.Path, err, rest)
	}
	return nil
}
