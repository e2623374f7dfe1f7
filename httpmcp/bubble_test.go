package httpmcp_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// world is an endpoint in a bubble, with the way to it.
type world struct {
	*httpmcp.Endpoint
	http   *http.Client
	server *http.Server
	ctx    context.Context // ends with the bubble, and the responses with it
}

// inBubble runs f in a bubble with an endpoint behind a real http.Server.
func inBubble(t *testing.T, s func() *mcp.Server, o *httpmcp.Options, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := httpmcp.Handler(s(), o)
		l := newPipes()
		dial := func(context.Context, string, string) (net.Conn, error) {
			mine, theirs := net.Pipe()
			select {
			case <-l.closed: // a transport may dial although it needs no connection any more
				return nil, net.ErrClosed
			case l.conns <- theirs:
				return mine, nil
			}
		}
		transport := &http.Transport{DialContext: dial, DisableCompression: true}
		// What never comes would be waited for without end, as an endpoint has its ticks.
		ctx, hangUp := context.WithTimeout(t.Context(), 12*time.Hour)
		w := &world{Endpoint: e, ctx: ctx, http: &http.Client{Transport: transport}, server: &http.Server{Handler: e}}
		served := make(chan struct{})
		go func() {
			defer close(served)
			w.server.Serve(l)
		}()
		defer func() {
			inTime, stop := context.WithTimeout(context.Background(), time.Second)
			defer stop()
			e.Shutdown(inTime) // a test that has failed may have left something
			hangUp()
			transport.CloseIdleConnections()
			w.server.Close()
			<-served
		}()
		f(t, w)
	})
}

// inEach runs f in a bubble with a workshop and a session of each revision.
func inEach(t *testing.T, o *httpmcp.Options, capabilities string, f func(t *testing.T, c *legacyClient, w *world, s *workshop)) {
	t.Helper()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			var s *workshop
			make := func() *mcp.Server {
				s = newWorkshop()
				return s.Server
			}
			inBubble(t, make, o, func(t *testing.T, w *world) { f(t, w.dial(t, version, capabilities), w, s) })
		})
	}
}

// dial opens a session and has it ready.
func (w *world) dial(t testing.TB, version, capabilities string, set ...string) *legacyClient {
	t.Helper()
	c := &legacyClient{t: t, url: "http://127.0.0.1/", version: version, http: w.http, ctx: w.ctx, set: set}
	c.open(capabilities)
	c.want("initialized", c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), "202  ")
	return c
}
