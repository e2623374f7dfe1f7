package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"isthmus.internal/discover"
)

// Command makes a transport that starts a server as a child process, and starts it anew
// when a link is asked for after the child has ended. cmd says what to start: Path, Args,
// Env, Dir, ExtraFiles and SysProcAttr, and Stderr as [ClientOptions.Stderr] has it. cmd itself is
// never started, so its Process stays nil: [ClientOptions.Started] is told of the child. Neither a
// context of it nor its other streams are looked at.
//
// Messages go over the child's standard input and output; its standard error is passed on.
// Where the system has process groups, the child is given one of its own, so that signals from
// the terminal are for this process alone and what a child has started ends with it: on Linux
// it is sent SIGTERM also when the child has ended of its own accord. A child
// that reads from the terminal, to ask for a password perhaps, cannot do that in a group of its
// own: give cmd a SysProcAttr, an empty one will do, and that counts instead.
//
// Closing the link is ending the child (2026-07-28 basic/transports/stdio, Shutdown; legacy
// basic/lifecycle, Shutdown): its input is closed; when it has not ended after
// [ClientOptions.Grace], it is sent SIGTERM, and after that time again SIGKILL. Where there
// is no SIGTERM it is killed at once. A child that had to be killed is an error of Close;
// the status of one that has ended before is not.
//
// When the child ends of its own accord, calls that wait fail, and so do those that come
// later, and the error has its status and the last lines of its standard error.
func Command(cmd *exec.Cmd, o *ClientOptions) discover.Transport {
	return &transport{o: o, open: func(context.Context) (wire, error) { return start(cmd, o) }}
}

// process is a child, and the wire to it.
type process struct {
	name   string
	grace  time.Duration
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *lastLines
	exited chan struct{} // closed when the child has been waited for
}

// start starts a child like cmd.
func start(cmd *exec.Cmd, o *ClientOptions) (_ *process, err error) {
	p := &process{
		name:   filepath.Base(cmd.Path),
		grace:  o.grace(),
		stderr: &lastLines{to: o.stderr()},
		exited: make(chan struct{}),
	}
	if p.stderr.to == nil {
		p.stderr.to = cmd.Stderr
	}
	if p.stderr.to == nil {
		p.stderr.to = os.Stderr
	}
	p.cmd = &exec.Cmd{
		Path: cmd.Path, Args: slices.Clone(cmd.Args), Env: cmd.Env, Dir: cmd.Dir, Err: cmd.Err,
		ExtraFiles: cmd.ExtraFiles, SysProcAttr: inOwnGroup(cmd.SysProcAttr),
		Stderr: p.stderr, WaitDelay: lastWords,
	}
	if err := p.begin(); err != nil {
		return nil, fmt.Errorf("stdio: the server cannot be started: %w", err)
	}
	o.started(p.cmd.Process)
	go func() {
		defer close(p.exited)
		if p.awaitExit() {
			p.terminate() // what it has started, and left behind
		}
		_ = p.cmd.Wait() // ProcessState says what the error would
	}()
	return p, nil
}

// begin starts the child with a pipe for each direction.
func (p *process) begin() error {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return err
	}
	defer theirOut.Close()
	p.cmd.Stdin, p.cmd.Stdout = theirIn, theirOut
	if err := p.cmd.Start(); err != nil {
		in.Close()
		out.Close()
		return err
	}
	p.stdin, p.stdout = in, out
	return nil
}

func (p *process) in() io.Reader          { return p.stdout }
func (p *process) out() io.Writer         { return p.stdin }
func (p *process) ended() <-chan struct{} { return p.exited }

// reason waits for a moment, since the end of the output most often comes just before that of
// the child.
func (p *process) reason(cause error) error {
	if p.endsWithin(2 * lastWords) {
		return fmt.Errorf("%s has ended: %s%s", p.name, p.cmd.ProcessState, p.stderr.said())
	}
	if cause != nil {
		return fmt.Errorf("%s is not to be reached any more: %w%s", p.name, cause, p.stderr.said())
	}
	return fmt.Errorf("%s has closed its output%s", p.name, p.stderr.said())
}

// endsWithin reports whether the child ends within this time.
func (p *process) endsWithin(most time.Duration) bool {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// killTime bounds the wait for a child that was killed: the system may hold it.
const killTime = 2 * time.Second

// hangUp ends the child. What it still says on the way is read, since it may not end before
// that is taken, and dropped.
func (p *process) hangUp() error {
	p.stdin.Close()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.stdout.SetReadDeadline(time.Time{})
		discard(p.stdout)
	}()
	defer func() {
		p.stdout.Close()
		<-drained
	}()
	if p.endsWithin(p.grace) {
		return nil
	}
	if p.terminate() && p.endsWithin(p.grace) {
		return nil
	}
	p.kill()
	if !p.endsWithin(killTime) {
		return errors.New("stdio: " + p.name + " does not end, even killed")
	}
	return errors.New("stdio: " + p.name + " had to be killed: it did not end when its input was closed")
}
