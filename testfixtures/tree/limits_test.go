package tree_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// clientLimits are the structs whose numbers and times docs/client.md has in its table of
// limits, by the file that they stand in. Their own packages hold the comments to what is done.
var clientLimits = map[string]string{
	"mcp/client_options.go":       "ClientOptions",
	"discover/connect_options.go": "ConnectOptions",
	"stdio/link_options.go":       "ClientOptions",
	"httpmcp/dial_options.go":     "DialOptions",
}

var (
	limitRow  = regexp.MustCompile("(?m)^\\| `(\\w+\\.\\w+Options\\.\\w+)` \\| ([^|]+) \\|")
	toldFirst = regexp.MustCompile(`Defaults?: ([^.;:,]+)[.;,]`)
)

// TestClientLimits holds the table of docs/client.md to the comments of the options: every
// option that is a number or a time is in both, with the same default.
func TestClientLimits(t *testing.T) {
	table := make(map[string]string)
	for _, m := range limitRow.FindAllStringSubmatch(docs(t, "client.md"), -1) {
		if table[m[1]] != "" {
			t.Errorf("docs/client.md has %s twice", m[1])
		}
		table[m[1]] = m[2]
	}
	for file, options := range clientLimits {
		told := defaultsTold(t, file, options)
		if len(told) == 0 {
			t.Errorf("%s has no %s with a number or a time", file, options)
		}
		for name, want := range told {
			if got := table[name]; got != want || want == "" {
				t.Errorf("%s: its comment says %q, docs/client.md %q", name, want, got)
			}
			delete(table, name)
		}
	}
	for name := range table {
		t.Errorf("docs/client.md has %s, which is no number and no time of the options", name)
	}
}

// defaultsTold are the defaults that the comments of a struct tell, of its numbers and times: one
// for each name of a field.
func defaultsTold(t *testing.T, file, options string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	told := make(map[string]string)
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != options {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			if !isQuantity(f.Type) {
				continue
			}
			var values []string
			if m := toldFirst.FindStringSubmatch(strings.Join(strings.Fields(f.Doc.Text()), " ")); m != nil {
				values = strings.Split(m[1], " and ")
			}
			for i, name := range f.Names {
				value := ""
				if len(values) == len(f.Names) {
					value = values[i]
				}
				told[parsed.Name.Name+"."+options+"."+name.Name] = value
			}
		}
		return false
	})
	return told
}

// isQuantity reports whether a field is a number or a time.
func isQuantity(kind ast.Expr) bool {
	switch k := kind.(type) {
	case *ast.Ident:
		return k.Name == "int" || k.Name == "int64"
	case *ast.SelectorExpr:
		return k.Sel.Name == "Duration"
	}
	return false
}
