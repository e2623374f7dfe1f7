package httpmcp

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// step is what is waited for from a client.
type step uint64

const (
	noStep  step = iota
	itsBody      // it has to send the body of its request
	reading      // it has to take its reply in
	cutOff       // it has been too slow
	steps   = 4
)

// bound is the time that a client has for a step. When it is over the [sentry] sets a deadline
// that has passed, and the read or the write under way fails.
type bound struct {
	w     http.ResponseWriter
	state atomic.Uint64 // the step, and steps times the tick at which it began
	// cutting is held by the sentry while it sets the deadline: until then w is in use.
	cutting sync.Mutex
}

// begin stands before a step on w, and end behind it.
func (b *bound) begin(w http.ResponseWriter, s step, tick uint64) {
	b.w = w
	b.state.Store(tick*steps + uint64(s))
}

// end reports whether the client was too slow. Then the deadline that has passed is still set.
func (b *bound) end() (late bool) {
	late = step(b.state.Swap(uint64(noStep)))%steps == cutOff
	if late {
		b.cutting.Lock() // until the deadline is set
		defer b.cutting.Unlock()
	}
	b.w = nil
	return late
}

// move has a step that began at one tick count from another one.
func (b *bound) move(from, to uint64) {
	if state := b.state.Load(); state/steps == from {
		b.state.CompareAndSwap(state, state+(to-from)*steps)
	}
}

// lateAt returns the state when its step has lasted for too long, and 0 otherwise.
func (b *bound) lateAt(tick uint64, s *sentry) uint64 {
	state := b.state.Load()
	most := s.forBody
	switch step(state % steps) {
	case noStep, cutOff:
		return 0
	case reading:
		most = s.forReply
	}
	if tick-state/steps <= most {
		return 0
	}
	return state
}

// cut ends the step that is in this state, unless it has ended.
func (b *bound) cut(state uint64) {
	b.cutting.Lock()
	defer b.cutting.Unlock()
	if !b.state.CompareAndSwap(state, uint64(cutOff)) {
		return
	}
	// An error means that the writer has no deadlines: its owner has chosen that.
	c, now := http.NewResponseController(b.w), time.Now()
	if step(state%steps) == itsBody {
		_ = c.SetReadDeadline(now)
	} else {
		_ = c.SetWriteDeadline(now)
	}
}
