package httpmcp

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
	"unicode/utf8"
)

// eventReader reads a stream of events as WHATWG HTML, Server-sent events, Interpreting an event
// stream, has it, to the letter. One goroutine uses it.
type eventReader struct {
	// id is the last event id: what to say of how far the stream has been read. It changes
	// at the empty line behind an event, also of one without data, which is not given out.
	id string
	// retry is how long to wait before the stream is taken up again, once the stream has
	// said so: retries.
	retry   time.Duration
	retries bool

	given int // events with data

	lines lineReader
	limit int // bytes of an event, with the line that is being read

	name, data, nextID []byte // of the event that is being read, as far as it has come
}

// event is one event. Its text is good until the next is read, or for ever after
// [eventReader.keep].
type event struct {
	name string // "message" if it has none
	data []byte
}

// errEventTooLarge says that one event is larger than the bound.
var errEventTooLarge = errors.New("an event of the stream is too large")

// newEventReader reads events of at most limit bytes.
func newEventReader(in io.Reader, limit int) *eventReader {
	return &eventReader{lines: lineReader{in: in}, limit: limit}
}

// next returns the next event. The error is io.EOF at the end of the stream, where an event
// that no empty line has ended is dropped. Every error is the reader's last word.
func (r *eventReader) next() (event, error) {
	if cap(r.data) > largestKept {
		r.data = nil
	}
	r.data = r.data[:0]
	for {
		line, err := r.lines.next(r.limit - len(r.data) - len(r.name) - len(r.nextID))
		switch {
		case err != nil:
			return event{}, err
		case len(line) > 0:
			r.field(line)
		default:
			if e, ok := r.dispatch(); ok {
				return e, nil
			}
		}
	}
}

// keep leaves the data that was last given out to its user for good.
func (r *eventReader) keep() { r.data = nil }

// field takes in one line that is neither empty nor a comment.
func (r *eventReader) field(line []byte) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		r.name = appendText(r.name[:0], value)
	case "data":
		r.addData(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.nextID = appendText(r.nextID[:0], value)
		}
	case "retry":
		if digitsFrom(value, 0) == len(value) && len(value) > 0 {
			r.retry, r.retries = readRetry(string(value)), true
		}
	}
}

// addData adds one line of data. A very long one that comes first is not copied.
func (r *eventReader) addData(value []byte) {
	if len(r.data) == 0 && len(value) > largestKept && utf8.Valid(value) && r.lines.give() {
		r.data = append(value, '\n')
		return
	}
	r.data = append(appendText(r.data, value), '\n')
}

// longestRetry bounds what is read from retry.
const longestRetry = 365 * 24 * time.Hour

// readRetry reads digits as milliseconds.
func readRetry(digits string) time.Duration {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > longestRetry.Milliseconds() {
		return longestRetry // only too large a number is an error
	}
	return time.Duration(n) * time.Millisecond
}

// dispatch ends an event at its empty line. It is false for one without data.
func (r *eventReader) dispatch() (event, bool) {
	if string(r.nextID) != r.id {
		r.id = string(r.nextID)
	}
	e := event{name: "message"}
	if len(r.name) > 0 && string(r.name) != e.name {
		e.name = string(r.name)
	}
	r.name = r.name[:0]
	if len(r.data) == 0 {
		return event{}, false
	}
	e.data = r.data[: len(r.data)-1 : len(r.data)-1] // without the last line end
	if len(e.data) > 0 {
		r.given++
	}
	return e, true
}
