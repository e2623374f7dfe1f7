package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// ElicitForm asks the user to fill in a form (2026-07-28 client/elicitation, Form Mode).
// Never ask for passwords and the like so: the client sees what is filled in. Use
// [ElicitURL] for them.
type ElicitForm struct {
	// Message says what is asked for and why. It should have no links in it, nor should
	// the schema: what is to be opened goes into an [ElicitURL].
	Message string
	// Schema describes the form, in the part of JSON Schema that clients can show:
	// an object whose properties are strings, numbers, integers, booleans, and
	// choices of one or several strings (2026-07-28 client/elicitation, Requested
	// Schema). A revision that lacks defaults, or titles of choices, gets the form
	// without.
	Schema jsonrpc.Raw
}

// ElicitURL asks the user to go to a page (2026-07-28 client/elicitation, URL Mode),
// where what the client must not see is entered. The page has to make sure that the
// one who opens it is the user for whom it is meant (client/elicitation, Phishing).
type ElicitURL struct {
	// Message says what the page is for.
	Message string
	// URL leads there. It must hold no secret, nothing about the user, nor anything that
	// gives access, and begin with https but while a server is being developed
	// (2026-07-28 client/elicitation, Safe URL Handling).
	URL string
	// ID is the elicitationId that 2025-11-25 has beside the url. Default: a random
	// one.
	ID string
}

// Elicit has the user fill in a form, and returns it: an object that fits the schema,
// with its defaults where the user left something out. The errors are those of [Ask].
// It panics when the form cannot be shown, as [FormQuestion] says.
func (c *Call) Elicit(ctx context.Context, key string, form *ElicitForm) (jsonrpc.Raw, error) {
	return askOne(ctx, c, FormQuestion(key, form))
}

// ElicitURL asks the user to go to a page. nil means that the user has agreed to, and not
// that what is to be done there has been done: look, and ask again if need be under
// another key. The errors are those of [Ask], and that of a page which [ElicitURL.Check] refuses.
func (c *Call) ElicitURL(ctx context.Context, key string, page *ElicitURL) error {
	_, err := askOne(ctx, c, URLQuestion(key, page))
	return err
}

// FormQuestion is the question of [Call.Elicit], for [Call.AskAll]. It panics at once,
// naming the property, when the schema is not one that clients can show. So a test that
// makes it finds such a fault without any client. A message that is empty, which may be so
// in one run and not in another, is an error where it is put; and a
// question belongs to one run of a handler, and is made anew for each.
func FormQuestion(key string, form *ElicitForm) *Asked[jsonrpc.Raw] {
	schema, err := readFormSchema(form.Schema)
	if err != nil {
		panic(fmt.Sprintf("mcp: the form %q: %v", key, err))
	}
	checker, err := compileForm(form.Schema)
	if err != nil {
		panic(fmt.Sprintf("mcp: the form %q: %v", key, err))
	}
	message := form.Message
	return &Asked[jsonrpc.Raw]{
		ask: func(c *Call) (Inquiry, error) { return askForm(c, key, message, schema) },
		read: func(answer jsonrpc.Raw) (jsonrpc.Raw, error, badAnswer) {
			return readForm(checker, answer)
		},
	}
}

// askForm says what goes to the client.
func askForm(c *Call, key, message string, schema *formSchema) (Inquiry, error) {
	if err := checkMessage(key, message); err != nil {
		return Inquiry{}, err
	}
	f := c.asked.Form
	if !f.Elicitation {
		return Inquiry{}, c.unknown("elicitation.form")
	}
	if e := c.ClientCapabilities().Elicitation; e == nil || !e.Form {
		return Inquiry{}, c.undeclared("elicitation.form")
	}
	if several := schema.several(); several != "" && !f.FormChoices {
		return Inquiry{}, c.missing("elicitation.form",
			"and revision "+f.Revision+" of the protocol has no choice of several values ("+several+")")
	}
	w := writer{}
	(&ElicitForm{Message: message}).write(&w, schema, f)
	return Inquiry{Key: key, Method: "elicitation/create", Params: w.dst, schema: schema.text}, w.err
}

// URLQuestion is the question of [Call.ElicitURL], for [Call.AskAll]. Its answer is
// true. A page that [ElicitURL.Check] refuses is an error where it is put.
func URLQuestion(key string, page *ElicitURL) *Asked[bool] {
	return &Asked[bool]{
		ask: func(c *Call) (Inquiry, error) {
			if err := page.Check(); err != nil {
				return Inquiry{}, fmt.Errorf("mcp: the page %q: %w", key, err)
			}
			f := c.asked.Form
			if !f.ElicitationModes {
				return Inquiry{}, c.unknown("elicitation.url")
			}
			if e := c.ClientCapabilities().Elicitation; e == nil || !e.URL {
				return Inquiry{}, c.undeclared("elicitation.url")
			}
			in := Inquiry{Key: key, Method: "elicitation/create", Params: page.params(f, page.ID)}
			if f.ElicitationID && page.ID == "" {
				// It tells one elicitation from another and gives no access to anything.
				in.alike = in.Params
				in.Params = page.params(f, fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()))
			}
			return in, nil
		},
		read: func(answer jsonrpc.Raw) (bool, error, badAnswer) {
			_, err, bad := readElicitResult(answer)
			return err == nil && bad == nil, err, bad
		},
	}
}

// params are those of elicitation/create.
func (p *ElicitURL) params(f *Form, id string) jsonrpc.Raw {
	named := *p
	named.ID = id
	w := writer{}
	named.writeJSON(&w, f)
	return w.dst
}

// checkMessage: the user has to be told what is asked for.
func checkMessage(key, message string) error {
	if message == "" {
		return fmt.Errorf("mcp: the question %q has no message that says what is asked for", key)
	}
	return nil
}

// compileForm makes what the answer to a form is held against.
func compileForm(schema jsonrpc.Raw) (*jsonschema.Schema, error) {
	return jsonschema.Compile(schema, &jsonschema.Options{AssertFormat: true})
}

// readElicitation reads the answer to what had this schema; nil for a page.
func readElicitation(schema, answer jsonrpc.Raw) (jsonrpc.Raw, error, badAnswer) {
	if schema == nil {
		return readElicitResult(answer)
	}
	checker, err := compileForm(schema)
	if err != nil {
		return nil, nil, must("be an answer to a form that can be checked").bad()
	}
	return readForm(checker, answer)
}

// readForm reads the answer to a form.
func readForm(checker *jsonschema.Schema, answer jsonrpc.Raw) (jsonrpc.Raw, error, badAnswer) {
	content, err, bad := readElicitResult(answer)
	if err != nil || bad != nil {
		return nil, err, bad
	}
	if err = checker.Validate(content); err == nil {
		content, err = checker.ApplyDefaults(content)
	}
	if bad := badContent(err); bad != nil {
		return nil, nil, bad
	}
	return bytes.Clone(content), nil, nil
}

// badContent says what is wrong with the content of an answer.
func badContent(err error) badAnswer {
	var e *jsonschema.Error
	if !errors.As(err, &e) {
		return nil
	}
	return func(where string) string { return e.In(where + ".content") }
}

// readElicitResult reads an ElicitResult (2026-07-28 schema) down to its content, {}
// when there is none. What the user has declined or dismissed is not looked at further:
// there is nothing in it to use.
func readElicitResult(answer jsonrpc.Raw) (jsonrpc.Raw, error, badAnswer) {
	var action string
	content := jsonrpc.Raw(`{}`)
	o := readObject(answer, "action")
	for o.next() {
		switch string(o.name()) {
		case "action":
			o.text(&action)
		case "content":
			content = o.value()
		}
	}
	if m := o.end(); m != nil {
		return nil, nil, m.bad()
	}
	switch action {
	case "accept":
		return content, nil, nil
	case "decline":
		return nil, ErrDeclined, nil
	case "cancel":
		return nil, ErrCancelled, nil
	}
	return nil, nil, must(`be "accept", "decline" or "cancel"`).inside([]byte("action")).bad()
}
