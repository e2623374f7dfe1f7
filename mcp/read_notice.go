package mcp

import "isthmus.internal/jsonrpc"

// NotificationParams is the params of a notification that has none of its own, such as
// those that say that a list has changed. On a subscription its Meta has the id of that
// subscription under [MetaSubscriptionID].
type NotificationParams struct{ Meta Meta }

// ProgressParams is the params of notifications/progress (2026-07-28
// basic/patterns/progress).
type ProgressParams struct {
	// Token is the one of the request that progresses, a string or an integer.
	Token    jsonrpc.Raw
	Progress float64
	// Total is nil when it is not known.
	Total *float64
	// Message says what is done at the moment; may be empty (since 2025-03-26).
	Message string
	Meta    Meta
}

// CancelledParams is the params of notifications/cancelled (2026-07-28
// basic/patterns/cancellation).
type CancelledParams struct {
	// RequestID is the id of the request that is given up, a string or an integer.
	// 2025-11-25 alone lets it be absent; nobody is meant then.
	RequestID jsonrpc.Raw
	// Reason is for logs; may be empty.
	Reason string
	Meta   Meta
}

// ResourceUpdatedParams is the params of notifications/resources/updated.
type ResourceUpdatedParams struct {
	// URI is of the resource that was subscribed to, or of one below it.
	URI  string
	Meta Meta
}

// LogMessageParams is the params of notifications/message (2026-07-28
// server/utilities/logging).
type LogMessageParams struct {
	Level LogLevel
	// Logger names the part of the server that speaks; may be empty.
	Logger string
	// Data is any JSON value.
	Data jsonrpc.Raw
	Meta Meta
}

func (p *NotificationParams) readJSON(raw jsonrpc.Raw) *Malformed {
	return (*RequestParams)(p).readJSON(raw)
}

func (p *NotificationParams) writeJSON(w *writer, f *Form) { (*RequestParams)(p).writeJSON(w, f) }

func (p *ProgressParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "progressToken", "progress")
	for r.next() {
		switch string(r.name()) {
		case "progressToken":
			r.id(&p.Token)
		case "progress":
			r.number(&p.Progress)
		case "total":
			r.optionalNumber(&p.Total)
		case "message":
			r.text(&p.Message)
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

func (p *ProgressParams) writeJSON(w *writer, f *Form) {
	w.open("", '{')
	w.raw("progressToken", p.Token)
	w.number("progress", p.Progress)
	if p.Total != nil {
		w.number("total", *p.Total)
	}
	if f.ProgressMessage {
		w.optional("message", p.Message)
	}
	w.endParams(p.Meta)
}

func (p *CancelledParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		switch string(r.name()) {
		case "requestId":
			r.id(&p.RequestID)
		case "reason":
			r.text(&p.Reason)
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

func (p *CancelledParams) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	w.raw("requestId", p.RequestID)
	w.optional("reason", p.Reason)
	w.endParams(p.Meta)
}

func (p *ResourceUpdatedParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "uri")
	for r.next() {
		switch string(r.name()) {
		case "uri":
			r.text(&p.URI)
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

func (p *ResourceUpdatedParams) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	w.text("uri", p.URI)
	w.endParams(p.Meta)
}

func (p *LogMessageParams) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "level", "data")
	for r.next() {
		switch string(r.name()) {
		case "level":
			r.level(&p.Level)
		case "logger":
			r.text(&p.Logger)
		case "data":
			r.any(&p.Data)
		case "_meta":
			r.meta(&p.Meta)
		}
	}
	return r.end()
}

// level takes a level of log messages.
func (r *objectReader) level(to *LogLevel) {
	level, ok := ReadLogLevel(r.value())
	if !ok {
		r.fail(must("be one of " + LogLevelNames))
	}
	*to = level
}

func (p *LogMessageParams) writeJSON(w *writer, _ *Form) {
	w.open("", '{')
	w.text("level", p.Level.String())
	w.optional("logger", p.Logger)
	w.raw("data", p.Data)
	w.endParams(p.Meta)
}
