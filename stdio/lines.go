package stdio

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
)

// The sizes of the read buffer, in bytes, and when it changes.
const (
	readSize   = 64 << 10 // the first buffer, and the most that one read asks for
	roomSize   = 16 << 10 // less room than this is not worth a read
	keepSize   = 1 << 20  // a larger buffer goes as soon as its line has passed
	calmLines  = 64       // so many short lines in a row give back any larger buffer
	beginSize  = 1 << 10  // so much of a line over the limit tells what it was
	emptyReads = 100      // reads in a row that may bring nothing and no error
)

var byteOrderMark = []byte("\xEF\xBB\xBF")

// lines cuts a stream of bytes into messages, one a line (2026-07-28
// basic/transports/stdio). It is a [jsonrpc.Source].
//
//   - LF ends a line, and nothing else does. A CR before it stays, as JSON space.
//   - A byte order mark that opens the stream is dropped.
//   - Lines of nothing but space, tab and CR are skipped.
//   - The last line needs no LF.
//   - A line over the limit is refused once and its bytes are not kept.
//
// A half line stays in the buffer until the rest arrives, however many reads that
// takes; no byte is searched for LF twice.
type lines struct {
	r         io.Reader
	max       int          // bytes of a line, without its LF
	interrupt func() error // makes a waiting r.Read return
	option    string       // where max can be raised, for the one who reads what was refused; "" for a peer

	buf   []byte
	start int // buf[start:end] is unread, buf[:start] may hold the last message
	seen  int // buf[start:seen] holds no LF
	end   int

	begun    bool  // it is known whether the stream opens with a byte order mark
	skipping bool  // in the rest of a line that was refused
	calm     int   // short lines in a row
	err      error // why reading ended

	closed atomic.Bool // by Close: no further read
	ended  atomic.Bool // err is set: nobody waits in r.Read
}

// newLines makes a source of r's lines of at most max bytes. interrupt makes a
// Read of r that waits return, now and later, or says that it cannot.
func newLines(r io.Reader, max int, interrupt func() error) *lines {
	return &lines{r: r, max: max, interrupt: interrupt}
}

// Read implements [jsonrpc.Source].
func (l *lines) Read() ([]byte, error) {
	l.shrink()
	for !l.find() {
		if l.err != nil {
			return nil, l.err
		}
		l.fill()
	}
	return l.take()
}

// Buffered implements [jsonrpc.Source].
func (l *lines) Buffered() bool { return l.find() }

// Detach implements [jsonrpc.Source]. The last message keeps the front of the
// buffer, and the stream goes on in what is left behind it, so a detached message
// costs no copy and, unless it is long, no new buffer.
func (l *lines) Detach() {
	l.buf = l.buf[l.start:]
	l.seen -= l.start
	l.end -= l.start
	l.start = 0
}

// Close implements [jsonrpc.Source]. Lines that are whole by then are still
// returned; what comes in later, and the rest of a line begun, is not.
func (l *lines) Close() error {
	l.closed.Store(true)
	if l.ended.Load() {
		return nil
	}
	return l.interrupt()
}

// find moves start to the next message and seen to its end, and reports whether
// it is whole, or known to be too long. It reads nothing, and may be repeated.
func (l *lines) find() bool {
	for {
		l.dropByteOrderMark()
		i := bytes.IndexByte(l.buf[l.seen:l.end], '\n')
		if i < 0 {
			return l.findRest()
		}
		l.seen += i
		line := l.buf[l.start:l.seen]
		if !l.skipping && (len(line) > l.max || !blank(line)) {
			return true
		}
		l.skipping = false
		l.next(l.seen + 1)
	}
}

// findRest looks at bytes that no LF follows yet. At the end of the stream they
// are a line all the same.
func (l *lines) findRest() bool {
	l.seen = l.end
	if l.skipping {
		l.start = l.end
		return false
	}
	rest := l.buf[l.start:l.end]
	if l.err == io.EOF {
		return len(rest) > l.max || !blank(rest)
	}
	return l.begun && len(rest) > l.max
}

// dropByteOrderMark looks at the first three bytes of the stream, once they are
// there.
func (l *lines) dropByteOrderMark() {
	if l.begun || l.end-l.start < len(byteOrderMark) {
		return
	}
	l.begun = true
	if bytes.HasPrefix(l.buf[l.start:l.end], byteOrderMark) {
		l.next(l.start + len(byteOrderMark))
	}
}

// next begins a line at i.
func (l *lines) next(i int) {
	l.start, l.seen = i, i
	l.begun = true
}

// take returns the line that find has found. Its capacity ends with it, so that
// an append never runs into the next line.
func (l *lines) take() ([]byte, error) {
	line := l.buf[l.start:l.seen:l.seen]
	whole := l.seen < l.end
	if whole {
		l.next(l.seen + 1)
	} else {
		l.next(l.seen)
	}
	if len(line) > readSize/2 {
		l.calm = 0
	} else {
		l.calm++
	}
	if len(line) > l.max {
		l.skipping = !whole
		return nil, &jsonrpc.Unframed{
			Told:  jsonrpc.Errorf(jsonrpc.InvalidRequest, "Message too long: at most %d bytes a line%s", l.max, l.option),
			Begin: bytes.Clone(line[:min(len(line), beginSize)]),
		}
	}
	return line, nil
}

// fill reads once, or records why reading has ended. The last message is given
// up: its bytes may be overwritten.
func (l *lines) fill() {
	l.makeRoom()
	for range emptyReads {
		if l.closed.Load() {
			l.finish(io.EOF)
			return
		}
		n, err := l.r.Read(l.buf[l.end:min(len(l.buf), l.end+readSize)])
		if l.closed.Load() {
			continue // what came after Close is dropped
		}
		l.end += n
		if err != nil {
			l.finish(err)
			return
		}
		if n > 0 {
			return
		}
	}
	l.finish(io.ErrNoProgress)
}

// finish records why reading has ended. Half a line is only trusted when the
// stream ended in good order.
func (l *lines) finish(err error) {
	switch {
	case l.closed.Load():
		l.end, l.seen = l.start, l.start
		l.err = io.EOF
	case err == io.EOF:
		l.err = io.EOF
	default:
		l.err = fmt.Errorf("stdio: read: %w", peerError(err))
	}
	l.ended.Store(true)
}

// makeRoom sees to room behind the unread bytes: it moves them to the front, and
// into a larger buffer when that is not enough.
func (l *lines) makeRoom() {
	if l.start == l.end {
		l.start, l.seen, l.end = 0, 0, 0
	}
	if len(l.buf)-l.end >= roomSize {
		return
	}
	unread := l.end - l.start
	limit := max(readSize, l.max+1)
	if len(l.buf)-unread < roomSize && len(l.buf) < limit {
		l.move(min(max(2*unread, readSize), limit))
	} else if l.start > 0 {
		l.slide(l.buf)
	}
}

// shrink gives a larger buffer back once its line has passed: a very large one at
// once, another when lines have been short for a while.
func (l *lines) shrink() {
	large := len(l.buf) > keepSize || len(l.buf) > readSize && l.calm >= calmLines
	if large && l.end-l.start <= readSize {
		l.move(readSize)
	}
}

// move puts the unread bytes into a new buffer of so many bytes.
func (l *lines) move(size int) { l.slide(make([]byte, size)) }

// slide puts the unread bytes at the front of to, and goes on there.
func (l *lines) slide(to []byte) {
	l.end = copy(to, l.buf[l.start:l.end])
	l.seen -= l.start
	l.start = 0
	l.buf = to
}

// blank reports whether a line holds nothing but JSON space.
func blank(line []byte) bool {
	for _, b := range line {
		if b != ' ' && b != '\t' && b != '\r' {
			return false
		}
	}
	return true
}
