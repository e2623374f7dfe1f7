//go:build !unix

package stdio

import (
	"errors"
	"io"
	"net"
	"syscall"
)

func listenUnix(string) (net.Listener, error) {
	return nil, errors.New("socket files have no private mode on this system: use tcp on 127.0.0.1")
}

// What Windows calls a pipe without a reader, one that is being closed, and a
// connection that was reset or aborted.
const (
	brokenPipe        = syscall.Errno(109)
	pipeClosing       = syscall.Errno(232)
	connectionAborted = syscall.Errno(10053)
	connectionReset   = syscall.Errno(10054)
)

// gone reports whether a read or write failed because the other end is not there
// any more.
func gone(err error) bool {
	for _, code := range []error{brokenPipe, pipeClosing, connectionAborted, connectionReset, io.ErrClosedPipe} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}
