package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"unicode"
)

// remarks is a [slog.Handler] that writes what the client has to say of the server's faults as lines
// for people. What is said again, but for its numbers and what it quotes, is counted.
type remarks struct {
	s     *screen
	attrs string
}

// remark is a line that was written, and how many like it were not since.
type remark struct {
	kind, line string
	more       int
}

// mostRemarks is how many kinds are told apart.
const mostRemarks = 16

// logger shows what the client has to say of the server's faults.
func (s *screen) logger() *slog.Logger { return slog.New(remarks{s: s}) }

func (h remarks) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (h remarks) Handle(_ context.Context, record slog.Record) error {
	if h.s.r.wrong.Load() != nil {
		return nil // that is told at the end
	}
	what, text, quote, news := record.Message, h.attrs, "", false
	switch what {
	case "message refused", "batch refused": // as a peer of any kind is told of
		what = "the server has sent what is no message of MCP (mcp wire before the command shows it)"
	case "the server cannot be reached, and is tried again":
		news = true
		h.s.r.away.Store(true)
	case "the server is there again":
		news = true
		h.s.r.away.Store(false)
	default:
		if record.Level < slog.LevelWarn {
			return nil
		}
	}
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "begins" {
			quote = a.Value.String()
		} else {
			text += attrText(a)
		}
		return true
	})
	if quote != "" {
		defer h.s.garbage.add(quote)
	}
	return h.s.say("mcp: "+oneLine(what)+text, quote, news)
}

func (h remarks) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		if a.Key != "era" { // which tells servers apart where there are many
			h.attrs += attrText(a)
		}
	}
	return h
}

func (h remarks) WithGroup(string) slog.Handler { return h }

func attrText(a slog.Attr) string {
	return fmt.Sprintf(", %s: %s", oneLine(a.Key), oneLine(plain(a.Value.String())))
}

// say writes a line, with the beginning of what it is about, unless one of its kind was written before
// and it is no news.
func (s *screen) say(line, quote string, news bool) (err error) {
	kind := strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return -1
		}
		return c
	}, line)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !news {
		for _, one := range s.said {
			if one.kind == kind {
				one.more++
				return nil
			}
		}
		if len(s.said) == mostRemarks {
			s.unsaid++
			return nil
		}
	}
	s.makeRoomLocked()
	if quote != "" {
		line += ", it begins " + beginning(quote)
	}
	if !news {
		s.last = &remark{kind: kind, line: line}
		s.said = append(s.said, s.last)
	}
	_, err = fmt.Fprintln(s.r.env.Err, line)
	return err
}

// makeRoomLocked has something else stand behind what was said.
func (s *screen) makeRoomLocked() {
	s.clearLocked()
	if s.last != nil && s.last.more > 0 {
		fmt.Fprintf(s.r.env.Err, "(and %d more like it)\n", s.last.more)
		s.last.more = 0
	}
	s.last = nil
}

// close says at the end how much was not said.
func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoomLocked()
	for _, one := range s.said {
		if one.more > 0 {
			fmt.Fprintf(s.r.env.Err, "%s (and %d more like it)\n", one.line, one.more)
		}
	}
	if s.unsaid > 0 {
		fmt.Fprintf(s.r.env.Err, "mcp: more faults of other kinds: %d\n", s.unsaid)
	}
	s.said, s.unsaid = nil, 0
}
