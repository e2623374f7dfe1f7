package cli

import (
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
	mu      sync.Mutex
	r       *request
	bar     string // what stands on the last line; "" for nothing
	started bool
}

func (s *screen) init(r *request) { s.r = r }

// progress shows how far a call is, on a terminal.
func (s *screen) progress() func(mcp.ProgressParams) {
	if s.r.quiet || !s.r.env.Terminal || s.r.wire {
		return nil
	}
	return func(p mcp.ProgressParams) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.clearLocked()
		s.bar = progressLine(p)
		fmt.Fprint(s.r.env.Err, s.bar)
	}
}

// progressLine is a bar where the end is known, and a number where it is not.
func progressLine(p mcp.ProgressParams) string {
	const width = 24
	line := fmt.Sprintf("%g", p.Progress)
	if p.Total != nil && *p.Total > 0 {
		part := max(0, min(1, p.Progress / *p.Total))
		done := int(part * width)
		line = fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("#", done), strings.Repeat(".", width-done), part*100)
	}
	return strings.TrimRight(line+" "+brief(p.Message), " ")
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
func (s *screen) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(s.r.env.Err, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
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
