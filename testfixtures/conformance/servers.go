package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"isthmus.internal/testfixtures/outside"
)

// testServer starts the server, has the suite work on it, and stops it. The faults are those
// of the processes; those of the checks are for the reader of the outcomes.
func (c *config) testServer(ctx context.Context, s *suite, args []string, scenarios []scenario) (all []outcome, faults []string, err error) {
	process, err := outside.StartServer(c.server, args, c.log())
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if fault := process.Stop(); fault != "" {
			faults = append(faults, fault)
		}
	}()
	for _, revision := range revisions {
		ofRevision := slices.DeleteFunc(slices.Clone(scenarios), func(sc scenario) bool { return sc.revision != revision })
		found, wrong, err := s.runServer(ctx, process.URL, revision, ofRevision)
		if err != nil {
			return nil, nil, err
		}
		all, faults = append(all, found...), append(faults, wrong...)
	}
	return all, faults, nil
}

// runServer runs the required scenarios of a revision as the suite scores them, and then
// each of the others by itself.
func (s *suite) runServer(ctx context.Context, url, revision string, scenarios []scenario) ([]outcome, []string, error) {
	set := filepath.Join(s.results, revision)
	faults, err := s.run(ctx, set, "server", "--url", url, "--requirements", revision)
	if err != nil {
		return nil, nil, err
	}
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
		checks, err := readChecks(os.DirFS(from), "server-"+sc.name)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", sc, err))
		}
		all = append(all, outcome{sc, checks})
	}
	return all, faults, nil
}
