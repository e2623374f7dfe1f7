package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// fromFlags fills a form in with what -answer gives, and says which fields that must be filled
// in are not.
func (r *request) fromFlags(form *mcp.ElicitForm) (given jsonrpc.Raw, missing []property, err error) {
	fields := []byte{'{'}
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
		fields = jsonrpc.AppendMember(fields, p.name, value)
	}
	return append(fields, '}'), missing, nil
}

// answer is what -answer says of a field.
func (r *request) answer(name string) (string, bool) {
	for _, word := range r.answers {
		if key, value, ok := strings.Cut(word, "="); ok && key == name {
			r.answered.Store(name, true)
			return value, true
		}
	}
	return "", false
}

// tellOfAnswers names what -answer gives and nothing has asked for: it may be misspelt.
func (r *request) tellOfAnswers(command string) {
	for _, word := range r.answers {
		name, _, _ := strings.Cut(word, "=")
		if _, used := r.answered.Load(name); !used {
			fmt.Fprintf(r.env.Err, "mcp %s: -answer %s was not used: nothing has asked for that\n", command, oneLine(name))
		}
	}
}

// readField reads the text of a field. A choice of several is a list with commas.
func readField(text string, p property) (jsonrpc.Raw, error) {
	if p.kind == "boolean" {
		if value, ok := yesOrNo[strings.ToLower(strings.TrimSpace(text))]; ok {
			return jsonrpc.Raw(value), nil
		}
		return nil, fmt.Errorf("%q: want yes or no", text)
	}
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

// yesOrNo are words for a boolean that people use.
var yesOrNo = map[string]string{"y": "true", "yes": "true", "true": "true", "n": "false", "no": "false", "false": "false"}

// checkField says what the form has against the value of a field, as far as that can be said
// before the others are known.
func checkField(p property, value jsonrpc.Raw) error {
	schema := append(jsonrpc.AppendMember([]byte(`{"type":"object","properties":{`), p.name, p.schema), "}}"...)
	form := &mcp.ElicitForm{Schema: schema}
	if _, err := form.Fill(append(jsonrpc.AppendMember([]byte{'{'}, p.name, value), '}')); err != nil {
		if _, wanted, ok := strings.Cut(err.Error(), ": expected "); ok { // behind the name of the field
			return errors.New("expected " + wanted)
		}
	}
	return nil // or no fault of the value
}

// defaultOf is the default of a field; nil for none.
func defaultOf(schema jsonrpc.Raw) jsonrpc.Raw {
	return bytes.Clone(schema.Member("default"))
}

func hasDefault(schema jsonrpc.Raw) bool { return defaultOf(schema) != nil }

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
			fmt.Fprintf(r.env.Err, "  %s\n", oneLine(err.Error()))
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
	fields := []byte{'{'}
	for _, p := range properties(form.Schema) {
		for _, given := texts[p.name]; ; given = false {
			if again || !given {
				if err := r.ask(ctx, p, texts); err != nil {
					return nil, err
				}
			}
			text, ok := texts[p.name]
			if !ok && p.required && !hasDefault(p.schema) {
				fmt.Fprintf(r.env.Err, "    It must be filled in; a line with only ! declines.\n")
				continue
			}
			if !ok {
				break
			}
			value, err := readField(text, p)
			if err == nil {
				err = checkField(p, value)
			}
			if err == nil {
				fields = jsonrpc.AppendMember(fields, p.name, value)
				break
			}
			fmt.Fprintf(r.env.Err, "    %s\n", oneLine(err.Error()))
			delete(texts, p.name)
		}
	}
	return append(fields, '}'), nil
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
	if p.description != "" {
		label += ", " + brief(p.description)
	}
	if choices := choicesOf(p.schema); len(choices) > 0 {
		label += " [" + oneLine(strings.Join(choices, ", ")) + "]"
	}
	label += " (" + kindWords(p)
	soFar, again := texts[p.name]
	switch given := defaultOf(p.schema); {
	case again: // which an empty line leaves as it is
	case given != nil:
		label += ", " + brief(string(given)) + " if left empty"
	case !p.required:
		label += ", optional"
	}
	label += ")"
	if again {
		label += ", " + brief(soFar) + " so far"
	}
	fmt.Fprintf(r.env.Err, "  %s: ", label)
	line, err := r.line(ctx)
	if err == nil && line != "" {
		texts[p.name] = line
	}
	return err
}

// kindWords is what is to be typed for a field.
func kindWords(p property) string {
	switch p.kind {
	case "boolean":
		return "yes or no"
	case "array":
		return "some of them, with commas between"
	}
	return p.kind
}

// choicesOf are the values that a field may have, if they are named.
func choicesOf(schema jsonrpc.Raw) (all []string) {
	for o := jsonrpc.ReadObject(schema); o.Next(); {
		switch string(o.Name()) {
		case "enum":
			all = append(all, textsOf(o.Value())...)
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
