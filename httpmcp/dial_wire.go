package httpmcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// wire is the way to one server: what the links of both eras need of HTTP.
type wire struct {
	url    *url.URL
	shown  string // the URL as errors and logs have it: its query may hold a key
	opts   *DialOptions
	client http.Client
	own    *connections // of client; nil when they are the caller's
	fault  error        // what is wrong with the URL
}

func newWire(raw string, o *DialOptions) *wire {
	w := &wire{opts: o}
	if w.url, w.fault = readURL(raw); w.fault != nil {
		return w
	}
	w.shown = showURL(w.url)
	if o != nil && o.Client != nil {
		w.client = *o.Client
	} else {
		w.own = newConnections()
		w.client.Transport = newTransport(w.own)
	}
	w.client.Timeout = 0
	w.client.CheckRedirect = stayHere(w.client.CheckRedirect)
	if o != nil && o.Tap != nil {
		w.client.Transport = &tap{to: w.client.Transport, show: o.Tap}
	}
	return w
}

// readURL reads the URL of a server.
func readURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("httpmcp: the URL of the server cannot be read: it must look like https://host/path")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("httpmcp: the URL of the server is %q: it must look like https://host/path", showURL(u))
	}
	u.Fragment, u.RawFragment = "", "" // is never sent
	return u, nil
}

// showURL is a URL without what may be secret: who asks, and the query.
//
//go:noinline
func showURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// newTransport has connections that suit one server and that no other client uses.
func newTransport(own *connections) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            own.dial,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
}

// link is told of each link that is made.
func (w *wire) link() {
	if w.own != nil {
		w.own.link()
	}
}

// unlink is told of each link that has ended. Connections that are the caller's are left as they are.
func (w *wire) unlink() {
	if w.own != nil {
		w.client.CloseIdleConnections()
		w.own.unlink()
	}
}

// header begins the header of a request: what the options want to have in each, but for what is
// the transport's own to say.
func (w *wire) header() http.Header {
	given := w.opts.header()
	h := make(http.Header, len(given)+8)
	for name, values := range given {
		h[http.CanonicalHeaderKey(name)] = values
	}
	for _, name := range ownHeaders {
		delete(h, name)
	}
	return h
}

// ownHeaders are those that the protocol gives a meaning to, or that say how a body is sent.
// Mcp-Param-* of the options is left: a gateway may want one.
var ownHeaders = [...]string{"Accept", "Content-Type", "Content-Length", "Transfer-Encoding", "Connection",
	headerVersion, headerSession, "Mcp-Method", "Mcp-Name", "Last-Event-Id"}

// send sends a request and waits for the head of the response, of whatever status. What is
// read of it ends with ctx and with the link.
func (w *wire) send(ctx context.Context, l *life, method string, to *url.URL, h http.Header, body []byte) (*reply, error) {
	if err := l.whyNot(ctx); err != nil {
		return nil, err
	}
	r := &reply{wire: w, life: l, caller: ctx}
	// The caller's end counts until there is an answer: what is left of the response is
	// then read behind its back.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	r.stops = [2]func() bool{context.AfterFunc(ctx, cancel), context.AfterFunc(l.ctx, cancel)}
	request, err := w.request(own, method, to, h, body)
	if err == nil {
		r.response, err = w.client.Do(request)
	}
	if err != nil {
		r.close()
		return nil, r.why(err)
	}
	if r.status() == http.StatusSwitchingProtocols {
		// Nobody has asked for that. Of what follows nothing ends a read, the end of own included.
		_ = r.response.Body.Close()
		r.response.Body = http.NoBody
	}
	return r, nil
}

func (w *wire) request(ctx context.Context, method string, to *url.URL, h http.Header, body []byte) (*http.Request, error) {
	var in io.Reader
	if body != nil {
		in = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, to.String(), in)
	if err != nil {
		return nil, err
	}
	r.Header = h
	if host := h["Host"]; len(host) > 0 {
		r.Host = host[0]
		delete(h, "Host")
	}
	return r, nil
}

// post sends a message and waits for the head of the response. The header is one that
// [wire.header] has begun.
func (w *wire) post(ctx context.Context, l *life, to *url.URL, h http.Header, message []byte) (*reply, error) {
	h["Accept"] = acceptBoth
	h["Content-Type"] = typeJSON
	return w.send(ctx, l, http.MethodPost, to, h, message)
}

// acceptBoth is what a client has to take (2026-07-28 basic/transports/streamable-http, Sending Messages, 2).
var acceptBoth = []string{jsonType + ", " + eventsType}
