package mcptest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// sseURL is where a stream of the transport of 2024-11-05 is opened.
const sseURL = "http://localhost/sse"

// sseLink is a client of the transport of 2024-11-05: the answer to one GET is a stream that
// brings all that the server says, and each message is a POST to the URL that the stream
// names first (2024-11-05 basic/transports, HTTP with SSE).
type sseLink struct {
	*httpEnd
	messages string // the URL; "" when there is no stream
}

func dialSSE(t testing.TB, s *mcp.Server, o *Options, endpoint http.Handler) link {
	l := &sseLink{httpEnd: newHTTPEnd(t, s, o, endpoint)}
	l.begin()
	opened := make(chan error, 1)
	go func() {
		defer l.readers.Done()
		l.listen(opened)
	}()
	if err := <-opened; err != nil && !l.isOver() {
		t.Errorf("%s over http: opening the stream: %v", o.Revision, err)
	}
	return l
}

// listen reads the stream, and tells when it knows where to send messages.
func (l *sseLink) listen(opened chan<- error) {
	stream, err := l.open()
	if err != nil {
		opened <- err
		return
	}
	defer stream.Close()
	events := bufio.NewReader(stream)
	first, err := readEvent(events)
	if err == nil {
		l.messages, err = endpointOf(first)
	}
	opened <- err
	for err == nil {
		var e event
		if e, err = readEvent(events); err != nil {
			break
		}
		if e.name != "message" || e.id != "" || jsonrpc.Raw(e.data).Kind() != jsonrpc.KindObject {
			l.fault(sseURL, "an event that is no message: %+v", e)
		}
		l.put(context.Background(), e.data)
	}
	if err != io.EOF && !l.isOver() {
		l.fault(sseURL, "the stream ends with %v", err)
	}
}

func (l *sseLink) open() (io.ReadCloser, error) {
	r, err := http.NewRequest(http.MethodGet, sseURL, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/event-stream")
	a, err := l.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if fault := checkStream(a); !isStream(a) || fault != "" {
		a.Body.Close()
		return nil, fmt.Errorf("%s: %d %v", or(fault, "no stream"), a.StatusCode, a.Header)
	}
	return a.Body, nil
}

// endpointOf reads the first event.
func endpointOf(e event) (string, error) {
	if e.name != "endpoint" || e.data == "" {
		return "", fmt.Errorf("the first event is %+v, want the endpoint", e)
	}
	base, err := url.Parse(sseURL)
	if err != nil {
		return "", err
	}
	at, err := base.Parse(e.data)
	if err != nil {
		return "", err
	}
	if at.Host != base.Host || at.Scheme != base.Scheme {
		return "", errors.New("the endpoint is on another host: " + e.data)
	}
	return at.String(), nil
}

// send posts one message. The server has taken it in when it has answered.
func (l *sseLink) send(line string) error {
	if l.messages == "" || !l.begin() {
		return errCut
	}
	defer l.readers.Done()
	r, err := http.NewRequest(http.MethodPost, l.messages, strings.NewReader(line))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	a, err := l.transport.RoundTrip(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	switch refused := At(jsonrpc.Raw(body), "error") != nil; {
	case err != nil:
		return err
	case refused && 400 <= a.StatusCode && a.StatusCode < 500:
		l.put(context.Background(), string(body))
	case a.StatusCode != http.StatusAccepted || refused:
		l.fault(line, "a message is answered with 202, or refused: %d %s", a.StatusCode, body)
	}
	settle()
	return nil
}
