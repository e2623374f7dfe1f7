package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"isthmus.internal/jsonrpc"
)

// printf prints to the output.
func (r *request) printf(format string, args ...any) {
	fmt.Fprintf(r.env.Out, format, args...)
}

// printRaw prints JSON, indented.
func (r *request) printRaw(raw jsonrpc.Raw, err error) error {
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = b.WriteTo(r.env.Out)
	return err
}

// printable is text of a server as a terminal may show it: without the control characters by
// which it would move the cursor, change colours or write to the clipboard.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || !unicode.IsControl(c) && !unicode.Is(unicode.Cf, c) {
			return c
		}
		return unicode.ReplacementChar
	}, text)
}

// oneLine is the text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// brief is the beginning of the text, on one line that is not too long.
func brief(text string) string {
	const most = 72
	line := []rune(oneLine(text))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}
