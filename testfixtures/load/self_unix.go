//go:build unix

package load

import (
	"syscall"
	"time"
)

// Self is the processor time that this process has used, as getrusage(2) has it.
func Self() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
