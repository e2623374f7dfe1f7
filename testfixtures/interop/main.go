package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isthmus.internal/testfixtures/outside"
)

// How long a script, and all of it, may take: many times what they do take.
const (
	longestScript = 5 * time.Minute
	longest       = 20 * time.Minute
)

// config is what the flags say. Paths are seen from the root of the tree.
type config struct {
	clients string // the folder with node_modules
	page    string
	update  bool
	server  string // the binary of the server
	only    string // part of the label of runs
}

func main() {
	var c config
	flag.StringVar(&c.clients, "clients", "bin/interop", "the `folder` in which package.json is installed; scripts and logs are written to it")
	flag.StringVar(&c.page, "page", "docs/interop.md", "the `page` that holds the tables")
	flag.BoolVar(&c.update, "update", false, "write the tables of -page anew, when nothing fails")
	flag.StringVar(&c.server, "server", "bin/mcp-everything", "the `command` that is driven")
	flag.StringVar(&c.only, "only", "", "take only the runs with this `text` in their name, as in \"2.x, modern\", and leave the page alone")
	flag.Parse()
	os.Exit(outside.Main("interop", c.clients, longest, c.run))
}

// run takes all runs and returns what is wrong. An error means that there is nothing to
// judge.
func (c *config) run(ctx context.Context, out io.Writer) ([]string, error) {
	var files []string
	for _, r := range runs() {
		files = append(files, r.client.pkg+"/package.json")
	}
	node, _, err := outside.Modules(c.clients, "interop", files...)
	if err != nil {
		return nil, err
	}
	if err := installScripts(c.clients); err != nil {
		return nil, err
	}
	if c.server, err = filepath.Abs(c.server); err != nil {
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
	table := tables(outcomes)
	fmt.Fprint(out, table)
	page := outside.Page{File: c.page, Target: "interop"}
	if c.only != "" {
		return faults, nil
	}
	return page.Hold(table, faults, c.update)
}

// serverArgs have the lists come in pages, so that clients have to turn them.
var serverArgs = []string{"-page", "10"}

// ssePath is where a server has the deprecated transport.
const ssePath = "/sse"

// walk takes one run, with a server of its own.
func (c *config) walk(ctx context.Context, node string, r run) (outcome, error) {
	args := []string{r.era, r.transport}
	if r.transport == stdio {
		lines, err := runScript(ctx, node, c.clients, r.client.script, slices.Concat(args, []string{c.server}, serverArgs)...)
		return judge(r, lines), err
	}
	log := strings.TrimSuffix(r.client.script, ".mjs") + "-" + r.era + "-" + r.transport + ".log"
	server, err := outside.StartServer(c.server, append([]string{"-sse-path", ssePath}, serverArgs...), filepath.Join(c.clients, log))
	if err != nil {
		return outcome{}, err
	}
	at, err := endpoint(server.URL, r.transport)
	if err != nil {
		server.Stop()
		return outcome{}, err
	}
	lines, err := runScript(ctx, node, c.clients, r.client.script, append(args, at)...)
	o := judge(r, lines)
	if fault := server.Stop(); fault != "" {
		o.fault("%s", fault)
	}
	return o, err
}

// endpoint is the URL for a transport of a server that is ready at this one.
func endpoint(ready, transport string) (string, error) {
	if transport != sse {
		return ready, nil
	}
	return url.JoinPath(ready, "..", ssePath)
}
