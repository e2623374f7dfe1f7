package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	const profile = `mode: set
isthmus.internal/mcp/a.go:1.1,2.2 3 0
isthmus.internal/mcp/seal/b.go:1.1,2.2 1 1
isthmus.internal/mcpx/c.go:1.1,2.2 9 0
isthmus.internal/legacy/d.go:1.1,2.2 2 0
isthmus.internal/legacy/d.go:1.1,2.2 2 7
isthmus.internal/legacy/d.go:1.1,2.2 2 0
`
	tests := []struct {
		name    string
		profile string
		rooms   []string
		table   []string // parts of the table
		err     string   // a part of the error, "" for none
	}{
		{"a block that one of three binaries ran", profile, []string{"legacy"}, []string{"legacy           2    2  100.0 %"}, ""},
		{"below", profile, []string{"legacy", "mcp"}, []string{"mcp           4    1   25.0 %"}, "below 90 %: mcp"},
		{"a package of its own", profile, []string{"mcp", "mcp/seal", "legacy"}, []string{"mcp           3    0    0.0 %", "mcp/seal           1    1  100.0 %"}, "below 90 %: mcp"},
		{"a room without statements", profile, []string{"stdio"}, nil, "no statement of stdio"},
		{"no profile", "mode: set\nhello\n", []string{"mcp"}, nil, `"hello" is no line of a coverage profile`},
		{"no number", "mode: set\na b c\n", []string{"mcp"}, nil, "the number of statements is no number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			err := report(&out, strings.NewReader(test.profile), test.rooms, 90)
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			for _, part := range test.table {
				if !strings.Contains(out.String(), part) {
					t.Errorf("table\n%swant a line that holds %q", out.String(), part)
				}
			}
		})
	}
}
