//go:build unix

package stdio_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/stdio"
)

// cpu is the processor time that this process has used, user and system.
func cpu(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLink is a call and its answer through client and server over a pair of pipes, all in this
// process. x-floor is the processor time in floors: the same bytes moved over such a pair
// with no protocol at all, in the same run. In "crowd" each message is a write of its own, in "batch"
// those in flight leave together.
func BenchmarkLink(b *testing.B) {
	for _, row := range []struct {
		name           string
		text, inFlight int
	}{
		{"64 bytes, one in flight", 64, 1},
		{"64 bytes, 16 in flight", 64, 16},
		{"64 KiB, one in flight", 64 << 10, 1},
		{"64 KiB, 16 in flight", 64 << 10, 16},
	} {
		b.Run(row.name, func(b *testing.B) {
			ours, theirs := pipePair(b)
			var served sync.WaitGroup
			served.Go(func() { stdio.ServeStream(context.Background(), theirs, newServer(nil, nil), nil) })
			l, err := stdio.Stream(ours, nil).Modern(b.Context(), newVisitor(), slog.New(slog.DiscardHandler))
			if err != nil {
				b.Fatal(err)
			}
			call := echoCall(strings.Repeat("x", row.text))
			result, err := l.Call(b.Context(), call)
			if err != nil {
				b.Fatal(err)
			}
			request := len(call.Params(nil, jsonrpc.IntID(1000))) + 60
			b.ReportAllocs()
			b.ResetTimer()
			before := cpu(b)
			crowd(b.N, row.inFlight, func() {
				if _, err := l.Call(b.Context(), call); err != nil {
					b.Error(err)
				}
			})
			used := cpu(b) - before
			b.StopTimer()
			l.Close()
			served.Wait()
			n := float64(b.N)
			b.ReportMetric(float64(used.Microseconds())/n, "cpu-µs/op")
			ground := floorCPU(b, request, len(result)+40, row.inFlight)
			b.ReportMetric(float64(used)/float64(ground), "x-floor")
			b.ReportMetric(float64(ground.Microseconds())/n, "floor-cpu-µs/op")
		})
	}
}

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

// floorCPU is what b.N requests and replies of these sizes cost on their way alone.
func floorCPU(b *testing.B, request, reply, inFlight int) time.Duration {
	ours, theirs := pipePair(b)
	var all sync.WaitGroup
	before := cpu(b)
	rounds := (b.N + inFlight - 1) / inFlight
	all.Go(func() { // the server
		in, out := make([]byte, request*inFlight), make([]byte, reply*inFlight)
		for range rounds {
			io.ReadFull(theirs, in)
			theirs.Write(out)
		}
	})
	out, in := make([]byte, request*inFlight), make([]byte, reply*inFlight)
	for range rounds {
		all.Go(func() { ours.Write(out) })
		io.ReadFull(ours, in)
	}
	all.Wait()
	used := cpu(b) - before
	ours.Close()
	theirs.Close()
	return used
}
