package cli

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

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

// target is where a server is: a URL, a socket, or a command that starts it.
type target struct {
	url             string
	network, socket string // "unix" or "tcp", and its address
	argv            []string
}

// String is the target as it was given, but for what may be secret in a URL.
func (t target) String() string {
	switch {
	case t.url != "":
		u, err := url.Parse(t.url)
		if err != nil {
			return "the URL"
		}
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		return u.String()
	case t.network != "":
		return t.network + ":" + t.socket
	}
	return strings.Join(t.argv, " ")
}

// line is the command of mcp with these words for the target, as it may be typed into a shell.
func (t target) line(command string, words ...string) string {
	parts := []string{"mcp " + command}
	if t.argv == nil {
		parts = append(parts, shellWord(t.String()))
	}
	for _, word := range words {
		parts = append(parts, shellWord(word))
	}
	if t.argv != nil {
		parts = append(parts, "--")
	}
	for _, word := range t.argv {
		parts = append(parts, shellWord(word))
	}
	return strings.Join(parts, " ")
}

// shellWord is a word as a shell takes it: in quotes, where it would not be one word otherwise.
func shellWord(word string) string {
	const plain = "%+,-./:=@_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// findTarget takes the target from the words, unless a command stands behind --.
func (r *request) findTarget(c *command) (err error) {
	switch {
	case r.argv != nil && (len(r.argv) == 0 || r.argv[0] == ""):
		return errors.New("behind -- the command of the server is missing")
	case r.argv != nil:
		r.target = target{argv: r.argv}
	case len(r.words) == 0:
		return errors.New("TARGET is missing: a URL, unix:PATH or tcp:HOST:PORT, or at the end -- COMMAND ARGS")
	default:
		if r.target, err = readTarget(r.words[0]); err != nil {
			return c.inOrder(r.words, err)
		}
		r.words = r.words[1:]
	}
	if err == nil {
		err = r.onlyTarget(c)
	}
	if err == nil && r.header != nil && r.target.url == "" {
		err = errors.New("-header is for a target that is a URL")
	}
	return err
}

// inOrder says how the words are to stand, where the target seems to be one behind the first, which
// is none, as err says.
func (c *command) inOrder(words []string, err error) error {
	for i, word := range words[1:] {
		if t, bad := readTarget(word); bad == nil {
			return fmt.Errorf("TARGET comes before the rest: %s", t.line(c.name, slices.Delete(words, i+1, i+2)...))
		}
	}
	last := len(words) - 1
	if _, bad := exec.LookPath(words[last]); last == 0 || bad != nil {
		return err
	}
	line := target{argv: words[last:]}.line(c.name, words[:last]...)
	if _, bad := exec.LookPath(words[0]); bad == nil {
		line += ", or … -- " + words[0]
	}
	return fmt.Errorf("TARGET %q: %s%s", words[0], behindHyphens, line)
}

// onlyTarget finds a second target, which stands where no word is a URI or a value.
func (r *request) onlyTarget(c *command) error {
	for i, word := range r.words {
		free := i > 0 || c.ofURIs
		if c.most >= 0 && i >= c.most {
			free = false
		}
		other, err := readTarget(word)
		if free || err != nil {
			continue
		}
		advice := "want one"
		if c == &benchCommand {
			advice = "-vs names the second one"
		}
		return fmt.Errorf("two targets, %s and %s: %s", other, r.target, advice)
	}
	return nil
}

const behindHyphens = "a command stands at the end of the line, behind --: "

// readTarget reads a target that is one word.
func readTarget(word string) (target, error) {
	kind, rest, _ := strings.Cut(word, ":")
	switch kind {
	case "http", "https":
		if u, err := url.Parse(word); err == nil && u.Host != "" {
			if u.Port() != "" && !isPort(u.Port()) {
				return target{}, fmt.Errorf("TARGET %q: %s", target{url: word}, wantPort)
			}
			return target{url: word}, nil
		}
	case "unix":
		if rest != "" {
			return target{network: kind, socket: rest}, nil
		}
	case "tcp":
		if rest == "" {
			break
		}
		if _, port, err := net.SplitHostPort(rest); err != nil || port == "" {
			return target{}, fmt.Errorf("TARGET %q: the port is missing: want tcp:HOST:PORT", word)
		} else if !isPort(port) {
			return target{}, fmt.Errorf("TARGET %q: %s", word, wantPort)
		}
		return target{network: kind, socket: rest}, nil
	}
	const want = "want http://…, https://…, unix:PATH or tcp:HOST:PORT, or at the end -- COMMAND ARGS"
	if host, path, hasPath := strings.Cut(word, "/"); kind != "tcp" && kind != "unix" {
		_, port, err := net.SplitHostPort(host)
		switch {
		case err != nil || !isPort(port):
		case hasPath:
			return target{}, fmt.Errorf("TARGET %q: http://%s/%s? %s", word, host, path, want)
		default:
			return target{}, fmt.Errorf("TARGET %q: http://%s/mcp, or tcp:%s? %s", word, word, word, want)
		}
	}
	if _, err := exec.LookPath(word); err == nil {
		return target{}, fmt.Errorf("TARGET %q: %s… -- %s", word, behindHyphens, word)
	}
	return target{}, fmt.Errorf("TARGET %q: %s", word, want)
}

const wantPort = "want a port from 1 to 65535"

// isPort reports whether the text is the number of a port, or the name of a service.
func isPort(text string) bool {
	_, err := net.LookupPort("tcp", text)
	return err == nil && text != ""
}

// transport is the way to the target. What passes is shown to tap, if there is one.
func (r *request) transport() discover.Transport {
	t := &r.target
	if t.url != "" {
		o := &httpmcp.DialOptions{Header: http.Header(r.header)}
		if r.wire {
			o.Tap = r.tapHTTP
		}
		return httpmcp.Dial(t.url, o)
	}
	o := r.streamOptions()
	if t.network != "" {
		return stdio.Dial(t.network, t.socket, o)
	}
	cmd := exec.Command(t.argv[0], t.argv[1:]...)
	cmd.SysProcAttr = processAttributes()
	return stdio.Command(cmd, o)
}

// processAttributes are those of a server that is started. Where there is a terminal the server
// stays in the process group of this program, since no other may read from it: ssh may have to
// ask for a password. Without one it gets a group of its own, which ends as a whole.
func processAttributes() *syscall.SysProcAttr {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return nil
	}
	terminal.Close()
	return &syscall.SysProcAttr{}
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
func formOf(c *mcp.Client) *mcp.Form { return discover.FormOf(c.ProtocolVersion()) }
