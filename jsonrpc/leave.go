package jsonrpc

import (
	"errors"
	"io"
	"runtime"
)

// TryWriter is a writer that can tell what goes out without waiting. A client's
// connection writes to one itself, and otherwise, since its calls must be able to give up
// at any time, has a goroutine write each message.
type TryWriter interface {
	io.Writer

	// TryWrite writes as much of b as the other end takes at this moment, and returns how
	// much that was; nothing is no error. It is never called beside a Write.
	TryWrite(b []byte) (n int, err error)
}

// errGivenUp says that the caller wanted to wait no longer.
var errGivenUp = errors.New("jsonrpc: given up")

// leave is put for those who must be able to go at any time: it never waits for a
// write. When there is no room it waits until there is, or until done is closed, and
// then nothing is sent. When it returns nil the messages are written, or will be as soon
// as the peer reads: what has begun to go out always goes on. The bytes are the caller's
// again.
//
// crowd says that others are likely to have messages too, as those have who were woken
// by answers that came together. They get a chance to put them in, so that all leave in
// one write.
func (b *outbox) leave(messages []byte, crowd bool, done <-chan struct{}) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.awaitRoomUntilLocked(done) {
		return errGivenUp
	}
	return b.leaveLocked(messages, crowd)
}

// leaveAnyway is leave for a short message about one that is there already: it does not
// wait for room.
func (b *outbox) leaveAnyway(messages []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.leaveLocked(messages, false)
}

func (b *outbox) leaveLocked(messages []byte, crowd bool) error {
	if b.err != nil {
		return b.err
	}
	if b.writing {
		b.queueLocked(messages)
		return nil
	}
	b.setWriting(true)
	switch {
	case b.try == nil:
		b.queueLocked(messages)
		b.gather = crowd
	case crowd:
		b.queueLocked(messages)
		b.yieldLocked()
		batch := b.waiting
		b.waiting = b.spare[:0]
		b.tryLocked(batch)
		b.spare = keep(batch)
	default:
		b.queued += int64(len(messages))
		b.tryLocked(messages)
	}
	if b.err == nil && (len(b.rest) > 0 || len(b.waiting) > 0) {
		b.handOn()
		return nil
	}
	b.setWriting(false)
	return b.err
}

// yieldLocked lets those put messages in who are ready to.
func (b *outbox) yieldLocked() {
	b.mu.Unlock()
	runtime.Gosched()
	b.mu.Lock()
}

// tryLocked writes what goes out at once, with the lock released, and keeps the rest.
func (b *outbox) tryLocked(messages []byte) {
	b.mu.Unlock()
	n, err := b.try.TryWrite(messages)
	b.written.Add(int64(n))
	b.mu.Lock()
	b.passed += int64(n)
	if n < len(messages) {
		b.rest = append(b.left, messages[n:]...)
		b.left = nil
	}
	b.wroteLocked(err)
}

// awaitRoomUntilLocked returns true when there is room or never will be again, and false
// when done is closed before.
func (b *outbox) awaitRoomUntilLocked(done <-chan struct{}) bool {
	for b.writing && b.err == nil && len(b.waiting) >= b.limit {
		if b.free == nil {
			b.free = make(chan struct{})
		}
		free := b.free
		b.mu.Unlock()
		select {
		case <-free:
		case <-done:
			b.mu.Lock()
			return false
		}
		b.mu.Lock()
	}
	return true
}
