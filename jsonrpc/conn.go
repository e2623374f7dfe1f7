package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Conn is one duplex connection: it reads messages from a [Source], has a
// [Handler] answer them, and writes the answers. Either side may call the other.
//
// # Who runs what
//
// One goroutine at a time holds the reading place and is the only one that uses
// the source. It runs the handler of the message it has read itself, because
// waking another goroutine costs several times what a quick call does. But
// reading never waits for a handler: as soon as a handler outlives its slice (see
// watch.go), or calls the peer, the reading place passes to a fresh goroutine and
// the old one goes on as that handler's own. While such a handler runs, every
// further request gets a goroutine at once, and so does one that comes on its own
// after a pause.
//
// Replies that come up while more input is at hand are gathered and leave in one
// write (see outbox.go).
type Conn struct {
	in      Source
	handler Handler
	opts    *Options
	scan    Scanner
	log     *slog.Logger
	debug   bool // messages are logged
	client  bool // see [Options.Client]
	out     *outbox

	place    *place        // whose turn it is to read; passes with turn
	turn     atomic.Uint64 // what the goroutine in that place does: see watch.go
	watching atomic.Bool   // a watcher runs
	slow     atomic.Int32  // goroutines that lost the reading place and still run

	ctx    context.Context // parent of every handler's context
	cancel context.CancelCauseFunc
	stop   chan struct{}  // closed when Serve is over, for the watcher
	all    sync.WaitGroup // every goroutine of the connection
	spare  sync.Pool      // *call, for a client's next call
	woken  atomic.Int32   // calls of ours that are answered, and whose goroutine does not run yet

	mu        sync.Mutex
	inFlight  map[string]*request // the peer's requests, by ID.Key
	calls     map[int64]*call     // our requests
	lastCall  int64
	working   int // requests of the peer whose handler has not returned, the long-lived aside
	open      int // the long-lived ones
	openBytes int // of their text
	// workingBytes is of the text of those in working, as far as that is counted.
	workingBytes int
	active       int           // goroutines that are not at rest in Source.Read
	ending       bool          // no further message is taken
	over         bool          // idle, or given up: what is still read is dropped
	readErr      error         // why reading ended; nil for the end of input
	ended        chan struct{} // closed with ending
	idle         chan struct{} // closed once ending is set and active is 0: all is answered
	broken       chan struct{} // closed when a write has failed
}

// ErrDrain is returned by [Conn.Serve] when not everything was answered at the end
// of [Options.Drain]: requests had to be cancelled, or the peer did not read.
var ErrDrain = errors.New("jsonrpc: not everything was answered at the end of the drain time")

// NewConn makes a connection; [Conn.Serve] runs it. Messages are written to out
// on one line each, ended by LF, several in one Write when they are ready
// together, and long ones in pieces of 256 KiB. A nil o means all defaults.
func NewConn(in Source, out io.Writer, h Handler, o *Options) *Conn {
	c := &Conn{
		in: in, handler: h, opts: o, scan: o.scanner(), log: o.logger(),
		stop:     make(chan struct{}),
		inFlight: make(map[string]*request),
		calls:    make(map[int64]*call),
		ended:    make(chan struct{}),
		idle:     make(chan struct{}),
		broken:   make(chan struct{}),
	}
	c.out = newOutbox(out, o.maxWaiting(), c.writer())
	c.client = o.client()
	c.debug = c.log.Enabled(context.Background(), slog.LevelDebug)
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// Serve reads and answers until the input ends or ctx does, and then until what
// was read is answered, for [Options.Drain] at the most. It returns nil when
// everything was answered, and an error when reading or writing failed or time
// ran out ([ErrDrain]). No goroutine of the connection outlives it, with three
// exceptions that no program can help: a handler that ignores its context, a Read
// that cannot be interrupted ([Source.Close]), and a Write to a peer that does not
// read. Serve is called once.
func (c *Conn) Serve(ctx context.Context) error {
	c.place = &place{}
	c.begin()
	c.all.Add(1)
	go c.read(c.place)

	select {
	case <-c.ended:
	case <-c.broken:
	case <-ctx.Done():
	}
	if c.client {
		return c.hangUp(ctx)
	}
	c.end(nil)
	closeErr := c.in.Close()

	inTime := c.await(c.opts.drain())
	left := c.unanswered()
	c.cancel(ErrClosed)
	settled := inTime
	if !inTime {
		// The handlers know now; those that obey end at once.
		if settled = c.await(time.Second); !settled {
			c.out.fail(ErrClosed)
		}
	}
	readErr := c.close()
	if settled && closeErr == nil {
		c.all.Wait()
	}
	switch err := c.out.failure(); {
	case err != nil && !errors.Is(err, ErrClosed):
		return fmt.Errorf("jsonrpc: write: %w", err)
	case !inTime && left == 0:
		return fmt.Errorf("%w (the peer does not read)", ErrDrain)
	case !inTime:
		return fmt.Errorf("%w (%d in flight)", ErrDrain, left)
	}
	return readErr
}

// Abort tells the connection that its peer has gone, where a transport learns that before
// a write or a read does: nothing more is read or written, and [Conn.Serve] cancels the
// handlers and returns when they have ended. It may be called at any time, from any
// goroutine, and does not wait.
func (c *Conn) Abort() {
	c.out.fail(ErrClosed)
	c.noteBroken()
}

// close drops whatever may still be read.
func (c *Conn) close() (readErr error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	close(c.stop)
	return c.readErr
}

// unanswered counts the requests that the peer still waits for.
func (c *Conn) unanswered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.working + c.open
}

// await waits until everything is answered: for so long, and on while answers wait
// for a peer that takes them in slowly, but not for more than a dozen times that.
// Once a write has failed nothing can be answered any more, so the handlers are told
// to end.
func (c *Conn) await(long time.Duration) bool {
	t := time.NewTimer(long)
	defer t.Stop()
	broken := c.broken
	for taken, rounds := c.out.written.Load(), 0; ; rounds++ {
		select {
		case <-c.idle:
			return true
		case <-broken:
			c.cancel(ErrClosed)
			broken = nil
		case <-t.C:
			now := c.out.written.Load()
			if now == taken || !c.out.busy.Load() || rounds >= 12 {
				return false
			}
			taken = now
			t.Reset(long)
		}
	}
}

// end makes this the last message taken and frees those who wait for the peer's
// answers: none will come.
func (c *Conn) end(err error) {
	c.mu.Lock()
	if c.ending {
		c.mu.Unlock()
		return
	}
	c.ending, c.readErr = true, err
	calls := c.calls
	c.calls = nil
	close(c.ended)
	c.settleLocked()
	c.mu.Unlock()
	for _, k := range calls {
		c.wake(k, reply{err: ErrClosed})
	}
}

// begin and rest count the goroutines that are at work: all but one that waits
// for input. begin reports false when the connection is over and what the caller
// has must be dropped.
func (c *Conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active++
	return !c.over
}

func (c *Conn) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active--
	c.settleLocked()
}

// settleLocked notes that everything is answered, if it is.
func (c *Conn) settleLocked() {
	if c.active == 0 && c.ending && !c.over {
		c.over = true
		close(c.idle)
	}
}

// send puts whole messages out. A failed write ends the connection.
func (c *Conn) send(messages []byte) error {
	err := c.out.put(messages, nil)
	if err != nil {
		c.noteBroken()
	}
	return err
}

// writer returns what has the outbox's waiting messages written on a goroutine of its own.
func (c *Conn) writer() func() {
	write := func() {
		defer c.all.Done()
		defer c.rest()
		if c.out.writeWaiting() != nil {
			c.noteBroken()
		}
	}
	return func() {
		c.begin()
		c.all.Add(1)
		go write()
	}
}

func (c *Conn) noteBroken() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.broken:
	default:
		close(c.broken)
	}
}

// trace logs one message. dir is "in" or "out".
func (c *Conn) trace(dir string, label slog.Attr, message []byte) {
	c.log.LogAttrs(c.ctx, slog.LevelDebug, "message",
		slog.String("direction", dir), label, slog.String("message", string(message)))
}
