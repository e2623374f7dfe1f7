package jsonrpc_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
)

// In real time, handlers take about as long as a goroutine may hold the reading
// place, so that it is taken over, or not, at any moment. Whatever happens, each
// request is answered once, and a cancelled one at most once. The race detector
// and the feed watch meanwhile.
func TestStress(t *testing.T) {
	const messages, window = 4000, 64
	busy := func(x exchange) (string, error) {
		for end := time.Now().Add(time.Duration(rand.IntN(1500)) * time.Microsecond); rand.IntN(8) == 0 && time.Now().Before(end); {
		}
		switch rand.IntN(8) {
		case 0:
			x.p.Notify("progress", nil)
		case 1:
			select {
			case <-x.ctx.Done():
				return "", x.ctx.Err()
			case <-time.After(time.Duration(rand.IntN(3000)) * time.Microsecond):
			}
		case 2:
			if got, err := x.p.Call(x.ctx, "get", nil); err == nil && string(got) != `"got"` {
				return "", fmt.Errorf("Call returned %s", got)
			}
		}
		return string(x.m.Params), nil
	}
	in, out := newFeed(), newRecorder()
	conn := jsonrpc.NewConn(in, out, &script{
		requests: map[string]func(exchange) (string, error){"x": busy},
		notes:    map[string]func(exchange){"x": func(x exchange) { busy(x) }},
	}, &jsonrpc.Options{Drain: time.Minute})
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { served <- conn.Serve(ctx) }()

	room, finished := make(chan struct{}, window), make(chan map[string]int)
	go func() { finished <- answerAll(t, in, out, room) }()
	for i := range messages {
		id := strconv.Itoa(i)
		message := ask(id, "x", `{"n":`+id+`}`)
		switch rand.IntN(8) {
		case 0:
			message = array(message, tell("x", ""))
		case 1:
			in.arrivals <- []event{{message: tell("x", "")}}
		}
		group := []event{{message: message}}
		if isCancelled(id) {
			group = append(group, event{message: cancelled(id)})
		} else {
			room <- struct{}{}
		}
		in.arrivals <- group
	}
	for range window {
		room <- struct{}{} // all that are not cancelled are answered
	}
	cancel()
	if err := <-served; err != nil {
		t.Errorf("Serve returned %v", err)
	}
	close(out.lines)
	answered := <-finished
	for i := range messages {
		id := strconv.Itoa(i)
		if n := answered[id]; n > 1 || n == 0 && !isCancelled(id) {
			t.Errorf("request %s, cancelled %v, was answered %d times", id, isCancelled(id), n)
		}
	}
	if in.crowd.Load() {
		t.Error("two goroutines used the source at once")
	}
	for _, fault := range out.faults {
		t.Error(fault)
	}
}

// isCancelled says which requests the test cancels.
func isCancelled(id string) bool { return id[len(id)-1] == '7' }

// answerAll is the peer: it answers calls, counts answers by id and makes room
// for the next request. It returns when nothing more is written.
func answerAll(t *testing.T, in *feed, out *recorder, room <-chan struct{}) map[string]int {
	answered := map[string]int{}
	for line := range out.lines {
		elements := []jsonrpc.Raw{jsonrpc.Raw(line)}
		if jsonrpc.IsArray(elements[0]) {
			elements, _ = mcpScanner.Split(elements[0])
		}
		for _, element := range elements {
			var m jsonrpc.Message
			mcpScanner.Scan(element, &m)
			id := m.ID.String()
			switch {
			case m.Kind == jsonrpc.Request:
				in.arrivals <- []event{{message: answer(id, `"got"`)}}
			case m.Kind != jsonrpc.Response:
			case m.Error != nil || !bytes.Equal(m.Result, []byte(`{"n":`+id+`}`)):
				t.Errorf("request %s was answered by %s", id, element)
			default:
				answered[id]++
				if !isCancelled(id) {
					<-room
				}
			}
		}
	}
	return answered
}
