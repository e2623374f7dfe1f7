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
