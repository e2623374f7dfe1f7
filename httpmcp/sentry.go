package httpmcp

import (
	"sync"
	"sync/atomic"
	"time"
)

// sentry looks at all that a [load] works on from time to time, and sees to what takes too
// long: bodies and replies that do not move ([bound]), and calls that have said nothing for
// a while ([silence]). To set a deadline for each of them, and to take it back, would cost a
// good part of a quick call, and so would to read the clock: what is quick has come and gone
// between two looks. So all times are counted in ticks, and are kept to within one of them.
type sentry struct {
	period                  time.Duration // from one tick to the next
	forBody, forReply, calm uint64        // after how many ticks each is late

	tick atomic.Uint64 // passed while there was something to look at

	// Under load.mu:
	timer   *time.Timer
	ticking bool      // timer is set
	counted time.Time // up to which tick has counted, while it is
	unused  int       // ticks in a row at which there was nothing
	retired bool      // no more streams are opened

	opening sync.WaitGroup // streams that are being opened
}

// fineness is how many ticks pass in the shortest of the times that are kept.
const fineness = 16

func (s *sentry) init(o *Options) {
	s.period = max(min(o.bodyTime(), o.writeTime(), o.keepAlive())/fineness, time.Millisecond)
	ticks := func(d time.Duration) uint64 { return uint64((d + s.period - 1) / s.period) }
	s.forBody, s.forReply, s.calm = ticks(o.bodyTime()), ticks(o.writeTime()), ticks(o.keepAlive())
}

// watchLocked notes when p has come, and has the sentry tick.
func (l *load) watchLocked(p *place) {
	p.since = l.tick.Load()
	l.unused = 0
	if l.ticking {
		return
	}
	l.ticking, l.counted = true, time.Now()
	if l.timer == nil {
		l.timer = time.AfterFunc(l.period, l.look)
	} else {
		l.timer.Reset(l.period)
	}
}

// look is one tick.
func (l *load) look() {
	for _, late := range l.overdue() {
		late.bound.cut(late.state)
	}
}

// lateBound is a step that a client is too slow with.
type lateBound struct {
	bound *bound
	state uint64
}

// overdue finds what is too slow, opens the streams of calls that are quiet, and sets the
// timer for the next tick.
func (l *load) overdue() (late []lateBound) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, now := l.passLocked()
	for p := l.first; p != nil; p = p.next {
		if now > before+1 {
			p.seenLate(before, now)
		}
		if state := p.bound.lateAt(now, &l.sentry); state != 0 {
			late = append(late, lateBound{&p.bound, state})
		}
		if !l.retired && now-p.since > l.calm {
			if stream := p.silence.take(); stream != nil {
				// Each is written to on a goroutine of its own, which ends with the write: a
				// client that does not read holds up nobody else's.
				l.opening.Go(stream.open)
			}
		}
	}
	if l.first == nil {
		l.unused++
	}
	// A server with few requests should not set a timer for each of them.
	if l.ticking = l.unused < fineness && !(l.retired && l.first == nil); l.ticking {
		l.timer.Reset(l.period)
	}
	return late
}

// passLocked moves tick on by what has passed since the last look, which is more than one where a
// busy machine looks late: else all times would become longer by as much, look for look.
func (l *load) passLocked() (before, now uint64) {
	passed := time.Since(l.counted) / l.period
	l.counted = l.counted.Add(passed * l.period)
	before = l.tick.Load()
	now = before + uint64(passed)
	l.tick.Store(now)
	return before, now
}

// seenLate has what has begun since the last look count from this one, when that was long ago:
// nobody knows when it has begun, and it must not be cut too early. It is late behind a tick more
// than its time has, so it counts as of the tick before, and the next look sees that it is no news.
func (p *place) seenLate(before, now uint64) {
	p.bound.move(before, now-1)
	if p.since == before {
		p.since = now - 1
	}
}

// retire has no more streams opened, and waits for those that are being opened. They must have
// ended by then, or it waits for their clients.
func (l *load) retire() {
	l.mu.Lock()
	l.retired = true
	if l.first == nil && l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.opening.Wait()
}

// silence has the stream of a call opened when the call has taken so long that somebody might
// take its connection for a dead one.
type silence struct {
	since  uint64 // the tick at which the request came
	stream atomic.Pointer[stream]
}

// begin keeps an eye on the stream until end.
func (s *silence) begin(t *stream) { s.stream.Store(t) }

// end lets the stream be, which may be opened at the same moment.
func (s *silence) end() { s.stream.Store(nil) }

// take gives the stream to the one who opens it.
func (s *silence) take() *stream {
	if s.stream.Load() == nil {
		return nil
	}
	return s.stream.Swap(nil)
}
