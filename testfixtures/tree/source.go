package tree

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// source is one parsed Go file.
type source struct {
	name    string // slash separated, from the top of the tree
	test    bool   // a _test.go file
	file    *ast.File
	set     *token.FileSet
	imports map[string]string // local name to import path
}

func parse(name string, text []byte) (*source, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{name: name, test: strings.HasSuffix(name, "_test.go"), file: file, set: set, imports: map[string]string{}}
	for _, spec := range file.Imports {
		from := importPath(spec)
		local := path.Base(from)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		s.imports[local] = from
	}
	return s, nil
}

func importPath(spec *ast.ImportSpec) string {
	from, _ := strconv.Unquote(spec.Path.Value) // the parser has checked the quotes
	return from
}

func (s *source) fault(at token.Pos, format string, args ...any) Fault {
	return Fault{place(s.name, s.set.Position(at).Line), fmt.Sprintf(format, args...)}
}

// habits are names of the standard library that this tree does without.
var habits = []struct {
	from, name string
	testsOnly  bool
	why        string
}{
	{"time", "Sleep", true, "a test that sleeps is slow or wrong; wait for the event, or use testing/synctest"},
	{"os", "Getenv", false, "behaviour is set by options and flags, never by the environment"},
	{"os", "LookupEnv", false, "behaviour is set by options and flags, never by the environment"},
	{"os", "ExpandEnv", false, "behaviour is set by options and flags, never by the environment"},
	{"syscall", "Getenv", false, "behaviour is set by options and flags, never by the environment"},
}

// checkHabits finds what the compiler takes and this tree does not: the names in habits, and functions
// named init.
func (s *source) checkHabits() []Fault {
	var faults []Fault
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			faults = append(faults, s.fault(f.Pos(), "func init: nothing runs before main; build the value where it is used"))
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			faults = append(faults, s.checkSelector(selector)...)
		}
		return true
	})
	return faults
}

func (s *source) checkSelector(n *ast.SelectorExpr) []Fault {
	left, ok := n.X.(*ast.Ident)
	if !ok {
		return nil
	}
	for _, h := range habits {
		if s.imports[left.Name] == h.from && n.Sel.Name == h.name && (s.test || !h.testsOnly) {
			return []Fault{s.fault(n.Pos(), "%s.%s: %s", h.from, h.name, h.why)}
		}
	}
	return nil
}

// packageComments notes, by folder, whether any file of the package says what it is for.
type packageComments map[string]bool

func (p packageComments) add(s *source) {
	folder := path.Dir(s.name)
	said := s.file.Doc != nil && strings.TrimSpace(s.file.Doc.Text()) != ""
	p[folder] = p[folder] || said
}

func (p packageComments) faults() []Fault {
	var faults []Fault
	for folder, said := range p {
		if !said {
			faults = append(faults, Fault{folder, "no file of this package has a package comment; say in one what it is for"})
		}
	}
	return faults
}
