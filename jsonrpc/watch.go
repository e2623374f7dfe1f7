package jsonrpc

import (
	"bytes"
	"time"
)

// The turn counter says what the goroutine in the reading place does, in its two
// low bits: it reads, it runs a handler, or it writes. That goroutine alone leaves
// reading. Going back to it is a race that decides who holds the place from then
// on: leave, when the work is done, or takeOver.
const (
	reading  uint64 = 0
	handling uint64 = 1
	writing  uint64 = 2
	ordered  uint64 = 3 // like handling, but what is behind must wait
	doing    uint64 = 3 // the mask
)

// slice is how long the goroutine in the reading place may handle one message. The
// watcher sees each turn twice, so the place is taken over after one to two
// slices. A write is left alone for longer: it ends as soon as the peer reads, and
// most often at once.
const (
	slice       = time.Millisecond
	writeSlices = 8
)

// restAfter is how many slices without a message end the watcher.
const restAfter = 4

// enter begins work in the reading place. whole counts the bytes of p.replies
// that whoever takes the place over must send.
func (c *Conn) enter(p *place, what uint64, whole int) (turn uint64) {
	p.whole = whole
	turn = c.turn.Add(what)
	if !c.watching.Load() && c.watching.CompareAndSwap(false, true) {
		c.all.Add(1)
		go c.watch()
	}
	return turn
}

// leave ends work in the reading place. It reports false when the place was taken
// over: the caller finishes what it has and reads no more.
func (c *Conn) leave(turn uint64) bool {
	if c.turn.CompareAndSwap(turn, after(turn)) {
		return true
	}
	c.slow.Add(-1)
	return false
}

// after is the next turn, in which the place is read in again.
func after(turn uint64) uint64 { return turn&^doing + doing + 1 }

// takeOver passes the reading place, busy since turn, to a fresh goroutine. It
// reports false when the place has been left, or taken over, before.
func (c *Conn) takeOver(turn uint64) bool {
	c.begin() // for the fresh goroutine: there must be no moment in which all seem at rest
	if !c.turn.CompareAndSwap(turn, after(turn)) {
		c.rest()
		return false
	}
	// The place is ours alone now: its last holder touches neither it nor the
	// source again.
	c.slow.Add(1)
	if r := c.place.running; r != nil {
		r.enterFlight()
	}
	c.in.Detach()
	next := &place{replies: bytes.Clone(c.place.replies[:c.place.whole]), last: c.place.last}
	c.place = next
	c.all.Add(1)
	go c.read(next)
	return true
}

// abandon gives the reading place up in the name of a handler that has ended the
// goroutine it ran on.
func (c *Conn) abandon(turn uint64) {
	c.takeOver(turn)
	c.slow.Add(-1)
}

// watch takes the reading place over from whoever is busy in it for too long. It
// ends when nothing has been read for a while; the next message starts another.
func (c *Conn) watch() {
	defer c.all.Done()
	tick := time.NewTicker(slice)
	defer tick.Stop()
	last, seen := uint64(0), 0
	for {
		select {
		case <-tick.C:
		case <-c.stop:
			return
		}
		turn := c.turn.Load()
		if turn != last {
			last, seen = turn, 0
			continue
		}
		seen++
		switch turn & doing {
		case handling:
			c.takeOver(turn)
		case writing:
			if seen >= writeSlices {
				c.takeOver(turn)
			}
		case reading:
			if seen >= restAfter && c.retire(turn) {
				return
			}
		}
	}
}

// retire ends the watch unless a message came that relied on it.
func (c *Conn) retire(turn uint64) bool {
	c.watching.Store(false)
	return c.turn.Load() == turn || !c.watching.CompareAndSwap(false, true)
}
