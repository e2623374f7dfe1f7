//go:build !unix

package mcp

// withoutWaiting has no effect where folders have no pipes in them.
const withoutWaiting = 0
