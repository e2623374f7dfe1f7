package bench

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// listenRequest asks for a stream that tells of changes of the list of tools.
var listenRequest = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{`+
	`"notifications":{"toolsListChanged":true},`+meta+"}}", firstID)

// stream is a response that stays open, on a connection of its own.
type stream struct {
	conn net.Conn
	got  []byte // since the last event
}

// openStream sends a request and reads up to the first bytes that end like this.
func openStream(at *endpoint, request []byte, end string) (*stream, error) {
	conn, err := net.Dial("tcp", at.host)
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(patience))
	s := &stream{conn: conn}
	if _, err = conn.Write(request); err == nil {
		var head []byte
		if head, err = s.until(end); err == nil && !bytes.HasPrefix(head, []byte("HTTP/1.1 200 OK\r\n")) {
			err = fmt.Errorf("got %.1000q, want a stream", head)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

const (
	endOfHead  = "\r\n\r\n"
	endOfEvent = "\n\n\r\n" // a chunk for each event
)

// until reads up to the first bytes that end like this.
func (s *stream) until(end string) ([]byte, error) {
	chunk := make([]byte, 2<<10)
	for {
		if at := bytes.Index(s.got, []byte(end)); at >= 0 {
			found := s.got[:at+len(end)]
			s.got = bytes.Clone(s.got[at+len(end):])
			return found, nil
		}
		n, err := s.conn.Read(chunk)
		if err != nil {
			return nil, fmt.Errorf("%w after %.1000q", err, s.got)
		}
		s.got = append(s.got, chunk[:n]...)
	}
}

// streamsOf is how the streams of an era are opened.
type streamsOf struct {
	era
	sessions []string // one for each stream, in the legacy era
}

// openSessions does what must be done before so many streams can be opened.
func (s *streamsOf) openSessions(at *endpoint, count int) error {
	for s.session && len(s.sessions) < count {
		session, err := at.openSession(s.version)
		if err != nil {
			return err
		}
		s.sessions = append(s.sessions, session)
	}
	return nil
}

// open opens so many streams and returns when each is known to wait.
func (s *streamsOf) open(at *endpoint, count int) ([]*stream, error) {
	streams := make([]*stream, 0, count)
	for i := range count {
		request, end := s.appendRequest(nil, at, "", listenRequest), endOfEvent // which acknowledges it
		if s.session {
			request = fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n"+
				"Mcp-Session-Id: %s\r\nMCP-Protocol-Version: %s\r\n\r\n", at.path, at.host, s.sessions[i], s.version)
			end = endOfHead
		}
		if at.isFloor() {
			end = endOfHead
		}
		opened, err := openStream(at, request, end)
		if err != nil {
			return streams, errors.Join(err, closeAll(streams))
		}
		streams = append(streams, opened)
	}
	return streams, nil
}

func closeAll(streams []*stream) error {
	var errs []error
	for _, s := range streams {
		errs = append(errs, s.conn.Close())
	}
	return errors.Join(errs...)
}

// onEach does something with all streams at once.
func onEach(streams []*stream, do func(*stream) error) error {
	errs := make([]error, len(streams))
	var all sync.WaitGroup
	for i, s := range streams {
		all.Go(func() { errs[i] = do(s) })
	}
	all.Wait()
	return errors.Join(errs...)
}
