package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"

	"isthmus.internal/discover"
	"isthmus.internal/discover/bridge"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/fixture"
	"isthmus.internal/testfixtures/fixture/web"
)

// bridging is what the flags of mcp bridge say.
type bridging struct {
	web   fixture.Transport
	flags *flag.FlagSet
	debug bool
	// sessions bounds those with a connection of their own; 0 for the default.
	sessions int
}

// mostSessions is how many sessions an endpoint keeps.
const mostSessions = 10_000

func (b *bridging) setSessions(text string) (err error) {
	if b.sessions, err = strconv.Atoi(text); err != nil || b.sessions < 1 || b.sessions > mostSessions {
		return fmt.Errorf("must be a number of sessions from 1 to %d", mostSessions)
	}
	return nil
}

var bridgeCommand = command{
	name: "bridge", usage: "TARGET", summary: "serve a server to clients of either era, on standard streams or over HTTP",
	help: `Clients see the server behind TARGET, whichever era each side speaks: old clients reach a
new server, and the reverse, questions and progress included. Without -http it serves one
client on its standard input and output; what people read goes to standard error.

  mcp bridge -http 127.0.0.1:8080 -- ./old-server
  mcp bridge https://example.com/mcp
`,
	flags: func(f *flag.FlagSet, s *settings) {
		s.bridge.web, s.bridge.flags = web.NewUnsealed(), f
		s.bridge.web.Flags(&fixture.Program{Command: "mcp bridge"}, f)
		f.Func("max-sessions", "with -http: have `N` legacy sessions at once with a legacy server, where each has a connection,\nand a process if TARGET is a command (default 1000)", s.bridge.setSessions)
		f.BoolVar(&s.bridge.debug, "debug", false, "show each message of the clients on standard error")
	},
	serves: true,
	run:    runBridge,
}

func runBridge(ctx context.Context, r *request) error {
	overHTTP, err := r.bridge.web.Wanted(r.bridge.flags)
	if err != nil {
		return &misuse{err}
	}
	if r.bridge.sessions > 0 && !overHTTP {
		return &misuse{errors.New("-max-sessions is for HTTP: give -http 127.0.0.1:PORT, too")}
	}
	level := slog.LevelWarn
	if r.bridge.debug {
		level = slog.LevelDebug
	}
	log := slog.New(fixture.NewHandler(r.env.Err, level))
	b, err := bridge.New(ctx, r.transport, &bridge.Options{
		Logger: log, Era: mcp.Eras(r.era), Version: r.version, Single: !overHTTP, Sessions: r.bridge.sessions,
	})
	if err != nil {
		return &unreached{r.target, err, ""}
	}
	err = r.serveBridge(ctx, b, log, overHTTP)
	if closeErr := b.Close(); err == nil && closeErr != nil {
		err = &failure{"the connection did not end well", closeErr}
	}
	return err
}

// serveBridge serves until the client, or whoever has started it, ends it.
func (r *request) serveBridge(ctx context.Context, b *bridge.Bridge, log *slog.Logger, overHTTP bool) error {
	if !overHTTP {
		r.bridgeReady(b, "stdio")
		return stdio.Serve(ctx, b.Server(), nil)
	}
	opened, err := r.bridge.web.Open(b.Server(), log)
	var network *net.OpError
	switch {
	case errors.As(err, &network): // the flag is right, and the address not to be had
		return err
	case err != nil:
		return &misuse{err}
	}
	r.bridgeReady(b, opened.Place)
	if opened.Warning != "" {
		fmt.Fprintf(r.env.Err, "mcp bridge: %s\n", opened.Warning)
	}
	return opened.Serve(ctx)
}

// bridgeReady says where clients find the bridge, and what is behind it.
func (r *request) bridgeReady(b *bridge.Bridge, place string) {
	old := legacy.Versions()
	slices.Reverse(old)
	verdict, server := b.Verdict(), b.Server().Identity()
	fmt.Fprintf(r.env.Err, "mcp bridge: ready on %s: legacy %s, modern %s; behind it %s %s, which speaks %s\n",
		place, strings.Join(old, " "), strings.Join(discover.Versions(), " "),
		printable(server.Name), printable(server.Version), verdict.Version)
}
