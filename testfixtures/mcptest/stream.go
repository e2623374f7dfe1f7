package mcptest

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// streamLink is a connection of two streams of bytes in memory, one each way, so that
// the input can end before the output.
type streamLink struct {
	in   net.Conn // to the server
	out  net.Conn // from the server
	text *bufio.Reader
	turn chan struct{} // holds one; taken by who sends
	done chan error
}

// serverStream is the server's end.
type serverStream struct {
	net.Conn // input, for its deadline
	from     io.Reader
	to       io.Writer
	out      net.Conn
}

func (s *serverStream) Read(b []byte) (int, error)  { return s.from.Read(b) }
func (s *serverStream) Write(b []byte) (int, error) { return s.to.Write(b) }

func (s *serverStream) Close() error {
	s.Conn.Close()
	return s.out.Close()
}

func dialStream(_ testing.TB, s *mcp.Server, o *Options) link {
	in, serverIn := net.Pipe()
	out, serverOut := net.Pipe()
	l := &streamLink{in: in, out: out, text: bufio.NewReader(out), turn: make(chan struct{}, 1), done: make(chan error, 1)}
	end := &serverStream{Conn: serverIn, from: serverIn, to: o.Faults.faulty(serverOut), out: serverOut}
	if o.Faults.OneByte {
		end.from = iotest.OneByteReader(serverIn)
	}
	go func() {
		l.done <- stdio.ServeStream(context.Background(), end, s, &stdio.Options{Principal: o.Principal})
	}()
	return l
}

// send waits for its turn in a channel, not in the lock of the stream, since a bubble of
// synctest does not count a goroutine that waits for a lock as one that waits.
func (l *streamLink) send(line string) error {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	_, err := io.WriteString(l.in, line+"\n")
	return err
}

func (l *streamLink) receive() (string, error) {
	line, err := l.text.ReadString('\n')
	if err != nil {
		return line, io.EOF
	}
	return strings.TrimSuffix(line, "\n"), nil
}

func (l *streamLink) end() { l.in.Close() }

func (l *streamLink) cut() {
	l.in.Close()
	l.out.Close()
}

func (l *streamLink) served() <-chan error { return l.done }
