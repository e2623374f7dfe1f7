package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"isthmus.internal/testfixtures/outside"
)

// The groups of scenarios that are run. The first is what a revision requires. The suite
// runs the others too, and never scores them.
const (
	scored  = "scored"
	pending = "pending"
	later   = "added-after-release"
)

// groups are all that count here. Extensions, which a revision does not require, are
// left out.
var groups = []string{scored, pending, later}

// leftOut are scenarios of the groups that are not run, by the beginning of their names.
var leftOut = []struct{ names, reason string }{
	{"auth/", "how a client is authorized is a piece of work of its own, which is still to come"},
}

// side is what is under test.
type side string

const (
	server side = "server"
	client side = "client" // told which revision to speak
	finder side = "finder" // the same client, which finds that out
)

var sides = []side{server, client, finder}

// scenario is one scenario at one revision.
type scenario struct {
	revision string
	side     side
	name     string
	group    string
}

func (s scenario) String() string { return s.revision + " " + string(s.side) + " " + s.name }

// leftOut says why the scenario is not run, "" for one that is.
func (s scenario) leftOut() string {
	for _, left := range leftOut {
		if strings.HasPrefix(s.name, left.names) {
			return left.reason
		}
	}
	return ""
}

// suite is the installed suite.
type suite struct {
	node    string // the binary
	script  string
	results string
}

// newSuite looks for the installed suite below dir. Paths become absolute.
func newSuite(dir, results string) (*suite, error) {
	node, files, err := outside.Modules(dir, "conformance", "@modelcontextprotocol/conformance/dist/index.js")
	if err != nil {
		return nil, err
	}
	if results, err = filepath.Abs(results); err != nil {
		return nil, err
	}
	return &suite{node, files[0], results}, os.MkdirAll(results, 0o777)
}

// command runs the suite and returns what it printed. A status other than 0 is an
// [exec.ExitError].
func (s *suite) command(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.node, append([]string{s.script}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// listAll lists the scenarios of all revisions: those for the server, and those for clients.
func (s *suite) listAll(ctx context.Context) (ofServer, ofClients []scenario, err error) {
	for _, revision := range revisions {
		listed, err := s.list(ctx, revision)
		if err != nil {
			return nil, nil, err
		}
		for _, sc := range listed {
			if sc.side == server {
				ofServer = append(ofServer, sc)
			} else {
				ofClients = append(ofClients, sc)
			}
		}
	}
	return ofServer, ofClients, nil
}

// list asks the suite which scenarios a revision has.
func (s *suite) list(ctx context.Context, revision string) ([]scenario, error) {
	out, err := s.command(ctx, "list", "--requirements", revision)
	if err != nil {
		return nil, fmt.Errorf("listing the scenarios of %s: %w\n%s", revision, err, out)
	}
	return parseList(out, revision)
}

var (
	heading = regexp.MustCompile(`^(?:(Server|Client) scenarios|Run and reported)`)
	group   = regexp.MustCompile(`^  ([a-z-]+) \(\d+\):$`)
	item    = regexp.MustCompile(`^ +- (\S+)(?: \[(server|client)\])?$`)
)

// parseList reads what the suite lists for a revision: under one heading the scenarios that it
// requires of servers, under another one those that it requires of clients, and behind these,
// by group, those of both that never count. Those of clients are there for each side that is a
// client.
func parseList(text, revision string) ([]scenario, error) {
	found := make(map[side][]scenario)
	under, now := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := heading.FindStringSubmatch(line); m != nil {
			under, now = strings.ToLower(m[1]), scored
		} else if m := group.FindStringSubmatch(line); m != nil {
			now = m[1]
		} else if m := item.FindStringSubmatch(line); m != nil && slices.Contains(groups, now) {
			of := side(cmp.Or(m[2], under))
			found[of] = append(found[of], scenario{revision, of, m[1], now})
		}
	}
	for _, sc := range found[client] {
		if sc.side = finder; sc.leftOut() == "" {
			found[finder] = append(found[finder], sc)
		}
	}
	var all []scenario
	for _, of := range sides {
		if !slices.ContainsFunc(found[of], func(s scenario) bool { return s.group == scored }) {
			return nil, fmt.Errorf("no scenario for the side %q in what the suite lists for %s:\n%s", of, revision, text)
		}
		all = append(all, found[of]...)
	}
	return all, nil
}

// errLate is of a run that was cut short, so that the server may have a part in it.
var errLate = errors.New("the suite did not end")

// run runs the suite with results in a folder, and keeps there what it printed. A status
// other than 0 is a fault; an error means that it did not run.
func (s *suite) run(ctx context.Context, results string, args ...string) (faults []string, err error) {
	out, err := s.command(ctx, append(args, "-o", results)...)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: %s: %w", errLate, strings.Join(args, " "), ctx.Err())
	case errors.As(err, &exit):
		faults = []string{fmt.Sprintf("the suite ended with %v: %s", exit, strings.Join(args, " "))}
	case err != nil:
		return nil, err
	}
	if err := os.MkdirAll(results, 0o777); err != nil {
		return nil, err
	}
	return faults, os.WriteFile(filepath.Join(results, "output.txt"), []byte(out), 0o666)
}
