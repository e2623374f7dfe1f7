package mcptest_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recorder is a test that notes what is wrong and does not fail the real one.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	faults   []string
	cleanups []func()
}

// record runs f as a test of its own and returns what was wrong, one fault a line.
func record(t *testing.T, f func(t testing.TB)) string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, c := range slices.Backward(r.cleanups) {
				c()
			}
		}()
		f(r)
	}()
	<-done
	return strings.Join(r.faults, "\n")
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Failed() bool     { return len(r.faults) > 0 }
func (r *recorder) Logf(format string, args ...any) {
	r.Errorf(format, args...)
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}
