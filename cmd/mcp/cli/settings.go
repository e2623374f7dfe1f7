package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
)

// settings are the flags.
type settings struct {
	wire    bool
	era     era
	version string
	header  headers
	timeout time.Duration
	output  output
	answers words
	roots   words
	quiet   bool
	stderr  bool

	// Of single commands:
	json      string
	arguments words
	level     string
	uris      words
	count     int
	bridge    bridging
	bench     benchSettings
}

// flagSet are the flags of the command, which go into s.
func (c *command) flagSet(s *settings) *flag.FlagSet {
	f := flag.NewFlagSet("mcp "+c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.Var(&s.era, "era", "the era to speak: `ERA` is legacy, modern or auto, whichever the server speaks")
	f.StringVar(&s.version, "version", "", "the `REVISION` to speak, 2025-11-25 for example (default: the newest that both sides speak)")
	f.Var(&s.header, "header", "send `\"NAME: VALUE\"` with each HTTP request; may stand several times")
	f.DurationVar(&s.timeout, "timeout", time.Minute, "how long `TIME` the server may go without an answer or a sign of progress")
	f.Var(&s.output, "output", "print `FORM`: text or json")
	f.BoolVar(&s.stderr, "stderr", false, "show what the server that was started writes to its standard error")
	if c.flags != nil {
		c.flags(f, s)
	}
	return f
}

// askFlags are for commands that the server may answer with a question.
func askFlags(f *flag.FlagSet, s *settings) {
	f.Var(&s.answers, "answer", "`KEY=VALUE`: what to fill into the field KEY when the server asks; may stand several\ntimes. Without a terminal all else that it asks is declined")
	f.Var(&s.roots, "root", "a `FOLDER` that the server may be told to work in; may stand several times")
	f.BoolVar(&s.quiet, "quiet", false, "show no progress and no log messages")
}

// parse reads the arguments: flags and words in any order, and behind -- the command of the
// server.
func (r *request) parse(c *command, args []string) error {
	flags := c.flagSet(&r.settings)
	args, r.argv = cutCommand(args)
	for {
		if err := flags.Parse(args); err != nil {
			return err
		}
		if flags.NArg() == 0 {
			break
		}
		r.words = append(r.words, flags.Arg(0))
		args = flags.Args()[1:]
	}
	if r.timeout <= 0 {
		return errors.New("-timeout must be more than 0")
	}
	if r.version != "" && !slices.Contains(versions(), r.version) {
		return fmt.Errorf("-version %q: known are %s", r.version, strings.Join(versions(), ", "))
	}
	if err := r.findTarget(); err != nil {
		return err
	}
	switch n := len(r.words); {
	case n < c.least:
		return fmt.Errorf("want %s", c.usage)
	case c.most >= 0 && n > c.most:
		return fmt.Errorf("unexpected argument %q: want %s", r.words[c.most], c.usage)
	}
	return nil
}

// cutCommand parts the arguments at the first "--".
func cutCommand(args []string) (before, command []string) {
	for i, arg := range args {
		if arg == "--" {
			return args[:i], args[i+1:]
		}
	}
	return args, nil
}

// era is the value of -era.
type era mcp.Eras

func (e *era) String() string {
	if name := discover.EraName(mcp.Eras(*e)); name != "" {
		return name
	}
	return "auto"
}

func (e *era) Set(text string) error {
	for _, one := range []mcp.Eras{mcp.Legacy, mcp.Modern, 0} {
		if named := era(one); named.String() == text {
			*e = named
			return nil
		}
	}
	return errors.New("want legacy, modern or auto")
}

// output is the value of -output.
type output string

const (
	asText output = "text"
	asJSON output = "json"
)

func (o *output) String() string {
	if *o == "" {
		return string(asText)
	}
	return string(*o)
}

func (o *output) Set(text string) error {
	if text != string(asText) && text != string(asJSON) {
		return errors.New("want text or json")
	}
	*o = output(text)
	return nil
}

// headers are the values of -header.
type headers http.Header

func (h *headers) String() string { return "" }

func (h *headers) Set(text string) error {
	name, value, ok := strings.Cut(text, ":")
	if name = strings.TrimSpace(name); !ok || name == "" {
		return errors.New(`want "NAME: VALUE"`)
	}
	if *h == nil {
		*h = headers{}
	}
	http.Header(*h).Add(name, strings.TrimSpace(value))
	return nil
}

// words are the values of a flag that may stand several times.
type words []string

func (w *words) String() string { return strings.Join(*w, " ") }

func (w *words) Set(text string) error {
	*w = append(*w, text)
	return nil
}
