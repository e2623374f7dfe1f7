package main

import (
	"fmt"
	"strings"
)

// tables are those of the page: how far each run has come, what the steps are, and what a server
// lacks.
func tables(outcomes []outcome, versions map[string]string) string {
	var out strings.Builder
	out.WriteString("| server | package | era | it speaks | transport | steps |\n|---|---|---|---|---|---:|\n")
	for _, o := range outcomes {
		fmt.Fprintf(&out, "| %s | `%s` %s | %s | %s | %s | %d of %d |\n",
			o.server.what, o.server.pkg, versions[o.server.pkg], o.era, o.spoke, o.transport, o.done, o.total())
	}
	out.WriteString("\n| step | what is done, and compared with what must come |\n|---|---|\n")
	for _, s := range steps {
		fmt.Fprintf(&out, "| %s | %s |\n", s.name, s.what)
	}
	out.WriteString("\n| server | lacks | because |\n|---|---|---|\n")
	for _, s := range servers() {
		for _, l := range s.reasons() {
			fmt.Fprintf(&out, "| %s | %s | %s |\n", s.what, strings.Join(l.steps, ", "), l.why)
		}
	}
	for _, l := range limits {
		fmt.Fprintf(&out, "| %s | %s | %s |\n", l.who, l.step, l.why)
	}
	return out.String()
}

// reason is why some steps cannot be taken.
type reason struct {
	why   string
	steps []string
}

// reasons are those of a server, in the order of the steps.
func (s server) reasons() []reason {
	var all []reason
	at := map[string]int{}
	for _, step := range steps {
		why := s.lacks[step.name]
		if why == "" {
			continue
		}
		if _, known := at[why]; !known {
			at[why] = len(all)
			all = append(all, reason{why: why})
		}
		all[at[why]].steps = append(all[at[why]].steps, step.name)
	}
	return all
}
