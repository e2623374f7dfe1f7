package cli

import (
	"context"
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// fromFlags fills a form in with what -answer gives, and says which fields that must be filled
// in are not.
func (r *request) fromFlags(form *mcp.ElicitForm) (given jsonrpc.Raw, missing []property, err error) {
	fields := newFields()
	for _, p := range properties(form.Schema) {
		text, ok := r.answer(p.name)
		if !ok {
			if p.required && !hasDefault(p.schema) {
				missing = append(missing, p)
			}
			continue
		}
		value, err := readField(text, p)
		if err != nil {
			return nil, nil, fmt.Errorf("-answer %s: %w", p.name, err)
		}
		fields.add(p.name, value)
	}
	return fields.end(), missing, nil
}

// answer is what -answer says of a field.
func (r *request) answer(name string) (string, bool) {
	for _, word := range r.answers {
		if key, value, ok := strings.Cut(word, "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// readField reads the text of a field. A choice of several is a list with commas.
func readField(text string, p property) (jsonrpc.Raw, error) {
	if p.kind != "array" || strings.HasPrefix(strings.TrimSpace(text), "[") {
		return readValue(text, p.kind)
	}
	dst := []byte{'['}
	for i, one := range strings.Split(text, ",") {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, strings.TrimSpace(one))
	}
	return append(dst, ']'), nil
}

func hasDefault(schema jsonrpc.Raw) bool {
	for o := jsonrpc.ReadObject(schema); o.Next(); {
		if string(o.Name()) == "default" {
			return true
		}
	}
	return false
}

// fillIn asks for each field on the terminal, and sends nothing that the user has not looked at
// (2026-07-28 client/elicitation, User Interaction Model).
func (r *request) fillIn(ctx context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	fmt.Fprintf(r.env.Err, "%s: %s\n", r.asks(&q.Server), printable(q.Form.Message))
	fmt.Fprintf(r.env.Err, "An empty line leaves a field out or takes its default; a line with only ! declines, and the end of input (Ctrl-D) cancels.\n")
	texts := make(map[string]string)
	for _, p := range properties(q.Form.Schema) {
		if text, ok := r.answer(p.name); ok {
			texts[p.name] = text
		}
	}
	for again := false; ; again = true {
		content, err := r.fillFields(ctx, q.Form, texts, again)
		if err != nil {
			return nil, err
		}
		filled, err := q.Form.Fill(content)
		if err != nil {
			fmt.Fprintf(r.env.Err, "  %v\n", err)
			continue
		}
		fmt.Fprintf(r.env.Err, "This goes to the server: %s\n", printable(string(filled)))
		switch sends, err := r.mayGo(ctx); {
		case err != nil:
			return nil, err
		case sends:
			return accept(filled), nil
		}
	}
}

// fillFields asks for the fields that texts has nothing for, and for all when it is again.
func (r *request) fillFields(ctx context.Context, form *mcp.ElicitForm, texts map[string]string, again bool) (jsonrpc.Raw, error) {
	fields := newFields()
	for _, p := range properties(form.Schema) {
		for _, given := texts[p.name]; ; given = false {
			if again || !given {
				if err := r.ask(ctx, p, texts); err != nil {
					return nil, err
				}
			}
			text, ok := texts[p.name]
			if !ok {
				break
			}
			value, err := readField(text, p)
			if err == nil {
				fields.add(p.name, value)
				break
			}
			fmt.Fprintf(r.env.Err, "  %v\n", err)
			delete(texts, p.name)
		}
	}
	return fields.end(), nil
}

// mayGo asks whether what was filled in may go to the server; false: it is to be filled in anew.
func (r *request) mayGo(ctx context.Context) (bool, error) {
	for {
		fmt.Fprintf(r.env.Err, "Send it? [y: yes, e: edit it, n: no] ")
		line, err := r.line(ctx)
		switch word := strings.ToLower(strings.TrimSpace(line)); {
		case err != nil:
			return false, err
		case strings.HasPrefix(word, "y"):
			return true, nil
		case strings.HasPrefix(word, "e"):
			return false, nil
		case strings.HasPrefix(word, "n"):
			return false, mcp.ErrDeclined
		}
	}
}

// ask reads one line for a field. An empty one leaves texts as it is.
func (r *request) ask(ctx context.Context, p property, texts map[string]string) error {
	label := oneLine(titleOr(p.title, p.name))
	if !p.required || hasDefault(p.schema) {
		label += " (optional)"
	}
	if p.description != "" {
		label += ", " + brief(p.description)
	}
	if choices := choicesOf(p.schema); len(choices) > 0 {
		label += " [" + oneLine(strings.Join(choices, ", ")) + "]"
	}
	label += " (" + p.kind + ")"
	if text, ok := texts[p.name]; ok {
		label += ", " + brief(text) + " so far"
	}
	fmt.Fprintf(r.env.Err, "  %s: ", label)
	line, err := r.line(ctx)
	if err == nil && line != "" {
		texts[p.name] = line
	}
	return err
}

// choicesOf are the values that a field may have, if they are named.
func choicesOf(schema jsonrpc.Raw) (all []string) {
	for o := jsonrpc.ReadObject(schema); o.Next(); {
		switch string(o.Name()) {
		case "enum":
			for a := jsonrpc.ReadArray(o.Value()); a.Next(); {
				text, _ := a.Value().Text()
				all = append(all, text)
			}
		case "const":
			text, _ := o.Value().Text()
			all = append(all, text)
		case "oneOf", "anyOf":
			for a := jsonrpc.ReadArray(o.Value()); a.Next(); {
				all = append(all, choicesOf(a.Value())...)
			}
		case "items":
			all = append(all, choicesOf(o.Value())...)
		}
	}
	return all
}

// fields is an object that is being written.
type fields struct{ dst []byte }

func newFields() *fields { return &fields{[]byte{'{'}} }

func (f *fields) add(name string, value jsonrpc.Raw) {
	if len(f.dst) > 1 {
		f.dst = append(f.dst, ',')
	}
	f.dst = append(append(jsonrpc.AppendString(f.dst, name), ':'), value...)
}

func (f *fields) end() jsonrpc.Raw { return append(f.dst, '}') }
