package overhttp

import (
	"context"
	"net"
	"net/http"

	"isthmus.internal/httpmcp"
)

// Serve serves the site until ctx ends, as with signal.NotifyContext it does on SIGTERM.
func Serve(ctx context.Context, l net.Listener, site http.Handler) error {
	return httpmcp.Serve(ctx, l, site, nil)
}
