package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// ElicitRequest is what a server wants of the user: of Form and Page exactly one is set.
//
// Whoever shows it says which server asks, lets the user decline, and lets the user look at a
// form before it goes. A page is opened only when the user has seen all of its URL and
// agreed, in a browser that the client does not look into, and nothing of it is fetched
// before (2026-07-28 client/elicitation, Safe URL Handling).
type ElicitRequest struct {
	// Server is what the server calls itself, as far as that is known. It proves nothing.
	Server Implementation
	// Form is to be filled in. Its Schema is as the server has sent it: it can be compiled,
	// and may still be more than forms are meant to have.
	Form *ElicitForm
	// Page is to be opened; its URL begins with https or http and has a host.
	Page *ElicitURL
	// Meta is what _meta of the request holds; nil for nothing.
	Meta Meta
}

// elicit answers elicitation/create.
func (c *Client) elicit(ctx context.Context, params jsonrpc.Raw, f *Form) (Value, error) {
	mode := "form" // where it does not say (2026-07-28 client/elicitation, Elicitation Requests)
	o := jsonrpc.ReadObject(params)
	for o.Next() {
		if string(o.Name()) == "mode" {
			mode, _ = o.Value().Text()
		}
	}
	switch {
	case mode == "form":
		return c.elicitForm(ctx, params)
	case mode == "url" && c.opts.ElicitURL && f.ElicitationModes:
		return c.elicitPage(ctx, params)
	}
	// 2025-11-25 client/elicitation, Error Handling.
	return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.mode is not one that the client has declared: %s", strings.Join(c.modes(f), ", "))
}

func (c *Client) modes(f *Form) []string {
	if c.opts.ElicitURL && f.ElicitationModes {
		return []string{"form", "url"}
	}
	return []string{"form"}
}

func (c *Client) elicitForm(ctx context.Context, params jsonrpc.Raw) (Value, error) {
	form, err := Read[ElicitForm](params, "params")
	if err != nil {
		return nil, unreadable(err)
	}
	checker, err := compileForm(form.Schema)
	if err != nil { // before the user takes the trouble to fill it in
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.requestedSchema is no schema that an answer can be held against: %v", err)
	}
	result, err := c.elicited(ctx, &ElicitRequest{Form: &form}, params)
	if err != nil || result.Action != "accept" {
		return result, err
	}
	result.Content, err = fill(checker, result.Content)
	if err != nil {
		return nil, fmt.Errorf("what the user has filled in does not fit the form: %w", err)
	}
	return result, nil
}

func (c *Client) elicitPage(ctx context.Context, params jsonrpc.Raw) (Value, error) {
	page, err := Read[ElicitURL](params, "params")
	if err != nil {
		return nil, unreadable(err)
	}
	if err := page.checkURL(); err != nil {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.url: %v", err)
	}
	result, err := c.elicited(ctx, &ElicitRequest{Page: &page}, params)
	if err != nil {
		return nil, err
	}
	result.Content = nil // what is entered there is not for the client to see
	return result, nil
}

// elicited has the handler ask the user. Of what the user has declined or dismissed nothing
// goes to the server.
func (c *Client) elicited(ctx context.Context, r *ElicitRequest, params jsonrpc.Raw) (*ElicitResult, error) {
	more, err := Read[RequestParams](params, "params")
	if err != nil {
		return nil, unreadable(err)
	}
	r.Meta = more.Meta
	if server := c.Server(); server != nil {
		r.Server, _ = ReadImplementation(server.Meta[MetaServerInfo], "")
	}
	given, err := c.opts.Elicit(ctx, r)
	switch {
	case errors.Is(err, ErrDeclined):
		return &ElicitResult{Action: "decline"}, nil
	case errors.Is(err, ErrCancelled):
		return &ElicitResult{Action: "cancel"}, nil
	case err != nil:
		return nil, err
	case given == nil:
		return nil, errors.New("the handler has given neither a result nor an error")
	}
	result := *given
	switch result.Action {
	case "accept":
	case "decline", "cancel":
		result.Content = nil
	default:
		return nil, fmt.Errorf(`the handler's action is %q, and not "accept", "decline" or "cancel"`, result.Action)
	}
	return &result, nil
}

// unreadable is the error of params that cannot be read, in words for the server.
func unreadable(err error) error {
	var m *Malformed
	if errors.As(err, &m) {
		return m.Refusal()
	}
	return err
}

// Fill is content as it goes to the server: with the defaults of the schema in place of
// what is missing (2026-07-28 client/elicitation, Requested Schema). nil content is that of a
// user who has filled in nothing. The error says in one line what does not fit the form, so
// that a handler can ask its user again; [Client.Answer] calls Fill by itself.
func (e *ElicitForm) Fill(content jsonrpc.Raw) (jsonrpc.Raw, error) {
	checker, err := compileForm(e.Schema)
	if err != nil {
		return nil, fmt.Errorf("mcp: nothing can be held against the form's schema: %w", err)
	}
	return fill(checker, content)
}

func fill(checker *jsonschema.Schema, content jsonrpc.Raw) (jsonrpc.Raw, error) {
	if content == nil {
		content = jsonrpc.Raw(`{}`)
	}
	if !isObject(content) {
		return nil, errors.New("the content of a form must be a JSON object")
	}
	filled, err := checker.ApplyDefaults(content)
	if err == nil {
		if err = checker.Validate(filled); err == nil {
			return filled, nil
		}
	}
	if checker.Validate(content) == nil {
		return content, nil // only a default does not fit: the server's, and of no use
	}
	return nil, err
}

// Check reports whether the page can be put before a user: nil, or an error that says what is wrong
// with its message or its url. It is what both sides hold a page against.
func (e *ElicitURL) Check() error {
	if e.Message == "" {
		return errors.New("it has no message that says what is asked for")
	}
	if err := e.checkURL(); err != nil {
		return fmt.Errorf("the url %q: %w", jsonrpc.Clip([]byte(e.URL)), err)
	}
	return nil
}

// checkURL reports whether the url can be opened in a browser. What has another scheme is for another
// program, which nobody has agreed to start.
func (e *ElicitURL) checkURL() error {
	scheme, _, _ := strings.Cut(e.URL, ":")
	if !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http") || e.Host() == "" {
		return errors.New("it must be https://, or http:// while a server is developed, with a host")
	}
	if strings.ContainsFunc(e.authority(), func(r rune) bool { return r > unicode.MaxASCII }) {
		return errors.New("a host with letters beyond ASCII must be written in Punycode, xn--…")
	}
	return checkURICharacters(e.URL)
}

// authority is what stands between the slashes of the URL: the host, with a port and what is
// in front of an @ if there are any.
func (e *ElicitURL) authority() string {
	_, rest, found := strings.Cut(e.URL, "://")
	if !found {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// Host is the host of the URL, with its port if it has one: what a user has to be shown apart
// from the rest, since it says where the page really is (2026-07-28 client/elicitation, Safe
// URL Handling). It is "" when there is none.
func (e *ElicitURL) Host() string {
	authority := e.authority()
	return authority[strings.LastIndexByte(authority, '@')+1:]
}

// Warnings say what about the URL may deceive a user, a short line each, for the user to read
// before the page is opened; nil for most (2026-07-28 client/elicitation, Safe URL Handling).
func (e *ElicitURL) Warnings() []string {
	var found []string
	if scheme, _, _ := strings.Cut(e.URL, ":"); !strings.EqualFold(scheme, "https") {
		found = append(found, "the connection to the page is not encrypted")
	}
	if strings.Contains(e.authority(), "@") {
		found = append(found, "what stands in front of the @ is not where the page is")
	}
	for label := range strings.SplitSeq(strings.ToLower(e.Host()), ".") {
		if strings.HasPrefix(label, "xn--") {
			found = append(found, "the name of the host has letters that may look like others (Punycode)")
			break
		}
	}
	return found
}
