package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
)

// rawStream is a raw run over a stream. As an [io.Writer] it takes what the server sends.
type rawStream struct {
	out     io.Writer // for what the server sends
	timeout time.Duration
	asking  context.Context // ends when nothing is sent or waited for any more
	end     context.CancelFunc

	mu      sync.Mutex
	waiting waiting
	typed   bool // the input has ended
	late    *time.Timer
	line    []byte // of the server, as far as it has come
	tooLong bool   // the line is not kept
}

func (r *request) newRawStream(ctx context.Context) *rawStream {
	s := &rawStream{out: r.asIs(), timeout: r.timeout, waiting: make(waiting)}
	s.asking, s.end = context.WithCancel(ctx)
	s.late = time.AfterFunc(s.timeout, s.giveUp)
	s.late.Stop()
	return s
}

// feed sends the lines of the input, and waits for the answers of its requests, at most until asking
// ends. What a read waits for then is left to the process, which does not wait for a user.
func (s *rawStream) feed(from io.Reader, server io.Writer) {
	in := bufio.NewReader(from)
	for s.asking.Err() == nil {
		line, err := await(s.asking, func() ([]byte, error) { return in.ReadBytes('\n') })
		if len(line) > 0 {
			if err != nil {
				line = append(line, '\n') // as the server waits for more otherwise
			}
			s.sent(line)
			if _, broken := server.Write(line); broken != nil {
				break // whatever it reads no more, it may answer what it has read
			}
		}
		if err != nil {
			break
		}
	}
	s.mu.Lock()
	s.typed = true
	s.waitLocked(false)
	s.mu.Unlock()
	<-s.asking.Done()
}

// sent notes what is to be answered of a line that goes to the server.
func (s *rawStream) sent(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting.sent(line)
	s.waitLocked(false)
}

// Write implements [io.Writer]: it passes on what the server sends, and notes what is answered.
func (s *rawStream) Write(b []byte) (int, error) {
	n, err := s.out.Write(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	for isEnd := true; isEnd; {
		var part []byte
		part, b, isEnd = bytes.Cut(b, []byte{'\n'})
		if s.tooLong = s.tooLong || len(s.line)+len(part) > mostRaw; s.tooLong {
			s.line = nil
		} else {
			s.line = append(s.line, part...)
		}
		if isEnd {
			s.waiting.came(s.line)
			s.line, s.tooLong = s.line[:0], false
		}
	}
	s.waitLocked(true)
	return n, err
}

// waitLocked has the wait go on since a message has come, or gone. While the input goes on one that
// has come shows that the server is there, and the next to go may be the user's answer to it.
func (s *rawStream) waitLocked(come bool) {
	switch {
	case len(s.waiting) == 0 && s.typed:
		s.late.Stop()
		s.end()
	case len(s.waiting) == 0, come && !s.typed:
		s.late.Stop()
	default:
		s.late.Reset(s.timeout)
	}
}

// giveUp is called when the server is late.
func (s *rawStream) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) > 0 {
		s.end()
	}
}

// outcome is how the run has ended, err with regard to the server.
func (s *rawStream) outcome(ctx context.Context, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late.Stop()
	if ctx.Err() != nil {
		return nil
	}
	text := ""
	if err != nil {
		text = "the server: " + err.Error()
	}
	if len(s.waiting) > 0 {
		text = s.waiting.String() + "\n" + text
	}
	if text == "" {
		return nil
	}
	return errors.New(strings.TrimSuffix(text, "\n"))
}
