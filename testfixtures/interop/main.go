package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"isthmus.internal/testfixtures/outside"
)

// How long a script, and all of it, may take: many times what they do take.
const (
	longestScript = 5 * time.Minute
	longest       = 20 * time.Minute
)

// atOnce is how many runs are taken at the same time. Each has its own processes.
const atOnce = 2

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

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	faults, err := c.run(ctx, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		os.Exit(1)
	}
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, "interop:", fault)
	}
	if len(faults) > 0 {
		fmt.Fprintf(os.Stderr, "interop: %d faults; what servers said is in %s\n", len(faults), c.clients)
		os.Exit(1)
	}
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
	outcomes, err := c.walkAll(ctx, node)
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
	switch {
	case c.only != "":
		return faults, nil
	case c.update && len(faults) == 0:
		return nil, page.Write(table)
	case c.update:
		return append(faults, "nothing is written while something fails"), nil
	}
	return append(faults, page.Check(table)...), nil
}

// walkAll takes the runs that are wanted, some at the same time, and returns how they went in
// the order of the plan.
func (c *config) walkAll(ctx context.Context, node string) ([]outcome, error) {
	wanted := slices.DeleteFunc(runs(), func(r run) bool { return !strings.Contains(r.label(), c.only) })
	outcomes, errs := make([]outcome, len(wanted)), make([]error, len(wanted))
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, r := range wanted {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			if outcomes[i], errs[i] = c.walk(ctx, node, r); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", r.label(), errs[i])
			}
		})
	}
	all.Wait()
	return outcomes, errors.Join(errs...)
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
