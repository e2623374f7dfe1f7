package mcp

import (
	"context"
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

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
	for segment := range strings.SplitSeq(r.URI[len(scheme):], "/") {
		if strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") == ".." {
			return fmt.Errorf("the root %q leads upwards: write it without ..", r.URI)
		}
	}
	return nil
}
