package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// failure is an error with its own words for what its causes say.
type failure struct {
	text   string
	causes []error // none may be nil
}

func (f *failure) Error() string { return "discover: " + f.text }

func (f *failure) Unwrap() []error { return f.causes }

// fails makes a failure. Causes that are nil do not count.
func fails(text string, causes ...error) error {
	return &failure{text, slices.DeleteFunc(causes, func(err error) bool { return err == nil })}
}

// late is the error of a request that has not been answered within this time.
func late(method string, after time.Duration) error {
	return fails(fmt.Sprintf("%s was not answered within %v", method, after), context.DeadlineExceeded)
}

// notModern is the error where only the modern era was wanted. It is of use to know: a server
// may even serve such requests by the rules of the other era (2026-07-28 basic/versioning,
// Compatibility Matrix).
func notModern(found finding) error {
	if unheard(found.err) {
		return fmt.Errorf("discover: %w", found.err)
	}
	return fails("the server does not speak the modern era: "+found.evidence+"; leave the era open, or ask for the legacy one", found.err)
}

// neitherWorks is the error when both eras were tried.
func neitherWorks(found finding, handshake error) error {
	if unheard(found.err) && unheard(handshake) {
		return fmt.Errorf("discover: %w", found.err)
	}
	return fails("the server speaks neither era: modern: "+found.evidence+"; legacy: "+bare(handshake), found.err, handshake)
}

// bare is the text of an error without the names of packages that it begins with, for a place behind
// words that say where it comes from.
func bare(err error) string {
	text := err.Error()
	for _, name := range []string{"discover: ", "legacy: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}

// unheard reports whether the server has not come to look at the request, so that nothing is
// known of its era: it was not to be reached, or wants to know first who asks.
func unheard(err error) bool {
	var rejected *mcp.Rejected
	if errors.As(err, &rejected) {
		return rejected.Status == 401 || rejected.Status == 403
	}
	var told *jsonrpc.Error
	var network interface{ Timeout() bool } // as the errors of package net have it
	return !errors.As(err, &told) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, mcp.ErrLinkClosed) && errors.As(err, &network)
}
