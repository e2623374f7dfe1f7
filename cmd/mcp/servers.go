package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// fixtures are the servers of the tour. Each calls itself NAME-server, its program is mcp-NAME,
// and the flag -NAME has another command stand in for it.
var fixtures = []string{"echo", "notes", "everything"}

// servers is what starts the servers of the tour.
type servers struct {
	commands map[string][]string // by what the server calls itself
	folder   string              // of the programs that were built, "" for none
}

// find finds the program of each fixture that given names no command for. It stands beside this
// program, where make build puts it, or else is built: the go command can do that wherever the
// module is at hand, as it is for go run ./cmd/mcp, beside whose program nothing stands. The PATH
// is not searched, so that the tour is of these servers and not of what has their names. log is
// told of what takes a while.
//
// After an error, too, the caller calls remove.
func (s *servers) find(ctx context.Context, given map[string]string, log io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.commands = make(map[string][]string)
	var missing []string
	for _, name := range fixtures {
		argv := strings.Fields(given[name])
		if len(argv) == 0 {
			path, err := exec.LookPath(filepath.Join(filepath.Dir(self), "mcp-"+name))
			if err != nil {
				missing = append(missing, name)
				continue
			}
			argv = []string{path}
		}
		s.commands[name+"-server"] = argv
	}
	if len(missing) == 0 {
		return nil
	}
	programs := "mcp-" + strings.Join(missing, ", mcp-")
	fmt.Fprintf(log, "mcp tour: building %s, which takes some seconds the first time\n", programs)
	if err := s.build(ctx, missing); err != nil {
		return fmt.Errorf("missing %s: not beside this program, in %s, and not to be built here: %w\n"+
			"Run make build in the source tree, which puts them side by side, or name other servers: -%s COMMAND",
			programs, filepath.Dir(self), err, strings.Join(missing, " COMMAND -"))
	}
	return nil
}

// build builds the programs of these fixtures into a folder of their own.
func (s *servers) build(ctx context.Context, names []string) (err error) {
	if s.folder, err = os.MkdirTemp("", "mcp-tour-"); err != nil {
		return err
	}
	// The stamp of a commit needs git and its trust in the folder; go run does without, too.
	args := []string{"build", "-buildvcs=false", "-o", s.folder + string(filepath.Separator)}
	for _, name := range names {
		args = append(args, "isthmus.internal/cmd/mcp-"+name)
	}
	build := exec.CommandContext(ctx, "go", args...)
	// Asked to end, it takes its own temporary files along.
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) }
	build.WaitDelay = 5 * time.Second
	said, err := build.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if text := strings.TrimSpace(string(said)); err != nil && text != "" {
		return errors.New("go build:" + strings.ReplaceAll("\n"+text, "\n", "\n\t"))
	}
	if err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	for _, name := range names {
		path, err := exec.LookPath(filepath.Join(s.folder, "mcp-"+name))
		if err != nil {
			return err
		}
		s.commands[name+"-server"] = []string{path}
	}
	return nil
}

// remove removes what was built.
func (s *servers) remove() error {
	if s.folder == "" {
		return nil
	}
	return os.RemoveAll(s.folder)
}
