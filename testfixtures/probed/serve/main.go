// Command serve runs one of the servers of package probed: on standard input and output, or
// with -http on a free port that it names on standard error. Without a name it lists them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"text/tabwriter"

	"isthmus.internal/testfixtures/probed"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// run returns the exit status: 3 when the probe has ended the server, 2 for a name that is none.
func run(args []string, log io.Writer) int {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(log)
	overHTTP := flags.Bool("http", false, "serve over HTTP, on a free port")
	if flags.Parse(args) != nil {
		return 2
	}
	find := probed.Stream
	if *overHTTP {
		find = probed.Site
	}
	s, err := find(flags.Arg(0))
	if err != nil {
		fmt.Fprintln(log, "serve:", err)
		list(log)
		return 2
	}
	if *overHTTP {
		err = serveHTTP(s, log)
	} else {
		err = s.Serve(standard{}, nil)
	}
	switch {
	case errors.Is(err, probed.ErrProbed):
		fmt.Fprintln(log, "serve: panic: unknown method")
		return 3
	case err != nil:
		fmt.Fprintln(log, "serve:", err)
		return 1
	}
	return 0
}

func serveHTTP(s *probed.Server, log io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "probed ready on http://%s/mcp: %s\n", l.Addr(), s.Probe)
	return http.Serve(l, s.Handler(nil))
}

// list prints all servers.
func list(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range probed.Streams() {
		fmt.Fprintf(table, "  %s\t%s\n", s.Name, s.Probe)
	}
	for _, s := range probed.Sites() {
		fmt.Fprintf(table, "  -http %s\t%s\n", s.Name, s.Probe)
	}
	table.Flush()
}

// standard is the streams of the process as one.
type standard struct{}

func (standard) Read(p []byte) (int, error)  { return os.Stdin.Read(p) }
func (standard) Write(p []byte) (int, error) { return os.Stdout.Write(p) }
func (standard) Close() error                { return nil }
