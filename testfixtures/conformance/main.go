package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"isthmus.internal/testfixtures/outside"
)

// revisions are those that the suite has requirements for, oldest first.
var revisions = []string{"2025-11-25", "2026-07-28"}

// longest is how long all of it may take: some twenty times what it does take.
const longest = 5 * time.Minute

// config is what the flags say. Paths are seen from the root of the tree.
type config struct {
	suite    string // the folder with node_modules
	results  string // where the suite writes; emptied first
	expected string
	page     string
	update   bool
	server   string // the binary of the server
	client   string // the binary of the client
}

// log is the file that keeps what the server said.
func (c *config) log() string { return filepath.Join(c.results, "server.log") }

// docs is the page that the table is held to.
func (c *config) docs() outside.Page { return outside.Page{File: c.page, Target: "conformance"} }

func main() {
	var c config
	flag.StringVar(&c.suite, "suite", "bin/conformance", "the `folder` in which package.json is installed")
	flag.StringVar(&c.results, "results", "bin/conformance/results", "the `folder` for the results of the suite and the log of the server; it is emptied first")
	flag.StringVar(&c.expected, "expected", "testfixtures/conformance/expected.txt", "the `file` of checks that must be there")
	flag.StringVar(&c.page, "page", "docs/conformance.md", "the `page` that holds the table")
	flag.BoolVar(&c.update, "update", false, "write -expected and the table of -page anew, when nothing fails")
	flag.StringVar(&c.server, "server", "bin/mcp-everything", "the `command` to test; it gets -http 127.0.0.1:0 and the arguments that follow the flags")
	flag.StringVar(&c.client, "client", "bin/conformance-client", "the `command` to test as a client; it gets what commandOf says, and a URL")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	faults, err := c.run(ctx, flag.Args(), os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		if errors.Is(err, errLate) {
			outside.Tail(os.Stderr, c.log())
		}
		os.Exit(1)
	}
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, "conformance:", fault)
	}
	if len(faults) > 0 {
		outside.Tail(os.Stderr, c.log())
		fmt.Fprintf(os.Stderr, "conformance: %d faults; what the suite said is in %s\n", len(faults), c.results)
		os.Exit(1)
	}
}

// run runs everything and returns what is wrong with the results. An error means that
// there are no results to judge.
func (c *config) run(ctx context.Context, serverArgs []string, out io.Writer) ([]string, error) {
	expected, err := readExpected(c.expected)
	if err != nil && !c.update {
		return nil, err
	}
	if err := os.RemoveAll(c.results); err != nil {
		return nil, err
	}
	s, err := newSuite(c.suite, c.results)
	if err != nil {
		return nil, err
	}
	outcomes, faults, err := c.outcomes(ctx, s, serverArgs)
	if err != nil {
		return nil, err
	}
	bad := judge(outcomes)
	table := tablesOf(outcomes, bad)
	fmt.Fprint(out, table)
	for _, o := range outcomes {
		faults = append(faults, bad[o.scenario]...)
	}
	if c.update && len(faults) == 0 {
		if err := writeExpected(c.expected, countsOf(outcomes)); err != nil {
			return nil, err
		}
		return nil, c.docs().Write(table)
	}
	if c.update {
		return append(faults, "nothing is written while something fails"), nil
	}
	faults = append(faults, compare(sound(expected, bad), sound(countsOf(outcomes), bad))...)
	if len(faults) == 0 {
		faults = c.docs().Check(table) // otherwise the table differs for what is said already
	}
	return faults, nil
}

// outcomes has the suite find out all that there is to find out. The faults are those of the
// processes; those of the checks are for the reader of the outcomes.
func (c *config) outcomes(ctx context.Context, s *suite, serverArgs []string) (all []outcome, faults []string, err error) {
	ofServer, ofClients, err := s.listAll(ctx)
	if err != nil {
		return nil, nil, err
	}
	all, faults, err = c.testServer(ctx, s, serverArgs, ofServer)
	if err != nil {
		return nil, nil, err
	}
	found, wrong, err := c.testClients(ctx, s, ofClients)
	return append(all, found...), append(faults, wrong...), err
}
