package cli

import (
	"bufio"
	"context"
	"strings"
	"time"

	"isthmus.internal/mcp"
)

// beginDialogue waits until nothing else is asked of the user, who could not tell otherwise
// which question a line answers.
func (r *request) beginDialogue(ctx context.Context) error {
	select {
	case r.dialogue <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *request) endDialogue() { <-r.dialogue }

// signalTime is how much later ^C may be seen than what it leads to.
const signalTime = 250 * time.Millisecond

// isInterrupted reports whether ctx has ended, or does so in a moment: at a terminal ^C is for the
// server that was started as well, whose end may be seen first.
func isInterrupted(ctx context.Context) bool {
	t := time.NewTimer(signalTime)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return true
	case <-t.C:
		return ctx.Err() != nil
	}
}

// typedLine is a line of the user's.
type typedLine struct {
	line string
	err  error
}

// line reads a line of the user's, within a dialogue. It is [mcp.ErrDeclined] for a line with only
// "!", and [mcp.ErrCancelled] at the end of the input, where the user has turned away. When ctx ends it is given up: what is typed then
// is the next line that is asked for, since a read cannot be taken back.
func (r *request) line(ctx context.Context) (string, error) {
	if r.input == nil {
		r.input = bufio.NewReader(r.env.In)
	}
	if r.typing == nil {
		coming := make(chan typedLine, 1)
		r.typing = coming
		go func() {
			line, err := r.input.ReadString('\n')
			coming <- typedLine{line, err}
		}()
	}
	select {
	case t := <-r.typing:
		r.typing = nil
		line := strings.TrimRight(t.line, "\r\n")
		switch {
		case t.err != nil && t.line == "":
			return "", mcp.ErrCancelled
		case strings.TrimSpace(line) == "!":
			return "", mcp.ErrDeclined
		}
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// await runs what cannot be interrupted, such as reading the input, and gives it up when ctx
// ends.
func await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	coming := make(chan outcome, 1)
	go func() {
		value, err := read()
		coming <- outcome{value, err}
	}()
	select {
	case o := <-coming:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
