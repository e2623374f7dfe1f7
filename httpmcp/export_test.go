package httpmcp

import (
	"context"
	"net/http"
	"time"

	"isthmus.internal/jsonrpc"
)

// What tests of headers look at from outside of the package.

func (o *Options) Forbids(r *http.Request) (status int, why, option string) { return o.forbids(r) }
func (o *Options) AllowCORS(h http.Header, r *http.Request)                 { o.allowCORS(h, r) }
func (o *Options) AllowsOrigin(value string) bool                           { return o.allowsOrigin(value) }
func IsJSON(h http.Header) bool                                             { return isJSON(h) }
func ReadAccept(h http.Header) (json, events bool)                          { a := readAccept(h); return a.json, a.events }
func ReadHost(s string) (host string, port int, local, ok bool) {
	a, ok := readAuthority(s)
	return a.host, a.port, ok && a.isLoopback(), ok
}

func ReadOrigin(s string) (scheme, host string, port int, ok bool) {
	o, ok := readOrigin(s)
	return o.scheme, o.host, o.port, ok
}

// EventWriter is the writer of one event stream, for the tests.
type EventWriter struct{ *eventWriter }

func NewEventWriter(w http.ResponseWriter, o *Options) EventWriter {
	return EventWriter{newEventWriter(w, o)}
}

func (s EventWriter) Begin() error                               { return s.begin() }
func (s EventWriter) Event(id string, data []byte) error         { return s.event(id, data) }
func (s EventWriter) Named(name, data string) error              { return s.named(name, data) }
func (s EventWriter) Prime(id string, retry time.Duration) error { return s.prime(id, retry) }
func (s EventWriter) Comment() error                             { return s.comment() }
func (s EventWriter) Close()                                     { s.close() }
func (s EventWriter) Cut()                                       { s.cut() }

var (
	ErrNoFlush      = errNoFlush
	ErrBadEventID   = errBadEventID
	ErrStreamClosed = errStreamClosed
	ErrStreamCut    = errStreamCut
)

// Defaults are what the accessors of nil options give, by the names of the fields.
func Defaults() map[string]any {
	var (
		o *Options
		m *MemoryOptions
		s *ServeOptions
	)
	return map[string]any{
		"Options.MaxBody": o.maxBody(), "Options.BodyTime": o.bodyTime(), "Options.WriteTime": o.writeTime(),
		"Options.KeepAlive": o.keepAlive(), "Options.MaxInFlight": o.maxInFlight(),
		"Options.MaxSessionInFlight": o.maxSessionInFlight(), "Options.MaxStreams": o.maxStreams(),
		"Options.MaxSessions": o.maxSessions(), "Options.SessionIdle": o.sessionIdle(),
		"Options.SessionLife": o.sessionLife(), "Options.Retry": o.retry(),
		"MemoryOptions.MaxStream": m.maxStream(), "MemoryOptions.MaxSession": m.maxSession(), "MemoryOptions.MaxTotal": m.maxTotal(),
		"ServeOptions.HeaderTime": s.headerTime(), "ServeOptions.MaxHeader": s.maxHeader(), "ServeOptions.Idle": s.idle(),
		"ServeOptions.MaxConnections": s.maxConnections(), "ServeOptions.Drain": s.drain(),
	}
}

var CheckMirrors = checkMirrors

func EqualNumbers(a, b string) bool { return equalNumbers(a, jsonrpc.Raw(b)) }

func Decode(text string) (decoded string, ok bool) {
	encoded, marked := cutMarkers(text)
	if !marked {
		return text, true
	}
	return decode(encoded)
}

// Enlist has the [Serve] by which a request came shut s down in its end.
func Enlist(r *http.Request, s interface{ Shutdown(context.Context) error }) bool {
	return enlist(r, s)
}

// EffectiveServe says what options of Serve amount to.
type EffectiveServe struct {
	Drain, HeaderTime, Idle   time.Duration
	MaxHeader, MaxConnections int
}

// Effective opens the defaults to the tests.
func (o *ServeOptions) Effective() EffectiveServe {
	return EffectiveServe{o.drain(), o.headerTime(), o.idle(), o.maxHeader(), o.maxConnections()}
}

// Watch is one place that is watched, for tests of looks that come late.
type Watch struct {
	load  load
	place place
}

func NewWatch(o *Options) *Watch {
	w := &Watch{}
	w.load.init(o)
	w.load.enter(&w.place, asRequest, o)
	return w
}

// Begin begins to wait for a body.
func (w *Watch) Begin(to http.ResponseWriter) { w.place.bound.begin(to, itsBody, w.load.tick.Load()) }

// Miss has no look until the next Look.
func (w *Watch) Miss() { w.load.timer.Stop() }
func (w *Watch) Look() { w.load.look() }

// Close ends the watch.
func (w *Watch) Close() {
	w.load.leave(&w.place)
	w.load.retire()
}
