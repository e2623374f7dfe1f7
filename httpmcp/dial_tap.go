package httpmcp

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
)

// tap shows what passes, as [DialOptions.Tap] says.
type tap struct {
	to   http.RoundTripper // nil: the default one
	show func(dir string, head, body []byte)
}

// RoundTrip implements [http.RoundTripper].
func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	s := &sighting{tap: t, request: r}
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		WroteHeaderField: s.field,
		WroteHeaders:     s.sent,
	}))
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &tapped{r.Body, s.body}
	}
	if again := r.GetBody; again != nil {
		r.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			return &tapped{body, s.body}, err
		}
	}
	to := t.to
	if to == nil {
		to = http.DefaultTransport
	}
	response, err := to.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	s.certain()
	t.show("in", responseHead(response), nil)
	response.Body = &tapped{response.Body, func(b []byte) { t.show("in", nil, b) }}
	return response, nil
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (t *tap) CloseIdleConnections() {
	if c, ok := t.to.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// sighting is what is seen of one request on its way out.
type sighting struct {
	tap     *tap
	request *http.Request

	mu   sync.Mutex
	head []byte // the fields that have been written
	http string // the version that they tell of
	seen bool   // the head has been shown
}

// field is told of each header that is written, those included that the client adds itself.
func (s *sighting) field(name string, values []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.HasPrefix(name, ":") {
		s.http = "HTTP/2.0"
		if name != ":authority" {
			return // is in the first line
		}
		name = "Host"
	}
	for _, value := range values {
		s.head = append(s.head, http.CanonicalHeaderKey(name)+": "+value+"\r\n"...)
	}
}

// sent is told that all headers are written; again, when the request is sent once more on another
// connection.
func (s *sighting) sent() {
	s.mu.Lock()
	version, fields := s.http, s.head
	s.head, s.seen = nil, true
	s.mu.Unlock()
	if version == "" {
		version = "HTTP/1.1"
	}
	head := s.request.Method + " " + s.request.URL.RequestURI() + " " + version + "\r\n"
	s.tap.show("out", append(append([]byte(head), fields...), "\r\n"...), nil)
}

// certain shows the head if nobody has told of it, as a client that sends in a way of its own
// does not.
func (s *sighting) certain() {
	s.mu.Lock()
	seen := s.seen
	s.mu.Unlock()
	if seen {
		return
	}
	s.field("Host", []string{cmp.Or(s.request.Host, s.request.URL.Host)})
	for _, name := range slices.Sorted(maps.Keys(s.request.Header)) {
		s.field(name, s.request.Header[name])
	}
	s.sent()
}

func (s *sighting) body(b []byte) {
	s.certain()
	s.tap.show("out", nil, b)
}

// responseHead is the head of a response as HTTP/1.1 has it, the fields in order of their names.
func responseHead(r *http.Response) []byte {
	var head bytes.Buffer
	head.WriteString(r.Proto + " " + r.Status + "\r\n")
	_ = r.Header.Write(&head) // a buffer takes all
	head.WriteString("\r\n")
	return head.Bytes()
}

// tapped shows what is read.
type tapped struct {
	io.ReadCloser
	show func([]byte)
}

// Read implements [io.Reader].
func (t *tapped) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if n > 0 {
		t.show(p[:n])
	}
	return n, err
}
