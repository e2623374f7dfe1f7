//go:build unix

package mcp

import "syscall"

// withoutWaiting opens a file without waiting for anything, such as the writer of a
// pipe.
const withoutWaiting = syscall.O_NONBLOCK
