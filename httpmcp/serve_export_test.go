package httpmcp

import "time"

// EffectiveServe says what options of Serve amount to.
type EffectiveServe struct {
	Drain, HeaderTime, Idle   time.Duration
	MaxHeader, MaxConnections int
}

// Effective opens the defaults to the tests.
func (o *ServeOptions) Effective() EffectiveServe {
	return EffectiveServe{o.drain(), o.headerTime(), o.idle(), o.maxHeader(), o.maxConnections()}
}
