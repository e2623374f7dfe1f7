package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"isthmus.internal/testfixtures/outside"
)

// longest is how long all of it may take, many times what it does take.
const longest = 10 * time.Minute

// config is what the flags say. Paths are seen from the root of the tree.
type config struct {
	clients string // the folder with node_modules
	pins    string // the package.json that says what is in it
	page    string
	update  bool
	only    string // part of the label of runs
}

func main() {
	var c config
	flag.StringVar(&c.clients, "clients", "bin/interop", "the `folder` in which package.json is installed; logs are written to it")
	flag.StringVar(&c.pins, "pins", "testfixtures/interop/package.json", "the `file` that pins the versions")
	flag.StringVar(&c.page, "page", "docs/interop.md", "the `page` that holds the tables")
	flag.BoolVar(&c.update, "update", false, "write the tables of -page anew, when nothing fails")
	flag.StringVar(&c.only, "only", "", "take only the runs with this `text` in their name, as in \"memory\", and leave the page alone")
	flag.Parse()
	os.Exit(outside.Main("servers", c.clients, longest, c.run))
}

// run takes all runs and returns what is wrong. An error means that there is nothing to
// judge.
func (c *config) run(ctx context.Context, out io.Writer) ([]string, error) {
	var files []string
	versions := map[string]string{}
	for _, s := range servers() {
		files = append(files, s.pkg+"/package.json")
		v, err := version(c.pins, s.pkg)
		if err != nil {
			return nil, err
		}
		versions[s.pkg] = v
	}
	node, _, err := outside.Modules(c.clients, "interop", files...)
	if err != nil {
		return nil, err
	}
	if err := c.installServer2(); err != nil {
		return nil, err
	}
	outcomes, err := outside.Take(runs(), c.only, run.label, func(r run) (outcome, error) { return c.walk(ctx, node, r) })
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, o := range outcomes {
		faults = append(faults, o.faults...)
	}
	table := tables(outcomes, versions)
	fmt.Fprint(out, table)
	page := outside.Page{File: c.page, Target: "interop-servers"}
	if c.only != "" {
		return faults, nil
	}
	return page.Hold(table, faults, c.update)
}

// installServer2 puts server2.mjs beside the packages that it uses, from the folder of the pins.
func (c *config) installServer2() error {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(c.pins), server2.file))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.clients, server2.file), text, 0o666)
}

// walk takes one run, with a server and a folder of its own.
func (c *config) walk(ctx context.Context, node string, r run) (outcome, error) {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(dir)
	name := strings.Map(func(r rune) rune {
		if r == ' ' || r == ',' || r == '.' || r == '+' {
			return '-'
		}
		return r
	}, r.label())
	s, err := c.begin(r, node, dir, filepath.Join(c.clients, name+".log"))
	if err != nil {
		return outcome{}, err
	}
	o := through(ctx, r, s, dir)
	return o, s.stop()
}
