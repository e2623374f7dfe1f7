package main

import (
	"fmt"
	"strings"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/testfixtures/fixture"
)

// A tour is a list of sections. Each section is the life of one server process:
// its steps in turn, then the end of its input.
type section struct {
	title  string
	server string // its name, as it tells it
	steps  []step
}

// step is one message to the server and what has to come back.
type step struct {
	send string
	// kind is the member that the reply has to hold, "result" or "error". It is
	// empty for a notification, to which nothing may come back.
	kind   string
	expect []expectation
}

// expectation is what one place in the reply has to be.
type expectation struct {
	what string // in words, for the line that tells how it went
	path string // where in the reply: see at
	want want
}

// guide runs sections and counts.
type guide struct {
	out      *printer
	deadline time.Duration       // for each step
	commands map[string][]string // by name of the server

	passed, failed int
}

// run goes through the sections and reports whether everything was as expected.
func (g *guide) run(sections []section) bool {
	for _, s := range sections {
		g.section(s)
	}
	g.out.line(plain, "", fmt.Sprintf("%d expectations: %d passed, %d failed",
		g.passed+g.failed, g.passed, g.failed))
	return g.failed == 0
}

func (g *guide) section(s section) {
	g.out.line(bold, s.title, "")
	c, err := start(g.commands[s.server], g.deadline, func(line string) {
		g.out.line(faint, "  | "+fixture.Printable(line), "")
	})
	if err != nil {
		g.verdict(false, "the server starts", err.Error(), "a running process")
		g.out.line(plain, "", "")
		return
	}
	g.greeting(c, s.server)
	for _, step := range s.steps {
		g.step(c, step)
	}
	g.ending(c.close())
	g.out.line(plain, "", "")
}

// greeting takes in the ready line. A person who starts a server by hand has
// nothing else that says it is there.
func (g *guide) greeting(c *child, server string) {
	line, err := c.greeting()
	if err != nil {
		line = err.Error()
	}
	ok := err == nil && strings.HasPrefix(line, server+" ") && strings.Contains(line, "ready")
	g.verdict(ok, "a line on standard error says that the server is ready", line, server+" … ready …")
}

func (g *guide) step(c *child, s step) {
	g.out.line(faint, "--> ", s.send)
	err := c.send(s.send)
	if s.kind == "" {
		return
	}
	var raw jsonrpc.Raw
	if err == nil {
		raw, err = g.reply(c)
	}
	id := at(jsonrpc.Raw(s.send), "id")
	g.check(raw, err, expectation{
		what: fmt.Sprintf("the reply has id %s and one %s", id, s.kind),
		want: reply(id, s.kind),
	})
	for _, e := range s.expect {
		g.check(raw, err, e)
	}
}

// reply takes in the next message that is not a notification: a server may send
// those at any time.
func (g *guide) reply(c *child) (jsonrpc.Raw, error) {
	for until := time.Now().Add(g.deadline); ; {
		line, err := c.receive(until)
		if err != nil {
			return nil, err
		}
		g.out.line(faint, "<-- ", fixture.Printable(line))
		raw := jsonrpc.Raw(line)
		if at(raw, "method") == nil || at(raw, "id") != nil {
			return raw, nil
		}
	}
}

// check holds one expectation against the reply. err says why there is none.
func (g *guide) check(raw jsonrpc.Raw, err error, e expectation) {
	var got jsonrpc.Raw
	shown := "nothing"
	if err != nil {
		shown = err.Error()
	} else if got = at(raw, e.path); got != nil {
		shown = fixture.Printable(string(got))
	}
	g.verdict(err == nil && e.want.holds(got), e.what, shown, e.want.words)
}

func (g *guide) ending(e ending) {
	g.verdict(len(e.stray) == 0, "standard output holds nothing but the replies",
		fixture.Printable(strings.Join(e.stray, " ")), "nothing more")
	g.verdict(e.status == "exit status 0", "the server exits with 0 at the end of its input",
		e.status, "exit status 0")
}

// verdict counts and prints how one expectation went.
func (g *guide) verdict(ok bool, what, got, want string) {
	if ok {
		g.passed++
		g.out.line(green, "PASS ", what)
		return
	}
	g.failed++
	g.out.line(red, "FAIL ", fmt.Sprintf("%s: got %s, want %s", what, got, want))
}
