package httpmcp

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// The bounds of what is read of a response that is no answer.
const (
	refusedTime  = 5 * time.Second
	refusedBytes = 1 << 20
)

// refused is what a response says that is no answer: a [*mcp.Rejected], or the [*jsonrpc.Error] in its
// body, whatever id that has: there is one request that it can be about. Of 401 and 403
// it is the first, since they are about who asks, and how to prove that is in a header. A
// [*mcp.RetryAfter] is around either, of a server that is too busy and says when to come again.
func (r *reply) refused() error {
	body, err := r.refusedBody()
	if err != nil {
		return err
	}
	return r.refusedWith(body)
}

// refusedBody is the body of a response that is no answer, as far as it has come.
func (r *reply) refusedBody() ([]byte, error) {
	timer := time.AfterFunc(refusedTime, r.cancel)
	defer timer.Stop()
	body, _ := io.ReadAll(io.LimitReader(r.response.Body, min(refusedBytes, r.wire.opts.maxBody())))
	return body, r.life.whyNot(r.caller)
}

// refusedWith is refused for a response with this body.
func (r *reply) refusedWith(body []byte) error {
	var err error = r.rejected(body)
	switch status := r.status(); {
	case status < http.StatusBadRequest, status == http.StatusUnauthorized, status == http.StatusForbidden:
	default:
		if told := errorIn(body); told != nil {
			err = told
		}
	}
	if wait, ok := r.retryAfter(); ok {
		err = &mcp.RetryAfter{Wait: wait, Err: err}
	}
	return err
}

// retryAfter is for how long a server that is too busy wants to be left alone: a number of seconds,
// or until a time (RFC 9110, 10.2.3).
func (r *reply) retryAfter() (wait time.Duration, ok bool) {
	if r.status() != http.StatusTooManyRequests && r.status() != http.StatusServiceUnavailable {
		return 0, false
	}
	text := r.header().Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(text)
	return max(time.Until(at).Round(time.Second), 0), err == nil
}

// errorIn is the JSON-RPC error that a body is, or nil. Servers are known to send one under any
// type.
func errorIn(body []byte) *jsonrpc.Error {
	var m jsonrpc.Message
	if fault := ours.Scan(body, &m); fault == nil && m.Kind == jsonrpc.Response && m.Error != nil {
		return jsonrpc.ReadError(m.Error)
	}
	return nil
}

// rejected says of a response that is no answer what came: the status, where a redirect leads, and
// the beginning of the body.
func (r *reply) rejected(body []byte) *mcp.Rejected {
	reason := fmt.Sprintf("%d %s", r.status(), http.StatusText(r.status()))
	if r.isSuccess() {
		reason += fmt.Sprintf(", which is no answer to the request (Content-Type %q)", clip(r.header().Get("Content-Type")))
	}
	if to, err := r.response.Location(); err == nil && r.status()/100 == 3 {
		reason += " to " + showURL(to)
		if sameOrigin(to, r.wire.url) {
			reason += ", by another method or once too often; connect to that URL"
		} else {
			reason += ", which is another origin; connect to that URL if it is to be trusted"
		}
	}
	if text := onOneLine(body); text != "" {
		reason += ": " + text
	}
	return &mcp.Rejected{Status: r.status(), Reason: reason, Challenge: strings.Join(r.header().Values("WWW-Authenticate"), ", ")}
}

// onOneLine is the beginning of a text that people are to read, without control characters.
func onOneLine(text []byte) string {
	plain := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, clip(string(text)))
	return strings.Join(strings.Fields(plain), " ")
}
