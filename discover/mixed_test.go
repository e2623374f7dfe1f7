package discover_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"isthmus.internal/mcp"
)

// func0 is a tool handler that gives nothing worth looking at.
func func0(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{}, nil }

// TestAnyOrder mixes requests of both eras in many orders, on one connection each,
// with the handshake somewhere between them. Each is answered by the rules of its own
// era: before the handshake a legacy one is of neither.
func TestAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		old := eras[random.IntN(4)]
		opened, at := false, random.IntN(20)
		bubble(t, fixture, func(w *wire) {
			var order []string
			for i := range 20 {
				if i == at {
					w.want("handshake", initialize(old.version), initializeResult(old.version))
					opened = true
					order = append(order, "initialize")
				}
				e := modernEra
				if random.IntN(2) == 0 {
					e = old
				}
				order = append(order, e.version)
				what := fmt.Sprintf("round %d, after %s", round, strings.Join(order, " "))
				id := fmt.Sprint(i + 1)
				switch {
				case !e.modern && !opened:
					w.want(what, e.request(id, "tools/list", ``), failure(id, -32602, neither, ""))
				case random.IntN(2) == 0:
					w.want(what, e.request(id, "resources/read", `"uri":"test:other"`), e.noSuchResource(id, "test:other"))
				default:
					line, want := echoed(e, id)
					w.want(what, line, want)
				}
			}
		})
	}
}

// gated is a server whose tool wait answers when its gate opens.
func gated(gate <-chan struct{}) func() *mcp.Server {
	return func() *mcp.Server {
		s := fixture()
		s.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			<-gate
			return mcp.TextResult(c.ProtocolVersion() + " " + string(c.Argument("n"))), nil
		})
		return s
	}
}

// TestAtOnce has calls of both eras in flight together: all of them read while none
// is answered, then all of them answered, each in its own form and with its own id.
func TestAtOnce(t *testing.T) {
	for _, old := range eras[:4] {
		synctest.Test(t, func(t *testing.T) {
			gate := make(chan struct{})
			w := dial(t, gated(gate)())
			w.want("handshake", initialize(old.version), initializeResult(old.version))
			var want []string
			for i := range 100 {
				e := old
				if i%2 == 1 {
					e = modernEra
				}
				id := fmt.Sprint(i)
				w.in.lines <- e.request(id, "tools/call", `"name":"wait","arguments":{"n":`+id+`}`)
				want = append(want, e.text(id, e.version+" "+id))
			}
			w.want("a quick one behind them", modernEra.request(`"q"`, "tools/call", `"name":"echo"`), modernEra.text(`"q"`, "{}"))
			close(gate)
			synctest.Wait()
			got := w.out.take(t)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s and modern at once\n got %s\nwant %s", old.version, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
			w.finish()
		})
	}
}

// TestConnectionsShareNothing: many connections to one server at once, each with its
// own session, the same ids and its own answers.
func TestConnectionsShareNothing(t *testing.T) {
	s := fixture()
	var work sync.WaitGroup
	for i := range 20 {
		e := eras[i%len(eras)]
		work.Go(func() {
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, s)
				if !e.modern {
					w.want("handshake", initialize(e.version), initializeResult(e.version))
				}
				for n := range 20 {
					arguments := fmt.Sprintf(`{"n":%d}`, i*100+n)
					w.want("call", e.request("1", "tools/call", `"name":"echo","arguments":`+arguments), e.text("1", arguments))
				}
				w.finish()
			})
		})
	}
	work.Wait()
}

// TestEndOfInput (B160): what was read is answered, however it was mixed, although
// the input ends at once.
func TestEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, fixture())
		w.in.lines <- initialize("2025-06-18")
		want := []string{initializeResult("2025-06-18")}
		for i := range 200 {
			e := eras[2+2*(i%2)]
			line, answer := echoed(e, fmt.Sprint(i+1))
			w.in.lines <- line
			want = append(want, answer)
		}
		close(w.in.lines)
		if err := <-w.done; err != nil {
			t.Errorf("the connection ended with %v", err)
		}
		got := w.out.take(t)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("got %d answers, want %d; the first that differ:\n%s", len(got), len(want), firstDifference(got, want))
		}
	})
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return " got " + got[i] + "\nwant " + want[i]
		}
	}
	return "one list is the beginning of the other"
}
