package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

const targetHelp = `TARGET is where the server is:

  http://HOST:PORT/PATH   over HTTP, whichever transport it has
  unix:PATH               on a Unix socket
  tcp:HOST:PORT           on a TCP socket, a message a line
  -- COMMAND ARGS …       a program to start, which serves on its standard streams; the
                          last thing on the line
`

// target is where a server is: one of the three.
type target struct {
	url             string
	network, socket string
	argv            []string
}

// findTarget takes the target from the words, unless a command stands behind --.
func (r *request) findTarget() (err error) {
	switch {
	case r.argv != nil && len(r.argv) == 0:
		return errors.New("behind -- the command of the server is missing")
	case r.argv != nil:
		r.target = target{argv: r.argv}
	case len(r.words) == 0:
		return errors.New("TARGET is missing: a URL, unix:PATH, or at the end -- COMMAND ARGS")
	default:
		r.target, err = readTarget(r.words[0])
		r.words = r.words[1:]
	}
	if err == nil && r.header != nil && r.target.url == "" {
		err = errors.New("-header is for a target that is a URL")
	}
	return err
}

// readTarget reads a target that is one word.
func readTarget(word string) (target, error) {
	kind, rest, _ := strings.Cut(word, ":")
	switch kind {
	case "http", "https":
		return target{url: word}, nil
	case "unix", "tcp":
		if rest != "" {
			return target{network: kind, socket: rest}, nil
		}
	}
	return target{}, fmt.Errorf("TARGET %q: want http://…, https://…, unix:PATH or tcp:HOST:PORT, or at the end -- COMMAND ARGS", word)
}

// transport is the way to the target. What passes is shown to tap, if there is one.
func (r *request) transport() discover.Transport {
	t := &r.target
	switch {
	case t.url != "":
		o := &httpmcp.DialOptions{Header: http.Header(r.header)}
		if r.wire {
			o.Tap = r.tapHTTP
		}
		return httpmcp.Dial(t.url, o)
	case t.network != "":
		return stdio.Dial(t.network, t.socket, r.streamOptions())
	}
	return stdio.Command(exec.Command(t.argv[0], t.argv[1:]...), r.streamOptions())
}

func (r *request) streamOptions() *stdio.ClientOptions {
	o := &stdio.ClientOptions{
		Stderr:  io.Discard, // its last lines are in the errors
		Started: func(p *os.Process) { r.server.Store(int64(p.Pid)) },
	}
	if r.stderr {
		o.Stderr = r.env.Err
	}
	if r.wire {
		o.Tap = r.tapLine
	}
	return o
}

// versions are all revisions that can be spoken, newest first.
func versions() []string { return append(discover.Versions(), legacy.Versions()...) }

// formOf is the revision that the client speaks, which is one of those.
func formOf(c *mcp.Client) *mcp.Form {
	for _, f := range append(discover.Forms(), legacy.Forms()...) {
		if f.Revision == c.ProtocolVersion() {
			return f
		}
	}
	return discover.Forms()[0]
}
