package mcptest

import (
	"strings"

	"isthmus.internal/jsonrpc"
)

// Do is [Client.Request] for a request that may ask back: asks are answered
// ([Options.Answer]) until the request is.
func (c *Client) Do(method, params string) *Response {
	c.t.Helper()
	p := c.Start(method, params)
	return c.speak.settle(p, p.Wait())
}

// Call calls a tool. arguments is an object, or "" for none; what is no JSON at all fails
// the test at once. What the server asks meanwhile is answered.
func (c *Client) Call(tool, arguments string) *Response {
	c.t.Helper()
	c.mustBeJSON("arguments", arguments)
	return c.Do("tools/call", object(member("name", quote(tool)), member("arguments", arguments)))
}

// StartCall is [Client.Call] that does not wait, and answers nothing in the modern
// revision.
func (c *Client) StartCall(tool, arguments string) *Pending {
	c.t.Helper()
	c.mustBeJSON("arguments", arguments)
	return c.Start("tools/call", object(member("name", quote(tool)), member("arguments", arguments)))
}

// Read reads a resource.
func (c *Client) Read(uri string) *Response {
	c.t.Helper()
	return c.Do("resources/read", object(member("uri", quote(uri))))
}

// Prompt gets a prompt. arguments is an object of texts, or "" for none.
func (c *Client) Prompt(name, arguments string) *Response {
	c.t.Helper()
	c.mustBeJSON("arguments", arguments)
	return c.Do("prompts/get", object(member("name", quote(name)), member("arguments", arguments)))
}

// CompletePrompt asks how the value of an argument of a prompt may go on. known is an
// object of the arguments that are known, or "".
func (c *Client) CompletePrompt(prompt, argument, value, known string) *Response {
	c.t.Helper()
	return c.complete(object(`"type":"ref/prompt"`, member("name", quote(prompt))), argument, value, known)
}

// CompleteResource is [Client.CompletePrompt] for a variable of a template.
func (c *Client) CompleteResource(template, argument, value, known string) *Response {
	c.t.Helper()
	return c.complete(object(`"type":"ref/resource"`, member("uri", quote(template))), argument, value, known)
}

func (c *Client) complete(ref, argument, value, known string) *Response {
	c.t.Helper()
	c.mustBeJSON("known", known)
	context := ""
	if known != "" {
		context = member("context", object(member("arguments", known)))
	}
	return c.Request("completion/complete", object(member("ref", ref),
		member("argument", object(member("name", quote(argument)), member("value", quote(value)))), context))
}

// SetLevel asks for log messages from a level on: for the session in the legacy
// revisions, for all requests from now on in the modern one.
func (c *Client) SetLevel(level string) {
	c.t.Helper()
	c.speak.setLevel(c, level)
}

// mostPages bounds how many pages a list may have.
const mostPages = 10_000

// List returns all that a list method lists, over all pages.
func (c *Client) List(method string) []jsonrpc.Raw {
	c.t.Helper()
	var all []jsonrpc.Raw
	for _, page := range c.Pages(method) {
		all = append(all, Elements(page.At(listed(method)))...)
	}
	return all
}

// Pages returns the pages of a list, each as it came.
func (c *Client) Pages(method string) []*Response {
	c.t.Helper()
	var pages []*Response
	params, seen := "", map[string]bool{}
	for {
		r := c.Request(method, params)
		if r.Error != nil {
			c.t.Fatalf("%s: %s %s: %s", c.name(), method, params, r)
		}
		pages = append(pages, r)
		cursor := string(r.At("nextCursor"))
		if cursor == "" {
			return pages
		}
		if seen[cursor] || len(pages) == mostPages {
			c.t.Fatalf("%s: %s: the cursor %s comes a second time, after %d pages", c.name(), method, cursor, len(pages))
		}
		seen[cursor] = true
		params = object(member("cursor", cursor))
	}
}

// listed is the member that holds what a list method lists.
func listed(method string) string {
	if method == "resources/templates/list" {
		return "resourceTemplates"
	}
	name, _, _ := strings.Cut(method, "/")
	return name
}

// Names returns the member of this name of each of some objects, as text.
func Names(objects []jsonrpc.Raw, name string) []string {
	var all []string
	for _, o := range objects {
		all = append(all, text(At(o, name)))
	}
	return all
}

// ServerCapabilities is what the server has declared.
func (c *Client) ServerCapabilities() jsonrpc.Raw {
	c.t.Helper()
	c.mu.Lock()
	declared := c.declared
	c.mu.Unlock()
	if declared != nil {
		return declared
	}
	r := c.Request("server/discover", "")
	if r.Error != nil {
		c.t.Fatalf("%s: server/discover: %s", c.name(), r)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.declared = r.At("capabilities")
	return c.declared
}
