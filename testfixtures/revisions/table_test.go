package revisions_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"isthmus.internal/testfixtures/revisions"
)

var update = flag.Bool("update", false, "write docs/revisions.md anew")

// TestTable holds docs/revisions.md to the data.
func TestTable(t *testing.T) {
	root := filepath.Join("..", "..")
	source, err := os.ReadFile(filepath.Join(root, "mcp", "form.go"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := revisions.Table(source)
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "docs", "revisions.md")
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the data says: run make golden\ngot\n%s\nwant\n%s", page, got, want)
	}
}

// TestTableSource shows what the source must have.
func TestTableSource(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"no Go", "package", "form.go:1:8: expected 'IDENT', found 'EOF'"},
		{"no Form", "package mcp\ntype X int", "revisions: no type Form in the source"},
		{"a field without a comment", "package mcp\ntype Form struct {\n\tTitle bool\n}", "revisions: mcp.Form.Title has no comment"},
		{"a comment that does not read by itself", "package mcp\ntype Form struct {\n\t// Title is a name.\n\tTitle bool\n}",
			`revisions: the comment of mcp.Form.Title does not begin with "Title: "`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := revisions.Table([]byte(test.source))
			if err == nil || err.Error() != test.want {
				t.Errorf("source %q: got %v, want %s", test.source, err, test.want)
			}
		})
	}
}
