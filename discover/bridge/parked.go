package bridge

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// parked is a call of a legacy server for a modern client. It stays under way while the client
// is away, between being asked and coming back with the answers.
type parked struct {
	of     *call
	line   *line
	token  string
	cancel context.CancelFunc
	done   chan struct{} // closed when the server has answered, or the call was given up
	left   chan struct{} // closed when its line is free again
	raw    jsonrpc.Raw   // the server's result, and the error in its place: set before done is closed
	err    error
	wake   chan struct{} // holds one: there is a question, or was
	forget func()        // takes it out of the bridge's parking

	mu    sync.Mutex
	busy  bool        // the client is here
	timer *time.Timer // gives the call up; nil while the client is here
	open  []*question // not answered
	asked int         // how many questions there were, for their keys
	ended bool        // end was called
}

// ask puts a question of the server, and waits for its answer. It is this call's own from then on:
// where the call ends first another one takes the question over, and this one may still put it.
func (p *parked) ask(ctx context.Context, asked *question) (mcp.Value, error) {
	q := &question{form: asked.form, page: asked.page, sample: asked.sample}
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return nil, errNobody
	}
	p.asked++
	q.key, q.done = fmt.Sprintf("ask-%d", p.asked), make(chan struct{})
	p.open = append(p.open, q)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
	select {
	case <-q.done:
		return q.give, q.err
	case <-ctx.Done(): // the server does not want it any more
		p.drop(q)
		return nil, ctx.Err()
	case <-p.done:
		p.drop(q)
		return nil, errNobody
	}
}

// drop takes a question away, which may be answered already.
func (p *parked) drop(q *question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = slices.DeleteFunc(p.open, func(other *question) bool { return other == q })
}

// settle answers a question of the server, with a value or an error.
func (p *parked) settle(q *question, v mcp.Value, err error) {
	p.drop(q)
	q.give, q.err = v, err
	close(q.done)
}

// waiting are the questions that are open.
func (p *parked) waiting() []*question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.open)
}

// enter says that the client is here. It reports false when it is already, by another request, and
// when the call was given up.
func (p *parked) enter(c *mcp.Call) bool {
	p.mu.Lock()
	if p.busy || p.ended {
		p.mu.Unlock()
		return false
	}
	p.busy = true
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	p.mu.Unlock()
	p.of.mu.Lock()
	p.of.c = c
	p.of.mu.Unlock()
	return true
}

// leave says that the client is away, for so long at the most.
func (p *parked) leave(most time.Duration) {
	p.of.mu.Lock()
	p.of.c = nil
	p.of.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = false
	if !p.ended {
		p.timer = time.AfterFunc(most, func() { p.endAway() })
	}
}

// end gives the call up, or forgets it when it is over.
func (p *parked) end() { p.endIf(func() bool { return true }) }

// endAway gives the call up unless its client is here. It reports false when it is.
func (p *parked) endAway() bool { return p.endIf(func() bool { return p.timer != nil }) }

func (p *parked) endIf(may func() bool) bool {
	p.mu.Lock()
	if p.ended || !may() {
		p.mu.Unlock()
		return false
	}
	p.ended = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.forget()
	p.cancel()
	return true
}

// isAway reports whether the client has been asked and has not come back.
func (p *parked) isAway() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.timer != nil
}

// parking are the calls that are parked, or may be.
type parking struct {
	bridge *Bridge
	mu     sync.Mutex
	named  map[string]*parked // by token
	order  []*parked          // the oldest first
}

// find is the call with a token; nil for none.
func (k *parking) find(token string) *parked {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.named[token]
}

// add enters a call.
func (k *parking) add(p *parked) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.named == nil {
		k.named = make(map[string]*parked)
	}
	k.named[p.token] = p
	k.order = append(k.order, p)
}

// bound gives the oldest call up whose client is away, where there are too many of them.
func (k *parking) bound() {
	away := k.away()
	if len(away) > k.bridge.opts.parked() {
		k.bridge.log.Warn("a call is given up: too many wait for their clients to come back")
		away[0].endAway()
	}
}

// away are the calls whose clients are, the oldest first.
func (k *parking) away() []*parked {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(k.order), func(p *parked) bool { return !p.isAway() })
}

// remove takes a call out.
func (k *parking) remove(p *parked) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.named, p.token)
	k.order = slices.DeleteFunc(k.order, func(other *parked) bool { return other == p })
}

// close ends all calls.
func (k *parking) close() {
	k.mu.Lock()
	all := slices.Clone(k.order)
	k.mu.Unlock()
	for _, p := range all {
		p.end()
	}
}

// errNoCall refuses a retry of what is not there any more.
var errNoCall = jsonrpc.Errorf(jsonrpc.InvalidParams,
	"The call that params.requestState is about has ended: the answers came too late, or twice; send the request again without it")
