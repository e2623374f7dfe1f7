package httpmcp

import (
	"net"
	"net/http"
	"time"
)

// carrier is an HTTP response that a stream is written to for a while.
type carrier struct {
	w       http.ResponseWriter
	chunked bool          // the body of a response without a length is sent in chunks
	events  *eventWriter  // nil before anything is written
	wake    chan struct{} // of a GET, holds one: the goroutine that serves it shall look again
}

// letGo ends the response while its handler runs on. net/http ends a response when its
// goroutine returns, so the connection is taken from it. inOrder ends the body as well, for a
// client that knows that the connection will be closed. For others the body breaks off, so that
// none takes the connection for one that it may send its next request on.
func (c *carrier) letGo(inOrder bool) error {
	conn, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		return err
	}
	// From here on an error means that the client is gone.
	if t, ok := conn.(interface{ NetConn() net.Conn }); ok && !inOrder {
		conn = t.NetConn() // TLS would say goodbye, and wait for somebody who may not read
	}
	if c.chunked && inOrder {
		// The end of the body (RFC 9112 section 7.1), so that the client does not take it
		// for a broken one.
		_ = conn.SetWriteDeadline(time.Now().Add(lastWrites))
		_, _ = conn.Write([]byte("0\r\n\r\n"))
	}
	_ = conn.Close()
	return nil
}

// dismiss ends the response of a POST whose stream has been seized, since its handler may run
// on. The one who serves a GET does so itself. The stream's sending is held.
func (c *carrier) dismiss() {
	if c == nil || c.wake != nil || c.events == nil {
		return
	}
	c.events.close()
	_ = c.letGo(false) // an error means that it ends with its handler
}

// canLetGo reports whether letGo will find a way to the connection: over HTTP/2 there is none
// of its own.
func canLetGo(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case http.Hijacker:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// poke wakes the goroutine that serves the response.
func (c *carrier) poke() {
	select {
	case c.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// replay writes events that a client has missed. Those without data are for clients that know
// such.
func (c *carrier) replay(events []Event, polling bool) {
	err := c.events.begin()
	for _, e := range events {
		switch {
		case err != nil:
			return
		case len(e.Data) > 0:
			err = c.events.event(e.ID, e.Data)
		case polling:
			err = c.events.prime(e.ID, 0)
		}
	}
}
