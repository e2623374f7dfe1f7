package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"isthmus.internal/testfixtures/load"
)

const benchHelp = `One request is sent again and again, and every answer is compared with the first one. -tool says
which tool is called, with arguments like those of mcp call. Without it the first tool of a few
that are known to do no harm is called, where the server has one, or else the tools are listed.

It measures with the client of this project, mcp.Client: what that takes is in the latencies, and
its own processor time is printed as well. The server's is known when this command has started
it; a program that the server was started by counts as the server.

The exit status is 3 when an answer is wrong or a request has failed.
`

// benchSettings are the flags of mcp bench.
type benchSettings struct {
	tool         string
	inFlight     int
	long, warmUp time.Duration
	rival        string // -vs
	rounds       int
}

var benchCommand = command{
	name: "bench", usage: "TARGET [NAME=VALUE …]", most: -1, help: benchHelp,
	summary: "put a checked load on the server and measure it",
	flags: func(f *flag.FlagSet, s *settings) {
		b := &s.bench
		f.StringVar(&b.tool, "tool", "", "the `TOOL` to call")
		f.StringVar(&s.json, "json", "", "the arguments as one JSON `OBJECT`, or @FILE that holds it, or - for the input")
		f.IntVar(&b.inFlight, "in-flight", 1, "how many `N` requests are sent before the answer to the first is there")
		f.DurationVar(&b.long, "time", 0, "measure for this `TIME` (default: 5s, without -count)")
		f.IntVar(&s.count, "count", 0, "measure `N` requests (0: as many as there is -time for)")
		f.DurationVar(&b.warmUp, "warm-up", 500*time.Millisecond, "the `TIME` before that in which nothing is measured")
		f.StringVar(&b.rival, "vs", "", "measure `TARGET2` as well, in turns, and print ratios: a URL, unix:PATH, tcp:HOST:PORT,\nor a command in quotes")
		f.IntVar(&b.rounds, "rounds", usualRounds, "the turns `N` of each with -vs")
	},
	run: runBench,
}

func runBench(ctx context.Context, r *request) error {
	r.screen.init(r)
	sides, err := r.sides()
	if err != nil {
		return err
	}
	b := &bench{request: r, sides: sides}
	err = b.run(ctx)
	for _, s := range sides {
		if closeErr := s.close(); err == nil {
			err = closeErr
		}
	}
	if err != nil {
		return err
	}
	if r.output == asJSON {
		err = r.printRaw(b.json())
	} else {
		b.print()
	}
	if err != nil {
		return err
	}
	b.tellOfFew()
	return b.failures()
}

// sides are the target and, with -vs, the one to compare it with.
func (r *request) sides() ([]*side, error) {
	b := &r.bench
	switch {
	case b.inFlight < 1 || b.inFlight > maxInFlight:
		return nil, &misuse{fmt.Errorf("-in-flight must be from 1 to %d", maxInFlight)}
	case b.long < 0 || b.warmUp < 0:
		return nil, &misuse{errors.New("-time and -warm-up must not be less than 0")}
	case b.rounds < 1 || b.rounds > maxRounds:
		return nil, &misuse{fmt.Errorf("-rounds must be from 1 to %d", maxRounds)}
	case b.rounds != usualRounds && b.rival == "":
		return nil, &misuse{errors.New("-rounds are turns of two targets: -vs names the other one")}
	case b.tool == "" && (len(r.words) > 0 || r.json != ""):
		return nil, &misuse{errors.New("arguments are for a tool: -tool names it")}
	}
	if b.long == 0 && r.count == 0 {
		b.long = 5 * time.Second
	}
	if b.rival == "" {
		b.rounds = 1
		return []*side{{request: r}}, nil
	}
	rival, err := readRival(b.rival)
	if err != nil {
		return nil, &misuse{fmt.Errorf("-vs: %w", err)}
	}
	if r.count > 0 {
		b.rounds = min(b.rounds, r.count)
	}
	other := &request{settings: r.settings, env: r.env, target: rival}
	other.screen.init(other)
	return []*side{{request: r}, {request: other}}, nil
}

const (
	maxInFlight = 1000
	maxRounds   = 1000
	usualRounds = 10
)

// readRival reads a target that is one word or else a command. In that, quotes hold words together
// as they do in a shell; nothing else has a meaning.
func readRival(text string) (target, error) {
	for _, kind := range []string{"http:", "https:", "unix:", "tcp:"} {
		if strings.HasPrefix(text, kind) {
			return readTarget(text)
		}
	}
	var argv []string
	var word strings.Builder
	var quote rune
	begun := false
	for _, c := range text {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if begun {
				argv = append(argv, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if begun {
		argv = append(argv, word.String())
	}
	if quote != 0 || len(argv) == 0 || argv[0] == "" {
		return target{}, fmt.Errorf("%q: want a URL, unix:PATH, tcp:HOST:PORT, or a command whose quotes are closed", text)
	}
	return target{argv: argv}, nil
}

// failures is the error of a run in which requests have failed.
func (b *bench) failures() error {
	for _, s := range b.sides {
		if s.total.Errors > 0 {
			what := fmt.Sprintf("%d of %d requests to %s have failed, the first", s.total.Errors, s.total.Errors+s.total.Requests, s.target)
			return &failure{what: what, err: s.total.Err}
		}
	}
	return nil
}

// wrong tells of an answer that is not the first one.
func (s *side) wrong(err error) error {
	var wrong *load.WrongError
	if !errors.As(err, &wrong) {
		return &failure{what: "the load on " + s.target.String() + " has ended early", err: err}
	}
	return &failure{
		what: fmt.Sprintf("%s gives a wrong answer, after %d good ones", s.target, s.load.Done()+1),
		err:  fmt.Errorf("got\n  %s\nwant\n  %s", excerpt(wrong.Got), excerpt(wrong.Want)),
	}
}

// excerpt is the beginning of an answer.
func excerpt(answer []byte) string {
	const most = 1000
	if len(answer) <= most {
		return printable(string(answer))
	}
	return fmt.Sprintf("%s… (%d bytes)", printable(strings.ToValidUTF8(string(answer[:most]), "")), len(answer))
}
