package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
)

// printf prints to the output, and reports whether that could be written.
//
//go:noinline
func (r *request) printf(format string, args ...any) bool {
	_, err := fmt.Fprintf(r.env.Out, format, args...)
	return err == nil
}

// sink is the output. It keeps the first error of writing, so that nobody takes half of the
// output for all of it.
type sink struct {
	to     io.Writer
	before func() // what is called before each writing

	mu  sync.Mutex
	err error
}

// Write implements [io.Writer].
func (s *sink) Write(b []byte) (int, error) {
	s.before()
	n, err := s.to.Write(b)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err = cmp.Or(s.err, err)
	}
	return n, err
}

func (s *sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// printRaw prints JSON, indented, or returns err: it takes what a function that makes JSON returns.
func (r *request) printRaw(raw jsonrpc.Raw, err error) error {
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, escaped(raw), "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = b.WriteTo(r.env.Out)
	return err
}

// printable is text of a server as a terminal may show it: without the control characters by
// which it would move the cursor, change colours or write to the clipboard.
//
//go:noinline
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || !steers(c) {
			return c
		}
		return unicode.ReplacementChar
	}, text)
}

// written is text of a server as it is written for whoever asked for it: as it came, unless to a terminal. There CR LF
// ends a line as LF does.
func (r *request) written(text string) string {
	if !r.env.OutTerminal {
		return text
	}
	return printable(strings.ReplaceAll(text, "\r\n", "\n"))
}

// steers reports whether a terminal would not show the character but do something.
func steers(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }

// escaped is JSON that says the same, and has nothing in it that a terminal would not show.
func escaped(raw jsonrpc.Raw) jsonrpc.Raw {
	safe := make([]byte, 0, len(raw))
	for _, c := range string(raw) {
		switch {
		case c < ' ' || !steers(c): // the former are spaces between the values
			safe = utf8.AppendRune(safe, c)
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			safe = fmt.Appendf(safe, `\u%04x\u%04x`, high, low)
		default:
			safe = fmt.Appendf(safe, `\u%04x`, c)
		}
	}
	return safe
}

// clipped is a text of several lines, cut where it is very long.
func clipped(text string) string {
	const most = 2000
	if runes := []rune(text[:min(len(text), 4*most)]); len(runes) > most || len(text) > 4*most {
		return string(runes[:min(len(runes), most)]) + "…"
	}
	return text
}

// oneLine is the text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// brief is the beginning of the text, on one line that is not too long.
//
//go:noinline
func brief(text string) string {
	const most = 72
	line := []rune(oneLine(text))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}

// fitted is the text on one line: on a terminal what fits there, else all of it, since other programs
// read that.
func (r *request) fitted(text string) string {
	if r.env.OutTerminal {
		return brief(text)
	}
	return oneLine(text)
}
