// Package web holds golden transcripts of servers over HTTP: what a client sends, and what
// comes back, headers and events included. Each file is one endpoint from its start to its
// end, named era-revision-case.txt. The test plays them; with -update it rewrites those
// that fail.
//
// A file begins with a line "# server: NAME", where NAME is echo, notes or everything, with
// " over HTTP+SSE" behind it for the deprecated transport of 2024-11-05, " with sealed
// sessions" or " without sessions". Then each line is one of
//
//	# a remark
//	1 --> a line of a request on connection 1
//	1 <-- a line of what came back there, before the next request is sent
//	1 <-| the response on connection 1 is at its end
//	1 --| the client closes connection 1
//	* shutdown
//
// and empty lines, which end a request. Requests carry a Content-Length that the test works
// out. The chunks of a response are put together again, and {session} stands for the id of
// the session, which is another one each time. The clock stands at the beginning of the year
// 2000.
package web

import (
	"embed"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/notes"
	"isthmus.internal/testfixtures/transcripts"
)

//go:embed *.txt
var files embed.FS

// What a line is.
const (
	Sent     = "-->"
	Received = "<--"
	Ended    = "<-|" // by the server
	Closed   = "--|" // by the client
	Shutdown = "* shutdown"
	Remark   = "#"
	Gap      = ""
)

// Line is one line of a transcript.
type Line struct {
	Kind       string // Sent, Received, Ended, Closed, Shutdown, Remark or Gap
	Connection string // of the first four
	Text       string // of those that have any
}

// String is the line as it stands in the file.
func (l Line) String() string {
	switch l.Kind {
	case Sent, Received:
		return strings.TrimRight(l.Connection+" "+l.Kind+" "+l.Text, " ")
	case Ended, Closed:
		return l.Connection + " " + l.Kind
	}
	return l.Kind + l.Text
}

// Transcript is one endpoint, from its start to its end.
type Transcript struct {
	Name  string // of the file, without .txt
	Lines []Line
}

// All returns the transcripts in the order of their names.
func All() ([]Transcript, error) {
	found, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	var all []Transcript
	for _, f := range found {
		text, err := files.ReadFile(f.Name())
		if err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
		t, err := Parse(strings.TrimSuffix(f.Name(), ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

var traffic = regexp.MustCompile(`^(\d+) (-->|<--|<-\||--\|)(?: (.*))?$`)

// Parse reads the text of one file.
func Parse(name, text string) (Transcript, error) {
	t := Transcript{Name: name}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		m := traffic.FindStringSubmatch(line)
		rest, isRemark := strings.CutPrefix(line, Remark)
		switch {
		case m != nil:
			t.Lines = append(t.Lines, Line{m[2], m[1], m[3]})
		case isRemark:
			t.Lines = append(t.Lines, Line{Kind: Remark, Text: rest})
		case line == Shutdown, line == Gap:
			t.Lines = append(t.Lines, Line{Kind: line})
		default:
			return t, fmt.Errorf("web: %s: line %d is of no kind: %q", name, i+1, line)
		}
	}
	_, err := t.Server()
	return t, err
}

// What stands behind the name of a server.
const (
	deprecated = " over HTTP+SSE"
	sealed     = " with sealed sessions"
	stateless  = " without sessions"
)

// Deprecated reports whether the endpoint is one of the transport of 2024-11-05.
func (t Transcript) Deprecated() bool { return strings.HasSuffix(t.first(), deprecated) }

// Options are those of the endpoint.
func (t Transcript) Options() *httpmcp.Options {
	switch {
	case strings.HasSuffix(t.first(), sealed):
		return &httpmcp.Options{SessionKeys: transcripts.PlainSealer()}
	case strings.HasSuffix(t.first(), stateless):
		return &httpmcp.Options{Stateless: true}
	}
	return nil
}

func (t Transcript) first() string {
	if len(t.Lines) == 0 {
		return ""
	}
	return t.Lines[0].String()
}

// Server makes the server that the transcript was recorded with. It logs nothing.
func (t Transcript) Server() (*mcp.Server, error) {
	quiet := slog.New(slog.DiscardHandler)
	name := t.first()
	for _, end := range []string{deprecated, sealed, stateless} {
		name = strings.TrimSuffix(name, end)
	}
	switch name {
	case "# server: echo":
		return echo.NewServer(quiet), nil
	case "# server: notes":
		return notes.NewServer(quiet, notes.Default()), nil
	case "# server: everything":
		return everything.NewServer(&everything.Options{Logger: quiet, Keys: transcripts.PlainSealer()}), nil
	}
	return nil, fmt.Errorf("web: %s: the first line must be \"# server: \" and echo, notes or everything", t.Name)
}

// String is the text of the file.
func (t Transcript) String() string {
	var b strings.Builder
	for _, l := range t.Lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}
