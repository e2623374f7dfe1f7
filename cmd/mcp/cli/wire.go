package cli

import (
	"bytes"
	"fmt"
	"strings"
)

// The marks before each line that passes.
const (
	markOut = "--> "
	markIn  = "<-- "
)

func mark(direction string) string {
	if direction == "out" {
		return markOut
	}
	return markIn
}

// tapLine shows a message on a stream, as it stands there.
func (r *request) tapLine(direction string, line []byte) {
	r.tapping.Lock()
	defer r.tapping.Unlock()
	fmt.Fprintf(r.env.Err, "%s%s\n", mark(direction), printable(string(bytes.TrimSuffix(line, []byte("\n")))))
}

// tapHTTP shows a request or a response, or more of a body.
func (r *request) tapHTTP(direction string, head, body []byte) {
	r.tapping.Lock()
	defer r.tapping.Unlock()
	var b strings.Builder
	for _, part := range [][]byte{head, body} {
		for line := range strings.Lines(string(part)) {
			fmt.Fprintf(&b, "%s%s\n", mark(direction), printable(strings.TrimRight(line, "\r\n")))
		}
	}
	fmt.Fprint(r.env.Err, b.String())
}
