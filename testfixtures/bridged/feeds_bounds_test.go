package bridged_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover/bridge"
	"isthmus.internal/testfixtures/mcptest"
)

// TestFeedBounds: what all clients listen for together is bounded, in things, in the bytes of their
// names, and in how often each is listened for; who leaves makes room.
func TestFeedBounds(t *testing.T) {
	tests := []struct {
		name string
		uri  func(stream, i int) string // one of 1024 of a stream
		most int                        // streams that there is room for
	}{
		{"things", func(stream, i int) string { return fmt.Sprintf("many:%d-%d", stream, i) }, 8},
		{"bytes", func(stream, i int) string {
			return fmt.Sprintf("many:%d-%d-%s", stream, i, strings.Repeat("x", 2000))
		}, 2},
		{"listeners", func(_, i int) string { return fmt.Sprintf("many:%d", i) }, 256},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, _ := bridging(t, observe().Server, bridge.Options{})
				clients := make([]*mcptest.Client, 3) // one has no more than 128 streams
				for i := range clients {
					clients[i] = mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio()})
				}
				begin := func(stream int) *mcptest.Pending {
					uris := make([]string, 1024)
					for i := range uris {
						uris[i] = `"` + test.uri(stream, i) + `"`
					}
					p := clients[stream/100].Start("subscriptions/listen", `{"notifications":{"resourceSubscriptions":[`+strings.Join(uris, ",")+`]}}`)
					synctest.Wait()
					return p
				}
				var streams []*mcptest.Pending
				for i := range test.most {
					streams = append(streams, begin(i))
				}
				for i := range 3 {
					if r := begin(test.most + i).Wait(); !strings.Contains(r.String(), "Too many resources are listened for") {
						t.Errorf("stream %d of 1024: %s", test.most+i, r)
					}
					streams[i%2].Cancel()
					<-time.After(time.Second)
					if streams[i%2] = begin(i % 2); streams[i%2].Answered() { // it has the room that it has left
						t.Errorf("stream %d has left no room: %s", i%2, streams[i%2].Wait())
					}
				}
				for _, p := range streams {
					p.Cancel()
				}
				for _, c := range clients {
					c.Close()
				}
				_ = b.Close() // in the bubble
			})
		})
	}
}

// TestMostBlocks: where the server wants a subscription for each thing, their number is bounded; who
// leaves makes room, and who has one keeps it.
func TestMostBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := observe()
		o.alone = true
		b, _ := bridging(t, o.Server, bridge.Options{})
		c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: "2025-11-25", Transport: mcptest.Stdio()})
		const most = 95 // and one for the lists
		ask := func(what string, i int) *mcptest.Response {
			r := c.Request("resources/"+what, fmt.Sprintf(`{"uri":"many:%d"}`, i))
			<-time.After(time.Minute)
			synctest.Wait()
			return r
		}
		for i := range most {
			if r := ask("subscribe", i); r.Error != nil {
				t.Fatalf("thing %d: %s", i, r)
			}
		}
		if r := ask("subscribe", most); !strings.Contains(r.String(), "Too many resources are listened for") {
			t.Errorf("one more: got %s, want it refused", r)
		}
		ask("unsubscribe", 0)
		if r := ask("subscribe", most); r.Error != nil {
			t.Errorf("with room: %s", r)
		}
		o.mu.Lock()
		if len(o.open) != most+1 || o.open["many:0"] != 0 || o.open["many:1"] != 1 || o.open[fmt.Sprint("many:", most)] != 1 {
			t.Errorf("the server tells of %v", o.open)
		}
		o.mu.Unlock()
		c.Close()
		_ = b.Close() // in the bubble
	})
}

// TestBusyServer: a server that has too many subscriptions for a moment is asked again, some times.
func TestBusyServer(t *testing.T) {
	for busy, want := range map[int]string{3: "map[test:a:1]", 4: "map[]"} {
		synctest.Test(t, func(t *testing.T) {
			o := observe()
			o.busy = busy
			b, _ := bridging(t, o.Server, bridge.Options{})
			c := mcptest.Dial(t, b.Server(), &mcptest.Options{Transport: mcptest.Stdio()})
			p := c.Start("subscriptions/listen", `{"notifications":{"resourceSubscriptions":["test:a"]}}`)
			<-time.After(2 * time.Second)
			synctest.Wait()
			same(t, fmt.Sprintf("busy %d times, the server tells of", busy), o.tells(), want)
			if refused := want == "map[]"; p.Answered() != refused || refused && !strings.Contains(p.Wait().String(), "too many") {
				t.Errorf("busy %d times: the client has an answer %v, want %v", busy, p.Answered(), refused)
			}
			if !p.Answered() {
				p.Cancel()
			}
			c.Close()
			_ = b.Close() // in the bubble
		})
	}
}
