package httpmcp

import (
	"context"
	"errors"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

const (
	// mostAsks bounds the requests of the server that are worked on at once in a session.
	mostAsks = 128
	// mostAskBytes bounds their text, in bytes; a single one is always taken.
	mostAskBytes = 64 << 20
	// answerTime bounds how long it may take to send what nobody waits for.
	answerTime = 30 * time.Second
	// lastAnswers bounds how long the end of the link waits for handlers that ignore theirs.
	lastAnswers = time.Second
)

// intake takes in what comes on a stream of the session: of a call's, or with a nil c of none.
func (s *clientSession) intake(c *legacyCall) *intake {
	l := s.link
	in := &intake{log: l.log, batches: l.h.AllowBatch() == nil, stray: s.deliver}
	if c != nil {
		in.method, in.id, in.open = c.out.Method, c.id, c.out.Open
	}
	in.hear = func(m *jsonrpc.Message) {
		if m.Kind == jsonrpc.Request {
			s.ask(m, c, nil)
			return
		}
		jsonrpc.Notice(s.ctx, l.h, m, serverPeer{s, true}, l.log)
	}
	in.refuse = func(m *jsonrpc.Message, fault *jsonrpc.Error) { s.ask(m, c, fault) }
	return in
}

// serverAsk is a request of the server while it is worked on.
type serverAsk struct {
	session *clientSession
	call    *legacyCall // whose stream it came on; nil for none
	ctx     *jsonrpc.RequestContext
	handled context.Context // ctx, or made of that, for the handler
	msg     jsonrpc.Message
	fault   *jsonrpc.Error // is the answer; nil: the handler has it
	size    int            // of its text, in bytes
}

// ask has a request of the server answered beside whatever else comes, with the fault that it
// has if it has one. One whose id is in flight is the same one, sent again by a server that
// has lost count.
func (s *clientSession) ask(m *jsonrpc.Message, c *legacyCall, fault *jsonrpc.Error) {
	l := s.link
	a := &serverAsk{session: s, call: c, fault: fault}
	params := m.Params
	if fault != nil {
		params = nil // they may be what is wrong
	}
	// The message is good for as long as its stream is not read on.
	text := jsonrpc.AppendMessage(nil, m.ID, string(m.Method), params)
	if fault := ours.Scan(text, &a.msg); fault != nil {
		l.log.Error("request of the server cannot be kept", "reason", fault.Message)
		return
	}
	a.size = len(text)
	key := m.ID.Key()
	l.mu.Lock()
	known, full := s.asks[key] != nil, l.askCount >= mostAsks || l.askCount > 0 && l.askBytes+a.size > mostAskBytes
	if known || full || l.closing {
		l.mu.Unlock()
		if full && !known {
			s.turnAway(a)
		}
		return
	}
	a.ctx = jsonrpc.NewRequestContext(s.ctx)
	s.asks[key] = a
	l.askCount, l.askBytes = l.askCount+1, l.askBytes+a.size
	l.asking.Add(1)
	l.mu.Unlock()
	a.handled = jsonrpc.Arrive(a.ctx, l.h)
	go a.run(key)
}

// turnAway refuses a request that is one too many. The stream that it has come on is not read on
// meanwhile, so that the server has no more of these on their way, but whoever has made the call that
// the stream answers, and gives it up, does not wait for that.
func (s *clientSession) turnAway(a *serverAsk) {
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	if a.call != nil {
		defer context.AfterFunc(a.call.waiting, stop)()
	}
	s.answer(ctx, &a.msg, nil, jsonrpc.Errorf(jsonrpc.InternalError, "Too many requests at once: ask again when others are answered"))
}

// run has the handler make the answer, and sends it unless the server wants it no more (2025-11-25
// basic/utilities/cancellation, Behavior Requirements).
func (a *serverAsk) run(key string) {
	s, l := a.session, a.session.link
	defer l.asking.Done()
	defer l.doneAsk(a)
	defer a.ctx.Cancel(context.Canceled)
	var result []byte
	told := a.fault
	if told == nil {
		result, told = jsonrpc.Invoke(a.handled, l.h, &a.msg, serverPeer{s, false}, nil, l.log)
	}
	l.mu.Lock()
	wanted := s.asks[key] == a // and not another one by now, to which the server has given its id
	if wanted {
		delete(s.asks, key)
	}
	l.mu.Unlock()
	if wanted {
		s.answer(s.ctx, &a.msg, result, told)
	}
}

// doneAsk counts a request of the server no more: it is answered, or its handler has seen that it
// need not be.
func (l *legacyLink) doneAsk(a *serverAsk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.askCount, l.askBytes = l.askCount-1, l.askBytes-a.size
}

// answer sends the answer to a request of the server, which is a POST of its own. It waits no longer
// than ctx, which ends with the session at the latest.
func (s *clientSession) answer(ctx context.Context, m *jsonrpc.Message, result []byte, told *jsonrpc.Error) {
	inTime, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	var message []byte
	if told != nil {
		message = jsonrpc.AppendError(nil, m.ID, told)
	} else {
		message = append(append(jsonrpc.AppendResult(nil, m.ID), result...), '}')
	}
	if err := s.say(inTime, s.link.life, message); err != nil && ctx.Err() == nil {
		s.link.log.Warn("answer to the server not sent", "method", string(m.Method), "error", err)
	}
}

// cancelAsks ends the requests of the server that are meant. They are not answered.
func (s *clientSession) cancelAsks(meant func(key string, a *serverAsk) bool) {
	l := s.link
	var ended []*serverAsk
	l.mu.Lock()
	for key, a := range s.asks {
		if meant(key, a) {
			delete(s.asks, key)
			ended = append(ended, a)
		}
	}
	l.mu.Unlock()
	for _, a := range ended {
		a.ctx.Cancel(context.Canceled)
	}
}

// endAsksOf ends what the server has asked on the stream of a call that is given up: it can
// tell nobody any more that it does not want to know.
func (s *clientSession) endAsksOf(c *legacyCall) {
	s.cancelAsks(func(_ string, a *serverAsk) bool { return a.call == c })
}

// endAsks waits for the handlers of the server's requests, whose contexts have ended with the link. No
// further ones begin.
func (l *legacyLink) endAsks() {
	l.mu.Lock()
	l.closing = true
	l.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		l.asking.Wait()
		close(ended)
	}()
	timer := time.NewTimer(lastAnswers)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		l.log.Warn("a handler of the server's requests ignores that its context has ended")
	}
}

// serverPeer is the server as the handler of one of its messages sees it.
type serverPeer struct {
	session *clientSession
	reads   bool // the handler runs on the goroutine that reads the stream
}

var (
	_ jsonrpc.Peer = serverPeer{}

	errReads = errors.New("httpmcp: the handler of a notification cannot wait for an answer, which comes behind it on the same stream: call from another goroutine")
)

// Notify implements [jsonrpc.Peer].
func (p serverPeer) Notify(method string, params []byte) error {
	s := p.session
	return s.say(s.ctx, s.link.life, jsonrpc.AppendMessage(nil, jsonrpc.ID{}, method, params))
}

// Call implements [jsonrpc.Peer].
func (p serverPeer) Call(ctx context.Context, method string, params []byte) (jsonrpc.Raw, error) {
	if p.reads && p.session.old {
		return nil, errReads
	}
	out := &mcp.Outgoing{Method: method}
	if params != nil {
		out.Params = func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, params...) }
	}
	return p.session.link.call(ctx, p.session, out)
}

// Cancel implements [jsonrpc.Peer].
func (p serverPeer) Cancel(id jsonrpc.ID) {
	wanted := id.Key()
	p.session.cancelAsks(func(key string, _ *serverAsk) bool { return key == wanted })
}

// Ending implements [jsonrpc.Peer].
func (p serverPeer) Ending() <-chan struct{} { return p.session.ctx.Done() }
