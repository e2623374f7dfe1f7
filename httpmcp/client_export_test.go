package httpmcp

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// What tests of the client look at from outside of the package.

// EventReader reads a stream of events, for the tests.
type EventReader struct{ *eventReader }

func NewEventReader(in io.Reader, limit int) EventReader {
	return EventReader{newEventReader(in, limit)}
}

func (r EventReader) Next() (name, id string, data []byte, err error) {
	e, err := r.next()
	if err != nil {
		return "", "", nil, err
	}
	return e.name, r.id, e.data, nil
}

func (r EventReader) Keep()                        { r.keep() }
func (r EventReader) ID() string                   { return r.id }
func (r EventReader) Retry() (time.Duration, bool) { return r.retry, r.retries }
func (r EventReader) Held() int                    { return cap(r.data) + cap(r.lines.part) + cap(r.lines.buf) }

var (
	ErrEventTooLarge = errEventTooLarge
	HeaderText       = headerText
)

// Mirrors are the headers that a message has beside it.
func Mirrors(message string, out *mcp.Outgoing) (http.Header, error) {
	h := http.Header{}
	err := setMirrors(h, []byte(message), out)
	return h, err
}

// CheckOwn holds headers to a message as a server does.
func CheckOwn(h http.Header, message string, marks []mcp.HeaderParam) *jsonrpc.Error {
	var m jsonrpc.Message
	if told := mirrored.Scan([]byte(message), &m); told != nil {
		return told
	}
	return checkMirrors(h, &m, marks)
}

// MessageURL is where messages go whose stream is at a URL and names an endpoint.
func MessageURL(dialled, stream, endpoint string) (*url.URL, error) {
	l := newLegacyLink(newWire(dialled, nil), nil, slog.New(slog.DiscardHandler)).(*legacyLink)
	defer l.cancel(nil)
	at, err := url.Parse(stream)
	if err != nil {
		return nil, err
	}
	return l.session.endpoint(at, endpoint)
}

func Decimal(text string) string { return decimal(jsonrpc.Raw(text)) }

func SameOrigin(a, b string) bool {
	x, _ := url.Parse(a)
	y, _ := url.Parse(b)
	return sameOrigin(x, y)
}

// DialTrusting is Dial with connections of its own that trust what roots vouch for.
func DialTrusting(url string, roots *x509.CertPool, o *DialOptions) discover.Transport {
	w := newWire(url, o)
	w.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	return &dialed{wire: w}
}
