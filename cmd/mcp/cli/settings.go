package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/legacy"
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
	json      string // -json: the arguments of a tool
	arguments words  // -with
	level     string // -log
	uris      words  // -uri
	count     int    // of changes or requests; 0 for no such end
	bridge    bridging
	bench     benchSettings
}

// flagSet are the flags of the command, which go into s.
func (c *command) flagSet(s *settings) *flag.FlagSet {
	f := flag.NewFlagSet("mcp "+c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.Var(&s.header, "header", "send `\"NAME: VALUE\"` with each HTTP request; may stand several times.\n@FILE holds some, one a line, for secrets: everybody can see the arguments of a process")
	if s.timeout = time.Minute; !c.serves {
		f.DurationVar(&s.timeout, "timeout", s.timeout, "how long `TIME` the server may go without an answer or a sign of progress")
	}
	if c.noClient {
		return f
	}
	f.Var(&s.era, "era", "the era to speak: `ERA` is legacy, modern or auto, whichever the server speaks")
	f.StringVar(&s.version, "version", "", "the `REVISION` to speak, 2025-11-25 for example (default: the newest that both sides speak)")
	if !c.serves {
		f.Var(&s.output, "output", "print `FORM`: text or json")
	}
	f.BoolVar(&s.stderr, "stderr", false, "show what the server that was started writes to its standard error")
	if c.flags != nil {
		c.flags(f, s)
	}
	return f
}

// askFlags are for commands that the server may answer with a question.
func askFlags(f *flag.FlagSet, s *settings) {
	f.Var((*pairs)(&s.answers), "answer", "`KEY=VALUE`: what to fill into the field KEY when the server asks; may stand several\ntimes. Without a terminal all else that it asks is declined")
	f.Var((*folders)(&s.roots), "root", "a `FOLDER` that the server may be told to work in; may stand several times")
	f.BoolVar(&s.quiet, "quiet", false, "show no progress and no log messages")
}

// parse reads the arguments: flags and words in any order, and behind -- the command of the
// server.
func (r *request) parse(c *command, args []string) error {
	flags := c.flagSet(&r.settings)
	args, r.argv = cutCommand(args)
	for {
		if err := flags.Parse(args); err != nil {
			return explainFlag(flags, err)
		}
		if flags.NArg() == 0 {
			break
		}
		r.words = append(r.words, flags.Arg(0))
		args = flags.Args()[1:]
	}
	if err := r.check(); err != nil {
		return err
	}
	if err := r.findTarget(c); err != nil {
		return err
	}
	switch n := len(r.words); {
	case n < c.least && r.argv != nil:
		return fmt.Errorf("want %s in front of --", strings.TrimPrefix(c.usage, "TARGET "))
	case n < c.least:
		return fmt.Errorf("want %s", c.usage)
	case c.most >= 0 && n > c.most:
		return fmt.Errorf("unexpected argument %q: want %s", r.words[c.most], c.usage)
	}
	return nil
}

// check finds what is wrong with the flags beyond their single values.
func (s *settings) check() error {
	switch {
	case s.timeout <= 0:
		return errors.New("-timeout must be more than 0")
	case s.count < 0:
		return errors.New("-count must not be less than 0")
	case s.version == "":
		return nil
	case !slices.Contains(versions(), s.version):
		return fmt.Errorf("-version %q: known are %s", s.version, strings.Join(versions(), ", "))
	case mcp.Eras(s.era) == mcp.Modern && !slices.Contains(discover.Versions(), s.version),
		mcp.Eras(s.era) == mcp.Legacy && !slices.Contains(legacy.Versions(), s.version):
		return fmt.Errorf("-version %s is not one of the %s era: leave -era out", s.version, s.era.String())
	}
	return nil
}

// explainFlag says of a value that cannot be read what is wanted, where package flag does not.
func explainFlag(flags *flag.FlagSet, err error) error {
	text := err.Error()
	unknown, found := strings.CutPrefix(text, "flag provided but not defined: ")
	if found {
		return fmt.Errorf("there is no flag %s", unknown)
	}
	_, name, _ := strings.Cut(text, " for flag -")
	name, _, _ = strings.Cut(name, ":")
	f := flags.Lookup(name)
	before, cut := strings.CutSuffix(text, ": parse error")
	if f == nil || !cut {
		return err
	}
	want := "a whole number"
	if value, ok := f.Value.(flag.Getter); ok {
		if _, isTime := value.Get().(time.Duration); isTime {
			want = "a time with its unit, such as 500ms, 30s or 2m"
		}
	}
	return fmt.Errorf("%s: want %s", before, want)
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
	if *e == 0 {
		return "auto"
	}
	return mcp.Eras(*e).String()
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

// nameBytes are those of the name of a header (RFC 9110, 5.6.2).
const nameBytes = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// headers are the values of -header.
type headers http.Header

func (h *headers) String() string { return "" }

// Set takes a header, or the file that holds some.
func (h *headers) Set(text string) error {
	if name, isFile := strings.CutPrefix(text, "@"); isFile {
		return h.read(name)
	}
	return h.add(text)
}

// mostHeaderBytes bounds a file of headers: no server takes more.
const mostHeaderBytes = 64 << 10

// read takes the headers of a file, one a line, but for empty lines and those that begin with #.
// Unlike an argument it is not for everybody to see, so no error has any of it.
func (h *headers) read(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostHeaderBytes+1))
	if err != nil {
		return err
	}
	if len(text) > mostHeaderBytes {
		return fmt.Errorf("the file has more than %d KiB", mostHeaderBytes>>10)
	}
	number, found := 0, false
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := h.add(line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		found = true
	}
	if !found { // as of a program that was to print a secret, and has failed
		return errors.New("the file has no header, want a line NAME: VALUE")
	}
	return nil
}

func (h *headers) add(text string) error {
	name, value, ok := strings.Cut(text, ":")
	if name = strings.TrimSpace(name); !ok || name == "" {
		return errors.New(`want "NAME: VALUE"`)
	}
	if strings.Trim(name, nameBytes) != "" || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return errors.New("no header can have that name or value")
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

// pairs are the values NAME=VALUE of a flag that may stand several times.
type pairs words

func (p *pairs) String() string { return (*words)(p).String() }

func (p *pairs) Set(text string) error {
	name, _, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New("want NAME=VALUE")
	}
	if slices.ContainsFunc(*p, func(given string) bool { return strings.HasPrefix(given, name+"=") }) {
		return fmt.Errorf("%s stands twice", name)
	}
	return (*words)(p).Set(text)
}

// folders are the values of -root.
type folders words

func (f *folders) String() string { return (*words)(f).String() }

func (f *folders) Set(text string) error {
	info, err := os.Stat(text)
	if err != nil || !info.IsDir() {
		return errors.New("there is no such folder")
	}
	return (*words)(f).Set(text)
}
