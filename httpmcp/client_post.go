package httpmcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
)

// reply is the response to a request of ours. Whoever has it closes it.
type reply struct {
	response *http.Response
	wire     *wire
	life     *life
	caller   context.Context // its end is that of the reply for as long as there is no answer
	cancel   context.CancelFunc
	stops    [2]func() bool // keep the end of caller, and that of life, from ending the reply
	handed   bool           // a goroutine has it, and closes it
}

// status is that of the response.
func (r *reply) status() int { return r.response.StatusCode }

// header is that of the response.
func (r *reply) header() http.Header { return r.response.Header }

// isSuccess reports whether the status is one of success.
func (r *reply) isSuccess() bool { return r.status()/100 == 2 }

// isEvents reports whether the response is a stream of events, and no refusal.
func (r *reply) isEvents() bool {
	lines := r.header()["Content-Type"]
	if !r.isSuccess() || len(lines) != 1 {
		return false
	}
	kind, rest := cutToken(trimSpace(lines[0]))
	rest = trimSpace(rest)
	return strings.EqualFold(kind, eventsType) && (rest == "" || rest[0] == ';') // whatever charset it names: it is UTF-8
}

// events reads the response as a stream of events; open: nothing bounds it as a whole.
//
//go:noinline
func (r *reply) events(open bool) *eventReader {
	in := io.Reader(r.response.Body)
	if !open {
		in = &bounded{in: in, left: r.wire.opts.maxStream()}
	}
	return newEventReader(in, int(min(r.wire.opts.maxEvent(), math.MaxInt32)))
}

// answer reads the response up to the answer. It gives the result, or an error: a [*jsonrpc.Error]
// of the server, a [*jsonrpc.BrokenResponse], a [*mcp.Rejected] for a response that is no answer, that
// of ctx, or what has gone wrong on the way. It matches [io.ErrUnexpectedEOF] when the response ends before the
// answer; whether the request was carried out is not known then.
func (r *reply) answer(in *intake) (jsonrpc.Raw, error) {
	switch {
	case r.isEvents():
		result, err := r.follow(in, r.events(in.open))
		switch {
		case err == io.EOF && in.echoed:
			err = r.why(jsonrpc.ErrEchoed)
		case err == io.EOF:
			err = r.why(fmt.Errorf("the stream has ended before it: %w", io.ErrUnexpectedEOF))
		}
		return result, err
	case r.isSuccess() && isJSON(r.header()):
		return r.whole(in)
	}
	return nil, r.refused()
}

// accepted is for a message that has no answer: nil for a status of success, and otherwise what
// [reply.refused] has.
func (r *reply) accepted() error {
	if r.isSuccess() {
		return nil
	}
	return r.refused()
}

// follow reads events until the answer has come. io.EOF says that the stream has ended before;
// how far it has been read is in events. Other errors are as in [reply.answer].
func (r *reply) follow(in *intake, events *eventReader) (jsonrpc.Raw, error) {
	for {
		e, err := events.next()
		switch {
		case err == io.EOF && r.life.whyNot(r.caller) == nil:
			return nil, io.EOF
		case err != nil:
			return nil, r.broken(err, in)
		case e.name != "message" || len(e.data) == 0:
			continue // one of an extension, or there for its id
		case in.take(e.data):
			events.keep()
			r.finish()
			return in.answer()
		}
	}
}

// bodies are buffers for what is read whole.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// whole reads a body of JSON.
func (r *reply) whole(in *intake) (jsonrpc.Raw, error) {
	buf := bodies.Get().(*[]byte)
	defer func() {
		if cap(*buf) <= largestKept {
			bodies.Put(buf)
		}
	}()
	var err error
	if *buf, err = readAll(r.response.Body, (*buf)[:0], r.wire.opts.maxBody()); err != nil {
		return nil, r.broken(err, in)
	}
	switch {
	case in.take(*buf):
	case in.echoed:
		return nil, r.why(jsonrpc.ErrEchoed)
	default:
		return nil, r.rejected(*buf)
	}
	in.own()
	return in.answer()
}

// broken is why a response could not be read.
func (r *reply) broken(err error, in *intake) error {
	o := r.wire.opts
	switch {
	case errors.Is(err, errTooLarge):
		err = errBound("the answer to %s is larger than %d bytes (DialOptions.MaxBody)", in.method, o.maxBody())
	case errors.Is(err, errEventTooLarge):
		err = errBound("an event in answer to %s is larger than %d bytes (DialOptions.MaxEvent)", in.method, o.maxEvent())
	case errors.Is(err, errStreamTooLarge):
		err = errBound("the stream that answers %s is larger than %d bytes (DialOptions.MaxStream)", in.method, o.maxStream())
	default:
		err = fmt.Errorf("it has not come whole: %w", err)
	}
	return r.why(err)
}

// why is the error of a request that has failed, without the query of the URL: its context or the
// link has ended, or err, which has happened on the way.
func (r *reply) why(err error) error {
	if ended := r.life.whyNot(r.caller); ended != nil {
		return ended
	}
	var u *url.Error
	if errors.As(err, &u) { // names the URL, with its query
		err = u.Err
	}
	return fmt.Errorf("httpmcp: %s: %w", r.wire.shown, err)
}

// boundError says that what a server sends is larger than the client takes: to ask for it again
// would not help.
type boundError struct{ text string }

func (e *boundError) Error() string { return e.text }

func errBound(format string, args ...any) error { return &boundError{fmt.Sprintf(format, args...)} }

// The bounds of what is read behind an answer.
const (
	finishTime  = time.Second
	finishBytes = 16 << 10
)

// finish reads on behind the answer in a stream, which should be its end: the connection can be used
// again then (2026-07-28 basic/transports/streamable-http, Receiving Messages). Nobody
// waits for that but the end of the link.
func (r *reply) finish() {
	if !r.stops[0]() {
		return // the caller has ended it
	}
	r.handed = r.life.run(func() {
		timer := time.AfterFunc(finishTime, r.cancel)
		defer timer.Stop()
		_, _ = io.CopyN(io.Discard, r.response.Body, finishBytes)
		r.end()
	})
}

// close ends the response, also where it has not been read to its end.
func (r *reply) close() {
	if !r.handed {
		r.end()
	}
}

func (r *reply) end() {
	if r.response != nil {
		_ = r.response.Body.Close() // there is nothing left to lose
	}
	r.cancel()
	for _, stop := range r.stops {
		stop()
	}
}

// bounded reads as many bytes as are left. Then its error is errStreamTooLarge.
type bounded struct {
	in   io.Reader
	left int64
}

var errStreamTooLarge = errors.New("the stream is too large")

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errStreamTooLarge
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
