package soak

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
)

var soakTime = flag.Duration("soak", 3*time.Second, "how long the load lasts")

// behaved are the well-behaved clients.
var behaved = []struct {
	name, version string
	turn          behave
	clients       int
}{
	{"modern", modern, speakModern, 4},
	{"legacy", legacy, speakLegacy, 4},
}

// options have times short enough that what is left behind is swept within the test, and long enough for a
// well-behaved client on a busy machine; and bounds that the load reaches.
func options() *httpmcp.Options {
	return &httpmcp.Options{
		MaxBody:     maxBody,
		BodyTime:    3 * time.Second,
		WriteTime:   2 * time.Second,
		KeepAlive:   50 * time.Millisecond,
		MaxStreams:  150,
		MaxSessions: 300,
		SessionIdle: 2 * time.Second,
	}
}

// TestSoak is the load. See the comment of the package.
func TestSoak(t *testing.T) {
	r := start(t, options())
	// What is made once is made in a first, short round: pools and buffers. And all bounds are reached at once, since
	// the runtime keeps what it has ever needed for goroutines, timers and maps.
	r.load(t, min(*soakTime, 5*time.Second))
	r.crowd(t)
	before := calm()
	t.Logf("before: %v", before)
	r.load(t, *soakTime)
	after, ok := settled(use{bytes: before.bytes + before.bytes/10, goroutines: before.goroutines})
	t.Logf("after: %v", after)
	if !ok {
		t.Errorf("after the load %v are in use, want at most a tenth more memory than before, and no goroutine more: %v", after, before)
	}
}

// crowd has more connections, streams and sessions at once than the load will ever have.
func (r *rig) crowd(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { openStreams(ctx, &peer{host: r.host}) })
	}
	for seed := range uint64(40) {
		p := &peer{host: r.host, chance: rand.New(rand.NewPCG(seed, 0))}
		all.Go(func() {
			defer p.hang()
			openSessions(ctx, p)
		})
	}
	for range 900 {
		p := &peer{host: r.host}
		all.Go(func() {
			defer p.hang()
			if p.send(p.call("waste", "")) == nil {
				pause(ctx, time.Second)
			}
		})
	}
	all.Wait()
}

// load lets all kinds of clients loose for so long, and returns when all are gone.
func (r *rig) load(t *testing.T, long time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	ran := r.echoed.Load()
	// The turns that are under way when the time is up still wait for changes.
	flickering, calm := context.WithCancel(context.WithoutCancel(ctx))
	var all, flicker sync.WaitGroup
	flicker.Go(func() { r.flicker(flickering) })
	var n tally
	for i := range attacks {
		for seed := range 2 {
			all.Go(func() { r.attack(ctx, t, i, uint64(seed), &n) })
		}
	}
	for i, b := range behaved {
		for range b.clients {
			all.Go(func() { r.behave(ctx, t, i, &n) })
		}
	}
	all.Wait()
	calm()
	flicker.Wait()
	n.report(t, r.echoed.Load()-ran)
}

// tally counts what clients have done: by row of attacks, and by row of behaved.
type tally struct {
	turns                [32]atomic.Int64
	answered, good, late [2]atomic.Int64
}

// attack has a peer take turns of one attack until ctx ends.
func (r *rig) attack(ctx context.Context, t *testing.T, row int, seed uint64, n *tally) {
	a := attacks[row]
	p := &peer{host: r.host, chance: rand.New(rand.NewPCG(seed, uint64(row)))}
	defer p.hang()
	for ; ctx.Err() == nil; n.turns[row].Add(1) {
		if err := a.turn(ctx, p); err != nil && ctx.Err() == nil {
			t.Errorf("the peer that %s: %v", a.name, err)
			return
		}
		pause(ctx, 10*time.Millisecond+time.Duration(p.chance.IntN(40))*time.Millisecond)
	}
}

// behave has a client take turns until ctx ends. The one that is under way then is finished: it has
// requests that must be answered.
func (r *rig) behave(ctx context.Context, t *testing.T, row int, n *tally) {
	b := behaved[row]
	c := newClient(r, b.version)
	defer c.close()
	for turn := 0; ctx.Err() == nil; turn++ {
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		err := b.turn(patient, c, turn)
		cancel()
		switch {
		case errors.Is(err, errSessionEnded):
			n.late[row].Add(1)
		case err != nil:
			t.Errorf("a %s client, turn %d: %v", b.name, turn, err)
			return
		default:
			n.good[row].Add(1)
		}
	}
	n.answered[row].Add(*c.answered)
}

// report tells what was done, and fails when calls that have run were not answered.
func (n *tally) report(t *testing.T, ran int64) {
	t.Helper()
	for i, b := range behaved {
		t.Logf("%s: %d turns, %d calls answered, %d sessions ended too early", b.name, n.good[i].Load(), n.answered[i].Load(), n.late[i].Load())
		if n.good[i].Load() <= n.late[i].Load() {
			t.Errorf("%s: %d turns went well and %d did not, want more that did", b.name, n.good[i].Load(), n.late[i].Load())
		}
	}
	for i, a := range attacks {
		t.Logf("%4d turns of a peer that %s", n.turns[i].Load(), a.name)
	}
	if answers := n.answered[0].Load() + n.answered[1].Load(); ran != answers && !t.Failed() {
		t.Errorf("%d calls of well-behaved clients have run, and %d were answered", ran, answers)
	}
}
