package httpmcp_test

import (
	"context"
	"io"
	"log"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
)

// serverLog is what net/http says of its handlers and connections.
type serverLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *serverLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *serverLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// atOnce reports a fault when do takes time, by the clock of the bubble.
func atOnce(t *testing.T, name string, do func()) {
	t.Helper()
	start := time.Now()
	do()
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("%s takes %v", name, took)
	}
}

// A client that stops reading while it is sent what it has missed holds up nobody: another
// connection takes the stream over at once, and its session can be ended.
func TestStuckReplay(t *testing.T) {
	for _, last := range []string{"GET", "DELETE", "Shutdown"} {
		t.Run(last, func(t *testing.T) {
			inEach(t, &httpmcp.Options{WriteTime: time.Hour}, "", func(t *testing.T, c *legacyClient, w *world, s *workshop) {
				e := c.get("")
				s.change()
				c.want("one", e.next(), toolsChanged)
				one := e.last
				for range 50 { // more than is read ahead
					<-time.After(time.Second)
					s.change()
					c.want("more", e.next(), toolsChanged)
				}
				e.body.Close()
				synctest.Wait()
				stuck := c.do("GET", "", "Last-Event-ID: "+one)
				defer stuck.Body.Close()
				synctest.Wait()
				atOnce(t, last, func() {
					switch last {
					case "GET":
						c.want("again", c.get(one).next(), toolsChanged)
					case "DELETE":
						c.want("DELETE", summary(t, c.do("DELETE", "")), "204  ")
					case "Shutdown":
						ctx, cancel := context.WithCancel(context.Background())
						cancel()
						w.Shutdown(ctx)
					}
				})
			})
		})
	}
}

// Neither does one that stops reading where a comment keeps its stream alive.
func TestStuckComment(t *testing.T) {
	for _, last := range []string{"GET", "DELETE", "Shutdown"} {
		t.Run(last, func(t *testing.T) {
			inEach(t, &httpmcp.Options{WriteTime: time.Hour, KeepAlive: time.Second}, "", func(t *testing.T, c *legacyClient, w *world, _ *workshop) {
				stuck := c.do("GET", "")
				defer stuck.Body.Close()
				<-time.After(time.Minute)
				synctest.Wait()
				atOnce(t, last, func() {
					switch last {
					case "GET":
						c.get("")
					case "DELETE":
						c.want("DELETE", summary(t, c.do("DELETE", "")), "204  ")
					case "Shutdown":
						ctx, cancel := context.WithCancel(context.Background())
						cancel()
						w.Shutdown(ctx)
					}
				})
			})
		})
	}
}

// A handler that ends its goroutine once its session has ended leaves no fault of net/http.
func TestExitOfEnded(t *testing.T) {
	for name, more := range map[string]string{"stream": withToken, "plain": ""} {
		t.Run(name, func(t *testing.T) {
			inEach(t, nil, "", func(t *testing.T, c *legacyClient, w *world, s *workshop) {
				said := &serverLog{}
				w.server.ErrorLog = log.New(said, "", 0)
				replied := make(chan error)
				go func() {
					_, err := io.Copy(io.Discard, c.do("POST", tool("1", "exit-at-end", more)).Body)
					replied <- err // of a stream, which breaks off
				}()
				synctest.Wait()
				c.want("DELETE", summary(t, c.do("DELETE", "")), "204  ")
				<-replied
				synctest.Wait()
				if got := said.String(); got != "" {
					t.Errorf("net/http logs\n%s", got)
				}
			})
		})
	}
}
