// Package transcripts holds golden transcripts of the fixture servers: the lines that
// a client sends, and, byte for byte, the lines that the server answers. Each file is
// one connection, named role-era-case.txt. The test plays them; with -update it
// rewrites those that fail.
//
// A file begins with a line "# server: NAME", where NAME is echo, notes or everything. Then each
// line is one of
//
//	# a remark
//	--> a line from the client to the server
//	<-- a line from the server to the client, which comes before the next --> is sent
//
// and empty lines. Docs show these files, other tests feed on them.
package transcripts

import (
	"embed"
	"fmt"
	"log/slog"
	"strings"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/notes"
)

//go:embed *.txt
var files embed.FS

// What an entry is.
const (
	Sent     = "--> "
	Received = "<-- "
	Remark   = "#"
	Gap      = ""
)

// Entry is one line of a transcript.
type Entry struct {
	Kind string // Sent, Received, Remark or Gap
	Text string // without the mark of its kind
}

// Transcript is one connection, from its first line to the end of the input.
type Transcript struct {
	Name    string // of the file, without .txt
	Entries []Entry
}

const serverRemark = " server: "

// All returns the transcripts in the order of their names.
func All() ([]Transcript, error) {
	found, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("transcripts: %w", err)
	}
	var all []Transcript
	for _, f := range found {
		text, err := files.ReadFile(f.Name())
		if err != nil {
			return nil, fmt.Errorf("transcripts: %w", err)
		}
		t, err := Parse(strings.TrimSuffix(f.Name(), ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// Parse reads the text of one file.
func Parse(name, text string) (Transcript, error) {
	t := Transcript{Name: name}
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] != "" {
		return t, fmt.Errorf("transcripts: %s: the last line has no end", name)
	}
	for i, line := range lines[:len(lines)-1] {
		e := Entry{Kind: Gap}
		for _, kind := range []string{Sent, Received, Remark} {
			if rest, ok := strings.CutPrefix(line, kind); ok {
				e = Entry{kind, rest}
			}
		}
		if e.Kind == Gap && line != "" {
			return t, fmt.Errorf("transcripts: %s: line %d begins with none of --> <-- #: %q", name, i+1, line)
		}
		t.Entries = append(t.Entries, e)
	}
	_, err := t.Server()
	return t, err
}

// Fixture is the name of the server: echo, notes or everything.
func (t Transcript) Fixture() string {
	if len(t.Entries) > 0 && t.Entries[0].Kind == Remark {
		name, _ := strings.CutPrefix(t.Entries[0].Text, serverRemark)
		return name
	}
	return ""
}

// Server makes the server that the transcript was recorded with. It logs nothing.
func (t Transcript) Server() (*mcp.Server, error) {
	quiet := slog.New(slog.DiscardHandler)
	switch t.Fixture() {
	case "echo":
		return echo.NewServer(quiet), nil
	case "notes":
		return notes.NewServer(quiet, notes.Default()), nil
	case "everything":
		return everything.NewServer(&everything.Options{Logger: quiet, Keys: plainSealer{}}), nil
	}
	return nil, fmt.Errorf("transcripts: %s: the first line must be \"# server: \" and echo, notes or everything", t.Name)
}

// String is the text of the file.
func (t Transcript) String() string {
	var b strings.Builder
	for _, e := range t.Entries {
		b.WriteString(e.Kind + e.Text + "\n")
	}
	return b.String()
}

// Lines returns the texts of the entries of one kind.
func (t Transcript) Lines(kind string) []string {
	var lines []string
	for _, e := range t.Entries {
		if e.Kind == kind {
			lines = append(lines, e.Text)
		}
	}
	return lines
}
