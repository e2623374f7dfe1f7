package mcp

import "time"

// pace limits how often something is done: some times at once, then once an
// interval. The zero value has not been used yet.
type pace struct {
	due time.Time // when all that was let through would have been done, evenly spaced
}

// allows reports whether it may be done now, and counts it if so. What is let
// through at once comes to burst; an interval of 0 or less limits nothing.
func (p *pace) allows(now time.Time, burst int, interval time.Duration) bool {
	if interval <= 0 {
		return true
	}
	if p.due.Before(now) {
		p.due = now
	}
	if p.due.Sub(now) > time.Duration(burst-1)*interval {
		return false
	}
	p.due = p.due.Add(interval)
	return true
}
