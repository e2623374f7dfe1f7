package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"isthmus.internal/mcp"
)

// The exit statuses of all commands.
const (
	ExitOK       = 0
	ExitTool     = 1 // the tool says that its call has failed
	ExitUsage    = 2 // the arguments cannot be used; nothing was sent
	ExitProtocol = 3 // no connection, or an error of the protocol

	// ExitInterrupted: it was interrupted before it was done. It is what a shell shows of a process
	// that SIGINT has ended, which the caller is to have happen: see [Run].
	ExitInterrupted = 130
)

// Env is what the commands have of the process around them.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	// Terminal: In and Err are a terminal, so the user can be asked.
	Terminal bool
	// OutTerminal: Out is a terminal, to which no server may send what it likes.
	OutTerminal bool
}

// command is one row of the table of commands.
type command struct {
	name    string
	usage   string // what stands behind the name
	summary string // one line
	help    string // more, for -h
	// examples are arguments of it, for -h.
	examples []string
	// flags adds those that are the command's own; nil for none.
	flags func(*flag.FlagSet, *settings)
	// noClient: it sends nothing of its own accord, so it has no flags about what is sent.
	noClient bool
	// serves: it waits for its clients and not for the server, and has no result to print.
	serves bool
	// least and most are how many words may stand beside the target; most is -1 for any number.
	least, most int
	ofURIs      bool // the first of them is a URI, which may look like a target
	run         func(ctx context.Context, r *request) error
}

// commands is the table, in the order of the help.
var commands = []*command{
	&discoverCommand,
	&toolsCommand, &resourcesCommand, &templatesCommand, &promptsCommand,
	&callCommand, &readCommand, &promptCommand, &completeCommand,
	&listenCommand, &rawCommand, &bridgeCommand, &benchCommand,
}

// Knows reports whether name is a command of this package.
func Knows(name string) bool {
	return find(name) != nil || name == wireName
}

// Names are the commands of this package, mcp wire the last of them.
//
//go:noinline
func Names() (names []string) {
	for _, c := range commands {
		names = append(names, c.name)
	}
	return append(names, wireName)
}

// find is the command of this name, nil for none.
func find(name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

// wireName stands before another command and has everything printed that passes.
const wireName = "wire"

const wireHelp = `mcp wire COMMAND …

Runs a command that speaks to a server, with its own arguments, and prints on standard error every
byte that passes: --> what goes to the server, <-- what comes from it, over HTTP the headers, too.
Secrets in headers are shown as they are.

  mcp wire call http://127.0.0.1:8080/mcp add a=2 b=3
  mcp wire discover -- mcp-echo
`

// Run runs the command args[0], which [Knows] knows, with the arguments behind it, and returns
// the exit status. When ctx ends so does the command: with [ExitInterrupted], or where it goes on
// until then, as listen and bridge do, with [ExitOK].
func Run(ctx context.Context, args []string, env *Env) int {
	wire := args[0] == wireName
	if wire {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintf(env.Err, "mcp wire: a command is missing: mcp wire tools TARGET, for example (mcp wire -h explains)\n")
		return ExitUsage
	}
	if wire && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		io.WriteString(env.Out, wireHelp)
		return ExitOK
	}
	c := find(args[0])
	if c == nil {
		fmt.Fprintf(env.Err, "mcp wire: unknown command %q (mcp -h lists those that speak to a server)\n", args[0])
		return ExitUsage
	}
	return c.start(ctx, args[1:], env, wire)
}

// start reads the arguments and runs the command.
func (c *command) start(ctx context.Context, args []string, env *Env, wire bool) int {
	out := &sink{to: env.Out}
	own := *env
	own.Out = out
	r := &request{env: &own, settings: settings{wire: wire}, dialogue: make(chan struct{}, 1)}
	out.before = r.screen.end
	err := r.parse(c, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.printHelp(out)
		err = nil
	case err != nil:
		fmt.Fprintf(env.Err, "mcp %s: %v (mcp %s -h explains)\n", c.name, err, c.name)
		return ExitUsage
	default:
		err = c.run(ctx, r)
		if wrong := r.wrong.Load(); wrong != nil {
			err = wrong
		} else if err != nil && (ctx.Err() != nil || errors.Is(err, mcp.ErrLinkClosed) && isInterrupted(ctx)) {
			err = errInterrupted // whatever that has led to
		}
		if closeErr := r.close(); err == nil {
			err = closeErr
		}
	}
	if failed := out.failure(); failed != nil {
		err = &failure{"the output cannot be written", failed}
	}
	status, text := c.explain(err)
	if text != "" {
		fmt.Fprintf(env.Err, "mcp %s: %s\n", c.name, printable(text))
	}
	if r.verdict != nil && status != ExitInterrupted {
		r.tellOfAnswers(c.name)
	}
	return status
}

// printHelp prints the help of the command.
func (c *command) printHelp(w io.Writer) {
	fmt.Fprintf(w, "mcp %s %s\n\n%s%s.\n", c.name, c.usage, strings.ToUpper(c.summary[:1]), c.summary[1:])
	if c.help != "" {
		fmt.Fprintf(w, "\n%s", c.help)
	}
	io.WriteString(w, "\n"+targetHelp)
	for i, example := range c.examples {
		if i == 0 {
			io.WriteString(w, "\nExamples:\n\n")
		}
		fmt.Fprintf(w, "  mcp %s %s\n", c.name, example)
	}
	io.WriteString(w, "\nFlags, which may stand anywhere before --, with one hyphen or two:\n\n")
	flags := c.flagSet(&settings{})
	flags.SetOutput(w)
	flags.PrintDefaults()
}

// Help lists the commands, a line each.
func Help() string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "  mcp %-11s %s\n", c.name, c.summary)
	}
	fmt.Fprintf(&b, "  mcp %-11s %s\n", wireName, "stands before any of these: every byte that passes is printed, too")
	return b.String()
}
