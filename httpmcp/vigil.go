package httpmcp

import (
	"sync"
	"time"
)

// vigil opens the streams of calls that take long, all of them with one timer. One for each
// call would cost as much as a part of a quick call: to set a timer that is due before all
// others wakes a thread.
type vigil struct {
	patience time.Duration // after which a stream is opened

	mu          sync.Mutex
	first, last *watched // in the order in which they are due
	timer       *time.Timer
	ticking     bool // timer is set; it stays so when those it was set for are gone
	over        bool
	opening     sync.WaitGroup // streams that are being opened
}

// watched is a stream that is kept an eye on.
type watched struct {
	stream     *stream
	since      time.Time
	prev, next *watched
}

// begin keeps an eye on w.stream until end.
func (v *vigil) begin(w *watched) {
	w.since = time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	w.prev = v.last
	if v.last == nil {
		v.first = w
	} else {
		v.last.next = w
	}
	v.last = w
	if !v.ticking && !v.over {
		v.setLocked(v.patience)
	}
}

// end lets a stream be, which may be opened at the same moment.
func (v *vigil) end(w *watched) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dropLocked(w)
}

// dropLocked takes w out, if it is there.
func (v *vigil) dropLocked(w *watched) {
	if w.prev == nil && v.first != w {
		return // its stream has been opened
	}
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		v.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		v.last = w.prev
	}
	w.prev, w.next = nil, nil
}

func (v *vigil) setLocked(d time.Duration) {
	v.ticking = true
	if v.timer == nil {
		v.timer = time.AfterFunc(d, v.look)
		return
	}
	v.timer.Reset(d)
}

// stop has no more streams opened, and waits for those that are being opened. They must have
// ended by then, or it waits for their clients.
func (v *vigil) stop() {
	v.mu.Lock()
	v.over = true
	if v.timer != nil {
		v.timer.Stop()
	}
	v.mu.Unlock()
	v.opening.Wait()
}

// look opens the streams that are due. Each is written to on a goroutine of its own, which ends
// with the write: a client that does not read holds up nobody else's.
func (v *vigil) look() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ticking = false
	for w := v.first; w != nil && !v.over; w = v.first {
		if left := v.patience - time.Since(w.since); left > 0 {
			v.setLocked(left)
			return
		}
		v.dropLocked(w)
		v.opening.Go(w.stream.open)
	}
}
