package bench

import (
	"bytes"
	"fmt"
	"strconv"
)

// Every id has seven digits, so all requests of a workload have one length, and all their replies too.
const (
	firstID  = 1_000_000
	idDigits = 7
)

// frame is a line, ended by LF, that holds an id at some places.
type frame struct {
	line   []byte
	places []int // offsets of the id's digits
}

// newFrame takes a line that was made for firstID, and finds the places of the id in it.
func newFrame(line []byte) frame {
	f := frame{line: bytes.Clone(line)}
	id := []byte(strconv.Itoa(firstID))
	for at := 0; ; at += idDigits {
		next := bytes.Index(line[at:], id)
		if next < 0 {
			return f
		}
		at += next
		f.places = append(f.places, at)
	}
}

// append appends the line for an id.
func (f frame) append(dst []byte, id int) []byte {
	start := len(dst)
	dst = append(dst, f.line...)
	var digits [idDigits]byte
	strconv.AppendInt(digits[:0], int64(id), 10)
	for _, at := range f.places {
		copy(dst[start+at:], digits[:])
	}
	return dst
}

// match returns the id of a line that is this frame in every byte.
func (f frame) match(line []byte) (id int, err error) {
	digits := line[f.places[0] : f.places[0]+idDigits]
	from := 0
	for _, at := range f.places {
		if !bytes.Equal(line[from:at], f.line[from:at]) || !bytes.Equal(line[at:at+idDigits], digits) {
			return 0, fmt.Errorf("got the line %s\nwant one like %s", line, f.line)
		}
		from = at + idDigits
	}
	if !bytes.Equal(line[from:], f.line[from:]) {
		return 0, fmt.Errorf("got the line %s\nwant one like %s", line, f.line)
	}
	return strconv.Atoi(string(digits))
}
