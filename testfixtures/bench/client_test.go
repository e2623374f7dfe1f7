//go:build unix

package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/echo"
)

// BenchmarkClient is a tools/call through a client, a pair of pipes and the echo server, all in this process. The
// processor time is what getrusage(2) tells of it.
//
//   - x-floor is that time in floors: messages of the same sizes that are written to such a pair one by one and read
//     at the other end, with no protocol at all, in the same run. The aim is 6.
//   - x-batch is the same with those in flight put together: one write and one read for all of them.
//   - client-allocs/op is what is allocated beside what the server allocates for the same requests. The aim is 15.
func BenchmarkClient(b *testing.B) {
	for _, row := range []struct {
		name           string
		text, inFlight int
	}{
		{"64B/one-in-flight", 64, 1},
		{"64B/16-in-flight", 64, 16},
		{"64KiB/one-in-flight", 64 << 10, 1},
		{"64KiB/16-in-flight", 64 << 10, 16},
	} {
		for _, era := range []mcp.Eras{mcp.Legacy, mcp.Modern} {
			b.Run(row.name+"/"+eraName[era], func(b *testing.B) {
				benchmarkClient(b, era, strings.Repeat("x", row.text), row.inFlight)
			})
		}
	}
}

func benchmarkClient(b *testing.B, era mcp.Eras, text string, inFlight int) {
	ours, theirs := pipes(b)
	var served sync.WaitGroup
	served.Go(func() { stdio.ServeStream(context.Background(), theirs, echo.NewServer(quiet), nil) })
	o := &discover.ConnectOptions{Era: era}
	c, _, err := discover.Connect(b.Context(), stdio.Stream(ours, nil), o)
	if err != nil {
		b.Fatal(err)
	}
	arguments := jsonrpc.Raw(`{"text":"` + text + `"}`)
	var given any = arguments // it is the caller's to make
	call := func() {
		r, err := c.CallTool(b.Context(), "echo", given, nil)
		if err != nil || len(r.Content) != 1 {
			b.Error(r, err)
		}
	}
	call()
	b.ResetTimer()
	used, allocs := spent(b, func() { crowd(b.N, inFlight, call) })
	b.StopTimer()
	if err := c.Close(); err != nil {
		b.Error(err)
	}
	served.Wait()

	wire := record(b, era, arguments)
	request, reply := len(wire.request), wire.reply
	single := floorTime(b, request, reply, inFlight, false)
	batch := floorTime(b, request, reply, inFlight, true)
	n := float64(b.N)
	b.ReportMetric(float64(used)/float64(single), "x-floor")
	b.ReportMetric(float64(used)/float64(batch), "x-batch")
	b.ReportMetric(micros(used)/n, "cpu-µs/op")
	b.ReportMetric(micros(single)/n, "floor-cpu-µs/op")
	b.ReportMetric(float64(allocs)/n-wire.serverAllocs(b), "client-allocs/op")
}

var quiet = slog.New(slog.DiscardHandler)

// crowd calls f n times, on so many goroutines.
func crowd(n, goroutines int, f func()) {
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() {
			for range (n + i) / goroutines {
				f()
			}
		})
	}
	all.Wait()
}

// spent is the processor time and the allocations of f.
func spent(b *testing.B, f func()) (time.Duration, uint64) {
	var before, after syscall.Rusage
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	f()
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		b.Fatal(err)
	}
	runtime.ReadMemStats(&end)
	return time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()), end.Mallocs - start.Mallocs
}

// pipes are the two ends of a pair of pipes.
func pipes(b *testing.B) (ours, theirs io.ReadWriteCloser) {
	var files [4]*os.File
	var errs [2]error
	files[0], files[1], errs[0] = os.Pipe()
	files[2], files[3], errs[1] = os.Pipe()
	if err := errors.Join(errs[:]...); err != nil {
		b.Fatal(err)
	}
	return stdio.Pair(files[0], files[3]), stdio.Pair(files[2], files[1])
}

// floorTime is the processor time of b.N messages of these sizes each way, so many in flight.
func floorTime(b *testing.B, request, reply, inFlight int, together bool) time.Duration {
	ours, theirs := pipes(b)
	defer ours.Close()
	defer theirs.Close()
	group := 1
	if together {
		group = inFlight
	}
	used, _ := spent(b, func() {
		var all sync.WaitGroup
		rounds := (b.N + inFlight - 1) / inFlight
		all.Go(func() { move(theirs, theirs, rounds*inFlight/group, request*group, reply*group) })
		out, in := make([]byte, request*group), make([]byte, reply*inFlight)
		write := func() {
			for range inFlight / group {
				ours.Write(out)
			}
		}
		for range rounds {
			if request*inFlight > 32<<10 { // more than a pipe may hold
				all.Go(write)
			} else {
				write()
			}
			io.ReadFull(ours, in)
		}
		all.Wait()
	})
	return used
}

// move reads and writes so often.
func move(r io.Reader, w io.Writer, times, in, out int) {
	read, write := make([]byte, in), make([]byte, out)
	for range times {
		io.ReadFull(r, read)
		w.Write(write)
	}
}

var eraName = map[mcp.Eras]string{mcp.Legacy: "legacy", mcp.Modern: "modern"}

// recording is what a client has sent for one call.
type recording struct {
	opening []byte // before the request
	answers int    // to that
	request []byte
	reply   int // bytes of the reply
}

// record has a client call once.
func record(b *testing.B, era mcp.Eras, arguments jsonrpc.Raw) recording {
	ours, theirs := pipes(b)
	var served sync.WaitGroup
	served.Go(func() { stdio.ServeStream(context.Background(), theirs, echo.NewServer(quiet), nil) })
	var r recording
	var mu sync.Mutex
	tap := func(direction string, line []byte) {
		mu.Lock()
		defer mu.Unlock()
		if direction == "in" {
			r.reply = len(line)
			r.answers++
			return
		}
		r.opening = append(r.opening, r.request...)
		r.request = bytes.Clone(line)
	}
	c, _, err := discover.Connect(b.Context(), stdio.Stream(ours, &stdio.ClientOptions{Tap: tap}), &discover.ConnectOptions{Era: era})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.CallTool(b.Context(), "echo", arguments, nil); err != nil {
		b.Fatal(err)
	}
	c.Close()
	served.Wait()
	r.answers--
	return r
}

// serverAllocs is what the server allocates for one request.
func (r recording) serverAllocs(b *testing.B) float64 {
	const requests = 2000
	ours, theirs := pipes(b)
	var served sync.WaitGroup
	served.Go(func() { stdio.ServeStream(context.Background(), theirs, echo.NewServer(quiet), nil) })
	in := bufio.NewReaderSize(ours, 1<<20)
	ask := func(text []byte, answers int) {
		ours.Write(text)
		for range answers {
			if _, err := in.ReadSlice('\n'); err != nil {
				b.Fatal(err)
			}
		}
	}
	ask(r.opening, r.answers)
	_, allocs := spent(b, func() {
		for range requests {
			ask(r.request, 1)
		}
	})
	ours.Close()
	served.Wait()
	return float64(allocs) / requests
}
