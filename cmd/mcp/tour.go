package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/testfixtures/fixture"
)

// A tour is a list of sections. Each section is the life of one server process:
// the steps of its parts in turn, then the end of its input.
type section struct {
	title  string
	server string   // its name, as it tells it
	args   []string // for its command
	parts  [][]*step
}

// step is one message to the server and what has to come back.
type step struct {
	send string
	// answer makes send of what came last of all that the step before has waited for.
	answer func(last jsonrpc.Raw) string
	// id is that of the reply, where it is not that of send.
	id string
	// kind is the member that the reply has to hold, "result" or "error". It is
	// empty when the step is not to wait for a reply.
	kind   string
	expect []expectation
	// headers stand in place of those that HTTP would carry the message with.
	headers []string
	// also has to come besides, before the reply or behind it.
	also []arrival
}

// arrival is a notification or a request of the server's. Several of one method have to
// come in their order.
type arrival struct {
	method string
	expect []expectation
}

// expectation is what one place in the reply has to be.
type expectation struct {
	what string // in words, for the line that tells how it went
	path string // where in the reply: see at
	want want
	text string // that want holds it against
}

// guide runs sections and counts.
type guide struct {
	ctx      context.Context // ends the tour before its time
	out      *printer
	deadline time.Duration       // for each step
	commands map[string][]string // by name of the server
	web      bool                // over HTTP

	last           jsonrpc.Raw // see step.answer
	passed, failed int
}

// run goes through the sections and reports whether everything was as expected. A tour that
// is interrupted counts nothing, and no server is left.
func (g *guide) run(sections []section) bool {
	for _, s := range sections {
		g.section(s)
		if g.ctx.Err() != nil {
			return false
		}
	}
	g.out.line(plain, "", fmt.Sprintf("%d expectations: %d passed, %d failed",
		g.passed+g.failed, g.passed, g.failed))
	return g.failed == 0
}

func (g *guide) section(s section) {
	g.out.line(bold, s.title, "")
	c, err := g.start(slices.Concat(g.commands[s.server], s.args))
	if err != nil {
		g.verdict(false, "the server starts", err.Error(), "a running process")
		g.out.line(plain, "", "")
		return
	}
	g.greeting(c, s.server)
	for _, part := range s.parts {
		for _, step := range part {
			if g.ctx.Err() == nil {
				g.step(c, step)
			}
		}
	}
	g.ending(c.close())
	g.out.line(plain, "", "")
}

// start starts a server.
func (g *guide) start(argv []string) (server, error) {
	say := func(line string) { g.out.line(faint, "  | "+fixture.Printable(line), "") }
	if g.web {
		return serveWeb(g.ctx, append(argv, "-http", "127.0.0.1:0"), g.deadline, say)
	}
	return start(g.ctx, argv, g.deadline, say)
}

// greeting takes in the ready line. A person who starts a server by hand has
// nothing else that says it is there.
func (g *guide) greeting(c server, name string) {
	line, err := c.greeting()
	if err != nil {
		line = err.Error()
	}
	ok := err == nil && strings.HasPrefix(line, name+" ") && strings.Contains(line, "ready")
	g.verdict(ok, "a line on standard error says that the server is ready", line, name+" … ready …")
}

func (g *guide) step(c server, s *step) {
	if s.answer != nil {
		s.send = s.answer(g.last)
	}
	g.out.line(faint, "--> ", s.send)
	err := c.send(s.send, s.headers...)
	came := arrivals{due: s.also, raws: make([]jsonrpc.Raw, len(s.also)), wantsReply: s.kind != ""}
	if err == nil {
		err = g.await(c, &came)
	}
	if s.kind != "" {
		id := jsonrpc.Raw(s.id)
		if s.id == "" {
			id = at(jsonrpc.Raw(s.send), "id")
		}
		g.checkAll(came.reply, err, expectation{
			what: fmt.Sprintf("the reply has id %s and one %s", id, s.kind),
			want: reply,
			text: s.kind + " " + string(id),
		}, s.expect)
	}
	for i, a := range s.also {
		g.checkAll(came.raws[i], err, expectation{
			what: "there is a message " + a.method,
			path: "method",
			text: quote(a.method),
		}, a.expect)
	}
}

// arrivals are what a step waits for, and what has come of it.
type arrivals struct {
	due        []arrival
	raws       []jsonrpc.Raw // of due, nil where it is missing
	wantsReply bool
	reply      jsonrpc.Raw
}

// complete reports whether there is nothing left to wait for.
func (a *arrivals) complete() bool {
	return (a.reply != nil || !a.wantsReply) && !slices.ContainsFunc(a.raws, func(raw jsonrpc.Raw) bool { return raw == nil })
}

// take finds the place of a message. It reports false when the message is a reply that
// is not waited for.
func (a *arrivals) take(raw jsonrpc.Raw) bool {
	method := at(raw, "method")
	for i, due := range a.due {
		if a.raws[i] == nil && method.Is(due.method) {
			a.raws[i] = raw
			return true
		}
	}
	if method != nil && at(raw, "id") == nil {
		return true // a server may send notifications at any time
	}
	if a.reply != nil || !a.wantsReply {
		return false
	}
	a.reply = raw
	return true
}

// await takes in messages until all that is due has come, or what cannot be.
func (g *guide) await(c server, a *arrivals) error {
	for until := time.Now().Add(g.deadline); !a.complete(); {
		line, err := c.receive(until)
		if err != nil {
			return err
		}
		g.out.line(faint, "<-- ", fixture.Printable(line))
		raw := jsonrpc.Raw(line)
		if !a.take(raw) {
			return errors.New("a reply that was not waited for")
		}
		g.last = raw
	}
	return nil
}

// checkAll holds a message against what it is and what else is expected of it.
func (g *guide) checkAll(raw jsonrpc.Raw, err error, first expectation, more []expectation) {
	if raw != nil {
		err = nil // it came before what went wrong
	}
	g.check(raw, err, first)
	for _, e := range more {
		g.check(raw, err, e)
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
	g.verdict(err == nil && e.want.holds(e.text, got), e.what, shown, e.want.words(e.text))
}

func (g *guide) ending(e ending) {
	g.verdict(len(e.stray) == 0, "standard output holds nothing but the replies",
		fixture.Printable(strings.Join(e.stray, " ")), "nothing more")
	g.verdict(e.status == "exit status 0", "the server exits with 0 "+e.asked,
		e.status, "exit status 0")
}

// verdict counts and prints how one expectation went. What comes of an interrupted tour says
// nothing about the server.
func (g *guide) verdict(ok bool, what, got, want string) {
	if g.ctx.Err() != nil {
		return
	}
	if ok {
		g.passed++
		g.out.line(green, "PASS ", what)
		return
	}
	g.failed++
	g.out.line(red, "FAIL ", fmt.Sprintf("%s: got %s, want %s", what, got, want))
}
