package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Listen opens a socket for [ServeListener] that strangers cannot reach, since
// the protocol on a plain stream knows neither users nor passwords:
//
//   - "unix": address is the path of a socket file with mode 0600, which is so
//     before anybody can connect. A socket file that no server listens on any
//     more is replaced; a live one, and any other file, is left alone and is an
//     error. Closing the listener removes the file.
//   - "tcp": address is HOST:PORT with a loopback host: 127.0.0.1 and its like,
//     [::1] or localhost, which here always is 127.0.0.1. Port 0 takes a free
//     one. Other hosts are an error.
func Listen(network, address string) (net.Listener, error) {
	var l net.Listener
	var err error
	switch network {
	case "unix":
		l, err = listenUnix(address)
	case "tcp":
		l, err = listenLoopback(address)
	default:
		err = errors.New(`there is no such network here: use "unix" or "tcp"`)
	}
	if err != nil {
		return nil, fmt.Errorf("stdio: listen on %s %s: %w", network, address, err)
	}
	return l, nil
}

func listenLoopback(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errors.New("the address must be HOST:PORT, as in 127.0.0.1:7000")
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() {
		return nil, errors.New("whoever connects may call everything, so only loopback is served: " +
			"use 127.0.0.1, [::1] or localhost, and a tunnel for peers elsewhere")
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("the port %q must be a number from 0 to 65535", port)
	}
	// Not net.Listen: it brings the resolver along, which has nothing to do here and
	// would be a good part of a small server.
	return net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, uint16(number))))
}

// ServeListener serves s to whoever connects to l, each connection with a legacy
// session of its own, until ctx ends. Then no more connections are taken, those
// there are answer what they have read ([Options.Drain]) and are closed, and it
// returns nil. Unlike [Serve] it ends on no signal: a main that should end on one
// passes a context of [signal.NotifyContext]. How a connection ended is told to
// the server's logger only, and when the reader of standard error has gone, a
// write of the logger fails but does not end the process. An error says that
// accepting failed for good. l is closed in any case, and a connection in two steps
// where [ServeStream] does so.
//
// On TCP a connection whose first line does not begin with { or [ is closed: a web
// page can make its reader's browser send a request to a loopback port, with lines
// of the page's choice in it.
func ServeListener(ctx context.Context, l net.Listener, s *mcp.Server, o *Options) error {
	defer catchBrokenPipe()()
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		<-ctx.Done()
		l.Close()
	})
	slots := make(chan struct{}, o.maxConnections())
	var err error
	for n := 1; ; n++ {
		var c net.Conn
		if c, err = accept(ctx, l, s.Logger()); err != nil {
			break
		}
		select {
		case slots <- struct{}{}:
			all.Go(func() {
				defer func() { <-slots }()
				serveConn(ctx, c, s, s.Logger().With("connection", n), o)
			})
		default:
			s.Logger().Warn("connection closed: too many at once", "connection", n, "most", cap(slots))
			c.Close()
		}
	}
	ended := ctx.Err() != nil
	cancel()
	all.Wait()
	if ended {
		return nil
	}
	return fmt.Errorf("stdio: accept: %w", err)
}

// longestPause bounds the wait after an Accept that failed.
const longestPause = time.Second

// accept waits for a connection. Faults that pass, such as a lack of file
// descriptors, it waits out, a little longer each time.
func accept(ctx context.Context, l net.Listener, log *slog.Logger) (net.Conn, error) {
	pause := 5 * time.Millisecond
	for {
		c, err := l.Accept()
		var passing interface{ Temporary() bool }
		if err == nil || ctx.Err() != nil || !errors.As(err, &passing) || !passing.Temporary() {
			return c, err
		}
		log.Warn("connection not accepted", "error", err, "pause", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
		pause = min(2*pause, longestPause)
	}
}

// serveConn serves one connection and logs its life.
func serveConn(ctx context.Context, c net.Conn, s *mcp.Server, log *slog.Logger, o *Options) {
	log.Debug("connected", "peer", c.RemoteAddr().String())
	lines := newLines(c, o.maxMessage(), interrupter(c))
	var in jsonrpc.Source = lines
	if c.LocalAddr().Network() == "tcp" {
		in = &jsonFirst{lines: lines}
	}
	err := serveClosing(ctx, in, c, s, log, o)
	switch {
	case err == nil:
		log.Debug("disconnected")
	case errors.Is(err, ErrPeerGone):
		log.Info("disconnected by the peer", "error", err)
	default:
		log.Warn("disconnected", "error", err)
	}
}

var errNoJSON = errors.New("stdio: the peer opens with a line that is not JSON, or is too long to tell")

// jsonFirst is the source of a connection that a browser may have made. Its first
// line that is not blank must begin as a message or a batch does; otherwise
// nothing of the stream is taken. No HTTP request line (RFC 9112, section 3), TLS
// record or greeting of another protocol begins so, in whatever version.
type jsonFirst struct {
	*lines
	opened bool
}

// Read implements [jsonrpc.Source].
func (s *jsonFirst) Read() ([]byte, error) {
	line, err := s.lines.Read()
	if s.opened {
		return line, err
	}
	s.opened = true
	var tooLong *jsonrpc.Error
	if errors.As(err, &tooLong) || err == nil && !opensJSON(line) {
		return nil, errNoJSON
	}
	return line, err
}

// opensJSON reports whether line begins as an object or an array.
func opensJSON(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r")
	return len(line) > 0 && (line[0] == '{' || line[0] == '[')
}
