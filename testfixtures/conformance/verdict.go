package main

import "fmt"

// wire is the check of every message against the schema, which stands in nearly every
// scenario. It holds also when no message came, so by itself it shows nothing.
const wire = "wire-schema-valid"

// judge finds what is wrong with each scenario by itself, whatever is expected of it.
func judge(outcomes []outcome) map[scenario][]string {
	bad := make(map[scenario][]string)
	for _, o := range outcomes {
		if o.leftOut() != "" {
			continue
		}
		own := 0
		for _, c := range o.checks {
			switch c.Status {
			case success:
				if c.ID != wire {
					own++
				}
			case info:
			case skipped: // right or wrong as expected.txt says
			default: // FAILURE and WARNING, and what is not known
				bad[o.scenario] = append(bad[o.scenario], fmt.Sprintf("%s: %s %s: %s (%s)",
					o.scenario, c.Status, c.ID, c.Description, c.ErrorMessage))
			}
		}
		if own == 0 {
			bad[o.scenario] = append(bad[o.scenario], fmt.Sprintf("%s: no check of its own with SUCCESS among %d", o.scenario, len(o.checks)))
		}
	}
	return bad
}
