package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// elicit puts a question of the server to the user.
func (r *request) elicit(ctx context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	if q.Page != nil {
		return r.openPage(ctx, q.Page)
	}
	given, missing, err := r.fromFlags(q.Form)
	if err != nil {
		return nil, err
	}
	if len(r.answers) > 0 && len(missing) == 0 {
		return accept(given), nil
	}
	r.screen.end()
	if !r.env.Terminal {
		fmt.Fprintf(r.env.Err, "The server asks, and is declined: %s\n%s", brief(q.Form.Message), adviceOnAnswers(missing))
		return nil, mcp.ErrDeclined
	}
	if err := r.beginDialogue(ctx); err != nil {
		return nil, err
	}
	defer r.endDialogue()
	return r.fillIn(ctx, q.Form, given)
}

// adviceOnAnswers says which flags would have answered.
func adviceOnAnswers(missing []property) string {
	const most = 8
	var flags []string
	for _, p := range missing[:min(len(missing), most)] {
		flags = append(flags, fmt.Sprintf("-answer %s=%s", oneLine(p.name), strings.ToUpper(p.kind)))
	}
	if flags == nil {
		return "-answer NAME=VALUE answers it.\n"
	}
	return strings.Join(flags, " ") + " answers it.\n"
}

func accept(content jsonrpc.Raw) *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "accept", Content: content}
}

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

// fillIn asks for each field on the terminal.
func (r *request) fillIn(ctx context.Context, form *mcp.ElicitForm, given jsonrpc.Raw) (*mcp.ElicitResult, error) {
	fmt.Fprintf(r.env.Err, "\nThe server asks: %s\n", printable(form.Message))
	fmt.Fprintf(r.env.Err, "An empty line leaves a field out or takes its default; a line with only ! declines.\n")
	fields := newFields()
	for _, p := range properties(form.Schema) {
		text, ok := r.answer(p.name)
		for {
			if !ok {
				line, err := r.ask(ctx, p)
				if err != nil {
					return nil, err
				}
				text = line
			}
			if text == "" && !ok {
				break
			}
			value, err := readField(text, p)
			if err == nil {
				fields.add(p.name, value)
				break
			}
			fmt.Fprintf(r.env.Err, "  %v\n", err)
			ok = false
		}
	}
	return accept(fields.end()), nil
}

// ask reads one line for a field.
func (r *request) ask(ctx context.Context, p property) (string, error) {
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
	fmt.Fprintf(r.env.Err, "  %s (%s): ", label, p.kind)
	return r.line(ctx)
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

// openPage has the user go to a page of the server's. It is never opened by itself: what is
// behind it is for the user to judge (2026-07-28 client/elicitation, Safe URL Handling).
func (r *request) openPage(ctx context.Context, page *mcp.ElicitURL) (*mcp.ElicitResult, error) {
	r.screen.end()
	if !r.env.Terminal {
		fmt.Fprintf(r.env.Err, "The server wants a page opened, and is declined, as there is no terminal: %s\n  %s\n", brief(page.Message), oneLine(page.URL))
		return nil, mcp.ErrDeclined
	}
	if err := r.beginDialogue(ctx); err != nil {
		return nil, err
	}
	defer r.endDialogue()
	host := page.URL
	if u, err := url.Parse(page.URL); err == nil {
		host = u.Host
	}
	fmt.Fprintf(r.env.Err, "\nThe server asks: %s\nIt wants you to open this page of %s:\n  %s\n", printable(page.Message), oneLine(host), oneLine(page.URL))
	for _, warning := range page.Warnings() {
		fmt.Fprintf(r.env.Err, "  Beware: %s.\n", warning)
	}
	fmt.Fprintf(r.env.Err, "Have you opened it? [y/n] ")
	line, err := r.line(ctx)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y") {
		return nil, mcp.ErrDeclined
	}
	return &mcp.ElicitResult{Action: "accept"}, nil
}

// sample has the user speak for the model that this program does not have.
func (r *request) sample(ctx context.Context, q *mcp.SampleRequest) (*mcp.SampleResult, error) {
	if text, ok := r.answer("sample"); ok {
		return sampled(text), nil
	}
	r.screen.end()
	if !r.env.Terminal {
		fmt.Fprintf(r.env.Err, "The server asks for a model's answer, and is declined: -answer sample=TEXT answers it.\n")
		return nil, mcp.ErrDeclined
	}
	if err := r.beginDialogue(ctx); err != nil {
		return nil, err
	}
	defer r.endDialogue()
	fmt.Fprintf(r.env.Err, "\nThe server asks for what a model would say to this:\n")
	for _, m := range q.Messages {
		for _, content := range m.Content {
			if text, ok := content.(*mcp.TextContent); ok {
				fmt.Fprintf(r.env.Err, "  %s: %s\n", oneLine(string(m.Role)), printable(text.Text))
			} else {
				fmt.Fprintf(r.env.Err, "  %s: [content that is no text]\n", oneLine(string(m.Role)))
			}
		}
	}
	fmt.Fprintf(r.env.Err, "Answer for it in one line; a line with only ! declines: ")
	line, err := r.line(ctx)
	if err != nil {
		return nil, err
	}
	return sampled(line), nil
}

func sampled(text string) *mcp.SampleResult {
	return &mcp.SampleResult{SamplingMessage: mcp.SamplingText(mcp.RoleAssistant, text), Model: "a person", StopReason: "endTurn"}
}

// folders are those of -root.
func (r *request) folders(context.Context) ([]mcp.Root, error) {
	var all []mcp.Root
	for _, folder := range r.roots {
		path, err := filepath.Abs(folder)
		if err != nil {
			return nil, errors.New("a folder of -root cannot be found")
		}
		all = append(all, mcp.Root{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String(), Name: filepath.Base(path)})
	}
	return all, nil
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
