package httpmcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"
)

// largestKept is the largest buffer, in bytes, that is kept for the next body, reply or event: a
// large one must not hold its memory for ever.
const largestKept = 256 << 10

// firstRead is how many bytes are made room for before anything has been read: what a
// request claims of its length is no reason to take memory.
const firstRead = 16 << 10

// boundRest bounds the time in which the body of r must arrive where that is not read:
// net/http reads what is left of a body before it serves the connection's next request, and would
// wait for it without end.
func boundRest(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		// An error means that there is no such bound here.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(restTime))
	}
}

// readBody reads the body of r onto buf, within the bounds of size and time. What is
// wrong is told by status and why; status is 0 when all is well. A body is judged by the
// bytes that came, and not by what the headers say of it.
func (l *load) readBody(w http.ResponseWriter, r *http.Request, buf []byte, p *place, o *Options) (body []byte, status int, why string) {
	p.bound.begin(w, itsBody, l.tick.Load())
	body, status, why = o.readBody(r, buf)
	if p.bound.end() && status == 0 {
		// It has come at the last moment. A deadline that stays would end the watch for the
		// client's going.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	return body, status, why
}

// readBody is that of load, but for the time.
func (o *Options) readBody(r *http.Request, buf []byte) (body []byte, status int, why string) {
	limit := o.maxBody()
	if r.ContentLength > limit {
		return buf, http.StatusRequestEntityTooLarge, tooLarge(limit)
	}
	if r.ContentLength == 0 {
		return buf, 0, ""
	}
	body, err := readAll(r.Body, buf, limit)
	switch {
	case err == nil:
		return body, 0, ""
	case errors.Is(err, errTooLarge):
		return body, http.StatusRequestEntityTooLarge, tooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return body, http.StatusRequestTimeout, "The body has not arrived in time"
	}
	return body, http.StatusBadRequest, "The body has not arrived whole"
}

func tooLarge(limit int64) string {
	return fmt.Sprintf("The body is too large: at most %d bytes", limit)
}

var errTooLarge = errors.New("httpmcp: the body is too large")

// readAll reads to the end, or to the first byte beyond limit.
func readAll(from io.Reader, buf []byte, limit int64) ([]byte, error) {
	buf = slices.Grow(buf, firstRead)
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, len(buf)) // twice as much
		}
		n, err := from.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return buf, errTooLarge
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return buf, err
		}
	}
}
