package outside

import (
	"bufio"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// starting is how long a server may take until it says that it is ready, and to end.
const starting = 30 * time.Second

// Server is a process that serves over HTTP.
type Server struct {
	URL    string // of its endpoint
	cmd    *exec.Cmd
	copied chan error // the end of its log
}

// StartServer starts a server on a free port of its own choice and waits for the line
// that names it. So no other process can stand at the address, not even one that an
// earlier run left behind. The server gets args behind -http 127.0.0.1:0; what it says on
// standard error goes to logFile. [Server.Stop] must be called.
func StartServer(binary string, args []string, logFile string) (*Server, error) {
	log, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	s := &Server{cmd: exec.Command(binary, append([]string{"-http", "127.0.0.1:0"}, args...)...), copied: make(chan error, 1)}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		log.Close()
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	// A server that never gets ready ends here, and with it its log.
	late := time.AfterFunc(starting, func() { s.cmd.Process.Kill() })
	lines := bufio.NewReader(io.TeeReader(stderr, log))
	line, _ := lines.ReadString('\n') // what is cut short names no address
	late.Stop()
	go func() {
		_, err := io.Copy(io.Discard, lines)
		log.Close()
		s.copied <- err
	}()
	if s.URL, err = readyURL(line); err != nil {
		s.cmd.Process.Kill()
		s.Stop()
		return nil, fmt.Errorf("%s did not get ready: %w", s.cmd, err)
	}
	return s, nil
}

// readyURL reads the address of the endpoint from the line with which a fixture says that
// it is ready: "NAME VERSION ready on URL: ...".
func readyURL(line string) (string, error) {
	_, rest, found := strings.Cut(strings.TrimSpace(line), " ready on ")
	text, _, _ := strings.Cut(rest, ": ")
	if !found {
		return "", fmt.Errorf("its first line is %q, want one with \"ready on http://127.0.0.1:PORT/PATH\"", line)
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("the line %q: %w", line, err)
	}
	at, err := netip.ParseAddrPort(u.Host)
	if err != nil || u.Scheme != "http" || !at.Addr().IsLoopback() || at.Port() == 0 {
		return "", fmt.Errorf("the line %q names %q, want http://127.0.0.1:PORT/PATH", line, text)
	}
	return text, nil
}

// Stop asks the server to end and waits. What is wrong with how it ended is returned, ""
// for nothing.
func (s *Server) Stop() string {
	s.cmd.Process.Signal(syscall.SIGTERM) // fails when it has ended, and Wait tells how
	late := time.AfterFunc(starting, func() { s.cmd.Process.Kill() })
	defer late.Stop()
	<-s.copied // before Wait, which closes the pipe
	if err := s.cmd.Wait(); err != nil {
		return fmt.Sprintf("the server ended with %v after SIGTERM, want status 0", err)
	}
	return ""
}

// Tail prints the last lines of a log.
func Tail(out io.Writer, file string) {
	const most = 60
	text, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(out, err)
		return
	}
	lines := strings.SplitAfter(string(text), "\n")
	fmt.Fprintf(out, "the log of the server ends with:\n%s", strings.Join(lines[max(0, len(lines)-most):], ""))
}
