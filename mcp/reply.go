package mcp

import (
	"errors"
	"fmt"
)

// Reply is a result before an exchange gives it the form of its era.
type Reply struct {
	body  body
	kind  string // its resultType; "" for that of the body
	meta  Meta
	cache *CacheHint // set when clients may cache the result
}

// body appends the members of a result that are its own.
type body interface {
	write(w *writer, f *Form)
}

// members is a body that is encoded already: members of an object, on one line,
// without the braces.
type members []byte

func (b members) write(w *writer, _ *Form) {
	if len(b) > 0 {
		w.comma()
		w.dst = append(w.dst, b...)
	}
}

// NewReply makes a reply of an exchange's own. encoded holds the members of an
// object, on one line, without the braces; it is not copied. A cache hint says
// that clients may cache the result.
func NewReply(encoded []byte, cache *CacheHint) Reply {
	return Reply{body: members(encoded), cache: cache}
}

// ToolReply makes the reply of a call of a tool, for middleware that answers by itself. r
// must not be nil.
func ToolReply(r *Result) Reply { return Reply{body: r, meta: r.Meta} }

// NewInputRequired makes the reply of an exchange that asks for input (2026-07-28
// basic/patterns/mrtr, InputRequiredResult). encoded is as for [NewReply].
func NewInputRequired(encoded []byte) Reply {
	return Reply{body: inputRequired{encoded}}
}

// OfType is the reply with a resultType of an extension, in place of "complete". The client must have
// declared that extension: any other one takes the result for an invalid one (2026-07-28 basic/index,
// ResultType). Revisions without result types have it left out.
func (r Reply) OfType(kind string) Reply {
	r.kind = kind
	return r
}

// inputRequired is the body of a reply that asks for input.
type inputRequired struct{ members }

// InputRequired reports whether the reply asks the client for input, and to send the
// request again with it. What the request is for has then not been done.
func (r Reply) InputRequired() bool {
	_, ok := r.body.(inputRequired)
	return ok
}

// ToolError reports whether the reply is that of a tool whose call failed in a way
// that the model can read about ([Result.IsError]).
func (r Reply) ToolError() bool {
	result, ok := r.body.(*Result)
	return ok && result.IsError
}

// AppendReply appends r, in the form f, as one JSON object on one line.
func (s *Server) AppendReply(dst []byte, r Reply, f *Form) ([]byte, error) {
	return s.appendReply(&writer{dst: dst}, r, f)
}

func (s *Server) appendReply(w *writer, r Reply, f *Form) ([]byte, error) {
	start := len(w.dst)
	if r.body == nil {
		return w.dst, errors.New("mcp: the handler returned neither a reply nor an error")
	}
	w.dst = append(w.dst, '{')
	switch {
	case r.InputRequired():
		w.dst = append(w.dst, `"resultType":"input_required"`...)
	case f.ResultType && r.kind != "":
		w.text("resultType", r.kind)
	case f.ResultType:
		w.dst = append(w.dst, `"resultType":"complete"`...)
	}
	r.body.write(w, f)
	if f.CacheHints && r.cache != nil {
		w.cacheHint(*r.cache)
	}
	s.writeMeta(w, r.meta, f)
	w.dst = append(w.dst, '}')
	if w.err != nil {
		return w.dst[:start], fmt.Errorf("mcp: the result cannot be sent: %w", w.err)
	}
	return w.dst, nil
}

// cacheHint writes a hint (2026-07-28 server/utilities/caching).
func (w *writer) cacheHint(hint CacheHint) {
	w.integer("ttlMs", max(0, hint.TTL.Milliseconds()))
	scope := "private"
	if hint.Public {
		scope = "public"
	}
	w.text("cacheScope", scope)
}

// writeMeta writes a result's _meta: the server's identity, where the form has it
// there, and what the handler added.
func (s *Server) writeMeta(w *writer, m Meta, f *Form) {
	switch {
	case f.ServerInfo:
		w.comma()
		w.dst = append(w.dst, s.serverInfo(f)...)
	case len(m) > 0:
		w.open("_meta", '{')
	default:
		return
	}
	w.metaMembers(m)
	w.close('}')
}

// stamp is the beginning of every _meta in one form.
type stamp struct {
	form *Form
	text []byte
}

// serverInfo returns the member _meta up to and with the server's identity, which
// is encoded once.
func (s *Server) serverInfo(f *Form) []byte {
	if known := s.stamp.Load(); known != nil && known.form == f {
		return known.text
	}
	w := writer{}
	w.open("_meta", '{')
	w.open(MetaServerInfo, '{')
	s.identity.write(&w, f)
	w.close('}')
	s.stamp.Store(&stamp{f, w.dst})
	return w.dst
}

// AppendIdentity appends the server's identity as an object in the form f.
func (s *Server) AppendIdentity(dst []byte, f *Form) []byte {
	w := writer{dst: dst}
	w.open("", '{')
	s.identity.write(&w, f)
	w.close('}')
	return w.dst
}

// checkEncodes encodes a definition in full, so that what cannot be sent shows
// when it is registered.
func checkEncodes(b body) error {
	w := writer{}
	b.write(&w, &Form{Title: true, Meta: true, ToolAnnotations: true, StructuredObject: true, StructuredAny: true, BooleanSchemas: true, Icons: true})
	return w.err
}

var _ body = (*Result)(nil)
