package httpmcp

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// eventWriter writes one response of the media type text/event-stream (WHATWG HTML,
// Server-sent events). All methods may be called from several goroutines at once;
// each event is one Write, and is flushed.
//
// While nothing is written it holds no goroutine and no buffer, since most streams
// are quiet most of the time: keep-alive is a timer, and the bytes of an event are
// put together in a buffer that is borrowed for the write.
//
// Each write has a deadline of its own, so a stream may last, and a reader that has
// stopped cannot hold one up for longer than that. The first write that fails is the
// last: every later one returns its error at once. net/http ends the request's
// context then, as it does when the client goes.
type eventWriter struct {
	w    http.ResponseWriter
	opts *Options

	mu      sync.Mutex // never held in a write
	turn    sync.Cond  // a write has ended
	writing bool
	begun   bool
	isCut   bool        // in a write
	isOver  bool        // the ResponseWriter is not ours any more
	err     error       // why nothing can be written any more
	timer   *time.Timer // for the next comment; nil before begin
	last    time.Time   // the last write
}

var (
	errStreamClosed = errors.New("httpmcp: the event stream is closed")
	errStreamCut    = errors.New("httpmcp: the event stream was cut off")
	errWriteEnded   = errors.New("httpmcp: a write of the event stream has not returned")
	errBadEventID   = errors.New("httpmcp: the id of an event must not hold CR, LF or NUL")
	errNoFlush      = errors.New("httpmcp: the http.ResponseWriter cannot flush, so nothing can be streamed: " +
		"middleware in front of the handler must keep Flush, or offer the wrapped one by Unwrap() http.ResponseWriter")
)

// newEventWriter makes the writer of one response. Nothing is written yet.
func newEventWriter(w http.ResponseWriter, o *Options) *eventWriter {
	s := &eventWriter{w: w, opts: o}
	s.turn.L = &s.mu
	return s
}

// begin sends the header of the response. When the [http.ResponseWriter] cannot flush
// that is an error and nothing has been written, so that another response can be. The
// first event does the same with one write less, so begin is for a stream that has
// nothing to say yet.
func (s *eventWriter) begin() error { return s.write(nil) }

// event sends one message: the text of it, which is JSON, on one line. id is its place
// in the stream, "" for a stream that cannot be resumed.
func (s *eventWriter) event(id string, data []byte) error {
	return s.send("message", id, 0, data)
}

// prime sends an event without data, so that the client knows an id to come back with
// (2025-11-25 basic/transports, Sending Messages to the Server), and unless retry is
// zero how long to wait before that.
func (s *eventWriter) prime(id string, retry time.Duration) error {
	return s.send("", id, retry, nil)
}

// named sends an event of another name than "message", such as the "endpoint" of
// 2024-11-05.
func (s *eventWriter) named(name, data string) error {
	return s.send(name, "", 0, []byte(data))
}

// comment sends a line that carries nothing, so that nobody on the way takes the
// connection for a dead one (2026-07-28 basic/transports/streamable-http, Receiving
// Messages).
func (s *eventWriter) comment() error { return s.write(emptyComment) }

var emptyComment = []byte(":\n\n")

// close ends the stream: it waits for the write under way, and nothing leaves from then
// on. What net/http adds at the end of the body has a deadline as an event has, and
// net/http takes that off again before it reads the connection's next request.
func (s *eventWriter) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := s.err != nil
	if !failed {
		s.err = errStreamClosed
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	for s.writing {
		s.turn.Wait()
	}
	if s.begun && (!failed || s.err == errStreamCut) && !s.isOver && !s.isCut {
		s.setDeadlineLocked(time.Now().Add(s.opts.writeTime()))
	}
	s.isOver = true
}

// cut makes the write under way fail, and every later one. It does not wait, so it
// is for a stream whose reader may have stopped. Where no write is under way the body ends in
// order. It may be called at any time.
func (s *eventWriter) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failLocked(errStreamCut)
	if s.writing && !s.isOver && !s.isCut {
		s.isCut = true
		s.setDeadlineLocked(time.Unix(1, 0))
	}
}

// eventBuffers lends the buffers that events are put together in.
var eventBuffers = sync.Pool{New: func() any { return new([]byte) }}

// send writes one event.
func (s *eventWriter) send(name, id string, retry time.Duration, data []byte) error {
	if strings.ContainsAny(id, "\r\n\x00") {
		return errBadEventID
	}
	buf := eventBuffers.Get().(*[]byte)
	defer func() {
		if cap(*buf) <= largestKept {
			eventBuffers.Put(buf)
		}
	}()
	*buf = appendEvent((*buf)[:0], name, id, retry, data)
	return s.write(*buf)
}

// appendEvent appends one event (WHATWG HTML, Server-sent events, Interpreting an event
// stream). The name "message" would be the default, but is told, since clients were seen that
// look for it. Line ends in the data would end the event's line; between the tokens of
// JSON, the only place where JSON has any, they mean what spaces do.
func appendEvent(dst []byte, name, id string, retry time.Duration, data []byte) []byte {
	if retry > 0 {
		dst = append(dst, "retry: "...)
		dst = strconv.AppendInt(dst, max(1, retry.Milliseconds()), 10)
		dst = append(dst, '\n')
	}
	if name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	if id != "" {
		dst = append(append(append(dst, "id: "...), id...), '\n')
	}
	dst = append(dst, "data: "...)
	start := len(dst)
	dst = append(dst, data...)
	spaceLineEnds(dst[start:])
	return append(dst, "\n\n"...)
}

func spaceLineEnds(text []byte) {
	for _, end := range []byte{'\r', '\n'} {
		for from := 0; ; from++ {
			n := bytes.IndexByte(text[from:], end)
			if n < 0 {
				break
			}
			from += n
			text[from] = ' '
		}
	}
}

// write writes the bytes of one event or comment, behind the header if that is not out
// yet, and flushes. Without bytes it is the header alone, once.
func (s *eventWriter) write(b []byte) (err error) {
	if ready, err := s.takeTurn(b); !ready {
		return err
	}
	err = errWriteEnded // unless the write returns: middleware may panic
	defer func() { s.endTurn(err) }()
	err = writeAndFlush(s.w, b)
	return err
}

// takeTurn waits for the write under way, and begins the next one unless there is nothing to
// write or nothing may be written.
func (s *eventWriter) takeTurn(b []byte) (ready bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.writing && s.err == nil {
		s.turn.Wait()
	}
	if s.err != nil || s.begun && len(b) == 0 {
		return false, s.err
	}
	if !s.begun {
		if err := s.beginLocked(); err != nil {
			return false, err
		}
	}
	s.last = time.Now()
	s.setDeadlineLocked(s.last.Add(s.opts.writeTime()))
	s.writing = true
	return true, nil
}

// endTurn ends a write.
func (s *eventWriter) endTurn(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing = false
	s.turn.Broadcast()
	switch {
	case err != nil:
		s.failLocked(err)
	case !s.isCut:
		// HTTP/2 resets a stream when the time is over, though nothing is being written.
		s.setDeadlineLocked(time.Time{})
	}
}

func writeAndFlush(w http.ResponseWriter, b []byte) error {
	if len(b) > 0 {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return http.NewResponseController(w).Flush()
}

// beginLocked makes the header ready and sets the keep-alive going.
func (s *eventWriter) beginLocked() error {
	if !canFlush(s.w) {
		return errNoFlush
	}
	s.begun = true
	h := s.w.Header()
	h.Set("Content-Type", eventsType)
	// No cache may keep a stream, and no proxy may gather or compress it.
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Del("Content-Length")
	s.w.WriteHeader(http.StatusOK)
	s.timer = time.AfterFunc(s.opts.keepAlive(), s.keepAlive)
	return nil
}

// setDeadlineLocked bounds the writes. A ResponseWriter that has no deadlines is one of a
// test, or is wrapped by middleware that hides them; then the connection's own bounds
// have to do.
func (s *eventWriter) setDeadlineLocked(t time.Time) {
	_ = http.NewResponseController(s.w).SetWriteDeadline(t)
}

// failLocked makes err what every later write returns, unless there is one already.
func (s *eventWriter) failLocked(err error) {
	if s.err != nil {
		return
	}
	s.err = err
	if s.timer != nil {
		s.timer.Stop()
	}
}

// keepAlive runs when the timer fires: it sends a comment if the stream has been quiet for
// so long, and sets the timer anew. The timer is not touched by events, which are
// many.
func (s *eventWriter) keepAlive() {
	every := s.opts.keepAlive()
	s.mu.Lock()
	quiet := time.Since(s.last)
	if s.writing {
		quiet = 0
	}
	s.mu.Unlock()
	if quiet >= every {
		quiet = 0
		if s.comment() != nil {
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.timer.Reset(every - quiet)
	}
}

// canFlush reports whether a [http.ResponseController] will find a way to flush w.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}
