package main

import (
	"fmt"
	"slices"
	"strings"
)

// titles stand over the tables of the sides.
var titles = map[side]string{
	server: "The server",
	client: "The client, told which revision to speak",
	finder: "The client, which finds out what the server speaks",
}

// tablesOf are the tables of the page, one a side: a row a scenario, a column a revision, in
// the order of the suite; how many checks ended with SUCCESS; what the suite skipped, and what
// is left out. A scenario of bad has the number in the words of a fault.
func tablesOf(outcomes []outcome, bad map[scenario][]string) string {
	var all []string
	for _, of := range sides {
		own := slices.DeleteFunc(slices.Clone(outcomes), func(o outcome) bool { return o.side != of })
		all = append(all, "### "+titles[of]+"\n\n"+tableOf(own, bad)+"\n"+skippedOf(own)+leftOutOf(own))
	}
	return strings.Join(all, "\n")
}

// tableOf is the table of one side.
func tableOf(outcomes []outcome, bad map[scenario][]string) string {
	var out strings.Builder
	out.WriteString("| scenario | " + strings.Join(revisions, " | ") + " |\n|---" + strings.Repeat("|---:", len(revisions)) + "|\n")
	cells, order := cellsOf(outcomes, bad)
	for _, name := range order {
		fmt.Fprintf(&out, "| %s |", name)
		for _, revision := range revisions {
			fmt.Fprintf(&out, " %s |", cells[name][revision])
		}
		out.WriteString("\n")
	}
	for _, g := range groups {
		if !slices.ContainsFunc(outcomes, func(o outcome) bool { return o.group == g }) {
			continue
		}
		fmt.Fprintf(&out, "| **%s** |", g)
		for _, revision := range revisions {
			fmt.Fprintf(&out, " **%s** |", total(outcomes, bad, revision, g))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// cellsOf are the cells by scenario and revision, and the scenarios in order, those that
// are not required last.
func cellsOf(outcomes []outcome, bad map[scenario][]string) (cells map[string]map[string]string, order []string) {
	cells = make(map[string]map[string]string)
	for _, g := range groups {
		for _, o := range outcomes {
			if o.group != g || o.leftOut() != "" {
				continue
			}
			name := o.name
			if g != scored {
				name += " (" + g + ")"
			}
			if cells[name] == nil {
				cells[name] = make(map[string]string)
				order = append(order, name)
			}
			cell := fmt.Sprint(o.count(success))
			if len(bad[o.scenario]) > 0 {
				cell += " of " + fmt.Sprint(len(o.checks)) + ", failed"
			}
			cells[name][o.revision] = cell
		}
	}
	return cells, order
}

// total says how many scenarios of a group are without fault, and how many checks ended
// with SUCCESS in all of them. What is left out does not count.
func total(outcomes []outcome, bad map[scenario][]string, revision, group string) string {
	good, all, checks := 0, 0, 0
	for _, o := range outcomes {
		if o.revision != revision || o.group != group || o.leftOut() != "" {
			continue
		}
		all++
		checks += o.count(success)
		if len(bad[o.scenario]) == 0 {
			good++
		}
	}
	if all == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d, %d checks", good, all, checks)
}

// skippedOf lists the checks that the suite skipped.
func skippedOf(outcomes []outcome) string {
	var rows strings.Builder
	for _, o := range outcomes {
		for _, c := range o.checks {
			if c.Status == skipped {
				fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", o.revision, o.name, c.ID, strings.Join(strings.Fields(c.reason()), " "))
			}
		}
	}
	if rows.Len() == 0 {
		return "No check was skipped.\n"
	}
	return "| skipped at | scenario | check | the suite's reason |\n|---|---|---|---|\n" + rows.String()
}

// reason is what the suite says about a check that it did not make.
func (c check) reason() string {
	if c.ErrorMessage != "" {
		return c.ErrorMessage
	}
	return c.Description
}

// leftOutOf says how many scenarios of each kind are not run, and why; nothing where all are.
func leftOutOf(outcomes []outcome) string {
	var rows strings.Builder
	for _, left := range leftOut {
		for _, revision := range revisions {
			n := 0
			for _, o := range outcomes {
				if o.revision == revision && strings.HasPrefix(o.name, left.names) {
					n++
				}
			}
			if n > 0 {
				fmt.Fprintf(&rows, "| %s | %d named %s… | %s |\n", revision, n, left.names, left.reason)
			}
		}
	}
	if rows.Len() == 0 {
		return ""
	}
	return "\n| left out at | scenarios | the reason |\n|---|---|---|\n" + rows.String()
}
