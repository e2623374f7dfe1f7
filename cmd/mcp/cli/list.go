package cli

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

var toolsCommand = command{
	name: "tools", examples: []string{`http://127.0.0.1:8080/mcp`, `http://127.0.0.1:8080/mcp add`, `--output json -- mcp-echo`},
	usage: "TARGET [NAME]", most: 1, summary: "list the tools, or show one with its arguments",
	run: func(ctx context.Context, r *request) error {
		return list(ctx, r, "tools", (*mcp.Client).Tools, func(t *mcp.Tool) entry {
			return entry{t.Name, toolTitle(t), t.Description, r.toolDetails(t)}
		})
	},
}

var resourcesCommand = command{
	name: "resources", examples: []string{`http://127.0.0.1:8080/mcp`},
	usage: "TARGET [URI]", most: 1, ofURIs: true, summary: "list the resources, or show one",
	run: func(ctx context.Context, r *request) error {
		return list(ctx, r, "resources", (*mcp.Client).Resources, func(s *mcp.Resource) entry {
			e := entry{s.URI, titleOr(s.Title, s.Name), s.Description, typeDetail(s.MIMEType)}
			if s.Size != nil {
				e.details = append(e.details, fmt.Sprintf("size    %d bytes", *s.Size))
			}
			return e
		})
	},
}

var templatesCommand = command{
	name: "templates", examples: []string{`http://127.0.0.1:8080/mcp`},
	usage: "TARGET [TEMPLATE]", most: 1, ofURIs: true, summary: "list the templates of resources, or show one",
	run: func(ctx context.Context, r *request) error {
		return list(ctx, r, "resourceTemplates", (*mcp.Client).ResourceTemplates, func(t *mcp.ResourceTemplate) entry {
			return entry{t.URITemplate, titleOr(t.Title, t.Name), t.Description, typeDetail(t.MIMEType)}
		})
	},
}

var promptsCommand = command{
	name: "prompts", examples: []string{`http://127.0.0.1:8080/mcp greet`},
	usage: "TARGET [NAME]", most: 1, summary: "list the prompts, or show one with its arguments",
	run: func(ctx context.Context, r *request) error {
		return list(ctx, r, "prompts", (*mcp.Client).Prompts, func(p *mcp.Prompt) entry {
			e := entry{name: p.Name, title: p.Title, description: p.Description}
			var rows [][3]string
			for _, a := range p.Arguments {
				rows = append(rows, argumentRow(a.Name, "text", a.Required, r.fitted(a.Description)))
			}
			e.details = columns(rows)
			return e
		})
	},
}

// entry is one of a list, as people read it.
type entry struct {
	name, title, description string
	details                  []string
}

// listed is one of a list, for people and as it is.
type listed struct {
	entry
	json jsonrpc.Raw
}

// The bounds of what is kept of a list, which is shown as a whole, in bytes of JSON: of all, and what
// each entry counts besides.
const (
	longestList = 32 << 20
	eachListed  = 200
)

// list prints a list, or the one entry of it that is named. member has the list in a result, and
// read makes an entry of what all gives.
func list[P mcp.Value](ctx context.Context, r *request, member string, all func(*mcp.Client, context.Context) iter.Seq2[P, error], read func(P) entry) error {
	return r.list(ctx, member, func(c *mcp.Client, take func(entry, mcp.Value) error) error {
		for one, err := range all(c, ctx) {
			if err == nil {
				err = take(read(one), one)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// list is [list] without the type of the entries, so that it is compiled once: each goes through
// them.
func (r *request) list(ctx context.Context, member string, each func(c *mcp.Client, take func(entry, mcp.Value) error) error) error {
	c, err := r.connect(ctx)
	if err != nil {
		return err
	}
	var found []listed
	size, form := 0, formOf(c)
	err = each(c, func(e entry, value mcp.Value) error {
		if len(r.words) > 0 && e.name != r.words[0] {
			return nil
		}
		json, err := mcp.Append(nil, value, form)
		found = append(found, listed{e, json})
		if size += len(json) + eachListed; size > longestList {
			return fmt.Errorf("the list has %d %s or more, which is too much to show: the name of one behind TARGET shows that one", len(found), plural(member))
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case len(r.words) > 0 && len(found) == 0:
		return &misuse{fmt.Errorf("the server has no %q among its %s: without the name all are listed", r.words[0], plural(member))}
	case r.output == asJSON:
		return r.printRaw(listJSON(member, found), nil)
	case len(r.words) > 0:
		found[0].show(r)
	default:
		printList(r, found)
	}
	return nil
}

// printList prints the names in a column, and behind each what it is.
func printList(r *request, all []listed) {
	const widest = 60 // one that is longer pushes its own line alone
	width := 0
	for _, l := range all {
		if n := len([]rune(oneLine(l.name))); n > width && n <= widest {
			width = n
		}
	}
	for _, l := range all {
		what := l.description
		if what == "" {
			what = l.title
		}
		r.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-*s  %s", width, oneLine(l.name), r.fitted(what)), " "))
	}
}

// show prints all of an entry.
func (e entry) show(r *request) {
	r.printf("%s\n", oneLine(e.name))
	if e.title != "" && e.title != e.name {
		r.printf("%s\n", oneLine(e.title))
	}
	if e.description != "" {
		r.printf("\n%s\n", printable(strings.TrimSpace(e.description)))
	}
	if len(e.details) > 0 {
		r.printf("\n")
	}
	for _, line := range e.details {
		r.printf("%s\n", strings.TrimRight("  "+line, " "))
	}
}

func listJSON(member string, all []listed) jsonrpc.Raw {
	dst := append(jsonrpc.AppendString([]byte{'{'}, member), ":["...)
	for i, one := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, one.json...)
	}
	return append(dst, "]}"...)
}

// toolDetails are the arguments of a tool, and its hints.
func (r *request) toolDetails(t *mcp.Tool) []string {
	rows := [][3]string{}
	for _, p := range properties(t.InputSchema) {
		about := r.fitted(p.description)
		if choices := choicesOf(p.schema); len(choices) > 0 {
			about = strings.TrimSpace(about + " [" + r.fitted(strings.Join(choices, ", ")) + "]")
		}
		rows = append(rows, argumentRow(p.name, p.kind, p.required, about))
	}
	lines := columns(rows)
	if hints := hintsOf(t.Annotations); len(hints) > 0 {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, "It says of itself: "+strings.Join(hints, ", "))
	}
	return lines
}

// hintsOf are the hints of a tool in words. They are the server's own and prove nothing.
func hintsOf(a *mcp.ToolAnnotations) (hints []string) {
	if a == nil {
		return nil
	}
	for _, hint := range []struct {
		is      *bool
		yes, no string
	}{
		{a.ReadOnlyHint, "changes nothing", "may change things"},
		{a.DestructiveHint, "may destroy things", "destroys nothing"},
		{a.IdempotentHint, "called again it does nothing more", "each call does it once more"},
		{a.OpenWorldHint, "reaches the world outside", "stays within its own"},
	} {
		switch {
		case hint.is == nil:
		case *hint.is:
			hints = append(hints, hint.yes)
		default:
			hints = append(hints, hint.no)
		}
	}
	return hints
}

// argumentRow is what is shown of an argument.
func argumentRow(name, kind string, required bool, about string) [3]string {
	if !required {
		kind += ", optional"
	}
	return [3]string{oneLine(name), kind, about}
}

// columns are the rows with the first two parts of each as wide as in all others, within reason.
func columns(rows [][3]string) (lines []string) {
	const widest = 24
	var width [2]int
	for _, row := range rows {
		for i := range width {
			if n := len([]rune(row[i])); n > width[i] && n <= widest {
				width[i] = n
			}
		}
	}
	for _, row := range rows {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-*s  %-*s  %s", width[0], row[0], width[1], row[1], row[2]), " "))
	}
	return lines
}

// toolTitle is the title of a tool. Before 2025-06-18 it stands among the annotations, and there it
// counts where there is no other one (2026-07-28 schema, Tool).
func toolTitle(t *mcp.Tool) string {
	if t.Title == "" && t.Annotations != nil {
		return t.Annotations.Title
	}
	return t.Title
}

func titleOr(title, name string) string {
	if title != "" {
		return title
	}
	return name
}

// typeDetail is the line for a MIME type, if there is one.
func typeDetail(kind string) []string {
	if kind == "" {
		return nil
	}
	return []string{"type    " + oneLine(kind)}
}

// plural is what the entries of the list are called that this member of a result has.
func plural(member string) string {
	if member == "resourceTemplates" {
		return "templates"
	}
	return member
}
