package httpmcp_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"isthmus.internal/httpmcp"
)

// TestLimits holds three things to each other: the defaults that the accessors give, those that the
// comments of the options tell, and the table of docs/http.md. Every option that is a
// number or a time is in all of them.
func TestLimits(t *testing.T) {
	text, err := os.ReadFile("../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	table := make(map[string]string)
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+Options\\.\\w+|Options\\.\\w+)` \\| ([^|]+) \\|").FindAllStringSubmatch(string(text), -1) {
		if table[m[1]] != "" {
			t.Errorf("docs/http.md has %s twice", m[1])
		}
		table[m[1]] = m[2]
	}
	given, told := httpmcp.Defaults(), defaultsTold(t)
	for _, options := range []any{httpmcp.Options{}, httpmcp.MemoryOptions{}, httpmcp.ServeOptions{}} {
		of := reflect.TypeOf(options)
		for i := range of.NumField() {
			name := of.Name() + "." + of.Field(i).Name
			switch of.Field(i).Type.Kind() {
			case reflect.Int, reflect.Int64:
			default:
				if table[name] != "" {
					t.Errorf("docs/http.md has a limit %s, which is none", name)
				}
				delete(given, name)
				continue
			}
			value, ok := given[name]
			if !ok {
				t.Errorf("Defaults of the tests does not have %s", name)
				continue
			}
			if want := said(value); told[name] != want || table[name] != want {
				t.Errorf("%s is %s: its comment says %q, docs/http.md %q", name, want, told[name], table[name])
			}
			delete(table, name)
		}
	}
	for name := range table {
		t.Errorf("docs/http.md has %s, which is no option", name)
	}
}

// said is a default as people write it.
func said(value any) string {
	switch v := value.(type) {
	case time.Duration:
		for _, unit := range []struct {
			length time.Duration
			name   string
		}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
			if v >= unit.length && v%unit.length == 0 {
				return fmt.Sprintf("%d %s", v/unit.length, unit.name)
			}
		}
		return v.String()
	default:
		n := reflect.ValueOf(value).Int()
		switch {
		case n >= 1<<20 && n%(1<<20) == 0:
			return fmt.Sprintf("%d MiB", n>>20)
		case n == 64<<10: // of bytes; numbers of things are written out
			return "64 KiB"
		case n >= 10_000:
			return fmt.Sprintf("%d,%03d", n/1000, n%1000)
		}
		return strconv.FormatInt(n, 10)
	}
}

// defaultsTold reads the comments of the package's options.
func defaultsTold(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	told := make(map[string]string)
	last := regexp.MustCompile(`Default: ([^.:]+)\.\s*$`)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range of.Fields.List {
					if m := last.FindStringSubmatch(f.Doc.Text()); m != nil && len(f.Names) == 1 {
						told[spec.Name.Name+"."+f.Names[0].Name] = strings.Join(strings.Fields(m[1]), " ")
					}
				}
			}
			return false
		})
	}
	return told
}
