package bridged_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover/bridge"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/mcptest"
)

// TestListenersInTurmoil: clients of both eras listen, give up, leave in order and vanish, while
// the server changes, ends subscriptions and goes away. Those who stay are told at the end, and
// when they have left, too, the server tells of nothing.
func TestListenersInTurmoil(t *testing.T) {
	for _, upstream := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(upstream, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { turmoil(t, upstream) })
		})
	}
}

func turmoil(t *testing.T, upstream string) {
	o := observe()
	b, from := bridging(t, o.Server, bridge.Options{Version: upstream})
	old := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-06-18", Transport: mcptest.Stdio()})
	stays := old.Listen(mcptest.Filter{Tools: true, URIs: []string{"test:a"}})
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() { comesAndGoes(b, i) })
	}
	over := make(chan struct{})
	var changing sync.WaitGroup
	changing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-over:
				return
			case <-time.After(37 * time.Millisecond):
			}
			o.ResourceUpdated([]string{"test:a", "test:b", "many:1"}[i%3])
			switch {
			case i%40 == 39:
				from.kill()
			case i%15 == 14:
				o.endAll()
			}
		}
	})
	all.Wait()
	close(over)
	changing.Wait()
	<-time.After(2 * time.Minute)
	synctest.Wait()
	stays.Take()
	o.ResourceUpdated("test:a")
	o.RemoveTool("a")
	hears(t, "who has stayed", stays, ofA, ofTools)
	modern := mcptest.Dial(t, b.Server(), nil)
	fresh := modern.Listen(mcptest.Filter{URIs: []string{"test:a", "many:1"}})
	o.ResourceUpdated("many:1")
	hears(t, "who has come", fresh, "resources/updated many:1")
	fresh.Close()
	modern.Close()
	stays.Close()
	synctest.Wait()
	<-time.After(time.Minute)
	if upstream == mcptest.Modern {
		same(t, "with one that listens for the lists", o.tells(), "map[lists:1]")
	}
	old.Close()
	<-time.After(time.Minute)
	synctest.Wait()
	if upstream == mcptest.Modern { // else what ends with a connection is not counted
		same(t, "with none", o.tells(), "map[]")
	}
	_ = b.Close() // in the bubble
}

// comesAndGoes is a client that does not know what it wants, and does not look at what it is told.
func comesAndGoes(b *bridge.Bridge, i int) {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	pause := func() { <-time.After(time.Duration(r.IntN(60)) * time.Millisecond) }
	for range 6 {
		near, far := net.Pipe()
		var both sync.WaitGroup
		both.Go(func() { _ = stdio.ServeStream(context.Background(), far, b.Server(), nil) }) // which may be broken off
		both.Go(func() { _, _ = io.Copy(io.Discard, near) })
		send := func(format string, values ...any) { fmt.Fprintf(near, `{"jsonrpc":"2.0",`+format+"}\n", values...) }
		modern := r.IntN(2) == 0
		if !modern {
			send(`"id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
			send(`"method":"notifications/initialized"`)
		}
		for id := range r.IntN(12) {
			uri := []string{"test:a", "test:b", "many:1", fmt.Sprintf("many:%d", r.IntN(50)), "none:x"}[r.IntN(5)]
			if modern {
				send(`"id":%d,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":[%q,"test:a"]},`+
					`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`, id, uri)
			} else {
				send(`"id":%d,"method":"resources/%s","params":{"uri":%q}`, id, []string{"subscribe", "subscribe", "unsubscribe"}[r.IntN(3)], uri)
			}
			if r.IntN(3) == 0 {
				pause()
			}
			if r.IntN(3) == 0 {
				send(`"method":"notifications/cancelled","params":{"requestId":%d}`, id)
			}
		}
		if r.IntN(2) == 0 {
			pause()
		}
		near.Close()
		both.Wait()
	}
}
