package httpmcp

import (
	"errors"
	"io"
	"time"
)

// eventReader reads a stream of events as WHATWG HTML, Server-sent events, Interpreting an event
// stream, has it, to the letter. One goroutine uses it.
type eventReader struct {
	// id is the last event id: what to say of how far the stream has been read. It changes
	// at the empty line behind an event, also of one without data, which is not given out.
	id string
	// retry is how long to wait before the stream is taken up again, as the stream
	// has said last; valid if it has.
	retry   time.Duration
	retries bool

	in    io.Reader
	limit int // bytes of an event, the line that is being read included
	fault error

	buf      []byte // what has been read; buf[pos:end] has not been looked at
	pos, end int
	begun    bool   // the first line is over: a byte order mark is none any more
	afterCR  bool   // a line feed would be of the last line's end
	line     []byte // the beginning of a line that has not ended in buf
	skipping bool   // the line is a comment: its text is dropped as it comes

	name, data, nextID []byte // of the event that is being read
	hasData            bool
	given              bool // data has been given out
}

// event is one event. Its text is good until the next is read, or for ever after
// [eventReader.keep].
type event struct {
	name string // "message" if it has none
	id   string // the last event id, of this event or an earlier one
	data []byte
}

// errEventTooLarge says that one event is larger than the bound.
var errEventTooLarge = errors.New("an event of the stream is too large")

func newEventReader(in io.Reader, limit int) *eventReader {
	return &eventReader{in: in, limit: limit}
}

// next returns the next event. The error is io.EOF at the end of the stream, where an event
// that no empty line has ended is dropped; every error is the reader's last word.
func (r *eventReader) next() (event, error) {
	return event{}, io.EOF
}

// keep leaves the data that was last given out to its user for good.
func (r *eventReader) keep() { r.data = nil }
