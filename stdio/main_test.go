package stdio_test

import (
	"fmt"
	"os"
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
	code := m.Run()
	if left := leftGoroutines(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines left after the tests:\n\n%s\n", left)
		code = 1
	}
	os.Exit(code)
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
