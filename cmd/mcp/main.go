// Command mcp speaks to servers of MCP (package cli), and shows what Isthmus does.
//
//	mcp tools TARGET, mcp call TARGET TOOL, and others that docs/cli.md shows
//
//	mcp tour         starts the fixture servers mcp-echo, mcp-notes and mcp-everything
//	                 as child processes, drives each in both eras, and tells whether
//	                 they did what they should; with -http it does so over HTTP
//
// Run mcp -h, or a command of it with -h, for more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"isthmus.internal/cmd/mcp/cli"
	"isthmus.internal/discover"
	"isthmus.internal/legacy"
	"isthmus.internal/testfixtures/fixture"
)

var help = `mcp speaks to servers of MCP, of either era, and shows what Isthmus does.

  mcp discover http://127.0.0.1:8080/mcp
  mcp tools -- mcp-echo
  mcp call echo text=hello -- mcp-echo

Each of these takes a TARGET: a URL, unix:PATH, tcp:HOST:PORT, or at the end of the line -- and the
command that starts the server.

` + cli.Help() + `
Servers to try it with are mcp-echo, mcp-notes and mcp-everything, programs beside it. A tour of them:

  mcp tour        start each and check what it answers, in both eras
                  (with -http: over HTTP, both eras at one URL)

And:

  mcp completion  print the script by which bash, zsh or fish completes all this
  mcp version     print which build this is, and the revisions of MCP that it speaks

Each of them explains itself with -h, or as mcp help COMMAND. Begin with:

  mcp tour
`

const tourHelp = `mcp tour starts the servers mcp-echo, mcp-notes and mcp-everything as child processes
and drives each of them in both eras of MCP. It prints every message (--> to the server,
<-- back from it) and a PASS or FAIL line for each thing that was expected of the
reply. The last line counts. The exit status is 0 when all passed, else 1.

The servers are programs beside this one, where make build puts them. In the source tree
it builds those that are not there, with the go command and for the time of the tour.

  mcp tour
  mcp tour -http
  mcp tour -echo "./my-echo --stdio" -notes "./my-notes --stdio"

`

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run picks the command and returns the exit status.
func run(args []string, out, log io.Writer) int {
	if len(args) == 0 {
		io.WriteString(log, help)
		return fixture.ExitUsage
	}
	if cli.Knows(args[0]) {
		return speak(args, out, log)
	}
	if args[0] == "help" && len(args) > 1 {
		return run([]string{args[1], "-h"}, out, log)
	}
	switch name, args := args[0], args[1:]; name {
	case "tour":
		return tour(args, out, log)
	case "completion":
		return completion(args, out, log)
	case "version", "-version", "--version":
		return sayVersion(args, out, log)
	case "help", "-h", "-help", "--help":
		return show(out, log, help)
	default:
		fmt.Fprintf(log, "mcp: there is no command %q%s (mcp -h lists all)\n", name, instead(name))
		return fixture.ExitUsage
	}
}

// show prints a text and returns the exit status: half a text is none.
func show(out, log io.Writer, text string) int {
	if _, err := io.WriteString(out, text); err != nil {
		fmt.Fprintf(log, "mcp: the output cannot be written: %v\n", err)
		return fixture.ExitFailure
	}
	return fixture.ExitOK
}

const completionHelp = `mcp completion SHELL prints the script by which a shell completes the commands and flags of mcp.

  source <(mcp completion bash)                                    in ~/.bashrc
  mcp completion zsh > "${fpath[1]}/_mcp"                          once
  mcp completion fish > ~/.config/fish/completions/mcp.fish        once
`

// completion prints the script for a shell.
func completion(args []string, out, log io.Writer) int {
	if len(args) == 1 {
		if script, ok := cli.Completion(args[0], others()...); ok {
			return show(out, log, script)
		}
		if slices.Contains(helpFlags, args[0]) {
			return show(out, log, completionHelp)
		}
	}
	io.WriteString(log, "mcp completion: want the name of a shell: bash, zsh or fish (mcp completion -h explains)\n")
	return fixture.ExitUsage
}

// others are the commands beside those of package cli. What mcp help takes is all but itself.
func others() []cli.Other {
	var flags []string
	newTourFlags().VisitAll(func(f *flag.Flag) { flags = append(flags, "--"+f.Name) })
	known := []cli.Other{{Name: "tour", Words: strings.Join(flags, " ")}, {Name: "completion", Words: cli.Shells}, {Name: "version"}}
	words := cli.Names()
	for _, one := range known {
		words = append(words, one.Name)
	}
	return append(known, cli.Other{Name: "help", Words: strings.Join(words, " ")})
}

var helpFlags = []string{"-h", "-help", "--help"}

// instead says what may be meant by a command that there is not.
func instead(name string) string {
	if strings.Contains(name, ":") || strings.HasPrefix(name, "-") {
		return ": the command comes first, and then the rest"
	}
	if slices.Contains(fixtures, name) {
		return ": run mcp-" + name + ", a program of its own, which make build builds"
	}
	known := cli.Names()
	for _, other := range others() {
		known = append(known, other.Name)
	}
	for _, one := range known {
		if len(name) > 1 && (strings.HasPrefix(one, name) || strings.HasPrefix(name, one)) {
			return ": is mcp " + one + " meant?"
		}
	}
	return ""
}

const versionHelp = `mcp version prints which build this is, and the revisions of MCP that it speaks.
`

// sayVersion prints the version. It takes nothing but the flags for help.
func sayVersion(args []string, out, log io.Writer) int {
	switch {
	case len(args) == 0:
		return show(out, log, version())
	case slices.Contains(helpFlags, args[0]):
		return show(out, log, versionHelp)
	}
	fmt.Fprintf(log, "mcp version: %q is too much: it takes no arguments\n", args[0])
	return fixture.ExitUsage
}

// version says which build this is, as far as the build has kept it.
func version() string {
	build := "of an unknown commit"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				build = "of commit " + s.Value[:min(len(s.Value), 12)]
			}
		}
	}
	return fmt.Sprintf("mcp of Isthmus, %s, %s\nlegacy era  %s\nmodern era  %s\n", build, runtime.Version(),
		strings.Join(legacy.Versions(), ", "), strings.Join(discover.Versions(), ", "))
}

// speak runs a command that speaks to a server, until it ends or is interrupted.
func speak(args []string, out, log io.Writer) int {
	ctx, stop := untilInterrupted()
	defer stop()
	status := cli.Run(ctx, args, &cli.Env{
		In: os.Stdin, Out: out, Err: log,
		Terminal: isTerminal(os.Stdin) && isTerminal(os.Stderr), OutTerminal: isTerminal(os.Stdout),
	})
	if status == cli.ExitInterrupted {
		return endBy(ctx)
	}
	return status
}

// interruption is why a context of [untilInterrupted] has ended.
type interruption struct{ by os.Signal }

func (i *interruption) Error() string { return i.by.String() }

// untilInterrupted is a context that ends at the first ^C. The second one is one that nothing
// holds up.
func untilInterrupted() (ctx context.Context, stop func()) {
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(context.Background())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		defer signal.Stop(came)
		select {
		case by := <-came:
			cancel(&interruption{by})
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel(nil)
		waiting.Wait()
	}
}

// endBy ends this process by the signal that has ended ctx. A shell goes on with a loop or a script
// when a command ends by itself at ^C, whatever its exit status. Where no signal ends a process, or
// this one was started to ignore it, endBy returns the status that a shell shows in its place.
func endBy(ctx context.Context) int {
	var interrupted *interruption
	if !errors.As(context.Cause(ctx), &interrupted) {
		return cli.ExitInterrupted
	}
	signal.Reset(interrupted.by)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(interrupted.by) == nil {
		time.Sleep(time.Second) // it may take a moment
	}
	number, _ := interrupted.by.(syscall.Signal)
	return 128 + int(number)
}

// isTerminal reports whether somebody sits at the other end, as far as the kind of file tells.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	none, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, none)
}

// tourFlags are the flags of mcp tour.
type tourFlags struct {
	*flag.FlagSet
	given    map[string]string // the commands of servers, by their names
	web      bool
	deadline time.Duration
}

func newTourFlags() *tourFlags {
	f := &tourFlags{FlagSet: flag.NewFlagSet("mcp tour", flag.ContinueOnError), given: make(map[string]string)}
	f.SetOutput(io.Discard)
	for _, name := range fixtures {
		f.Func(name, "drive the "+name+" server that `COMMAND` starts, split at spaces\n(default: mcp-"+name+")", func(command string) error {
			f.given[name] = command
			return nil
		})
	}
	f.BoolVar(&f.web, "http", false, "drive the servers over HTTP: each is started with -http, and serves both eras\nat one URL")
	f.DurationVar(&f.deadline, "deadline", 5*time.Second, "how long `TIME` a server may take for one step")
	return f
}

// tour reads the flags of mcp tour and goes on it.
func tour(args []string, out, log io.Writer) int {
	flags := newTourFlags()
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		io.WriteString(out, tourHelp)
		flags.SetOutput(out)
		flags.PrintDefaults()
		return fixture.ExitOK
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q: only flags are taken", flags.Arg(0))
	case flags.deadline <= 0:
		err = errors.New("-deadline must be more than 0")
	}
	if err != nil {
		fmt.Fprintf(log, "mcp tour: %v (mcp tour -h explains)\n", err)
		return fixture.ExitUsage
	}
	return guided(&guide{out: newPrinter(out), deadline: flags.deadline, web: flags.web}, flags.given, log)
}

// guided goes on the tour, of the servers that given names commands for and of the others,
// until it ends or is interrupted.
func guided(g *guide, given map[string]string, log io.Writer) int {
	ctx, stop := untilInterrupted()
	defer stop()
	var s servers
	err := s.find(ctx, given, log)
	passed := false
	if err == nil {
		g.ctx, g.commands = ctx, s.commands
		passed = g.run(allSections(g.web))
		err = g.out.failure()
	}
	err = errors.Join(err, s.remove())
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		fmt.Fprintf(log, "mcp tour: %v\n", err)
	}
	if ctx.Err() != nil {
		return endBy(ctx)
	}
	if err != nil || !passed {
		return fixture.ExitFailure
	}
	return fixture.ExitOK
}

// allSections are those of the tour, over HTTP with what HTTP alone can show.
func allSections(web bool) []section {
	sections := slices.Concat(echoSections(), notesSections(), mixedSections(), everythingSections())
	if web {
		sections = append(sections, webSections()...)
	}
	return sections
}
