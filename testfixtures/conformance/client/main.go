// Command client is what the official conformance suite tests as a client. The suite starts it
// for each scenario, with the URL of a server behind all else:
//
//	client -scenario NAME -version REVISION [-context JSON] URL
//
// It connects, takes the steps of the scenario, and holds what comes back to what has to. The
// status is 0 when all was right, 1 when it was not, 2 for other arguments. With -find it is
// the library that finds out which era the server speaks, and REVISION is held to that.
//
// The files: main.go (arguments and the connection), steps.go (what is done in which
// scenario), legacy.go and modern.go (the steps of scenarios that one era has).
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// longest is how long all of it may take. The suite gives up after 30 seconds, but then does
// not end its client, and waits for it.
const longest = 25 * time.Second

// errUsage is of arguments that are none.
var errUsage = errors.New("usage: client -scenario NAME -version REVISION [-context JSON] [-find] URL")

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// run is the command, and returns its status.
func run(args []string, stderr io.Writer) int {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	switch err := take(ctx, args, stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintln(stderr, "client:", err)
		return 2
	default:
		fmt.Fprintln(stderr, "client:", err)
		return 1
	}
}

// take takes the steps of the scenario that the arguments name.
func take(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("client", flag.ContinueOnError)
	flags.SetOutput(stderr)
	scenario := flags.String("scenario", "", "the `name` of the scenario")
	version := flags.String("version", "", "the `revision` to speak")
	about := flags.String("context", "", "what the suite tells of the scenario, as `JSON`")
	find := flags.Bool("find", false, "find out by itself what the server speaks; -version says what that has to be")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", errUsage, err)
	case flags.NArg() != 1 || *scenario == "" || *version == "":
		return errUsage
	}
	steps, ok := scenarios[*scenario]
	if !ok {
		return fmt.Errorf("%w: the scenario %q is not known; add it to the table in steps.go", errUsage, *scenario)
	}
	s := &session{about: jsonrpc.Raw(*about)}
	if err := s.connect(ctx, flags.Arg(0), *version, *find, slog.New(slog.NewTextHandler(stderr, nil))); err != nil {
		return err
	}
	return cmp.Or(steps(ctx, s), s.Close())
}

// session is the connection to the server of a scenario.
type session struct {
	*mcp.Client
	about jsonrpc.Raw // what the suite tells of the scenario; may be empty
	// fillIn is what the user does with a form. It is set before the first call.
	fillIn func(context.Context, *mcp.ElicitForm) (jsonrpc.Raw, error)
}

// connect opens the connection with a client that can be asked for everything.
func (s *session) connect(ctx context.Context, url, version string, find bool, log *slog.Logger) error {
	options := &discover.ConnectOptions{Version: version, Client: &mcp.ClientOptions{
		Info:   mcp.Implementation{Name: "isthmus-conformance", Version: "1.0.0"},
		Logger: log,
		Elicit: s.elicit,
		Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) { return nil, mcp.ErrDeclined },
		Roots:  func(context.Context) ([]mcp.Root, error) { return nil, nil },
	}}
	if find {
		options.Version = ""
	}
	c, verdict, err := discover.Connect(ctx, httpmcp.Dial(url, nil), options)
	if err != nil {
		return err
	}
	if verdict.Version != version {
		return errors.Join(fmt.Errorf("connected as %s, want %s", verdict, version), c.Close())
	}
	s.Client = c
	return nil
}

// elicit has a form filled in.
func (s *session) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	if s.fillIn == nil || r.Form == nil {
		return nil, errors.New("nothing is to be asked in this scenario")
	}
	content, err := s.fillIn(ctx, r.Form)
	if err != nil {
		return nil, err
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}
