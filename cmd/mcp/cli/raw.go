package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"
	"unicode/utf8"
)

const rawHelp = `What is typed goes to the server line by line as it is, and what the server sends is printed
as it is, to a terminal without control characters. Nothing is checked or answered, so it is the way
to find out what a server does with a message that no client would send. A server of the legacy era
wants initialize first; modern requests carry their version in _meta. Over HTTP each line is a POST,
to which headers are added unless -header has them: those that repeat what is in the message, and
the id of the session that initialize has opened.

At the end of the input it waits for the answers of all requests that were sent, but for those that
notifications/cancelled names, and gives up when for -timeout no message has come or gone: what is
not answered then is told by its id, and the exit status is 3. So it is before the end when nothing
at all has come for -timeout since the last message went. Over HTTP -timeout is how long each answer
may take to begin, or to come where it is no stream; and how long streams stay open in the end.
A request for which only an HTTP status of failure comes counts as not answered.
`

var rawCommand = command{
	name: "raw", examples: []string{`-- mcp-echo`, `http://127.0.0.1:8080/mcp < messages.jsonl`},
	usage: "TARGET", summary: "type messages as JSON lines, and see the raw replies", help: rawHelp,
	noClient: true,
	run:      runRaw,
}

func runRaw(ctx context.Context, r *request) error {
	switch {
	case r.target.url != "":
		return r.rawHTTP(ctx)
	case r.target.network != "":
		return r.rawSocket(ctx)
	}
	return r.rawCommand(ctx)
}

// rawCommand gives the program its input and waits for its end.
func (r *request) rawCommand(ctx context.Context) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(running, r.target.argv[0], r.target.argv[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = lastWords
	s := r.newRawStream(ctx)
	cmd.Stdout, cmd.Stderr = s, r.env.Err
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return &failure{"the server", err}
	}
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		s.end()
	}()
	defer context.AfterFunc(s.asking, func() { in.Close() })()
	s.feed(r.env.In, in)
	defer time.AfterFunc(lastWords, stop).Stop()
	err = <-ended
	if running.Err() != nil {
		err = nil // this has stopped it
	}
	return s.outcome(ctx, err)
}

// lastWords is how long a peer may go on once its input has ended.
const lastWords = 5 * time.Second

// rawSocket does the same with a connection.
func (r *request) rawSocket(ctx context.Context) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, r.target.network, r.target.socket)
	if err != nil {
		return &unreached{r.target, err, ""}
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	s := r.newRawStream(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(s, conn)
		ended <- err
		s.end()
	}()
	defer context.AfterFunc(s.asking, func() {
		_ = conn.SetWriteDeadline(time.Now()) // for a peer that does not read
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		_ = conn.SetReadDeadline(time.Now().Add(lastWords))
	})()
	s.feed(r.env.In, conn)
	if err = <-ended; errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return s.outcome(ctx, err)
}

// asIs is the output for what the server sends: all of it, unless it goes to a terminal.
func (r *request) asIs() io.Writer {
	if r.env.OutTerminal {
		return &shown{to: r.env.Out}
	}
	return r.env.Out
}

// shown writes what a terminal may show of a stream.
type shown struct {
	to   io.Writer
	part []byte // the beginning of a character whose rest has not come
}

// Write implements [io.Writer].
func (s *shown) Write(b []byte) (int, error) {
	text := append(s.part, b...)
	whole := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	_, err := io.WriteString(s.to, printable(string(text[:whole])))
	s.part = append(s.part[:0], text[whole:]...)
	return len(b), err
}

// sayStatus tells on the side what HTTP says beside a message.
func (r *request) sayStatus(status string) {
	r.tapping.Lock()
	defer r.tapping.Unlock()
	fmt.Fprintf(r.env.Err, "HTTP %s\n", printable(status))
}
