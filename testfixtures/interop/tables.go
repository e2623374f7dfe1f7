package main

import (
	"fmt"
	"slices"
	"strings"
)

// tables are those of the page: who took how many steps, what the steps are, and what a
// client cannot do.
func tables(outcomes []outcome) string {
	var out strings.Builder
	out.WriteString("| client | package | era | it speaks | transport | steps |\n|---|---|---|---|---|---:|\n")
	for _, o := range outcomes {
		fmt.Fprintf(&out, "| %s | `%s` %s | %s | %s | %s | %d of %d%s |\n", o.client.what, o.client.pkg, version(o.client.pkg),
			o.era, o.spoke, o.transport, o.done, o.total(), failed(o))
	}
	out.WriteString("\n| step | what is done, and compared with what must come |\n|---|---|\n")
	for _, s := range steps {
		fmt.Fprintf(&out, "| %s%s | %s |\n", s.name, only(s.era, s.transport, s.pkg), s.what)
	}
	out.WriteString("\n| client | cannot | because |\n|---|---|---|\n")
	for _, l := range limits {
		fmt.Fprintf(&out, "| %s%s | %s | %s |\n", l.client.what, only(l.transports...), strings.Join(l.steps, ", "), l.why)
	}
	return out.String()
}

// failed is what a row says of faults.
func failed(o outcome) string {
	if len(o.faults) == 0 {
		return ""
	}
	return fmt.Sprintf(", %d faults", len(o.faults))
}

// only says where something holds, when that is not everywhere.
func only(where ...string) string {
	where = slices.DeleteFunc(slices.Clone(where), func(s string) bool { return s == "" })
	if len(where) == 0 {
		return ""
	}
	return " (" + strings.Join(where, ", ") + ")"
}
