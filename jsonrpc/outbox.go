package jsonrpc

import (
	"io"
	"sync"
	"sync/atomic"
)

// outbox is the one writer of a connection. Whoever has messages puts them in; the
// first to find nobody writing becomes the writer of its own. What others put in
// meanwhile leaves behind it, together, by a goroutine made for that, so that
// nobody writes for others while its own caller waits. So messages that are ready
// together leave in one write, no message is ever cut by another, and a lone reply
// is written by the goroutine that made it, from the buffer it is in.
type outbox struct {
	w     io.Writer
	try   TryWriter // w, if it is one
	limit int       // waiting bytes from which on put waits too
	// handOn has writeWaiting called on another goroutine. It is given in this form so
	// that a message that is handed on costs no allocation.
	handOn func()

	mu      sync.Mutex
	room    sync.Cond     // a write has ended, or err was set
	free    chan struct{} // closed with the next end of a write; nil while nobody waits for it
	rest    []byte        // what is left of a write that did not take all; it is written before anything else
	left    []byte        // empty, the buffer that rest was in, for reuse
	waiting []byte        // put in by others while one goroutine writes
	queued  int64         // bytes that were ever put into waiting
	passed  int64         // those of them that are written
	spare   []byte        // the buffer that was written last, for reuse
	writing bool
	gather  bool  // the goroutine that writes next lets others put messages in first
	err     error // the first failed write; final

	busy    atomic.Bool  // writing, for a look without the lock
	written atomic.Int64 // bytes that the peer has taken
}

func newOutbox(w io.Writer, limit int, handOn func()) *outbox {
	b := &outbox{w: w, limit: limit, handOn: handOn}
	b.try, _ = w.(TryWriter)
	b.room.L = &b.mu
	return b
}

// put sends whole messages, each ended by LF. When it returns nil they are
// written, or another goroutine is about to write them. The bytes are the
// caller's again. When unless is true by then nothing is sent.
func (b *outbox) put(messages []byte, unless *atomic.Bool) error {
	if len(messages) == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.awaitRoomLocked()
	if b.err != nil || unless != nil && unless.Load() {
		return b.err
	}
	if b.writing {
		b.queueLocked(messages)
		return nil
	}
	b.setWriting(true)
	b.writeLocked(messages)
	if b.err == nil && len(b.waiting) > 0 {
		b.handOn()
		return nil
	}
	b.setWriting(false)
	return b.err
}

// post is put for those who must never be held in a Write, and have nothing more to say
// until the peer has read: it leaves the writing to another goroutine and returns when
// the messages are written, or never will be.
func (b *outbox) post(messages []byte, unless *atomic.Bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.awaitRoomLocked()
	if b.err != nil || unless != nil && unless.Load() {
		return b.err
	}
	b.queueLocked(messages)
	if !b.writing {
		b.setWriting(true)
		b.handOn()
	}
	for mark := b.queued; b.err == nil && b.passed < mark; {
		b.room.Wait()
	}
	return b.err
}

func (b *outbox) queueLocked(messages []byte) {
	b.waiting = append(b.waiting, messages...)
	b.queued += int64(len(messages))
}

// writeWaiting writes until nothing waits any more.
func (b *outbox) writeWaiting() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gather {
		b.gather = false
		b.yieldLocked()
	}
	if rest := b.rest; b.err == nil && len(rest) > 0 {
		b.writeLocked(rest)
		b.passed += int64(len(rest))
		b.rest, b.left = nil, keep(rest)
	}
	for b.err == nil && len(b.waiting) > 0 {
		batch := b.waiting
		b.waiting = b.spare[:0]
		b.writeLocked(batch)
		b.passed += int64(len(batch))
		b.spare = keep(batch)
	}
	b.setWriting(false)
	return b.err
}

func (b *outbox) setWriting(on bool) {
	b.writing = on
	b.busy.Store(on)
}

// awaitRoom returns when put would not wait for room, or never will again.
func (b *outbox) awaitRoom() {
	if !b.busy.Load() {
		return // nobody writes, so nothing waits
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.awaitRoomLocked()
}

func (b *outbox) awaitRoomLocked() {
	for b.writing && b.err == nil && len(b.waiting) >= b.limit {
		b.room.Wait()
	}
}

// writeLocked writes with the lock released, so that others can put messages in.
func (b *outbox) writeLocked(messages []byte) {
	b.mu.Unlock()
	err := b.write(messages)
	b.mu.Lock()
	b.wroteLocked(err)
}

// wroteLocked notes that a write has ended, and tells those who wait for that.
func (b *outbox) wroteLocked(err error) {
	if err != nil && b.err == nil {
		b.err = err
	}
	b.room.Broadcast()
	if b.free != nil {
		close(b.free)
		b.free = nil
	}
}

// largestWrite bounds one Write, in bytes, so that it shows whether a slow peer
// takes anything in.
const largestWrite = 256 << 10

func (b *outbox) write(messages []byte) error {
	for len(messages) > 0 {
		chunk := messages[:min(len(messages), largestWrite)]
		n, err := b.w.Write(chunk)
		b.written.Add(int64(max(n, 0)))
		if err == nil && n < len(chunk) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return err
		}
		messages = messages[len(chunk):]
	}
	return nil
}

// fail makes every later put return err, and frees those that wait.
func (b *outbox) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wroteLocked(err)
}

// keepSize is the largest buffer, in bytes, that is kept for reuse: one large
// message must not hold its memory for the connection's life.
const keepSize = 1 << 20

// keep empties buf for reuse, or drops it when it has grown too large.
func keep(buf []byte) []byte {
	if cap(buf) > keepSize {
		return nil
	}
	return buf[:0]
}

// failure returns the error that ended writing, if any did.
func (b *outbox) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}
