package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

// RootsChanged tells the server that Roots of the options gives other folders now, so that it may ask
// for them again (2025-11-25 client/roots, Root List Changes). RootsListChanged has to have declared
// that. Servers of the modern era are not told: they ask for the roots within each request that needs
// them, and have no such notification (2026-07-28 changelog, Major changes, 5).
func (c *Client) RootsChanged(ctx context.Context) error {
	if c.opts.Roots == nil || !c.opts.RootsListChanged {
		return errors.New("mcp: the client has not declared that it tells of changed roots: set Roots and RootsListChanged in its options")
	}
	if f := c.form(); f != nil && !f.RootsListChanged {
		return nil
	}
	return c.Notify(ctx, "notifications/roots/list_changed", nil)
}

// listRoots answers roots/list. It has no params that matter.
func (c *Client) listRoots(ctx context.Context, _ jsonrpc.Raw, _ *Form) (Value, error) {
	roots, err := c.opts.Roots(ctx)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if err := root.check(); err != nil {
			return nil, err
		}
	}
	return &RootsResult{Roots: roots}, nil
}

// check holds a root against what a client must not expose (2026-07-28 client/roots, Data
// Types and Security Considerations): what is no file:// URI, and one that leads upwards.
func (r *Root) check() error {
	const scheme = "file://"
	if !strings.HasPrefix(r.URI, scheme) || checkURI(r.URI) != nil {
		return fmt.Errorf("the root %q is no uri that begins with file://", r.URI)
	}
	path := strings.ToLower(r.URI[len(scheme):])
	for _, decoded := range [][2]string{{"%2e", "."}, {"%2f", "/"}, {"%5c", "/"}} { // the last one is Windows's
		path = strings.ReplaceAll(path, decoded[0], decoded[1])
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == ".." {
			return fmt.Errorf("the root %q leads upwards: write it without ..", r.URI)
		}
	}
	return nil
}
