package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"isthmus.internal/jsonrpc"
)

// The scripts. They run from the folder where the clients are installed, since Node looks
// for packages above a script.
//
//go:embed *.mjs
var scripts embed.FS

// installScripts puts the scripts into a folder.
func installScripts(dir string) error {
	names, err := fs.Glob(scripts, "*.mjs")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := scripts.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// line is what a script says of one step, or of the revision that it speaks. report.mjs
// has its form.
type line struct {
	spoke   string // a revision; the others are empty then
	step    string
	fault   string // what was not as it must be
	refused string // how the client has shown that it cannot
}

// readLine reads a line of a script.
func readLine(text string) (line, error) {
	var l line
	members := map[string]*string{"spoke": &l.spoke, "step": &l.step, "fault": &l.fault, "refused": &l.refused}
	o := jsonrpc.ReadObject(jsonrpc.Raw(text))
	for o.Next() {
		into, known := members[string(o.Name())]
		value, ok := o.Value().Text()
		if !known || !ok {
			return line{}, fmt.Errorf("the script says %q: no such member, or no text in it", text)
		}
		*into = value
	}
	if err := o.Err(); err != nil {
		return line{}, fmt.Errorf("the script says %q: %w", text, err)
	}
	if (l.spoke == "") == (l.step == "") {
		return line{}, fmt.Errorf("the script says %q: want a step, or a revision", text)
	}
	return l, nil
}

// member is the member of an object with this name, or nil.
func member(object jsonrpc.Raw, name string) jsonrpc.Raw {
	o := jsonrpc.ReadObject(object)
	for o.Next() {
		if string(o.Name()) == name {
			return o.Value()
		}
	}
	return nil
}

// runScript runs a script to its end and returns what it said. A status other than 0 is
// said in a line of its own, as a fault of the step "script". An error means that nothing
// can be made of it.
func runScript(ctx context.Context, node, dir, script string, args ...string) ([]line, error) {
	ctx, cancel := context.WithTimeout(ctx, longestScript)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{script}, args...)...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second // for what it has started and left behind
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w", script, err)
	}
	var lines []line
	for text := range strings.Lines(out.String()) {
		l, err := readLine(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", script, err)
		}
		lines = append(lines, l)
	}
	if err != nil {
		lines = append(lines, line{step: "script", fault: fmt.Sprintf("%v\n%s", err, log.String())})
	}
	return lines, nil
}
