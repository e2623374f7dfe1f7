package cli

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"isthmus.internal/mcp"
)

// screen is what is shown beside the output while a command runs: how far a call is, and what
// the server logs.
type screen struct {
	mu  sync.Mutex
	r   *request
	bar string // what stands on the last line; "" for nothing
}

func (s *screen) init(r *request) { s.r = r }

// progress shows how far a call is, on a terminal. The server is asked for it in any case: what
// it tells is a sign that it is at work, for which -timeout gives it more time.
func (s *screen) progress() func(mcp.ProgressParams) {
	if s.r.quiet || !s.r.env.Terminal || s.r.wire {
		return func(mcp.ProgressParams) {}
	}
	return func(p mcp.ProgressParams) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.r.dialogue) > 0 {
			return // a question stands there
		}
		s.clearLocked()
		s.bar = progressLine(p)
		fmt.Fprint(s.r.env.Err, s.bar)
	}
}

// mostColumns is how long the line of progress may be: one that goes over two lines cannot be
// cleared.
const mostColumns = 79

// progressLine is a bar where the end is known, and a number where it is not.
func progressLine(p mcp.ProgressParams) string {
	const width = 24
	line := fmt.Sprintf("%g", p.Progress)
	if p.Total != nil && *p.Total > 0 {
		part := max(0, min(1, p.Progress / *p.Total))
		done := int(part * width)
		line = fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("#", done), strings.Repeat(".", width-done), part*100)
	}
	line = strings.TrimRight(line+" "+brief(p.Message), " ")
	if runes := []rune(line); len(runes) > mostColumns {
		line = string(runes[:mostColumns-1]) + "…"
	}
	return line
}

// end clears the line of progress.
func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearLocked()
}

func (s *screen) clearLocked() {
	if s.bar != "" {
		fmt.Fprintf(s.r.env.Err, "\r%s\r", strings.Repeat(" ", len([]rune(s.bar))))
		s.bar = ""
	}
}

// log shows a log message of the server.
func (s *screen) log(m *mcp.LogMessageParams) {
	if s.r.quiet {
		return
	}
	text, isText := m.Data.Text()
	if !isText {
		text = string(m.Data)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearLocked()
	name := m.Level.String()
	if m.Logger != "" {
		name += " " + oneLine(m.Logger)
	}
	fmt.Fprintf(s.r.env.Err, "%s: %s\n", name, oneLine(text))
}

// logger shows what the client has to say of the server's faults.
func (s *screen) logger() *slog.Logger { return slog.New(remarks{s: s}) }

// remarks is a [slog.Handler] that writes what the client says as lines for people.
type remarks struct {
	s     *screen
	attrs string
}

func (h remarks) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (h remarks) Handle(_ context.Context, record slog.Record) error {
	if h.s.r.wrong.Load() != nil {
		return nil // that is told at the end
	}
	what, text := record.Message, h.attrs
	switch what {
	case "message refused": // as a peer of any kind is told of
		what = "the server has sent what is no message of MCP (mcp wire before the command shows it)"
	case "the server cannot be reached, and is tried again":
		h.s.r.away.Store(true)
	case "the server is there again":
		h.s.r.away.Store(false)
	default:
		if record.Level < slog.LevelWarn {
			return nil
		}
	}
	record.Attrs(func(a slog.Attr) bool {
		text += attrText(a)
		return true
	})
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	h.s.clearLocked()
	_, err := fmt.Fprintf(h.s.r.env.Err, "mcp: %s%s\n", oneLine(what), text)
	return err
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

// logFlag is for commands during which the server may log.
func logFlag(f *flag.FlagSet, s *settings) {
	f.Func("log", "show the server's log messages from `LEVEL` on: "+mcp.LogLevelNames, func(text string) error {
		if _, ok := mcp.ParseLogLevel(text); !ok {
			return fmt.Errorf("want one of %s", mcp.LogLevelNames)
		}
		s.level = text
		return nil
	})
}
