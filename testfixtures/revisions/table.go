package revisions

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"isthmus.internal/discover"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// Table renders what differs between the revisions as a page of Markdown. All of it
// comes from the data that the code uses: the values are those of the forms that are
// served, and the words are the comments of [mcp.Form], whose source is given.
func Table(source []byte) (string, error) {
	fields, err := formFields(source)
	if err != nil {
		return "", err
	}
	forms := slices.Concat(legacy.Forms(), discover.Forms())
	slices.SortFunc(forms, func(a, b *mcp.Form) int { return strings.Compare(a.Revision, b.Revision) })
	var b strings.Builder
	b.WriteString(tableHead)
	b.WriteString(row("", forms, func(f *mcp.Form) string { return f.Revision }))
	b.WriteString("|---" + strings.Repeat("|---", len(forms)) + "|\n")
	b.WriteString(row("era", forms, func(f *mcp.Form) string {
		if f.Era == mcp.Modern {
			return "modern"
		}
		return "legacy"
	}))
	for _, method := range allMethods(forms) {
		b.WriteString(row("`"+method+"`", forms, func(f *mcp.Form) string { return mark(slices.Contains(f.Methods, method)) }))
	}
	for _, field := range fields {
		b.WriteString(fieldRow(field, forms))
	}
	return b.String(), nil
}

const tableHead = `# What differs between the revisions

Written by ` + "`make golden`" + ` from the data that the code uses: a form a revision, in [legacy](../legacy/revision.go) and
[discover](../discover/modern.go). The words are the comments of [mcp.Form](../mcp/form.go), where the clauses stand too.
Code of a server's author needs none of it: what a revision cannot say is left out, or said in another way, when the
answer is written. The rows of methods are those that a server answers, ` + "`" + `ping` + "`" + `, ` + "`" + `initialize` + "`" + ` and
` + "`" + `server/discover` + "`" + ` aside.

`

func row(first string, forms []*mcp.Form, cell func(*mcp.Form) string) string {
	cells := []string{first}
	for _, f := range forms {
		cells = append(cells, cell(f))
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func mark(has bool) string {
	if has {
		return "yes"
	}
	return ""
}

// code is a cell with an error code, empty where there is none.
func code(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// allMethods are the methods of any form, in the order in which they first stand.
func allMethods(forms []*mcp.Form) []string {
	var all []string
	for _, f := range forms {
		for _, method := range f.Methods {
			if !slices.Contains(all, method) {
				all = append(all, method)
			}
		}
	}
	return all
}

// formField is a field of [mcp.Form] with the words of its comment.
type formField struct{ name, words string }

// withoutRow are the fields that have rows, or the head of the table, of their own.
var withoutRow = []string{"Revision", "Era", "Methods"}

// fieldRow is the row of one field.
func fieldRow(field formField, forms []*mcp.Form) string {
	value := func(f *mcp.Form) reflect.Value { return reflect.ValueOf(f).Elem().FieldByName(field.name) }
	return row(field.words, forms, func(f *mcp.Form) string {
		switch v := value(f); v.Kind() {
		case reflect.Bool:
			return mark(v.Bool())
		case reflect.Int, reflect.Int32, reflect.Int64:
			return code(v.Int())
		default:
			return mark(!v.IsZero())
		}
	})
}

// formFields reads the fields of the type Form and their comments.
func formFields(source []byte) ([]formField, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "form.go", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var fields []formField
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "Form" {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			if f.Doc == nil {
				err = fmt.Errorf("revisions: mcp.Form.%s has no comment", f.Names[0])
				return false
			}
			field := formField{name: f.Names[0].Name}
			if slices.Contains(withoutRow, field.name) {
				continue
			}
			if field.words, err = words(field.name, f.Doc.Text()); err != nil {
				return false
			}
			fields = append(fields, field)
		}
		return false
	})
	if err == nil && len(fields) == 0 {
		err = fmt.Errorf("revisions: no type Form in the source")
	}
	return fields, err
}

// words turns a comment into a cell: its first sentence, without the clause in
// parentheses at its end. The name of the field must be in front, with a colon, so that
// the rest reads by itself.
func words(name, comment string) (string, error) {
	text, found := strings.CutPrefix(strings.Join(strings.Fields(comment), " "), name+": ")
	if !found {
		return "", fmt.Errorf("revisions: the comment of mcp.Form.%s does not begin with %q", name, name+": ")
	}
	text, _, _ = strings.Cut(text+" ", ". ")
	if i := strings.LastIndex(text, " ("); i > 0 && strings.HasSuffix(text, ")") {
		text = text[:i]
	}
	return strings.ReplaceAll(text, "|", `\|`), nil
}
