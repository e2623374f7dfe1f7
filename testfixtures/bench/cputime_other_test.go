//go:build !linux

package bench

import (
	"errors"
	"time"
)

// cpuTime has no way to the processor time of a running process here.
func cpuTime(int) (time.Duration, error) {
	return 0, errors.New("the processor time of a running process is read on Linux only: run the benchmarks over HTTP there")
}
