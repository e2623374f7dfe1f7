package overhttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"isthmus.internal/httpmcp"
)

// ServeTLS serves the site from a server of its own, until ctx ends.
func ServeTLS(ctx context.Context, l net.Listener, site http.Handler, endpoint *httpmcp.Endpoint, cert, key string) error {
	server := &http.Server{
		Handler:           site,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		// No ReadTimeout and no WriteTimeout: they would cut streams. The endpoint bounds
		// the time of each body and of each write.
	}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		late, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err := endpoint.Shutdown(late) // first, since a Server waits for streams and tells them nothing
		ended <- errors.Join(err, server.Shutdown(late))
	}()
	if err := server.ServeTLS(l, cert, key); err != http.ErrServerClosed {
		return err
	}
	return <-ended
}
