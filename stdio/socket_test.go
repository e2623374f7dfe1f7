//go:build unix

package stdio_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"isthmus.internal/stdio"
)

// stale leaves the socket file of a server that is gone.
func stale(t *testing.T, path string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
}

func TestListenUnixRefuses(t *testing.T) {
	tests := []struct {
		name string
		make func(path string) error // what is there before
		says string
	}{
		{"a file", func(p string) error { return os.WriteFile(p, []byte("data"), 0o600) }, "no socket"},
		{"a folder", func(p string) error { return os.Mkdir(p, 0o700) }, "no socket"},
		{"a link", func(p string) error { return os.Symlink("elsewhere", p) }, "no socket"},
		{"a pipe", func(p string) error { return syscall.Mkfifo(p, 0o600) }, "no socket"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s")
			if err := tt.make(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(path)
			_, err := stdio.Listen("unix", path)
			if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("Listen where %s is gave %v, want an error that names the path and says %q", tt.name, err, tt.says)
			}
			if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
				t.Errorf("Listen has touched %s: %v", tt.name, err)
			}
		})
	}
}

func TestListenUnixRefusesPaths(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o600)
	tests := []struct{ name, path, says string }{
		{"no path", "", "must be the path of a file"},
		{"a name without a file", "@abstract", "must be the path of a file"},
		{"a folder that is not there", filepath.Join(dir, "no", "s"), "no such file"},
		{"a file for a folder", filepath.Join(file, "s"), "not a directory"},
		{"a long path", filepath.Join(dir, strings.Repeat("x", 200)), "no more than about 100 bytes"},
	}
	for _, tt := range tests {
		if l, err := stdio.Listen("unix", tt.path); err == nil {
			l.Close()
			t.Errorf("%s: Listen on %q listens", tt.name, tt.path)
		} else if !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: Listen on %q says %q, want %q", tt.name, tt.path, err, tt.says)
		}
	}
}

func TestListenUnixLiveSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	s := startListener(t, "unix", path, nil, nil)
	if _, err := stdio.Listen("unix", path); err == nil || !strings.Contains(err.Error(), "a server listens there") {
		t.Errorf("Listen where a server listens gave %v", err)
	}
	c, _ := s.dial()
	if m := c.ask(modernEra.call(1, "echo", "alive")); m.text() != "alive" {
		t.Errorf("the first server answered with %s", m.line)
	}
	s.stop()
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket file is still there after the end")
	}
}

// A socket of another kind is somebody's too.
func TestListenUnixOtherSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := stdio.Listen("unix", path); err == nil || !strings.Contains(err.Error(), "not to be found out") {
		t.Errorf("Listen where a socket for datagrams is gave %v", err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("Listen has removed the other socket: %v", err)
	}
}

func TestListenUnixStaleSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	stale(t, path)
	s := startListener(t, "unix", path, nil, nil)
	c, _ := s.dial()
	if m := c.ask(modernEra.call(1, "echo", "a")); m.text() != "a" {
		t.Errorf("on the path of a stale socket a call was answered with %s", m.line)
	}
	s.stop()
}

// The mode counts, not the umask, which the test sets for the whole process.
func TestListenUnixIsPrivate(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o077} {
		path := filepath.Join(t.TempDir(), "s")
		old := syscall.Umask(umask)
		l, err := stdio.Listen("unix", path)
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != fs.ModeSocket|0o600 {
			t.Errorf("with umask %03o the socket file is %v, %v, want mode 0600", umask, info.Mode(), err)
		}
		if got := l.Addr().String(); got != path {
			t.Errorf("the listener's address is %q, want %q", got, path)
		}
		l.Close()
	}
}

func TestListenUnixCloseLeavesAnothersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	first, err := stdio.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	second, err := stdio.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("closing the first listener has removed the second one's file: %v", err)
	}
	second.Close()
	second.Close()
	if _, err := os.Lstat(path); err == nil {
		t.Error("closing the second listener has left its file")
	}
}

// No browser opens a socket file: a first line like any other.
func TestListenUnixTakesAnyFirstLine(t *testing.T) {
	s := startListener(t, "unix", filepath.Join(t.TempDir(), "s"), nil, nil)
	c, _ := s.dial()
	if m := c.ask("GET / HTTP/1.1"); m.Error == nil || m.Error.Code != -32700 {
		t.Errorf("a line that is no message was answered with %s", m.line)
	}
	s.stop()
}
