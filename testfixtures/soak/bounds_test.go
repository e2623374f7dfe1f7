package soak

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
)

// The tests here put one attack after the other on an endpoint with default bounds, but for times. What they
// bound is memory: that which is in use while connections hang, or that which is allocated at all to answer.

// hanging opens connections that all send the same and then nothing, and returns the bytes that each of them holds.
// Both ends of a connection are counted; this one is a few hundred bytes.
func hanging(t *testing.T, o *httpmcp.Options, text func(p *peer) string) uint64 {
	t.Helper()
	const connections = 200
	r := start(t, o)
	warm := &peer{host: r.host}
	warm.send(warm.call("echo", ""))
	http.ReadResponse(newReader(warm), nil)
	warm.hang()
	before := inUse()
	for range connections {
		p := &peer{host: r.host}
		if err := p.send(text(p)); err != nil {
			t.Fatal(err)
		}
		defer p.hang()
	}
	// The server has read all when there is a goroutine for each connection, and it is quiet.
	waitFor(t, func() bool { return runtime.NumGoroutine() >= before.goroutines+connections })
	pause(context.Background(), 200*time.Millisecond)
	after := inUse()
	held, first := after.bytes+after.stacks, before.bytes+before.stacks
	return (held - min(held, first)) / connections
}

func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	for range 1000 {
		if ready() {
			return
		}
		pause(context.Background(), 5*time.Millisecond)
	}
	t.Fatal("it has not come to that in five seconds")
}

// TestLyingLengthTakesNoMemory has clients claim four megabytes and send next to nothing.
func TestLyingLengthTakesNoMemory(t *testing.T) {
	o := &httpmcp.Options{BodyTime: 20 * time.Second}
	each := hanging(t, o, func(p *peer) string { return p.head(4<<20, "") + `{"jsonrpc":"2.0",` })
	t.Logf("%d bytes for each connection", each)
	if each > 64<<10 {
		t.Errorf("a connection that claims 4 MiB and sends 17 bytes holds %d bytes, want at most 64 KiB", each)
	}
}

// TestSlowHeadTakesNoMemory has clients stop in the middle of a header.
func TestSlowHeadTakesNoMemory(t *testing.T) {
	each := hanging(t, nil, func(*peer) string { return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " })
	t.Logf("%d bytes for each connection", each)
	if each > 32<<10 {
		t.Errorf("a connection that stops in its head holds %d bytes, want at most 32 KiB", each)
	}
}

// TestSlowClientsAreCutOff has clients send byte by byte: head and body are each given up when their time is over.
func TestSlowClientsAreCutOff(t *testing.T) {
	r := start(t, options())
	for _, a := range attacks {
		if strings.Contains(a.name, "byte by byte") {
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				p := &peer{host: r.host, chance: rand.New(rand.NewPCG(1, 1))}
				defer p.hang()
				if err := a.turn(t.Context(), p); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestBadBodiesAllocateLittle counts what is allocated to refuse bodies that are too large or nested too deeply.
func TestBadBodiesAllocateLittle(t *testing.T) {
	const most = 4 << 20 // the default bound of a body
	spaces := func(n int) string { return strings.Repeat(" ", n) }
	tests := []struct {
		name   string
		body   string
		head   func(p *peer, body string) string
		status int
		kib    uint64 // for one request, that of both ends
	}{
		{"one byte too many, claimed", "", func(p *peer, _ string) string { return p.head(most+1, "") }, 413, 64},
		{"as many as there are numbers, claimed", "", func(p *peer, _ string) string { return p.head(1<<62, "") }, 413, 64},
		{"too many, in chunks", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", most+1, spaces(most+1)), chunkedHead, 413, 4 * most >> 10},
		{"nested arrays", strings.Repeat("[", most-1), nil, 400, 4 * most >> 10},
		{"nested objects", strings.Repeat(`{"a":`, most/5), nil, 400, 4 * most >> 10},
		{"nested params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":` + strings.Repeat("[", most/2), nil, 400, 4 * most >> 10},
		{"many members", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + members(most/20) + `}}`, nil, 400, 16 * most >> 10},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := start(t, nil)
			p := &peer{host: r.host}
			text := p.head(len(test.body), "") + test.body
			if test.head != nil {
				text = test.head(p, test.body) + test.body
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := p.send(""); err != nil {
				t.Fatal(err)
			}
			defer p.hang()
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				io.WriteString(p.conn, text) // an error means that the server has had enough
			}()
			answer, err := http.ReadResponse(newReader(p), nil)
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			p.hang()
			<-sent
			kib := (after.TotalAlloc - before.TotalAlloc) >> 10
			t.Logf("%s, %d KiB allocated", answer.Status, kib)
			if answer.StatusCode != test.status || kib > test.kib {
				t.Errorf("got %s and %d KiB allocated, want %d and at most %d KiB", answer.Status, kib, test.status, test.kib)
			}
		})
	}
}

func chunkedHead(p *peer, _ string) string {
	return strings.Replace(p.head(0, "Transfer-Encoding: chunked\r\n"), "Content-Length: 0\r\n", "", 1)
}

// members are so many members of an object, each with a name of its own.
func members(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, `"%08d":1,`, i)
	}
	return strings.TrimSuffix(all.String(), ",")
}
