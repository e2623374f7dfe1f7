package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
)

// The statuses of a check, as the suite writes them.
const (
	success = "SUCCESS"
	failure = "FAILURE"
	warning = "WARNING"
	skipped = "SKIPPED"
	info    = "INFO"
)

// check is one entry of a checks.json.
type check struct {
	ID           string `json:"id"`
	Status       string `json:"status"`
	Description  string `json:"description"`
	ErrorMessage string `json:"errorMessage"`
}

// outcome is what the suite found out about a scenario.
type outcome struct {
	scenario
	checks []check
}

// count is how many checks have a status.
func (o outcome) count(status string) (n int) {
	for _, c := range o.checks {
		if c.Status == status {
			n++
		}
	}
	return n
}

// folder is the name of a folder of results: a label, and the time. The label is the name of the
// scenario, with "server-" before it if that is what is tested.
var folder = regexp.MustCompile(`^(.+)-\d{4}-\d{2}-\d{2}T[\dZ-]+$`)

// readChecks reads the checks of a scenario from the folder that a run of the suite left.
// There must be one run with that label, with one check at least.
func readChecks(results fs.FS, label string) ([]check, error) {
	entries, err := fs.ReadDir(results, ".")
	if err != nil {
		return nil, fmt.Errorf("no results: %w", err)
	}
	var checks []check
	runs := 0
	for _, entry := range entries {
		m := folder.FindStringSubmatch(entry.Name())
		if m == nil || m[1] != label {
			continue
		}
		runs++
		text, err := fs.ReadFile(results, entry.Name()+"/checks.json")
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &checks); err != nil {
			return nil, fmt.Errorf("%s/checks.json: %w", entry.Name(), err)
		}
	}
	switch {
	case runs == 0:
		return nil, fmt.Errorf("the suite left no result")
	case runs > 1:
		return nil, fmt.Errorf("the suite left %d results, want 1", runs)
	case len(checks) == 0:
		return nil, fmt.Errorf("the suite checked nothing")
	}
	return checks, nil
}
