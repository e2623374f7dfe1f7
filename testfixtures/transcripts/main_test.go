package transcripts_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain fails the run when a goroutine of the tree outlives the tests.
func TestMain(m *testing.M) {
	status := m.Run()
	if left := leaked(); status == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s\n", left)
		status = 1
	}
	os.Exit(status)
}

// leaked waits for goroutines that are on their way out and returns the stacks of
// those that stay.
func leaked() string {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var left []byte
	for range 200 {
		left = nil
		buf := make([]byte, 1<<20)
		stacks := bytes.Split(buf[:runtime.Stack(buf, true)], []byte("\n\n"))
		for _, stack := range stacks[1:] { // the first is this one
			if bytes.Contains(stack, []byte("isthmus.internal/")) {
				left = append(append(left, stack...), "\n\n"...)
			}
		}
		if left == nil {
			return ""
		}
		<-tick.C
	}
	return string(left)
}
