package main

import "fmt"

// outcome is how a run went.
type outcome struct {
	run
	spoke  string
	done   int // steps that the client has taken
	faults []string
}

// judge holds the lines of a script to the plan.
func judge(r run, lines []line) outcome {
	o := outcome{run: r}
	said := map[string]int{}
	for _, l := range lines {
		if l.spoke != "" {
			o.spoke = l.spoke
			continue
		}
		said[l.step]++
		if fault := r.judgeLine(l); fault != "" {
			o.fault("%s: %s", l.step, fault)
		} else if l.refused == "" {
			o.done++
		}
	}
	for _, s := range steps {
		if n := said[s.name]; s.of(r) && n != 1 {
			o.fault("%s: said %d times, want once", s.name, n)
		}
	}
	if want := revisions[r.era]; o.spoke != want {
		o.fault("it spoke %q, want %q", o.spoke, want)
	}
	return o
}

// judgeLine says what is wrong with a line, "" for nothing.
func (r run) judgeLine(l line) string {
	known := false
	for _, s := range steps {
		known = known || s.name == l.step && s.of(r)
	}
	limit := r.limit(l.step)
	switch {
	case l.fault != "":
		return l.fault
	case !known:
		return "no step of this run"
	case limit != nil && l.refused == "":
		return fmt.Sprintf("done, though the plan says that the client cannot: %s", limit.why)
	case limit == nil && l.refused != "":
		return fmt.Sprintf("refused, though the plan says that the client can: %s", l.refused)
	}
	return ""
}

func (o *outcome) fault(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	o.faults = append(o.faults, o.label()+": "+text)
}

// label names a run for people.
func (r run) label() string { return r.client.what + ", " + r.era + ", " + r.transport }

// total is how many steps the plan has for a run.
func (r run) total() int {
	n := 0
	for _, s := range steps {
		if s.of(r) {
			n++
		}
	}
	return n
}
