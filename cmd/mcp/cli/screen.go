package cli

import (
	"flag"
	"fmt"
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

	said    []*remark // each kind once
	last    *remark   // that nothing but the line of progress stands behind; nil for none
	unsaid  int       // remarks of kinds beyond those that are told apart
	garbage garbage   // what has come that is no message
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

// end clears the line of progress: something else is written now.
func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoomLocked()
}

func (s *screen) clearLocked() {
	if s.bar != "" {
		fmt.Fprintf(s.r.env.Err, "\r%s\r", strings.Repeat(" ", len([]rune(s.bar))))
		s.bar = ""
	}
}

// log shows a log message of the server, unless it is less grave than -log asks for: a server may send
// all of them.
func (s *screen) log(m *mcp.LogMessageParams) {
	if least, given := mcp.ParseLogLevel(s.r.level); s.r.quiet || given && m.Level < least {
		return
	}
	text, isText := m.Data.Text()
	if !isText {
		text = string(m.Data)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoomLocked()
	name := m.Level.String()
	if m.Logger != "" {
		name += " " + oneLine(m.Logger)
	}
	fmt.Fprintf(s.r.env.Err, "%s: %s\n", name, oneLine(text))
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
