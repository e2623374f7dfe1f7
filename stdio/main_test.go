package stdio_test

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain runs the tests, or plays the part that a test gives a child process in
// its first argument. No goroutine may be left in the end.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if play, ok := parts[os.Args[1]]; ok {
			os.Exit(play())
		}
	}
	// The goroutines of os/signal start with the first of its users, which must not
	// be one in a bubble of synctest.
	signal.Stop(notified())
	code := m.Run()
	if left := leftGoroutines(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines left after the tests:\n\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// notified is a channel on which signals are expected.
func notified() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	return c
}

// leftGoroutines returns the stacks of the goroutines that do not end although
// they are given the time to.
func leftGoroutines() string {
	var left []string
	for give := time.Now().Add(10 * time.Second); time.Now().Before(give); runtime.Gosched() {
		left = nil
		buf := make([]byte, 4<<20)
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			// The goroutine of os/signal stays for the life of a process.
			if !strings.Contains(stack, "TestMain") && !strings.Contains(stack, "os/signal.loop") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return ""
		}
	}
	return strings.Join(left, "\n\n")
}
