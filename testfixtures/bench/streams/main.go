// Command streams is a server on which many streams wait, for the benchmarks of what an idle one costs and of
// how fast a change reaches all of them. It has one tool and no more.
//
//	streams           is the endpoint: subscriptions/listen in the modern era, GET in the legacy one
//	streams -floor    is bare net/http: a handler that sends its headers and waits
//
// It is told what to do by lines on standard input, and answers each with a line on standard output:
//
//	memory            the bytes of heap and stacks in use after a collection, and those the process has resident
//	change TEXT       has something change; the floor writes TEXT, a quoted string, to all streams instead
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"isthmus.internal/httpmcp"
)

func main() {
	bare := flag.Bool("floor", false, "serve bare net/http")
	flag.Parse()
	if err := run(*bare); err != nil {
		fmt.Fprintln(os.Stderr, "streams:", err)
		os.Exit(1)
	}
}

// subject is what the streams are on.
type subject interface {
	http.Handler
	change(text string)
}

func run(bare bool) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var s subject = newEndpoint()
	serve := func() error { return httpmcp.Serve(ctx, l, s, nil) }
	if bare {
		s = newFloor()
		serve = func() error { return serveBare(ctx, l, s) }
	}
	go obey(os.Stdin, os.Stdout, s)
	fmt.Fprintf(os.Stderr, "streams ready on http://%s/mcp\n", l.Addr())
	return serve()
}

func serveBare(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// obey does what the lines say until there are none.
func obey(in io.Reader, out io.Writer, s subject) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		switch verb, rest, _ := strings.Cut(lines.Text(), " "); verb {
		case "memory":
			m, err := readMemory()
			fmt.Fprintln(out, m.inUse, m.resident, err)
		case "change":
			text, err := strconv.Unquote(rest)
			s.change(text)
			fmt.Fprintln(out, "changed", err)
		}
	}
}

// memory is what a process uses, in bytes.
type memory struct {
	inUse    uint64 // objects that are reachable, and the stacks of goroutines
	resident uint64 // as the operating system sees it
}

func readMemory() (m memory, err error) {
	// The first collection may shrink stacks, and empties pools by half.
	for range 3 {
		runtime.GC()
	}
	debug.FreeOSMemory()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	m.inUse = stats.HeapAlloc + stats.StackInuse
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return m, err
	}
	_, rest, found := bytes.Cut(status, []byte("\nVmRSS:"))
	fields := strings.Fields(string(rest))
	if !found || len(fields) == 0 {
		return m, errors.New("no VmRSS in /proc/self/status")
	}
	kib, err := strconv.ParseUint(fields[0], 10, 64)
	m.resident = kib << 10
	return m, err
}
