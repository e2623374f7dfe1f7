package tree

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"path"
	"regexp"
	"strings"
)

// docLinks are what the comments of a tree link to, as in [Fault.String], and what there is to link to.
// They are resolved when all files are read. Unlike go doc this looks at links to names that are not
// exported, too: a reader of the source follows them as well.
type docLinks struct {
	names    map[string]map[string]bool // by package: functions, types, variables, and Type.Member
	embedded map[string][]string        // by package and type, as in "mcp.Tool": the types that it embeds, likewise
	imports  map[string]map[string]string
	links    []docLink
}

// docLink is one link in a comment.
type docLink struct {
	place string // of the comment
	from  string // the package that it stands in
	text  string // what stands in the brackets
}

func newDocLinks() *docLinks {
	return &docLinks{names: map[string]map[string]bool{}, embedded: map[string][]string{}, imports: map[string]map[string]string{}}
}

// packageOf is the path of a file's package from the top of the tree.
func packageOf(s *source) string {
	folder := path.Dir(s.name)
	if strings.HasSuffix(s.file.Name.Name, "_test") {
		folder += "_test"
	}
	return folder
}

// add notes what a file declares and what its comments link to.
func (d *docLinks) add(s *source) {
	own := packageOf(s)
	if d.names[own] == nil {
		d.names[own], d.imports[own] = map[string]bool{}, map[string]string{}
	}
	for local, from := range s.imports {
		d.imports[own][local] = from
	}
	for _, decl := range s.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.declare(own, receiver(decl), decl.Name.Name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				d.addSpec(own, s, spec)
			}
		}
	}
	for _, group := range s.file.Comments {
		for _, block := range new(comment.Parser).Parse(group.Text()).Content {
			for _, m := range bracketed.FindAllStringSubmatch(plain(block), -1) {
				d.links = append(d.links, docLink{place(s.name, s.set.Position(group.Pos()).Line), own, m[1]})
			}
		}
	}
}

// bracketed is a link: a name, a name of a package, or a path.
var bracketed = regexp.MustCompile(`(?:^|[^\w\])}])\[\*?([A-Za-z_][\w./]*)\](?:$|[^\w\]\[({])`)

// plain is the text of a block of a comment, and of those within it, without code.
func plain(block comment.Block) string {
	var all strings.Builder
	var write func(texts []comment.Text)
	write = func(texts []comment.Text) {
		for _, text := range texts {
			switch text := text.(type) {
			case comment.Plain:
				all.WriteString(string(text))
			case *comment.DocLink:
				all.WriteString("[")
				write(text.Text)
				all.WriteString("]")
			}
		}
	}
	switch block := block.(type) {
	case *comment.Paragraph:
		write(block.Text)
	case *comment.Heading:
		write(block.Text)
	case *comment.List:
		for _, item := range block.Items {
			for _, inner := range item.Content {
				all.WriteString(plain(inner) + "\n")
			}
		}
	}
	return all.String()
}

func (d *docLinks) declare(own, of, name string) {
	if of != "" {
		name = of + "." + name
	}
	d.names[own][name] = true
}

// receiver is the type of a method, "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	return typeName(f.Recv.List[0].Type)
}

// typeName is the name behind stars and type parameters: T, or p.T.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	case *ast.SelectorExpr:
		return typeName(x.X) + "." + x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

func (d *docLinks) addSpec(own string, s *source, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			d.declare(own, "", name.Name)
		}
	case *ast.TypeSpec:
		d.declare(own, "", spec.Name.Name)
		switch t := spec.Type.(type) {
		case *ast.StructType:
			d.addMembers(own, spec.Name.Name, s, t.Fields)
		case *ast.InterfaceType:
			d.addMembers(own, spec.Name.Name, s, t.Methods)
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			d.embed(own, spec.Name.Name, s, t)
		}
	}
}

// addMembers notes the fields or methods of a type, and what it embeds.
func (d *docLinks) addMembers(own, of string, s *source, members *ast.FieldList) {
	for _, m := range members.List {
		for _, name := range m.Names {
			d.declare(own, of, name.Name)
		}
		if len(m.Names) > 0 {
			continue
		}
		d.embed(own, of, s, m.Type)
	}
}

// embed notes that a type has the members of another one.
func (d *docLinks) embed(own, of string, s *source, x ast.Expr) {
	at, name := own, typeName(x)
	if local, selected, found := strings.Cut(name, "."); found {
		name = selected
		var inTree bool
		if at, inTree = strings.CutPrefix(s.imports[local], module+"/"); !inTree {
			at = ""
		}
	}
	d.declare(own, of, name)
	d.embedded[own+" "+of] = append(d.embedded[own+" "+of], at+" "+name)
}

// faults are the links that lead nowhere.
func (d *docLinks) faults() []Fault {
	var faults []Fault
	for _, l := range d.links {
		if !d.resolves(l) {
			faults = append(faults, Fault{l.place, fmt.Sprintf("[%s] leads nowhere: %s has no such name and imports no such package", l.text, l.from)})
		}
	}
	return faults
}

// resolves reports whether a link names something of its own package, a package, or something of one. What
// a package from outside the tree holds is not looked at.
func (d *docLinks) resolves(l docLink) bool {
	if d.has(l.from, l.text) {
		return true
	}
	folder, last := path.Split(l.text)
	name, rest, _ := strings.Cut(last, ".")
	at := folder + name
	if folder == "" {
		at = d.imports[l.from][name]
		if own := path.Base(strings.TrimSuffix(l.from, "_test")); at == "" && own == name {
			at = module + "/" + strings.TrimSuffix(l.from, "_test") // the package itself
		}
		if at == "" {
			at, _ = comment.DefaultLookupPackage(name)
		}
	}
	if folder, found := strings.CutPrefix(at, module+"/"); found {
		return d.names[folder] != nil && (rest == "" || d.has(folder, rest))
	}
	return at != ""
}

// has reports whether a package has a name, a member of an embedded type included.
func (d *docLinks) has(at, name string) bool {
	if d.names[at][name] {
		return true
	}
	of, member, found := strings.Cut(name, ".")
	if !found {
		return false
	}
	for _, inner := range d.embedded[at+" "+of] {
		from, typ, _ := strings.Cut(inner, " ")
		if from == "" || d.has(from, typ+"."+member) {
			return true // what a type from outside the tree has is not looked at
		}
	}
	return false
}
