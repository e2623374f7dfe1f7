package cli

import (
	"errors"
	"sync"
)

// mostGarbage is how many messages that are none are read of what may be no server of MCP. One may
// print a banner or some lines of a log before it serves.
const mostGarbage = 10_000

// errGarbage: no connection comes about, since there is no end of what is no message.
var errGarbage = errors.New("message after message is none of MCP")

// garbage counts what has come that is no message.
type garbage struct {
	mu     sync.Mutex
	first  string // its beginning
	count  int
	giveUp func(error) // when there is too much; nil when it is not to be given up
}

func (g *garbage) add(begins string) {
	g.mu.Lock()
	if g.count++; g.count == 1 {
		g.first = begins
	}
	giveUp := g.giveUp
	if g.count < mostGarbage {
		giveUp = nil
	}
	g.mu.Unlock()
	if giveUp != nil {
		giveUp(errGarbage)
	}
}

// limit has the function called when there is too much, until it is called with nil.
func (g *garbage) limit(giveUp func(error)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.giveUp = giveUp
}

// begins is how what came first begins, as it may be shown; "" for nothing.
func (g *garbage) begins() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.count == 0 {
		return ""
	}
	return beginning(g.first)
}

// beginning is the beginning of what is no message, in quotes.
func beginning(text string) string { return `"` + brief(text) + `"` }
