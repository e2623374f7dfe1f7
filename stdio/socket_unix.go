//go:build unix

package stdio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
)

// listenUnix opens a socket file that only this user can connect to. Two servers
// that start on one path in the same instant are not kept apart: the later one
// may take the file for a stale one, and the earlier then serves nobody.
func listenUnix(path string) (net.Listener, error) {
	if path == "" || path[0] == '@' {
		return nil, errors.New("the address must be the path of a file: a socket without one has no permissions")
	}
	if err := clearStale(path); err != nil {
		return nil, err
	}
	l, err := bindPrivate(path)
	if errors.Is(err, syscall.EINVAL) {
		return nil, fmt.Errorf("%w: systems take no more than about 100 bytes in a socket's path, this one has %d", err, len(path))
	}
	return l, err
}

// clearStale removes the socket file of a server that is gone. It refuses
// whatever else is there.
func clearStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("what is there is no socket: use another path")
	}
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		c.Close()
		return errors.New("a server listens there: stop it, or use another path")
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("a socket is there, and whether a server listens on it is not to be found out: %w", err)
	}
	return os.Remove(path)
}

// bindPrivate makes the socket file. Its mode is set between bind and listen:
// until listen every attempt to connect is refused, so there is no moment in which
// the mode that the umask gives counts. To set the umask would do the same, but
// for every goroutine of the process.
func bindPrivate(path string) (net.Listener, error) {
	syscall.ForkLock.RLock() // no child may start, and inherit it, before it is closed on exec
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close() // the listener has its own descriptor
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		return nil, os.NewSyscallError("bind", err)
	}
	l, err := listenBound(f, path)
	if err != nil {
		os.Remove(path)
	}
	return l, err
}

// listenBound turns a bound socket into a listener.
func listenBound(f *os.File, path string) (net.Listener, error) {
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Listen(int(f.Fd()), syscall.SOMAXCONN); err != nil {
		return nil, os.NewSyscallError("listen", err)
	}
	l, err := net.FileListener(f)
	if err != nil {
		return nil, err
	}
	return &socketListener{Listener: l, path: path, info: info}, nil
}

// socketListener removes its socket file when it is closed.
type socketListener struct {
	net.Listener
	path string
	info fs.FileInfo
	once sync.Once
}

// Close closes the listener. The file goes first, so that nobody finds a file
// without a server, and only if it is still the listener's own.
func (l *socketListener) Close() error {
	l.once.Do(func() {
		if now, err := os.Lstat(l.path); err == nil && os.SameFile(now, l.info) {
			os.Remove(l.path)
		}
	})
	return l.Listener.Close()
}

// gone reports whether a read or write failed because the other end is not there
// any more.
func gone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.ErrClosedPipe)
}
