package client_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/testfixtures/transcripts"
)

// web is a server over HTTP that says what a recording has it say.
type web struct {
	*recording
	mu      sync.Mutex
	streams []*stream // the body of each response, by the number of the request less 1
}

// overHTTP is a transport to such a server.
func overHTTP(t *testing.T, text string) (tr discover.Transport, r *recording, wait func()) {
	w := &web{recording: newRecording(t, text, func(line string) bool { return strings.HasSuffix(line, " HTTP/1.1") || line == "?" })}
	return httpmcp.Dial("http://server.example/mcp", &httpmcp.DialOptions{Client: &http.Client{Transport: w}}), w.recording, func() {}
}

// RoundTrip implements [http.RoundTripper].
func (w *web) RoundTrip(q *http.Request) (*http.Response, error) {
	lines := []string{q.Method + " " + q.URL.RequestURI() + " HTTP/1.1", "Host: " + q.URL.Host}
	for _, name := range slices.Sorted(maps.Keys(q.Header)) {
		for _, value := range q.Header[name] {
			lines = append(lines, name+": "+value)
		}
	}
	lines = append(lines, "")
	if q.Body != nil {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return nil, err
		}
		q.Body.Close()
		lines = append(lines, strings.Split(string(body), "\n")...)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(transcripts.Sent, lines...)
	s := &stream{web: w, request: q, number: len(w.streams) + 1, more: make(chan string, 64)}
	w.streams = append(w.streams, s)
	response := &http.Response{Status: "500 Not In The Script", StatusCode: 500, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: s, Request: q}
	said := w.answer()
	said = s.begin(response, said)
	w.play(s, said)
	if response.Header.Get("Content-Type") != "text/event-stream" {
		s.end()
	}
	return response, nil
}

// begin reads the head of a response from what the server says, and returns what is behind it.
func (s *stream) begin(response *http.Response, said []string) []string {
	for i, line := range said {
		switch name, value, _ := strings.Cut(line, ": "); {
		case i == 0:
			_, response.Status, _ = strings.Cut(line, " ")
			fmt.Sscan(response.Status, &response.StatusCode)
		case line == "":
			return said[i+1:]
		default:
			response.Header.Add(name, value)
		}
	}
	return nil
}

// play sends what the server says on the streams that it belongs to, first of all on s.
func (w *web) play(s *stream, said []string) {
	for _, line := range said {
		var number int
		var end string
		if n, _ := fmt.Sscanf(line, "@%d %s", &number, &end); n == 0 {
			s.more <- line + "\n"
			continue
		}
		if s = w.streams[number-1]; end != "" {
			s.end()
		}
	}
}

// stream is the body of a response.
type stream struct {
	web     *web
	request *http.Request
	number  int
	more    chan string // closed at the end
	rest    string

	mu    sync.Mutex
	ended bool // by the server, or by the client
}

// end ends the stream on the server's side.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	close(s.more)
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (int, error) {
	if s.rest == "" {
		select {
		case text, ok := <-s.more:
			if !ok {
				return 0, io.EOF
			}
			s.rest = text
		case <-s.request.Context().Done():
			return 0, s.request.Context().Err()
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		s.web.add(transcripts.Sent, fmt.Sprintf("@%d closed", s.number))
	}
	return nil
}
