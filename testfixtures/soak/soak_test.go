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
	var turns [32]atomic.Int64
	for i, a := range attacks {
		for seed := range 2 {
			p := &peer{host: r.host, chance: rand.New(rand.NewPCG(uint64(seed), uint64(i)))}
			all.Go(func() {
				defer p.hang()
				for ; ctx.Err() == nil; turns[i].Add(1) {
					if err := a.turn(ctx, p); err != nil && ctx.Err() == nil {
						t.Errorf("the peer that %s: %v", a.name, err)
						return
					}
					pause(ctx, 10*time.Millisecond+time.Duration(p.chance.IntN(40))*time.Millisecond)
				}
			})
		}
	}
	var answered, good, late [2]atomic.Int64
	for i, b := range behaved {
		for range b.clients {
			all.Go(func() {
				c := newClient(r, b.version)
				defer c.close()
				// The turn that is under way when the time is up is finished: it has requests that must be answered.
				for turn := 0; ctx.Err() == nil; turn++ {
					patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
					err := b.turn(patient, c, turn)
					cancel()
					switch {
					case errors.Is(err, errSessionEnded):
						late[i].Add(1)
					case err != nil:
						t.Errorf("a %s client, turn %d: %v", b.name, turn, err)
						return
					default:
						good[i].Add(1)
					}
				}
				answered[i].Add(*c.answered)
			})
		}
	}
	all.Wait()
	calm()
	flicker.Wait()
	for i, b := range behaved {
		t.Logf("%s: %d turns, %d calls answered, %d sessions ended too early", b.name, good[i].Load(), answered[i].Load(), late[i].Load())
		if good[i].Load() <= late[i].Load() {
			t.Errorf("%s: %d turns went well and %d did not, want more that did", b.name, good[i].Load(), late[i].Load())
		}
	}
	for i, a := range attacks {
		t.Logf("%4d turns of a peer that %s", turns[i].Load(), a.name)
	}
	if ran, answers := r.echoed.Load()-ran, answered[0].Load()+answered[1].Load(); ran != answers && !t.Failed() {
		t.Errorf("%d calls of well-behaved clients have run, and %d were answered", ran, answers)
	}
}
