// Package leaktest fails a test run that leaves goroutines of the tree behind. It
// stands in the leftmost room so that the tests of every room can use it:
//
//	func TestMain(m *testing.M) { os.Exit(leaktest.Run(m)) }
package leaktest

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// Run runs the tests and returns the status to exit with: that of the tests, or 1
// when they pass and a goroutine with code of this module is still there after two
// seconds. Its stack then stands on standard error.
func Run(m *testing.M) int {
	status := m.Run()
	if left := leaked(); status == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s\n", left)
		return 1
	}
	return status
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
