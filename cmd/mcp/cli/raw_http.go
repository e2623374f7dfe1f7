package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// rawSession is what a raw run over HTTP remembers from one line to the next.
type rawSession struct {
	r       *request
	client  http.Client
	running sync.WaitGroup
	waiting waiting // those whose answer was an HTTP status alone

	mu      sync.Mutex
	id      string // of the session; "" before one was opened
	version string // that initialize has agreed on
	printed sync.Mutex
}

// rawHTTP sends each line of the input with a POST of its own. The next line is sent when the
// one before is answered, or when its answer turns out to be a stream, which may stay open.
func (r *request) rawHTTP(ctx context.Context) error {
	sending, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &rawSession{r: r, waiting: make(waiting)}
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	in := bufio.NewReader(r.env.In)
	var failed error
	for failed == nil && sending.Err() == nil {
		line, err := await(sending, func() ([]byte, error) { return in.ReadBytes('\n') })
		if line = bytes.TrimSpace(line); len(line) > 0 {
			failed = s.send(sending, line)
		}
		if err != nil {
			break
		}
	}
	if failed != nil {
		cancel()
	}
	defer time.AfterFunc(r.timeout, cancel).Stop() // for what is still open
	s.running.Wait()
	if failed == nil && len(s.waiting) > 0 && ctx.Err() == nil {
		return errors.New(s.waiting.String())
	}
	return failed
}

// send posts one line and prints the answer.
func (s *rawSession) send(ctx context.Context, line []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.r.target.url, bytes.NewReader(line))
	if err != nil {
		cancel()
		return err
	}
	s.dress(q.Header, line)
	if s.r.wire {
		s.r.tapHTTP("out", headOf("POST "+q.URL.RequestURI(), q.Header), line)
	}
	late := time.AfterFunc(s.r.timeout, cancel)
	response, err := s.client.Do(q)
	if err != nil {
		defer cancel()
		if !late.Stop() {
			return &failure{"cannot send to " + s.r.target.String(), context.DeadlineExceeded}
		}
		if ctx.Err() != nil {
			return nil
		}
		return s.r.unsent(unnamed(err))
	}
	if s.r.wire {
		s.r.tapHTTP("in", headOf(response.Proto+" "+response.Status, response.Header), nil)
	} else if response.StatusCode != http.StatusOK {
		s.r.sayStatus(response.Status)
	}
	s.learn(response.Header)
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "text/event-stream" {
		late.Stop()
		s.running.Go(func() {
			defer cancel()
			defer response.Body.Close()
			s.printEvents(response.Body)
		})
		return nil
	}
	defer cancel()
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols {
		late.Stop()
		return nil // which nobody has asked for, and nothing ends a read of what follows
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, mostRaw))
	s.print(body)
	if !late.Stop() {
		err = context.DeadlineExceeded
	}
	if err != nil && ctx.Err() == nil || errors.Is(err, context.DeadlineExceeded) {
		return &failure{"the answer broke off", err}
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		s.miss(line, body)
	}
	return nil
}

// miss notes which requests of the line are not answered by the body, whose status is none of success.
func (s *rawSession) miss(line, body []byte) {
	asked := make(waiting)
	asked.sent(line)
	asked.came(body)
	for key, n := range asked {
		s.waiting[key] += n
	}
}

// unsent is the error of a request that has not gone out, or was not answered at all.
func (r *request) unsent(err error) error {
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "dial" || errors.Is(err, http.ErrSchemeMismatch) {
		return &unreached{r.target, err, ""}
	}
	return &failure{"cannot send to " + r.target.String(), err}
}

// unnamed is an error of a request without the URL, whose query may hold a key.
func unnamed(err error) error {
	var named *url.Error
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

// dress adds the headers that a client would send, as far as -header does not.
func (s *rawSession) dress(h http.Header, line []byte) {
	s.mu.Lock()
	id, version := s.id, s.version
	s.mu.Unlock()
	h["Content-Type"] = []string{"application/json"}
	h["Accept"] = []string{"application/json, text/event-stream"}
	if id != "" {
		h["Mcp-Session-Id"] = []string{id}
	}
	if version != "" {
		h["Mcp-Protocol-Version"] = []string{version}
	}
	var m jsonrpc.Message
	scan := jsonrpc.Scanner{Inner: []string{"_meta"}}
	if scan.Scan(line, &m) == nil {
		if named, ok := m.Inner("_meta", mcp.MetaProtocolVersion).Text(); ok {
			h["Mcp-Protocol-Version"] = []string{named}
			h["Mcp-Method"] = []string{string(m.Method)}
			if name, ok := httpmcp.NameHeader(&m); ok {
				h["Mcp-Name"] = []string{name}
			}
		}
	}
	for name, values := range s.r.header {
		h[name] = values
	}
}

// learn keeps the id of the session that the server has opened.
func (s *rawSession) learn(h http.Header) {
	if id := h.Get("Mcp-Session-Id"); id != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.id = id
	}
}

// print prints one message, and keeps the version when it is that of a handshake.
func (s *rawSession) print(message []byte) {
	if message = bytes.TrimSpace(message); len(message) == 0 {
		return
	}
	s.note(message)
	s.printed.Lock()
	defer s.printed.Unlock()
	s.r.printf("%s\n", s.r.written(string(message)))
}

func (s *rawSession) note(message []byte) {
	var m jsonrpc.Message
	var scan jsonrpc.Scanner
	if scan.Scan(message, &m) != nil || m.Kind != jsonrpc.Response {
		return
	}
	if version, ok := m.Result.Member("protocolVersion").Text(); ok {
		s.mu.Lock()
		s.version = version
		s.mu.Unlock()
	}
}

// mostRaw is how many bytes of one message are printed.
const mostRaw = 64 << 20

// printEvents prints the data of each event, a line each.
func (s *rawSession) printEvents(body io.Reader) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, mostRaw)
	var data []byte
	for lines.Scan() {
		line := bytes.TrimRight(lines.Bytes(), "\r")
		switch {
		case len(line) == 0:
			s.print(data)
			data = data[:0]
		case len(data)+len(line) > mostRaw:
			s.r.sayStatus("an event was too long")
			return
		case bytes.HasPrefix(line, []byte("data:")):
			data = append(append(data, bytes.TrimPrefix(line[len("data:"):], []byte(" "))...), ' ')
		}
	}
	s.print(data)
	if err := lines.Err(); err != nil && !errors.Is(err, context.Canceled) {
		s.r.sayStatus("the stream broke off")
	}
}

// headOf is the head of a request or a response, as it is shown.
func headOf(first string, h http.Header) []byte {
	var b bytes.Buffer
	b.WriteString(first + "\r\n")
	_ = h.Write(&b)
	b.WriteString("\r\n")
	return b.Bytes()
}
