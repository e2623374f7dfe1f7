package main

import (
	"bytes"
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

// scenario is one scenario at one revision.
type scenario struct {
	revision string
	name     string
	group    string
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

// list asks the suite which server scenarios a revision has.
func (s *suite) list(ctx context.Context, revision string) ([]scenario, error) {
	out, err := s.command(ctx, "list", "--server", "--requirements", revision)
	if err != nil {
		return nil, fmt.Errorf("listing the scenarios of %s: %w\n%s", revision, err, out)
	}
	return parseList(out, revision)
}

var (
	heading = regexp.MustCompile(`^(Server|Client) scenarios|^Run and reported`)
	group   = regexp.MustCompile(`^  ([a-z-]+) \(\d+\):$`)
	item    = regexp.MustCompile(`^ +- (\S+)(?: \[(server|client)\])?$`)
)

// parseList reads what the suite lists for a revision: under one heading the scenarios
// that it requires of servers, and behind all others, by group, those that never count.
func parseList(text, revision string) ([]scenario, error) {
	var all []scenario
	under, now := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := heading.FindStringSubmatch(line); m != nil {
			under, now = m[1], scored
		} else if m := group.FindStringSubmatch(line); m != nil {
			now = m[1]
		} else if m := item.FindStringSubmatch(line); m != nil {
			ofServers := under == "Server" || m[2] == "server"
			if ofServers && slices.Contains(groups, now) {
				all = append(all, scenario{revision, m[1], now})
			}
		}
	}
	if !slices.ContainsFunc(all, func(s scenario) bool { return s.group == scored }) {
		return nil, fmt.Errorf("no scenario of servers in what the suite lists for %s:\n%s", revision, text)
	}
	return all, nil
}

// runAll runs the required scenarios of a revision as the suite scores them, and then
// each of the others by itself.
func (s *suite) runAll(ctx context.Context, url, revision string, scenarios []scenario) ([]outcome, []string, error) {
	var faults []string
	set := filepath.Join(s.results, revision)
	fault, err := s.run(ctx, set, "server", "--url", url, "--requirements", revision)
	if err != nil {
		return nil, nil, err
	}
	faults = append(faults, fault...)
	var all []outcome
	for _, sc := range scenarios {
		from := set
		if sc.group != scored {
			from = filepath.Join(s.results, revision+"-"+sc.name)
			fault, err := s.run(ctx, from, "server", "--url", url, "--scenario", sc.name, "--spec-version", revision)
			if err != nil {
				return nil, nil, err
			}
			faults = append(faults, fault...)
		}
		checks, err := readChecks(os.DirFS(from), sc.name)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s %s: %v", revision, sc.name, err))
		}
		all = append(all, outcome{sc, checks})
	}
	return all, faults, nil
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
