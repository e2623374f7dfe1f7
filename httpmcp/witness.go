package httpmcp

import (
	"context"
	"log/slog"
	"net/http"

	"isthmus.internal/jsonrpc"
)

// witness notes what a response begins with, for the debug log. What it stands in front of is
// found through Unwrap.
type witness struct {
	http.ResponseWriter
	status int
	text   []byte // of a refusal, as far as it is logged
}

// witnessedText bounds the bytes of a refusal that are kept for the log.
const witnessedText = 512

// Unwrap is for [http.ResponseController].
func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (w *witness) WriteHeader(status int) {
	if w.status < http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *witness) Write(b []byte) (int, error) {
	if w.status >= http.StatusBadRequest {
		w.text = append(w.text, b[:min(len(b), witnessedText-len(w.text))]...)
	}
	return w.ResponseWriter.Write(b)
}

// witnessed serves a request and tells of it at debug level, once it is answered: also of one
// that no message was read from.
func witnessed(log *slog.Logger, w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter, *http.Request)) {
	seen := &witness{ResponseWriter: w}
	serve(seen, r)
	attrs := []slog.Attr{slog.String("method", r.Method), slog.Int("status", seen.status)}
	if len(seen.text) > 0 {
		attrs = append(attrs, slog.String("reply", jsonrpc.Clip(seen.text)))
	}
	log.LogAttrs(context.Background(), slog.LevelDebug, "HTTP request answered", attrs...)
}
