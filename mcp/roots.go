package mcp

import (
	"context"

	"isthmus.internal/jsonrpc"
)

// Root is a place in the file system that the client considers relevant (2026-07-28
// client/roots, Data Types). It guides a server and gives it no right: check it, and
// open files below it through [os.Root]. The protocol advises new servers against roots,
// which are deprecated from 2026-07-28 on: take folders as arguments of tools, or from the
// server's configuration.
type Root struct {
	// URI begins with file://.
	URI string
	// Name is for people; may be empty.
	Name string
	Meta Meta
}

// Roots asks the client for its roots. They may be none. The errors are those of [Ask].
func (c *Call) Roots(ctx context.Context, key string) ([]Root, error) {
	return askOne(ctx, c, RootsQuestion(key))
}

// RootsQuestion is the question of [Call.Roots], for [Call.AskAll].
//
//go:noinline
func RootsQuestion(key string) *Asked[[]Root] {
	// Inlined, this would be two closures more in each place.
	return &Asked[[]Root]{
		ask: func(c *Call) (Inquiry, error) {
			if c.ClientCapabilities().Roots == nil {
				return Inquiry{}, c.undeclared("roots")
			}
			return Inquiry{Key: key, Method: "roots/list"}, nil
		},
		read: readRoots,
	}
}

// readRoots reads the answer to roots/list.
func readRoots(answer jsonrpc.Raw) ([]Root, error, badAnswer) {
	var result RootsResult
	bad := result.readJSON(answer).bad()
	return result.Roots, nil, bad
}
