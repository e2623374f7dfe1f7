package httpmcp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// note is what the tool "notes" tells before it answers.
func note(n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/note","params":{"n":%d}}`, n)
}

// addNotes adds a tool that tells so many notes, one a second.
func addNotes(s *mcp.Server, many int, more string) {
	s.AddTool(mcp.Tool{Name: "notes"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		for n := range many {
			c.Notify("notifications/note", fmt.Appendf(nil, `{"n":%d%s}`, n, more))
			<-time.After(time.Second)
		}
		return mcp.TextResult("noted"), nil
	})
}

// However often the connection breaks, and wherever, a client that comes back with the last
// id that it has seen gets each message once, in order (2025-11-25 basic/transports,
// Resumability and Redelivery).
func TestResumedAtRandom(t *testing.T) {
	const many = 30
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
			addNotes(s.Server, many, "")
			get := c.get("") // a stream beside it, which gets nothing of it
			var got []string
			e := c.begin("1", "notes", "")
			for done := false; !done; {
				for range 1 + random.IntN(5) {
					data := e.next()
					if done = data == "end" || strings.Contains(data, `"id":1`); data != "" {
						got = append(got, data)
					}
					if done {
						break
					}
				}
				if done {
					break
				}
				last := e.last
				if random.IntN(2) == 0 { // or the old connection seems alive yet
					e.body.Close()
					synctest.Wait()
				}
				<-time.After(time.Duration(random.IntN(5000)) * time.Millisecond)
				old := e
				e = stream(t, c.do("GET", "", "Last-Event-ID: "+last))
				old.body.Close()
				e.last = last
			}
			var want []string
			for n := range many {
				want = append(want, note(n))
			}
			want = append(want, answered("1", "noted"))
			c.want(fmt.Sprint("seed ", seed), strings.Join(got, "\n"), strings.Join(want, "\n"))
			s.change()
			c.want("the stream beside it", get.next(), toolsChanged)
		})
	}
}

// The same place can be taken up several times: each time what followed is sent, and what
// comes from then on goes to the last connection alone.
func TestResumedSeveralTimes(t *testing.T) {
	inEach(t, nil, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		addNotes(s.Server, 3, "")
		e := c.begin("1", "notes", "")
		c.want("the first", e.message(), note(0))
		first := e.last
		c.want("the second", e.message(), note(1))
		for range 3 {
			again := stream(t, c.do("GET", "", "Last-Event-ID: "+first))
			c.want("the second again", again.message(), note(1))
			c.want("the connection before", e.next(), "end")
			e = again
		}
		c.want("the third", e.message(), note(2))
		c.want("the answer", e.message(), answered("1", "noted"))
		c.want("the end", e.next(), "end")
	})
}

// A place whose rest is not kept any more cannot be taken up; a later one can.
func TestResumedTooLate(t *testing.T) {
	inEach(t, &httpmcp.Options{Events: httpmcp.NewMemoryEvents(&httpmcp.MemoryOptions{MaxStream: 10_000})}, "", func(t *testing.T, c *legacyClient, _ *world, s *workshop) {
		addNotes(s.Server, 10, `,"more":"`+strings.Repeat("x", 2000)+`"`)
		e := c.begin("1", "notes", "")
		e.message()
		first, later := e.last, ""
		for range 9 {
			later = e.last
			e.message()
		}
		e.body.Close()
		synctest.Wait()
		c.has("too late", summary(t, c.do("GET", "", "Last-Event-ID: "+first)), "400 application/json", "what followed it is not kept any more")
		e = stream(t, c.do("GET", "", "Last-Event-ID: "+later))
		e.message()
		c.want("the answer", e.message(), answered("1", "noted"))
	})
}

// lateEvents is a store in which something happens once between that Since looks and that
// it returns.
type lateEvents struct {
	httpmcp.EventStore
	meanwhile func()
	once      atomic.Bool
}

func (s *lateEvents) Since(session, id string) (string, []httpmcp.Event, error) {
	stream, events, err := s.EventStore.Since(session, id)
	if !s.once.Swap(true) {
		s.meanwhile()
	}
	return stream, events, err
}

// A call that is answered just when its stream is taken up loses nothing.
func TestResumedInTheEnd(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			s := newWorkshopLater()
			events := &lateEvents{EventStore: httpmcp.NewMemoryEvents(nil)}
			inBubble(t, s.make, &httpmcp.Options{Events: events}, func(t *testing.T, w *world) {
				c := w.dial(t, version, "")
				e := c.begin("1", "wait", withToken)
				c.want("progress", e.message(), progress(1))
				e.body.Close()
				synctest.Wait()
				events.meanwhile = func() {
					s.open <- struct{}{}
					<-s.ended
					<-time.After(time.Second)
				}
				e = stream(t, c.do("GET", "", "Last-Event-ID: "+e.last))
				c.want("progress", e.message(), progress(2))
				c.want("the answer", e.message(), answered("1", "waited"))
				c.want("the end", e.next(), "end")
			})
		})
	}
}

// workshopLater is a workshop that is made in the bubble.
type workshopLater struct{ *workshop }

func newWorkshopLater() *workshopLater { return &workshopLater{} }

func (l *workshopLater) make() *mcp.Server {
	l.workshop = newWorkshop()
	return l.Server
}
