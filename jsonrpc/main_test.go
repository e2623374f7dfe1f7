package jsonrpc_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain runs the tests. No goroutine of a connection may be left in the end.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := leftGoroutines(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines left after the tests:\n\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leftGoroutines returns the stacks of the goroutines of this package that do not
// end although they are given the time to.
func leftGoroutines() string {
	var left []string
	buf := make([]byte, 4<<20)
	for give := time.Now().Add(10 * time.Second); time.Now().Before(give); runtime.Gosched() {
		left = nil
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "/jsonrpc") && !strings.Contains(stack, "TestMain") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return ""
		}
	}
	return strings.Join(left, "\n\n")
}
