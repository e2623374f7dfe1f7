package stdio

import (
	"bytes"
	"io"
)

// tapped has tap see what goes through in and out, line by line.
func tapped(in io.Reader, out io.Writer, tap func(string, []byte), max int) (io.Reader, io.Writer) {
	return &tapReader{in, tapLines{direction: "in", tap: tap, max: max}},
		&tapWriter{out, tapLines{direction: "out", tap: tap, max: max}}
}

type tapReader struct {
	r     io.Reader
	lines tapLines
}

func (t *tapReader) Read(b []byte) (int, error) {
	n, err := t.r.Read(b)
	t.lines.add(b[:max(n, 0)])
	if err != nil {
		t.lines.flush()
	}
	return n, err
}

// tapWriter is no [jsonrpc.TryWriter], so that a line is seen before its answer can be.
type tapWriter struct {
	w     io.Writer
	lines tapLines
}

func (t *tapWriter) Write(b []byte) (int, error) {
	t.lines.add(b)
	return t.w.Write(b)
}

// tapLines cuts one direction into lines.
type tapLines struct {
	direction string
	tap       func(string, []byte)
	max       int    // bytes of a line that are kept until it is whole
	part      []byte // of the line that is not whole yet
}

func (l *tapLines) add(b []byte) {
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		n = min(n, l.max-len(l.part))
		line := b[:n]
		if len(l.part) > 0 {
			l.part = append(l.part, line...)
			line = l.part
		}
		b = b[n:]
		if line[len(line)-1] == '\n' || len(line) == l.max {
			l.tap(l.direction, line)
			l.part = l.part[:0]
		} else if len(l.part) == 0 {
			l.part = append(l.part, line...)
		}
	}
}

// flush shows what is there of a line that will not be whole.
func (l *tapLines) flush() {
	if len(l.part) > 0 {
		l.tap(l.direction, l.part)
		l.part = nil
	}
}
