package client_test

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// program is who uses the client.
type program struct {
	*recording
	ctx context.Context
	c   *mcp.Client
}

// steps are what a program does in each case, the same in every era and over every transport. The
// client is connected before them and closed behind them.
var steps = map[string]func(p *program){
	"connect":  (*program).connect,
	"list":     (*program).list,
	"call":     (*program).call,
	"ask":      (*program).ask,
	"progress": (*program).progress,
	"logging":  (*program).logging,
	"cancel":   (*program).cancel,
	"listen":   (*program).listen,
	"close":    (*program).close,
	"headers":  (*program).headers,
	"resume":   (*program).resume,
	"renew":    (*program).resume,
	"old":      (*program).resume, // over the transport of 2024-11-05
}

// found are the cases in which the era is found out. In the others it is known.
var found = map[string]bool{"connect": true}

// optionsOf are the client's options in a case.
func optionsOf(name string, r *recording) *mcp.ClientOptions {
	o := &mcp.ClientOptions{Info: mcp.Implementation{Name: "transcript", Version: "1.0.0"}}
	switch name {
	case "ask":
		o.Elicit = func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if q.Form.Message == "Gift wrapping?" {
				return nil, mcp.ErrDeclined
			}
			return &mcp.ElicitResult{Action: "accept", Content: jsonrpc.Raw(`{"name":"Ada"}`)}, nil
		}
		o.Sample = func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) {
			return &mcp.SampleResult{SamplingMessage: mcp.SamplingText(mcp.RoleAssistant, "Paris"), Model: "m", StopReason: "endTurn"}, nil
		}
		o.Roots = func(context.Context) ([]mcp.Root, error) {
			return []mcp.Root{{URI: "file:///home/ada", Name: "home"}}, nil
		}
	case "logging":
		o.LogLevel = mcp.LogInfo
		o.Log = func(m *mcp.LogMessageParams) { r.add("# ", fmt.Sprintf("heard %s %s", m.Level, m.Data)) }
	}
	return o
}

// got says what came of something.
func (p *program) got(what any, err error) {
	var told *jsonrpc.Error
	switch {
	case errors.As(err, &told):
		p.remark("  error %d", told.Code)
	case err != nil:
		p.remark("  %v", err)
	default:
		p.remark("  %v", what)
	}
}

func (p *program) connect() {
	p.remark("ping")
	p.got("there", p.c.Ping(p.ctx))
}

func (p *program) list() {
	p.remark("tools")
	for tool, err := range p.c.Tools(p.ctx) {
		p.got(name(tool, func() string { return tool.Name }), err)
	}
	p.remark("resources")
	for r, err := range p.c.Resources(p.ctx) {
		p.got(name(r, func() string { return r.URI }), err)
	}
	p.remark("templates of resources")
	for r, err := range p.c.ResourceTemplates(p.ctx) {
		p.got(name(r, func() string { return r.URITemplate }), err)
	}
	p.remark("prompts")
	for prompt, err := range p.c.Prompts(p.ctx) {
		p.got(name(prompt, func() string { return prompt.Name }), err)
	}
}

// name is that of an entry, which is nil beside an error.
func name[T any](entry *T, of func() string) string {
	if entry == nil {
		return ""
	}
	return of()
}

// text calls a tool and says what it answers.
func (p *program) text(tool string, arguments any, o *mcp.CallOptions) {
	p.remark("call %s", tool)
	text, err := mcp.CallTool[string](p.ctx, p.c, tool, arguments, o)
	p.got(text, err)
}

func (p *program) call() {
	trace := mcp.Meta{"traceparent": jsonrpc.Raw(`"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"`)}
	p.text("add", jsonrpc.Raw(`{"a": 9007199254740993, "b": 1.0}`), &mcp.CallOptions{Meta: trace})
	p.text("fail", nil, nil)
	p.text("nosuch", nil, nil)
	p.remark("read file:///readme")
	r, err := p.c.ReadResource(p.ctx, "file:///readme", nil)
	p.got(r != nil && len(r.Contents) == 1, err)
	p.remark("read file:///gone")
	_, err = p.c.ReadResource(p.ctx, "file:///gone", nil)
	p.got(nil, err)
	p.remark("get the prompt greet")
	_, err = p.c.GetPrompt(p.ctx, "greet", map[string]string{"name": "Ada"}, nil)
	p.got("it", err)
	p.remark("complete its name")
	done, err := p.c.Complete(p.ctx, &mcp.CompleteParams{Prompt: "greet", Argument: "name", Value: "A", Context: map[string]string{"title": "Dr"}}, nil)
	if err == nil {
		p.got(done.Values, nil)
	}
}

func (p *program) ask() { p.text("order", map[string]any{"item": "book"}, nil) }

func (p *program) progress() {
	p.text("slow", nil, &mcp.CallOptions{Progress: func(told mcp.ProgressParams) { p.add("# ", fmt.Sprintf("  at %v", told.Progress)) }})
}

func (p *program) logging() {
	p.text("log", nil, nil)
	p.remark("from warning on")
	p.got("agreed", p.c.SetLogLevel(p.ctx, mcp.LogWarning))
	p.text("log", nil, nil)
}

func (p *program) cancel() {
	p.remark("call slow, and give it up")
	ctx, cancel := context.WithCancel(p.ctx)
	gone := make(chan error)
	go func() {
		_, err := p.c.CallTool(ctx, "slow", nil, nil)
		gone <- err
	}()
	p.remark("now")
	cancel()
	p.got(nil, <-gone)
	p.text("echo", nil, nil)
}

func (p *program) listen() {
	p.remark("listen for tools and file:///readme")
	s, err := p.c.Listen(p.ctx, &mcp.Filter{ToolsListChanged: true, ResourceSubscriptions: []string{"file:///readme"}})
	if err != nil {
		p.got(nil, err)
		return
	}
	honoured := s.Honoured()
	p.remark("  agreed: tools %t, resources %v", honoured.ToolsListChanged, honoured.ResourceSubscriptions)
	heard := 0
	for change := range s.All() {
		p.remark("  %s %s", change.Kind, change.URI)
		if heard++; heard == 2 {
			break
		}
	}
	p.remark("no more of that")
	p.got("ended", s.Close())
	p.remark("listen for prompts, until the server ends it")
	s, err = p.c.Listen(p.ctx, &mcp.Filter{PromptsListChanged: true})
	if err != nil {
		p.got(nil, err)
		return
	}
	if p.c.Era() == mcp.Modern {
		<-s.Done()
	}
	p.got("ended", s.Err())
}

func (p *program) close() {
	p.remark("listen for tools")
	_, err := p.c.Listen(p.ctx, &mcp.Filter{ToolsListChanged: true})
	p.got("agreed", err)
}

func (p *program) headers() {
	p.list()
	p.text("query", jsonrpc.Raw(`{"region":"us-west1","rows":42.0,"all":true,"deep":{"note":"Hello, 世界"}}`), nil)
	p.text("query", jsonrpc.Raw(`{"region":" padded ","rows":null,"deep":{"note":"=?base64?literal?="}}`), nil)
	p.text("новый", nil, nil)
	p.remark("read file:///é")
	_, err := p.c.ReadResource(p.ctx, "file:///é", nil)
	p.got(nil, err)
	p.text("changed", jsonrpc.Raw(`{"region":"eu"}`), nil)
}

func (p *program) resume() { p.text("echo", nil, nil) }

// connects is how a case connects.
func connects(name string, era mcp.Eras, r *recording) *discover.ConnectOptions {
	o := &discover.ConnectOptions{Client: optionsOf(name, r)}
	switch {
	case found[name]:
	case era == mcp.Legacy:
		o.Known = &discover.Verdict{Era: era, Version: "2025-11-25"}
	default:
		o.Known = &discover.Verdict{Era: era, Version: "2026-07-28"}
		o.Era = era
	}
	return o
}
