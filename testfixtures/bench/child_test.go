package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// patience bounds one round: a program that hangs fails the benchmark and does not hold it up for ever.
const patience = 2 * time.Minute

// measure is what one request cost.
type measure struct {
	cpu  time.Duration // user and system time of the process
	wall time.Duration
}

// child is a program under measurement.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	cancel context.CancelFunc
}

func start(program []string) (*child, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	c := &child{cmd: exec.CommandContext(ctx, program[0], program[1:]...), cancel: cancel}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err == nil {
		c.out, err = c.cmd.StdoutPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return c, nil
}

// finish closes the child's input, waits for it, and returns its processor time. Whatever the child still
// writes is an error: every reply has been read.
func (c *child) finish() (time.Duration, error) {
	defer c.cancel()
	closeErr := c.in.Close()
	rest, readErr := io.ReadAll(c.out)
	waitErr := c.cmd.Wait()
	if err := errors.Join(closeErr, readErr, waitErr); err != nil {
		return 0, err
	}
	if len(rest) > 0 {
		return 0, fmt.Errorf("%d bytes after the last reply: %.200q", len(rest), rest)
	}
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime(), nil
}

// ask starts a program, sends one line and returns the first line of its answer.
func ask(program []string, line []byte) (answer []byte, wall, cpu time.Duration, err error) {
	began := time.Now()
	c, err := start(program)
	if err != nil {
		return nil, 0, 0, err
	}
	if _, err = c.in.Write(line); err == nil {
		answer, err = bufio.NewReaderSize(c.out, 1<<20).ReadBytes('\n')
	}
	wall = time.Since(began)
	cpu, finishErr := c.finish()
	return answer, wall, cpu, errors.Join(err, finishErr)
}

// load is a number of like requests, some of them in flight at any time.
type load struct {
	request, reply frame
	inFlight       int
	requests       int
}

// run starts a program and puts the load on it. The processor time of a start that answers one request is
// taken off.
func (l load) run(program []string) (measure, error) {
	_, _, startCPU, err := ask(program, l.request.append(nil, firstID))
	if err != nil {
		return measure{}, fmt.Errorf("%s: %w", program[0], err)
	}
	c, err := start(program)
	if err != nil {
		return measure{}, err
	}
	began := time.Now()
	err = l.drive(c.in, c.out)
	wall := time.Since(began)
	cpu, finishErr := c.finish()
	if err = errors.Join(err, finishErr); err != nil {
		return measure{}, fmt.Errorf("%s: %w", program[0], err)
	}
	return measure{
		cpu:  (cpu - startCPU) / time.Duration(l.requests-1),
		wall: wall / time.Duration(l.requests),
	}, nil
}

// drive sends as many requests as may be in flight, and then a new one for each reply that comes. Requests
// that become due together leave in one write.
func (l load) drive(in io.Writer, out io.Reader) error {
	waiting := make(map[int]bool, l.inFlight)
	size := len(l.reply.line)
	var lines, got []byte
	chunk := make([]byte, 128<<10)
	for sent, answered := 0, 0; answered < l.requests; {
		lines = lines[:0]
		for ; len(waiting) < l.inFlight && sent < l.requests; sent++ {
			waiting[firstID+sent] = true
			lines = l.request.append(lines, firstID+sent)
		}
		if _, err := in.Write(lines); err != nil {
			return err
		}
		n, err := out.Read(chunk)
		if err != nil {
			return fmt.Errorf("after %d of %d replies: %w", answered, l.requests, err)
		}
		got = append(got, chunk[:n]...)
		rest := got
		for ; len(rest) >= size; rest = rest[size:] {
			id, err := l.reply.match(rest[:size])
			if err != nil {
				return err
			}
			if !waiting[id] {
				return fmt.Errorf("a reply to %d, which is not in flight", id)
			}
			delete(waiting, id)
			answered++
		}
		got = append(got[:0], rest...)
	}
	return nil
}
