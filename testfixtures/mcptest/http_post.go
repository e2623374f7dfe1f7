package mcptest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// endpointURL is where the server is. Its host is a name of this host, as a server that is
// reached over a local connection wants it.
const endpointURL = "http://localhost/mcp"

// post is one message on its way to the server, and the answer.
type post struct {
	link    *httpLink
	line    string
	message jsonrpc.Raw // nil when the line is no JSON object
	method  string
	key     string // of the id, "" without one
	modern  bool   // the era it is meant for
	request bool   // something is to be answered: also a batch with a request in it
	cancels string // the key of the request that it cancels, "" for none

	ctx      context.Context
	cancel   context.CancelFunc
	taken    chan struct{} // closed when the server has read it
	answered chan struct{} // closed when the head of the answer is there
	ended    chan struct{} // closed when nothing more comes
	took     sync.Once
}

func (l *httpLink) newPost(line string) *post {
	p := &post{link: l, line: line, taken: make(chan struct{}), answered: make(chan struct{}), ended: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.message = jsonrpc.Raw(strings.TrimSpace(line))
	p.method = text(At(p.message, "method"))
	p.key = keyOf(string(At(p.message, "id")))
	p.request = isRequest(p.message) || slices.ContainsFunc(Elements(p.message), isRequest)
	p.modern = At(p.message, "params", "_meta", mcp.MetaProtocolVersion) != nil || l.o.Revision >= Modern && p.method != "initialize"
	if p.modern && p.method == "notifications/cancelled" {
		p.cancels = keyOf(string(At(p.message, "params", "requestId")))
	}
	return p
}

func isRequest(message jsonrpc.Raw) bool {
	return message.Kind() == jsonrpc.KindObject && At(message, "method") != nil && At(message, "id") != nil
}

// wantsAnswer reports whether somebody waits for what the body of the answer says: not
// where nothing was asked, and all it says is why the message was refused.
func (p *post) wantsAnswer() bool {
	return p.request || p.message.Kind() != jsonrpc.KindObject || p.method == "" && At(p.message, "id") == nil
}

// run posts the message and takes in what is answered.
func (p *post) run() {
	l := p.link
	defer l.readers.Done()
	defer close(p.ended)
	defer l.forget(p)
	defer p.cancel()
	r, err := http.NewRequestWithContext(p.traced(), http.MethodPost, endpointURL, strings.NewReader(p.line))
	if err != nil {
		l.fault(p.line, "%v", err)
		return
	}
	r.Header = l.headers(p)
	a, err := l.transport.RoundTrip(r)
	if err != nil {
		if p.ctx.Err() == nil && !l.isOver() {
			l.fault(p.line, "%v", err)
		}
		return
	}
	defer a.Body.Close()
	l.learn(p, a)
	close(p.answered)
	p.read(a)
}

// traced is the context of the request, which tells when the server has read it.
func (p *post) traced() context.Context {
	return httptrace.WithClientTrace(p.ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		c := info.Conn.(*clientEnd)
		select {
		case <-c.taken: // of the request before
		default:
		}
		p.link.readers.Add(1)
		go func() {
			defer p.link.readers.Done()
			select {
			case <-c.taken:
			case <-p.answered:
			case <-p.ended:
			}
			p.took.Do(func() { close(p.taken) })
		}()
	}})
}

// forget takes a request out of those that can be cancelled.
func (l *httpLink) forget(p *post) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.posts[p.key] == p {
		delete(l.posts, p.key)
	}
}

// read takes in an answer.
func (p *post) read(a *http.Response) {
	if isStream(a) {
		p.readStream(a)
		return
	}
	body, err := io.ReadAll(a.Body)
	if err != nil {
		if p.ctx.Err() == nil && !p.link.isOver() {
			p.link.fault(p.line, "the answer breaks off: %v", err)
		}
		return
	}
	line := strings.TrimSuffix(string(body), "\n")
	if fault := p.checkAnswer(a, line); fault != "" {
		p.link.fault(p.line, "%s: %d %s\n%s", fault, a.StatusCode, a.Header, line)
	}
	if line != "" && p.wantsAnswer() {
		p.link.put(p.ctx, line)
	}
}

// readStream takes in an answer that is a stream, up to its end, and comes back for the
// rest where the server has closed the connection before (2025-11-25 basic/transports,
// Sending Messages to the Server).
func (p *post) readStream(a *http.Response) {
	l, last, wait := p.link, "", time.Duration(0)
	for {
		answered := false
		if fault := checkStream(a); fault != "" {
			l.fault(p.line, "%s: %d %s", fault, a.StatusCode, a.Header)
		}
		for stream := bufio.NewReader(a.Body); ; {
			e, err := readEvent(stream)
			if err != nil {
				if err != io.EOF && p.ctx.Err() == nil && !l.isOver() {
					l.fault(p.line, "%v", err)
				}
				break
			}
			if fault := p.checkEvent(e, answered); fault != "" {
				l.fault(p.line, "%s: %+v", fault, e)
			}
			last, wait = or(e.id, last), max(e.retry, wait)
			answered = answered || p.isAnswer(jsonrpc.Raw(e.data))
			if e.data != "" {
				l.put(p.ctx, e.data)
			}
		}
		a.Body.Close()
		if answered || last == "" || p.ctx.Err() != nil || l.isOver() {
			return
		}
		<-time.After(wait)
		var err error
		if a, err = l.get(p.ctx, last); err != nil || !isStream(a) {
			return
		}
		defer a.Body.Close()
	}
}

// isAnswer reports whether a message ends the stream.
func (p *post) isAnswer(message jsonrpc.Raw) bool {
	return message.Kind() == jsonrpc.KindObject && At(message, "method") == nil && keyOf(string(At(message, "id"))) == p.key
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
