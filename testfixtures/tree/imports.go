package tree

import (
	"slices"
	"strings"
)

// module is the path that imports of the tree's own packages begin with.
const module = "isthmus.internal"

// rooms are the folders that hold code, in the order in which they may import: each row may use the rows
// before it. Rooms in one row know nothing of each other.
var rooms = [][]string{
	{"jsonrpc"},
	{"mcp"},
	{"legacy"},
	{"discover"},
	{"stdio", "httpmcp"},
	{"testfixtures"},
	{"cmd"},
}

// rank returns the row of a room in rooms, or -1.
func rank(room string) int {
	return slices.IndexFunc(rooms, func(row []string) bool { return slices.Contains(row, room) })
}

// checkImports holds every file, tests included, to the direction of imports. A test gets no exception: one
// that needs a room to the right belongs into that room.
func (s *source) checkImports() []Fault {
	own, _, _ := strings.Cut(s.name, "/")
	var faults []Fault
	for _, spec := range s.file.Imports {
		from := importPath(spec)
		first, rest, _ := strings.Cut(from, "/")
		room, _, _ := strings.Cut(rest, "/")
		switch {
		case from == "C":
			faults = append(faults, s.fault(spec.Pos(), "import %q: the tree builds with Go alone", from))
		case first != module && strings.Contains(first, "."):
			faults = append(faults, s.fault(spec.Pos(), "import %q: only the standard library and this module are used", from))
		case first != module || room == own:
		case rank(own) < 0:
			faults = append(faults, s.fault(spec.Pos(), "import %q: %s is no room that holds code", from, own))
		case rank(room) < 0 || rank(room) >= rank(own):
			faults = append(faults, s.fault(spec.Pos(), "import %q: %s may import only rooms to its left: %s", from, own, left(own)))
		}
	}
	return faults
}

// left lists the rooms that a room may import.
func left(room string) string {
	names := slices.Concat(rooms[:rank(room)]...)
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// WithoutHTTP lists the folders that must never link net/http, not even through another package: a server
// that speaks over stdio alone stays small and starts at once. They are rooms, and a program that is such a server.
func WithoutHTTP() []string {
	return []string{"jsonrpc", "mcp", "legacy", "discover", "stdio", "testfixtures/echo/stdioecho"}
}

// CheckDependencies reads the lines of "go list -deps" for the folders WithoutHTTP and finds net/http among
// them. One that is not listed at all is a fault too, so that an empty listing proves nothing.
func CheckDependencies(listing string) []Fault {
	lines := strings.Fields(listing)
	var faults []Fault
	for _, room := range WithoutHTTP() {
		if !slices.Contains(lines, module+"/"+room) {
			faults = append(faults, Fault{room, "not in the list of packages; is it there, and does it build?"})
		}
	}
	for _, line := range lines {
		if line == "net/http" || strings.HasPrefix(line, "net/http/") {
			faults = append(faults, Fault{line, "linked by one of " + strings.Join(WithoutHTTP(), ", ") + "; only httpmcp may use it"})
		}
	}
	return faults
}
