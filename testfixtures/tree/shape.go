package tree

import (
	"go/ast"
	"go/token"
)

// longestFunction is how many lines a function has at the most, so that a reader has all of it on a screen.
const longestFunction = 60

// checkShape finds functions that are too long, and exported names without a comment. Tests are tables as
// often as not, and export nothing, so it leaves them alone.
func (s *source) checkShape() []Fault {
	if s.test {
		return nil
	}
	var faults []Fault
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if n := s.set.Position(d.End()).Line - s.set.Position(d.Pos()).Line + 1; n > longestFunction {
				faults = append(faults, s.fault(d.Pos(), "func %s: it has %d lines, more than %d; give a part of it a name", d.Name.Name, n, longestFunction))
			}
			if of := receiver(d); d.Doc == nil && d.Name.IsExported() && (of == "" || ast.IsExported(of)) {
				faults = append(faults, s.undocumented(d.Name))
			}
		case *ast.GenDecl:
			faults = append(faults, s.checkComments(d)...)
		}
	}
	return faults
}

// checkComments finds exported types, constants and variables without a comment, be it their own, behind them,
// or that of their group.
func (s *source) checkComments(d *ast.GenDecl) []Fault {
	if d.Tok == token.IMPORT || d.Doc != nil {
		return nil
	}
	var faults []Fault
	for _, spec := range d.Specs {
		var names []*ast.Ident
		said := false
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names, said = []*ast.Ident{spec.Name}, spec.Doc != nil || spec.Comment != nil
		case *ast.ValueSpec:
			names, said = spec.Names, spec.Doc != nil || spec.Comment != nil
		}
		for _, name := range names {
			if name.IsExported() && !said {
				faults = append(faults, s.undocumented(name))
			}
		}
	}
	return faults
}

func (s *source) undocumented(name *ast.Ident) Fault {
	return s.fault(name.Pos(), "%s: an exported name without a comment; say what it is, or what it promises", name.Name)
}
