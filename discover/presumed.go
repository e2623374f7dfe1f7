package discover

import (
	"context"
	"sync"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// presumed is the exchange with a server that was found modern at another time and has not
// been asked since. The first answer shows whether it still is. If not, its era is found
// anew, once, and what was surely not served is sent again (2026-07-28 basic/versioning,
// Backward Compatibility with Initialization-Based Versions).
//
// It stays between the client and the exchange that it comes to, and then passes everything
// on.
type presumed struct {
	k    *connecting   // of whoever has the turn
	turn chan struct{} // holds one while the era is looked for
	now  atomic.Pointer[belief]

	open context.Context // ends with Close
	stop context.CancelFunc

	settled sync.Once
	done    chan struct{}  // closed when the exchange that it came to has ended
	watch   sync.WaitGroup // the goroutine that closes done
}

// belief is what the server is taken for. It does not change.
type belief struct {
	x    mcp.Exchange
	sure bool // the server has shown it
	// doubt: something has happened that shows nothing, so the next one asks first.
	doubt bool
	// refusal is how the server has answered server/discover, when x is of the legacy era.
	refusal error
}

func newPresumed(k *connecting, x *modernClient) *presumed {
	p := &presumed{k: k, turn: make(chan struct{}, 1), done: make(chan struct{})}
	p.open, p.stop = context.WithCancel(context.Background())
	p.now.Store(&belief{x: x})
	return p
}

// settle makes x the exchange for good.
func (p *presumed) settle(x mcp.Exchange, refusal error) {
	p.settled.Do(func() {
		p.now.Store(&belief{x: x, sure: true, refusal: refusal})
		p.watch.Go(func() {
			<-x.Done()
			close(p.done)
		})
	})
}

// attempt does something with the server, and once more where the first time has shown that the
// server is of the other era. shows reports whether a value that has come is one that only a
// modern server gives; again says that it does no harm to do it twice.
func attempt[T any](ctx context.Context, p *presumed, again bool, shows func(T) bool, do func(mcp.Exchange) (T, error)) (T, error) {
	b := p.now.Load()
	if b.doubt {
		if err := p.verify(ctx); err != nil {
			var none T
			return none, err
		}
		b = p.now.Load()
	}
	v, err := do(b.x)
	switch {
	case b.sure:
		return v, err
	case err == nil && shows(v), knownModern(err):
		p.settle(b.x, nil)
		return v, err
	case ctx.Err() != nil:
		p.now.CompareAndSwap(b, &belief{x: b.x, doubt: true})
		return v, err
	}
	if p.verify(ctx) != nil {
		return v, err
	}
	if now := p.now.Load(); err != nil && now.x != b.x && (again || unserved(err, now.refusal)) {
		return do(now.x)
	}
	return v, err
}

// verify asks the server what it is, and settles that. Callers take turns; where it fails the
// next one asks again.
func (p *presumed) verify(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.open, cancel)()
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	verdict, err := p.look(ctx)
	<-p.turn
	if verdict != nil && p.k.opts.Renewed != nil {
		p.k.opts.Renewed(verdict)
	}
	return err
}

// look does what verify says, for the one whose turn it is. The verdict is nil unless it is
// another one than before.
func (p *presumed) look(ctx context.Context) (*Verdict, error) {
	b := p.now.Load()
	if b.sure {
		return nil, nil // somebody else has asked meanwhile
	}
	before := b.x.(*modernClient)
	x, verdict, err := p.k.find(ctx, before)
	if err == nil {
		p.settle(x, p.k.refusal)
		if verdict.Era == mcp.Modern {
			verdict = nil
		}
		return verdict, nil
	}
	p.k.closeBut(before.link)
	p.k.inbox.pass(before)
	select {
	case <-before.Done():
		p.settle(before, nil) // nothing is left to speak with
	default:
		p.now.Store(&belief{x: before, doubt: true})
	}
	return nil, err
}

// Form implements [mcp.Exchange].
func (p *presumed) Form() *mcp.Form { return p.now.Load().x.Form() }

// Server implements [mcp.Exchange].
func (p *presumed) Server() *mcp.DiscoverResult { return p.now.Load().x.Server() }

// Discover implements [mcp.Exchange].
func (p *presumed) Discover(ctx context.Context) (*mcp.DiscoverResult, error) {
	return attempt(ctx, p, true, func(*mcp.DiscoverResult) bool { return true },
		func(x mcp.Exchange) (*mcp.DiscoverResult, error) { return x.Discover(ctx) })
}

// Call implements [mcp.Exchange].
func (p *presumed) Call(ctx context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
	if b := p.now.Load(); b.sure {
		return b.x.Call(ctx, r)
	}
	shows := func(result jsonrpc.Raw) bool { return r.Retried || hasType(result) }
	return attempt(ctx, p, onlyReads(r.Method), shows, func(x mcp.Exchange) (jsonrpc.Raw, error) { return x.Call(ctx, r) })
}

// Notify implements [mcp.Exchange].
func (p *presumed) Notify(ctx context.Context, method string, params jsonrpc.Raw) error {
	return p.now.Load().x.Notify(ctx, method, params)
}

// Listen implements [mcp.Exchange].
func (p *presumed) Listen(ctx context.Context, wanted *mcp.Filter, tell func(mcp.Change)) (mcp.Listening, error) {
	return attempt(ctx, p, true, func(mcp.Listening) bool { return true },
		func(x mcp.Exchange) (mcp.Listening, error) { return x.Listen(ctx, wanted, tell) })
}

// SetLogLevel implements [mcp.Exchange].
func (p *presumed) SetLogLevel(ctx context.Context, level mcp.LogLevel) error {
	return p.now.Load().x.SetLogLevel(ctx, level)
}

// Ping implements [mcp.Exchange]. That there is an answer shows nothing.
func (p *presumed) Ping(ctx context.Context) error {
	_, err := attempt(ctx, p, true, func(struct{}) bool { return false },
		func(x mcp.Exchange) (struct{}, error) { return struct{}{}, x.Ping(ctx) })
	return err
}

// Done implements [mcp.Exchange].
func (p *presumed) Done() <-chan struct{} { return p.done }

// Err implements [mcp.Exchange].
func (p *presumed) Err() error {
	select {
	case <-p.done:
		return p.now.Load().x.Err()
	default:
		return nil
	}
}

// Close implements [mcp.Exchange].
func (p *presumed) Close() error {
	p.stop()
	p.turn <- struct{}{} // whoever has the turn gives up now that open has ended
	p.settle(p.now.Load().x, nil)
	<-p.turn
	err := p.now.Load().x.Close()
	p.watch.Wait()
	return err
}

var _ mcp.Exchange = (*presumed)(nil)
