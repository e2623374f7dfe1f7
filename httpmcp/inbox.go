package httpmcp

import (
	"bytes"
	"io"
	"sync"
)

// inbox is the [jsonrpc.Source] of a stream: what comes by POST waits here until it is
// read. That is at once, unless the client does not read its stream, so the inbox is
// small.
type inbox struct {
	mostMessages int
	mostBytes    int64

	mu      sync.Mutex
	arrived sync.Cond // or closed
	waiting [][]byte
	bytes   int64 // of what waits
	closed  bool
}

func newInbox(messages int, bytes int64) *inbox {
	b := &inbox{mostMessages: messages, mostBytes: bytes}
	b.arrived.L = &b.mu
	return b
}

// inboxState is what became of a message.
type inboxState uint8

const (
	inboxTaken inboxState = iota
	inboxFull
	inboxClosed
)

// put adds a copy of one message. A lone one always fits.
func (b *inbox) put(message []byte) inboxState {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch size := int64(len(message)); {
	case b.closed:
		return inboxClosed
	case len(b.waiting) >= b.mostMessages, len(b.waiting) > 0 && b.bytes+size > b.mostBytes:
		return inboxFull
	default:
		b.bytes += size
	}
	b.waiting = append(b.waiting, bytes.Clone(message))
	b.arrived.Signal()
	return inboxTaken
}

// Read implements [jsonrpc.Source]. What it returns stays good for ever.
func (b *inbox) Read() ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.waiting) == 0 && !b.closed {
		b.arrived.Wait()
	}
	if len(b.waiting) == 0 {
		return nil, io.EOF
	}
	message := b.waiting[0]
	b.waiting[0] = nil
	if b.waiting = b.waiting[1:]; len(b.waiting) == 0 {
		b.waiting = nil
	}
	b.bytes -= int64(len(message))
	return message, nil
}

// Buffered implements [jsonrpc.Source].
func (b *inbox) Buffered() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting) > 0
}

// Detach implements [jsonrpc.Source].
func (b *inbox) Detach() {}

// Close implements [jsonrpc.Source]: nothing more is taken in.
func (b *inbox) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.arrived.Broadcast()
	return nil
}
