package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	mcpstdio "isthmus.internal/stdio"
)

// starting is how long a server over HTTP may take until it can be reached, and to end.
const starting = 30 * time.Second

// started is a server that can be reached.
type started struct {
	transport discover.Transport
	url       string       // over HTTP
	stop      func() error // once the client is closed
}

// begin starts the server of a run, with a log of its own.
func (c *config) begin(r run, node, dir, logFile string) (*started, error) {
	s := r.server.starts[r.transport]
	log, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("DIR", dir)
	if s.url != "" {
		port, err := freePort()
		if err != nil {
			log.Close()
			return nil, err
		}
		fill = strings.NewReplacer("DIR", dir, "PORT=", "PORT=", "PORT", strconv.Itoa(port))
	}
	cmd := exec.Command(node, append([]string{r.server.file}, filled(fill, s.args)...)...)
	cmd.Dir = c.clients
	cmd.Env = append(os.Environ(), filled(fill, s.env)...)
	if s.url == "" {
		o := &mcpstdio.ClientOptions{Stderr: log}
		return &started{mcpstdio.Command(cmd, o), "", log.Close}, nil
	}
	stop, err := awaitReady(cmd, s.ready, log)
	if err != nil {
		return nil, err
	}
	url := fill.Replace(s.url)
	return &started{httpmcp.Dial(url, nil), url, stop}, nil
}

func filled(fill *strings.Replacer, all []string) []string {
	var out []string
	for _, text := range all {
		out = append(out, fill.Replace(text))
	}
	return out
}

// freePort is a port that was free a moment ago: these servers have to be told one.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// awaitReady starts a server and waits until it says that it can be reached.
func awaitReady(cmd *exec.Cmd, ready string, log io.WriteCloser) (stop func() error, err error) {
	said, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	err = cmd.Start()
	w.Close()
	if err != nil {
		return nil, err
	}
	late := time.AfterFunc(starting, func() { cmd.Process.Kill() })
	lines := bufio.NewReader(io.TeeReader(said, log))
	var line string
	for err == nil && !strings.Contains(line, ready) {
		line, err = lines.ReadString('\n')
	}
	late.Stop()
	copied := make(chan struct{})
	go func() {
		io.Copy(io.Discard, lines)
		log.Close()
		said.Close()
		close(copied)
	}()
	stop = func() error {
		cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(starting, func() { cmd.Process.Kill() })
		defer late.Stop()
		cmd.Wait() // some end with a status, some of the signal
		<-copied
		return nil
	}
	if err != nil {
		cmd.Process.Kill()
		stop()
		return nil, fmt.Errorf("%s ended, or took longer than %v, without saying %q", cmd, starting, ready)
	}
	return stop, nil
}
