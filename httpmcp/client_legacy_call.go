package httpmcp

import (
	"context"
	"errors"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// legacyCall is a request of ours while its answer is waited for.
type legacyCall struct {
	session *clientSession
	out     *mcp.Outgoing
	n       int64 // its id
	id      jsonrpc.ID
	in      *intake
	waiting context.Context // ends when nobody waits for the answer any more

	// elsewhere holds the answer when it has come on another stream than that of the
	// POST, as all do over the transport of 2024-11-05; stop then ends the wait.
	elsewhere chan outcome
	stop      context.CancelFunc
}

// outcome is what an answer says.
type outcome struct {
	result jsonrpc.Raw
	err    error
}

// outcomeOf is what a response says.
func outcomeOf(m *jsonrpc.Message, fault *jsonrpc.Error) outcome {
	in := intake{}
	in.settle(m, fault)
	in.own()
	result, err := in.answer()
	return outcome{result, err}
}

// call sends a request in a session and waits for its answer, as [mcp.Link] says of Call.
func (l *legacyLink) call(ctx context.Context, s *clientSession, out *mcp.Outgoing) (jsonrpc.Raw, error) {
	if err := l.whyNot(ctx); err != nil {
		return nil, err
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	c := l.begin(waiting, s, out, stop)
	result, err := c.run(waiting)
	l.forget(c)
	select {
	case o := <-c.elsewhere:
		return o.result, o.err
	default:
	}
	if err == nil {
		return result, nil
	}
	s.endAsksOf(c)
	if ended := l.whyNot(ctx); ended != nil && !errors.Is(err, mcp.ErrAnswerLost) {
		err = ended
	}
	if ctx.Err() != nil && !out.Quiet {
		c.sayCancelled()
	}
	return nil, err
}

// begin enters a call among those that wait. stop ends waiting.
func (l *legacyLink) begin(waiting context.Context, s *clientSession, out *mcp.Outgoing, stop context.CancelFunc) *legacyCall {
	c := &legacyCall{session: s, out: out, waiting: waiting, elsewhere: make(chan outcome, 1), stop: stop}
	l.mu.Lock()
	l.lastID++
	c.n = l.lastID
	l.calls[c.n] = c
	l.mu.Unlock()
	c.id = jsonrpc.IntID(c.n)
	c.in = s.intake(c)
	return c
}

// forget takes a call from those that wait.
func (l *legacyLink) forget(c *legacyCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, c.n)
}

// deliver gives a response to the call that waits for it although it has come on another stream than
// that of its POST. One that has been given up may be answered nevertheless. It is false when there has
// been no such call.
func (s *clientSession) deliver(m *jsonrpc.Message, fault *jsonrpc.Error) bool {
	n, _ := m.ID.Raw().Int()
	l := s.link
	l.mu.Lock()
	c, ours := l.calls[n], 0 < n && n <= l.lastID
	waits := c != nil && c.session == s
	if waits {
		delete(l.calls, n)
	}
	l.mu.Unlock()
	if !waits {
		if ours {
			l.log.Debug("answer that nobody waits for any more", "id", m.ID.String())
		}
		return ours
	}
	c.elsewhere <- outcomeOf(m, fault)
	c.stop()
	return true
}

// run sends the request and follows what comes for it.
func (c *legacyCall) run(ctx context.Context) (jsonrpc.Raw, error) {
	message := messageOf(c.out, c.id)
	c.in.sent = message
	s := c.session
	if s.old {
		return nil, c.runOld(ctx, message)
	}
	r, err := s.post(ctx, s.link.life, message)
	if err != nil {
		return nil, unsent(c.out.Method, err)
	}
	if !r.isSuccess() {
		defer r.close()
		return nil, s.refused(r, c)
	}
	if c.out.Method == "initialize" {
		if err := s.name(r.header()); err != nil {
			r.close()
			return nil, err
		}
	}
	if r.isEvents() {
		return c.follow(ctx, r)
	}
	defer r.close()
	result, err := r.answer(c.in)
	if isBroken(err) && s.link.whyNot(ctx) == nil {
		err = lost(c.out.Method, err)
	}
	return result, err
}

// sayCancelled tells the server that the answer is not wanted any more. Nobody waits for that: the
// server may be deaf.
func (c *legacyCall) sayCancelled() {
	s := c.session
	s.link.parting.run(func() {
		ctx, stop := context.WithTimeout(context.Background(), partingTime)
		defer stop()
		method, params := legacy.Abandoned(c.id)
		if err := s.say(ctx, s.link.parting, jsonrpc.AppendMessage(nil, jsonrpc.ID{}, method, params)); err != nil {
			s.link.log.Debug("cancellation not sent", "method", c.out.Method, "error", err)
		}
	})
}
