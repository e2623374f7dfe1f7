package httpmcp

import (
	"context"
	"net/http"
	"time"
)

// Join has the [Serve] by which a request came shut s down in its end.
func Join(r *http.Request, s interface{ Shutdown(context.Context) error }) bool { return join(r, s) }

// EffectiveServe says what options of Serve amount to.
type EffectiveServe struct {
	Drain, HeaderTime, Idle   time.Duration
	MaxHeader, MaxConnections int
}

// Effective opens the defaults to the tests.
func (o *ServeOptions) Effective() EffectiveServe {
	return EffectiveServe{o.drain(), o.headerTime(), o.idle(), o.maxHeader(), o.maxConnections()}
}
