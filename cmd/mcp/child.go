package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

const (
	// maxLine bounds, in bytes, what a child may put on one line.
	maxLine = 16 << 20
	// maxStray bounds the lines kept of what a child prints unasked at its end.
	maxStray = 10
)

var errEnded = errors.New("nothing: the server has closed its output")

// child is a server that runs as a process of its own and is driven over its
// standard streams. Each step with it is bounded by the deadline: a child that
// does not keep to it is killed, and all later steps fail at once. One goroutine
// uses a child, and calls close at the end.
type child struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      chan string   // the lines of standard output; closed at its end
	first    chan string   // the first line of standard error
	quiet    chan struct{} // closed at the end of standard error
	deadline time.Duration
	readers  sync.WaitGroup
	lost     error // why nothing more is to be had from it; nil while it is well
}

// start runs the command argv, and kills it when ctx ends. say is called for each line of
// the child's standard error, from another goroutine, until close returns.
func start(ctx context.Context, argv []string, deadline time.Duration, say func(line string)) (*child, error) {
	c := &child{
		cmd:      exec.CommandContext(ctx, argv[0], argv[1:]...),
		out:      make(chan string),
		first:    make(chan string, 1),
		quiet:    make(chan struct{}),
		deadline: deadline,
	}
	var out, log io.Reader
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if log, err = c.cmd.StderrPipe(); err != nil {
		return nil, err
	}
	if err = c.cmd.Start(); err != nil {
		return nil, err
	}
	c.readers.Go(func() {
		defer close(c.out)
		eachLine(out, func(line string) { c.out <- line })
	})
	c.readers.Go(func() {
		defer close(c.quiet)
		eachLine(log, func(line string) {
			say(line)
			select {
			case c.first <- line:
			default:
			}
		})
	})
	return c, nil
}

// eachLine ends with r, or at a line that is longer than maxLine.
func eachLine(r io.Reader, do func(line string)) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	for s.Scan() {
		do(s.Text())
	}
}

// send writes one line to the child. There are no headers on a line.
func (c *child) send(line string, _ ...string) error {
	if c.lost != nil {
		return c.lost
	}
	// A child that does not read lets the pipe fill up, and then only its end
	// frees the write.
	killer := time.AfterFunc(c.deadline, c.kill)
	defer killer.Stop()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.lost = errors.New("nothing: the server takes no more input")
	}
	return c.lost
}

// receive returns the next line of the child's standard output, which must come
// before until.
func (c *child) receive(until time.Time) (string, error) {
	if c.lost != nil {
		return "", c.lost
	}
	left := time.Until(until)
	if left <= 0 {
		c.giveUp()
		return "", c.lost
	}
	late := time.NewTimer(left)
	defer late.Stop()
	select {
	case line, open := <-c.out:
		if open {
			return line, nil
		}
		c.lost = errEnded
	case <-late.C:
		c.giveUp()
	}
	return "", c.lost
}

// greeting returns the first line of the child's standard error, which must come
// within the deadline.
func (c *child) greeting() (string, error) {
	late := time.NewTimer(c.deadline)
	defer late.Stop()
	select {
	case line := <-c.first:
		return line, nil
	case <-c.quiet:
		// The one line may have come just before the end.
		select {
		case line := <-c.first:
			return line, nil
		default:
			return "", errors.New("nothing: the server has closed its standard error")
		}
	case <-late.C:
		return "", fmt.Errorf("nothing within %v", c.deadline)
	}
}

func (c *child) giveUp() {
	c.lost = fmt.Errorf("nothing within %v", c.deadline)
	c.kill()
}

func (c *child) kill() { c.cmd.Process.Kill() }

// ending is how a child came to its end.
type ending struct {
	status string   // "exit status 0", or what else happened
	asked  string   // what it was to end at, in words
	stray  []string // lines of standard output that nobody was waiting for
}

// close ends the child's input and waits for its end, which it brings about
// itself when the deadline has passed.
func (c *child) close() ending {
	c.in.Close()
	late := make(chan struct{})
	killer := time.AfterFunc(c.deadline, func() {
		c.kill()
		close(late)
	})
	e := ending{stray: c.rest(late), asked: "at the end of its input"}
	select {
	case <-c.quiet:
	case <-late:
	}
	// Wait closes our ends of the pipes too. So the readers end even if a
	// grandchild keeps the other ends open.
	c.cmd.Wait()
	inTime := killer.Stop()
	for range c.out {
	}
	c.readers.Wait()

	switch state := c.cmd.ProcessState; {
	case !inTime:
		e.status = fmt.Sprintf("still running after %v", c.deadline)
	case c.lost != nil && state.ExitCode() < 0:
		e.status = "killed, for it had stopped answering"
	default:
		e.status = fmt.Sprintf("exit status %d", state.ExitCode())
	}
	return e
}

// rest collects what is left on standard output until its end, or until late.
func (c *child) rest(late <-chan struct{}) (stray []string) {
	for {
		select {
		case line, open := <-c.out:
			if !open {
				return stray
			}
			if len(stray) < maxStray {
				stray = append(stray, line)
			}
		case <-late:
			return stray
		}
	}
}
