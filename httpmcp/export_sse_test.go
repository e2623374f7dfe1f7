package httpmcp

import (
	"net/http"
	"time"
)

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
