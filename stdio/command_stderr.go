package stdio

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode"

	"isthmus.internal/jsonrpc"
)

// The most that is kept of a child's standard error.
const (
	keptLines = 8
	keptBytes = 300 // of a line, before it is made fit for an error
)

// lastLines passes on what is written to it and keeps the last lines.
type lastLines struct {
	to io.Writer

	mu    sync.Mutex
	lines []string
	part  []byte // of the line that is not whole yet
}

// Write never fails: a child must not end because nobody takes what it says.
func (l *lastLines) Write(b []byte) (int, error) {
	_, _ = l.to.Write(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := b; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		rest = after
		l.part = append(l.part, line[:min(len(line), max(0, keptBytes-len(l.part)))]...)
		if whole {
			l.endLocked()
		}
	}
	return len(b), nil
}

// endLocked ends a line. Blank ones say nothing.
func (l *lastLines) endLocked() {
	line := strings.TrimRight(strings.Map(printable, string(l.part)), " ")
	l.part = l.part[:0]
	if line == "" {
		return
	}
	if len(l.lines) == keptLines {
		l.lines = append(l.lines[:0], l.lines[1:]...)
	}
	l.lines = append(l.lines, jsonrpc.Clip([]byte(line)))
}

// printable keeps what colours and moves on a terminal out of errors.
func printable(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case unicode.IsControl(r):
		return -1
	}
	return r
}

// said is what the child has said last, to stand at the end of an error.
func (l *lastLines) said() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.part) > 0 {
		l.endLocked()
	}
	if len(l.lines) == 0 {
		return ""
	}
	return "; it said last:\n\t" + strings.Join(l.lines, "\n\t")
}
