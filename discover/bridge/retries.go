package bridge

import "time"

// retries says how long to wait before something is tried again.
type retries struct {
	soon  int       // tries that came soon after the one before, in a row
	since time.Time // the end of the last one
}

// The pause before a try doubles with each one that comes within a time that is no time.
const (
	firstPause = 100 * time.Millisecond
	noTime     = 10 * time.Second
)

// pause is how long to wait now, and some time at the most.
func (r *retries) pause(most time.Duration) time.Duration {
	if time.Since(r.since) > noTime {
		r.soon = 0
	}
	r.soon++
	if r.soon == 1 {
		return 0
	}
	return time.Until(r.since.Add(min(most, firstPause<<min(r.soon-2, 20))))
}

// over notes that a try has come to its end.
func (r *retries) over() { r.since = time.Now() }
