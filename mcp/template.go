package mcp

import (
	"errors"

	"isthmus.internal/mcp/uritemplate"
)

// parseURITemplate makes what matches uris against a template. Its errors are for the
// programmer.
func parseURITemplate(text string) (*uritemplate.Matcher, error) {
	t, err := uritemplate.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(t.Variables()) == 0 {
		return nil, errors.New("no {expression}: register it as a resource")
	}
	return t.Matcher()
}

// template is the first that matches the uri, and the values of its variables; nil when
// there is none.
func (c *Call) template(uri string) (*resourceTemplate, uritemplate.Values) {
	for _, item := range c.reg.shelves[templateKind].items {
		t := item.(*resourceTemplate)
		if variables, ok := t.match(uri); ok {
			return t, variables
		}
	}
	return nil, nil
}
