package bridged_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/mcptest"
)

// TestNoticeFlood: of notifications that the server is too slow for a bounded part waits, in their
// order, and the rest is dropped.
func TestNoticeFlood(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2025-03-26"} {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				goOn, heard := make(chan struct{}), make(chan int, 1000)
				var serving sync.WaitGroup
				b, err := bridge.New(t.Context(), func() discover.Transport {
					near, far := net.Pipe()
					serving.Go(func() { hesitate(far, goOn, heard) })
					return stdio.Stream(near, nil)
				}, &bridge.Options{Version: "2025-11-25"})
				if err != nil {
					t.Fatal(err)
				}
				c := mcptest.Dial(t, b.Server(), &mcptest.Options{Revision: revision, Transport: mcptest.Stdio()})
				c.List("tools/list") // from then on the server does not read
				pad := strings.Repeat("x", 50<<10)
				const sent = 240
				for i := range sent {
					c.Notify("notifications/com.example/n", fmt.Sprintf(`{"n":%d,"pad":%q}`, i, pad))
				}
				synctest.Wait()
				close(goOn)
				synctest.Wait()
				last := -1
				for range len(heard) {
					if n := <-heard; n != last+1 {
						t.Errorf("after %d comes %d", last, n)
						last = n
					} else {
						last++
					}
				}
				if last < 80 || last > 200 {
					t.Errorf("of %d notifications of 50 KiB the server has heard the first %d, want those of 4 MiB and what was on its way", sent, last+1)
				}
				c.Notify("notifications/com.example/n", fmt.Sprintf(`{"n":%d}`, sent))
				synctest.Wait()
				same(t, "the next one", fmt.Sprint(<-heard), fmt.Sprint(sent))
				c.Close()
				_ = b.Close()
				serving.Wait()
			})
		})
	}
}

// hesitate is a legacy server that stops reading behind its first list until goOn is closed.
func hesitate(far net.Conn, goOn <-chan struct{}, heard chan<- int) {
	defer far.Close()
	lines := bufio.NewScanner(far)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ N int }
		}
		_ = json.Unmarshal(lines.Bytes(), &m)
		result := `{"tools":[]}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"hesitates","version":"1"}}`
		case "notifications/com.example/n":
			heard <- m.Params.N
		}
		if m.ID != nil {
			fmt.Fprintf(far, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
		if m.Method == "tools/list" {
			<-goOn
		}
	}
}
