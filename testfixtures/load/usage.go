package load

import "time"

// Usage is what processes have used so far.
type Usage struct {
	CPU    time.Duration // processor time, user and system
	Memory int64         // the most bytes that were in memory at once, of several processes the sum of that
}
