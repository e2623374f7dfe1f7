package main

import (
	"io"
	"os"
	"sync"
)

// printer writes the tour's lines, each in one Write, so that what a child says
// meanwhile never lands inside one. It may be used by several goroutines at once.
type printer struct {
	mu      sync.Mutex
	w       io.Writer
	colours bool
	err     error // the first write that failed
}

// The colours of a terminal (ECMA-48, SGR). The empty one prints as it is.
const (
	plain = ""
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	reset = "\x1b[0m"
)

// newPrinter prints in colour when w is a terminal.
func newPrinter(w io.Writer) *printer {
	p := &printer{w: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.colours = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// line prints tag in its colour, then text.
func (p *printer) line(colour, tag, text string) {
	if p.colours && colour != plain {
		tag = colour + tag + reset
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := io.WriteString(p.w, tag+text+"\n"); err != nil && p.err == nil {
		p.err = err
	}
}

// failure returns the error of the first line that could not be printed.
func (p *printer) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
