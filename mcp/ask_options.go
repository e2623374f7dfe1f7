package mcp

import "time"

// AskOptions are the bounds of what handlers ask their clients. Every zero field means
// the default that its comment gives.
type AskOptions struct {
	// TTL is how long a question is good for: in the legacy era the handler waits for
	// the answer for so long, in the modern one the requestState that the client has
	// to bring back expires then. Default: 30 minutes, which is long for a form and
	// enough for somebody who has to sign in elsewhere first.
	TTL time.Duration

	// StateSize bounds, in bytes, the answers and results of [Once] that a request
	// carries from round to round. A request that has more fails. Default: 256 KiB;
	// 512 KiB at the most.
	StateSize int

	// Rounds bounds how often one request may ask for input, in either era, so that a
	// handler which lets a model use tools comes to an end. Default: 100.
	Rounds int
}

func (o *AskOptions) ttl() time.Duration {
	if o.TTL <= 0 {
		return 30 * time.Minute
	}
	return o.TTL
}

func (o *AskOptions) stateSize() int {
	const most = 512 << 10
	if o.StateSize <= 0 {
		return most / 2
	}
	return min(o.StateSize, most)
}

func (o *AskOptions) rounds() int {
	if o.Rounds <= 0 {
		return 100
	}
	return o.Rounds
}
