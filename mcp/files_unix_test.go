//go:build unix

package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"isthmus.internal/mcp"
)

// Whoever may write into the folder exchanges a file for a pipe, again and again. No read
// may wait for a writer that never comes.
func TestFilesThatTurnIntoPipes(t *testing.T) {
	root, dir := folder(t, map[string]string{"real": "content"})
	s := quiet(mcp.ServerOptions{})
	s.AddFiles("file:///", root, &mcp.FilesOptions{Name: "files"})
	place := filepath.Join(dir, "x")
	stop := make(chan struct{})
	var exchange sync.WaitGroup
	exchange.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Remove(place)
			os.Link(filepath.Join(dir, "real"), place)
			os.Remove(place)
			syscall.Mkfifo(place, 0o666)
		}
	})
	defer exchange.Wait()
	defer close(stop)
	for range 3000 {
		got := ask(t, s, form("2026-07-28"), "resources/read", `{"uri":"file:///x"}`)
		if !strings.Contains(got, `"text":"content"`) && !strings.Contains(got, "Unknown resource") {
			t.Fatalf("got %s, want the content of the file or that there is none", got)
		}
	}
}
