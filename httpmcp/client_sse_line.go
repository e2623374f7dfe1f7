package httpmcp

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// lineReader reads the lines of a stream of events, which CR, LF or CRLF end. A line is given out as
// soon as its end has come: behind a CR it is not waited whether a LF follows.
type lineReader struct {
	in    io.Reader
	fault error // of in, once it has failed or ended

	buf      []byte
	pos, end int // buf[pos:end] has been read and not looked at

	begun   bool   // the byte order mark that may stand first has been looked for
	afterCR bool   // a LF that stands first is the rest of the last line's end
	comment bool   // the line is a comment, whose text is dropped as it comes
	part    []byte // the beginning of a line whose end had not come
	joined  bool   // the line that was given out last is in part
}

// readSize is how many bytes of a stream are read at once. A stream on which nothing
// happens holds them.
const readSize = 4 << 10

var byteOrderMark = []byte("\ufeff")

// next returns the next line, without its end, that is no comment. It is good until the next one is
// read. Text behind the last end is no line. A line of more than limit bytes, comments aside,
// is [errEventTooLarge]. Errors are for good.
func (r *lineReader) next(limit int) ([]byte, error) {
	if r.joined {
		r.part, r.joined = r.part[:0], false
		if cap(r.part) > largestKept {
			r.part = nil
		}
	}
	for {
		if err := r.ready(); err != nil {
			return nil, err
		}
		text, ended := r.rest()
		if r.comment = r.comment || len(r.part) == 0 && len(text) > 0 && text[0] == ':'; r.comment {
			r.comment = !ended
			continue
		}
		switch {
		case len(r.part)+len(text) > limit:
			r.pos, r.end, r.part, r.fault = 0, 0, nil, errEventTooLarge
			return nil, r.fault
		case ended && len(r.part) == 0:
			return text, nil
		}
		r.part = append(r.part, text...)
		if ended {
			r.joined = true
			return r.part, nil
		}
	}
}

// give leaves the line that was last given out to its user for good, if it has memory of
// its own.
func (r *lineReader) give() bool {
	if !r.joined {
		return false
	}
	r.part, r.joined = nil, false
	return true
}

// ready sees to it that there is text to look at, behind the byte order mark and the end of the last
// line.
func (r *lineReader) ready() error {
	for !r.begun || r.pos == r.end || r.afterCR {
		switch {
		case r.pos == r.end || !r.begun && isMarkBegun(r.buf[r.pos:r.end]):
			if err := r.fill(); err != nil {
				return err
			}
		case !r.begun:
			r.begun = true
			if bytes.HasPrefix(r.buf[r.pos:r.end], byteOrderMark) {
				r.pos += len(byteOrderMark)
			}
		default:
			r.afterCR = false
			if r.buf[r.pos] == '\n' {
				r.pos++
			}
		}
	}
	return nil
}

// isMarkBegun reports whether text is a part of the byte order mark, and not all of it.
func isMarkBegun(text []byte) bool {
	return len(text) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, text)
}

// rest takes the text of the line that is there, without its end, and reports whether that has
// come, too.
func (r *lineReader) rest() (text []byte, ended bool) {
	text = r.buf[r.pos:r.end]
	end := bytes.IndexByte(text, '\n')
	if end >= 0 {
		text = text[:end]
	}
	if cr := bytes.IndexByte(text, '\r'); cr >= 0 {
		text, end, r.afterCR = text[:cr], cr, true
	}
	r.pos += len(text)
	if end >= 0 {
		r.pos++
	}
	return text, end >= 0
}

// mostEmptyReads is how often a reader may give nothing before it is given up.
const mostEmptyReads = 100

// fill reads on, behind what has not been looked at, which is little.
func (r *lineReader) fill() error {
	if r.buf == nil {
		r.buf = make([]byte, readSize)
	}
	r.end = copy(r.buf, r.buf[r.pos:r.end])
	r.pos = 0
	for range mostEmptyReads {
		if r.fault != nil {
			return r.fault
		}
		var n int
		n, r.fault = r.in.Read(r.buf[r.end:])
		if r.end += n; n > 0 {
			return nil
		}
	}
	return io.ErrNoProgress
}

// appendText appends text as the UTF-8 decoder of WHATWG Encoding reads it: what
// is no character becomes U+FFFD, one for as many bytes as the beginning of a character has.
func appendText(dst, text []byte) []byte {
	if utf8.Valid(text) {
		return append(dst, text...)
	}
	for len(text) > 0 {
		c, n := utf8.DecodeRune(text)
		if c == utf8.RuneError && n == 1 {
			for n < len(text) && !utf8.FullRune(text[:n+1]) {
				n++
			}
		}
		dst = utf8.AppendRune(dst, c)
		text = text[n:]
	}
	return dst
}
