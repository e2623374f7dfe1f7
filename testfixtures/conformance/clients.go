package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// atOnce is how many scenarios of clients are run at the same time. Each has a suite and a
// server of its own; what takes the time is the start of Node.
const atOnce = 4

// testClients runs scenarios of clients, some at the same time, and returns what came of them in
// their order. Of those that are left out there are no checks.
func (c *config) testClients(ctx context.Context, s *suite, scenarios []scenario) (all []outcome, faults []string, err error) {
	binary, err := filepath.Abs(c.client)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, nil, fmt.Errorf("the client is not built: %w", err)
	}
	all = make([]outcome, len(scenarios))
	wrong, errs := make([][]string, len(scenarios)), make([]error, len(scenarios))
	places := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	for i, sc := range scenarios {
		if sc.leftOut() != "" {
			all[i].scenario = sc
			continue
		}
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			all[i], wrong[i], errs[i] = s.runClient(ctx, binary, sc)
		})
	}
	running.Wait()
	for _, w := range wrong {
		faults = append(faults, w...)
	}
	return all, faults, errors.Join(errs...)
}

// runClient runs one scenario of a client. By itself, so that the suite also fails what would
// not count in a set: a client that ends with a status other than 0, or not in time.
func (s *suite) runClient(ctx context.Context, binary string, sc scenario) (outcome, []string, error) {
	results := filepath.Join(s.results, string(sc.side), sc.revision+"-"+sc.name)
	faults, err := s.run(ctx, results, "client", "--command", commandOf(binary, sc.side), "--scenario", sc.name, "--spec-version", sc.revision)
	if err != nil {
		return outcome{}, nil, err
	}
	checks, err := readChecks(os.DirFS(results), sc.name)
	if err != nil {
		faults = append(faults, fmt.Sprintf("%s: %v", sc, err))
	}
	return outcome{sc, checks}, faults, nil
}

// commandOf is the command of a client, for a shell. The suite puts the URL behind it, and says
// all else in the environment: from there the shell makes arguments of it.
func commandOf(binary string, of side) string {
	command := "'" + strings.ReplaceAll(binary, "'", `'\''`) + "'"
	if of == finder {
		command += " -find"
	}
	for _, argument := range [][2]string{
		{"scenario", "SCENARIO"}, {"version", "PROTOCOL_VERSION"}, {"context", "CONTEXT"},
	} {
		command += " -" + argument[0] + ` "$MCP_CONFORMANCE_` + argument[1] + `"`
	}
	return command
}
