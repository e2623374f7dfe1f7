package mcp

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// deliveries is what waits to be told to the functions of a client's options. They run one
// at a time, in the order in which it came, on a goroutine that is there while anything
// waits. Whoever reads from the server never waits for them: what is beyond the bounds is
// dropped, and the log says so.
type deliveries struct {
	log *slog.Logger

	mu      sync.Mutex
	waiting []delivery
	bytes   int           // of what waits
	dropped int           // since the log was told
	idle    chan struct{} // closed when the goroutine has ended; nil when there is none
	closed  bool
}

// delivery is one thing to be told.
type delivery struct {
	tell func()
	size int      // in bytes, about
	of   *pending // the request that it is about; nil for none
}

// pending is what waits to be told about one request.
type pending struct {
	count int           // under the lock of deliveries
	none  chan struct{} // closed when count is 0 again; nil when nobody waits for that
	over  bool          // nothing more is told
}

// The bounds of what waits. They are wide: a function that is quick never meets them, even
// where the server sends more at once than it has a chance to look at.
const (
	mostToTell      = 16384
	mostBytesToTell = 16 << 20
)

// add has tell run after all that waits.
func (d *deliveries) add(size int, of *pending, tell func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed, of != nil && of.over:
		return
	case len(d.waiting) >= mostToTell, len(d.waiting) > 0 && d.bytes+size > mostBytesToTell:
		d.dropped++
		return
	}
	d.waiting = append(d.waiting, delivery{tell, size, of})
	d.bytes += size
	if of != nil {
		of.count++
	}
	if d.idle == nil {
		d.idle = make(chan struct{})
		go d.run(d.idle)
	}
}

// progress has a function told how far a request is.
func (d *deliveries) progress(of *pending, tell func(ProgressParams), p ProgressParams) {
	size := len(p.Message) + len(p.Token)
	for name, value := range p.Meta {
		size += len(name) + len(value)
	}
	d.add(size, of, func() { tell(p) })
}

// run tells what waits until nothing does.
func (d *deliveries) run(idle chan struct{}) {
	defer close(idle)
	for {
		next, dropped, ok := d.take()
		if dropped > 0 {
			d.log.Warn("notifications of the server were dropped: the functions that take them are slower than it", "count", dropped)
		}
		if !ok {
			return
		}
		if next.tell != nil {
			next.tell()
		}
		d.told(next.of)
	}
}

// take takes what has waited longest, and reports false when nothing has: then the
// goroutine is no more. It has nothing to tell where the request does not want it any more.
func (d *deliveries) take() (next delivery, dropped int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dropped, d.dropped = d.dropped, 0
	if len(d.waiting) == 0 {
		d.waiting, d.idle = nil, nil
		return delivery{}, dropped, false
	}
	next, d.waiting[0] = d.waiting[0], delivery{}
	d.waiting = d.waiting[1:]
	d.bytes -= next.size
	if next.of != nil && next.of.over {
		next.tell = nil
	}
	return next, dropped, true
}

// told: one thing about a request has been told.
func (d *deliveries) told(of *pending) {
	if of == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if of.count--; of.count == 0 && of.none != nil {
		close(of.none)
		of.none = nil
	}
}

// settle waits until all that has come about a request has been told, or ctx ends. It waits
// for some time at the most, 0 for no bound: what runs may be the very function that has made
// the request. After it nothing is told of the request any more, but for the function that runs.
func (d *deliveries) settle(ctx context.Context, of *pending, most time.Duration) {
	d.mu.Lock()
	none := of.none
	if of.count > 0 && none == nil {
		none = make(chan struct{})
		of.none = none
	}
	d.mu.Unlock()
	if none != nil {
		d.await(ctx, none, most)
	}
	d.mu.Lock()
	of.over = true
	d.mu.Unlock()
}

func (d *deliveries) await(ctx context.Context, none <-chan struct{}, most time.Duration) {
	var over <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-none:
	case <-ctx.Done():
	case <-over:
		d.log.WarnContext(ctx, "a request returns before its Progress has been told everything: a function of the client runs for too long", "waited", most)
	}
}

// closeWait is how long close waits for what is still to be told. The function that runs may be
// the very one that closes the client.
const closeWait = time.Second

// close waits for a while until all that has come is told, and drops the rest. Nothing more is
// taken in.
func (d *deliveries) close() {
	d.mu.Lock()
	d.closed = true
	idle := d.idle
	d.mu.Unlock()
	if idle == nil {
		return
	}
	over := time.NewTimer(closeWait)
	defer over.Stop()
	select {
	case <-idle:
	case <-over.C:
		d.drop()
	}
}

// drop drops what waits.
func (d *deliveries) drop() {
	d.mu.Lock()
	dropped := d.waiting
	d.waiting, d.bytes = nil, 0
	d.mu.Unlock()
	for _, one := range dropped {
		d.told(one.of)
	}
}
