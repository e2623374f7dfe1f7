package mcp

import (
	"context"
	"log/slog"
	"time"

	"isthmus.internal/jsonrpc"
)

// ClientOptions are what a client says of itself, what it can be asked for, and its
// bounds. A nil pointer, and every zero field, means the default that the field's comment
// gives. The functions in it are called as [Client] says.
type ClientOptions struct {
	// Info is what the client says of itself. Defaults: the name "isthmus", the version "0".
	Info Implementation

	// Logger takes what nobody is told otherwise: entries of lists that cannot be read,
	// tools that are left out, handlers that have failed. Default: nothing is logged.
	Logger *slog.Logger

	// Timeout is how long a request may go without an answer. Each notification of
	// progress gives it that time anew, up to MaxTimeout from its start (2025-11-25
	// basic/lifecycle, Timeouts), and so does an answer of the client's to what the server
	// has asked: while such a question is open no time is over. Defaults: 60 seconds and 10
	// minutes; less than 0 means no such bound.
	Timeout, MaxTimeout time.Duration

	// MaxRounds bounds how often a server may ask for input before it answers one request
	// (2026-07-28 basic/patterns/mrtr). Default: 8; less than 0 means that it may not ask.
	MaxRounds int

	// Elicit has the user fill in a form. ElicitURL says that it can show pages, too
	// (2026-07-28 client/elicitation). An error that [ErrDeclined] or [ErrCancelled]
	// matches is the user's answer; of any other one the server hears only that there was
	// one. Several may run at once. Default: the server is told that the user cannot be
	// asked.
	Elicit    func(context.Context, *ElicitRequest) (*ElicitResult, error)
	ElicitURL bool

	// Sample has a language model go on (2026-07-28 client/sampling). SampleTools says that
	// it heeds tools and toolChoice, SampleContext that it heeds includeContext. Errors are
	// as those of Elicit. Default: the server is told that there is no model.
	Sample                     func(context.Context, *SampleRequest) (*SampleResult, error)
	SampleTools, SampleContext bool

	// Roots gives the folders that the server may work in (2026-07-28 client/roots).
	// RootsListChanged says that the server is told when they change, by
	// [Client.RootsChanged]. Default: the server is told that there are none to ask for.
	Roots            func(context.Context) ([]Root, error)
	RootsListChanged bool

	// Arrived is called as soon as a request of a legacy server has come, before anything behind it
	// is looked at, such as the answer to a call. Elicit, Sample and Roots get the context that it
	// returns, which is ctx or made of that. It must return at once. It is for programs that have
	// to know which of their calls were under way then. Default: they get ctx.
	Arrived func(ctx context.Context) context.Context

	// LogLevel is the least grave level of messages that the server is asked for, and Log
	// takes them (2026-07-28 server/utilities/logging). Defaults: none, and they go to
	// Notice. See [Client.SetLogLevel].
	LogLevel LogLevel
	Log      func(*LogMessageParams)

	// Changed takes each change that the server tells of, whoever has asked for it.
	// Default: changes go to the subscriptions alone ([Client.Listen]).
	Changed func(Change)

	// Notice takes the notifications that nothing else takes, such as those of extensions.
	// params is nil when there are none, and the function's to keep. Default: they are
	// dropped.
	Notice func(method string, params jsonrpc.Raw)

	// Extensions and Experimental are declared among the capabilities: settings objects by
	// name. Default: none.
	Extensions, Experimental map[string]jsonrpc.Raw

	// CacheEntries and CacheBytes bound the results that are kept for as long as the
	// server lets them be (2026-07-28 server/utilities/caching). Defaults: 1024 and 16 MiB;
	// less than 0 for either means that nothing is kept.
	CacheEntries, CacheBytes int

	// NoOutputCheck: structured results are not held against the output schemas of their
	// tools. Default: they are, as far as the client has seen the schema in a list; see
	// [Client.CallTool].
	NoOutputCheck bool
}

func (o *ClientOptions) info() Implementation {
	i := o.Info
	if i.Name == "" {
		i.Name = "isthmus"
	}
	if i.Version == "" {
		i.Version = "0"
	}
	return i
}

func (o *ClientOptions) logger() *slog.Logger {
	if o.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Logger
}

func (o *ClientOptions) rounds() int {
	switch {
	case o.MaxRounds == 0:
		return 8
	case o.MaxRounds < 0:
		return 0
	}
	return o.MaxRounds
}

// capabilities is what the handlers that there are can be asked for.
func (o *ClientOptions) capabilities() ClientCapabilities {
	k := ClientCapabilities{Experimental: o.Experimental, Extensions: o.Extensions}
	if o.Elicit != nil {
		k.Elicitation = &ElicitationCapability{Form: true, URL: o.ElicitURL}
	}
	if o.Sample != nil {
		k.Sampling = &SamplingCapability{Tools: o.SampleTools, Context: o.SampleContext}
	}
	if o.Roots != nil {
		k.Roots = &RootsCapability{ListChanged: o.RootsListChanged}
	}
	return k
}

// CallOptions say more about one request. A nil pointer, and every zero field, means the
// default that the field's comment gives, or that of the client.
type CallOptions struct {
	// Timeout and MaxTimeout stand in place of those of [ClientOptions]. Less than 0 means
	// no such bound.
	Timeout, MaxTimeout time.Duration

	// Progress is told how far the request is, as often as the server says so (2026-07-28
	// basic/patterns/progress). It has been told of all that came before the answer when the
	// request returns, unless that has waited for it as long as Timeout. Default: the server
	// is not asked to tell.
	Progress func(ProgressParams)

	// Meta is what _meta of the request holds beside what the protocol puts there, trace
	// context for example. Default: nothing.
	Meta Meta

	// Fresh: the answer comes from the server, whatever is kept of an earlier one. Default:
	// what is kept and fresh is the answer.
	Fresh bool
}

func (o *CallOptions) meta() Meta {
	if o == nil {
		return nil
	}
	return o.Meta
}

func (o *CallOptions) progress() func(ProgressParams) {
	if o == nil {
		return nil
	}
	return o.Progress
}

func (o *CallOptions) fresh() bool { return o != nil && o.Fresh }

// timeout is how long the request may go without a sign of the server; 0 for no bound.
func (o *CallOptions) timeout(c *ClientOptions) time.Duration {
	if o != nil && o.Timeout != 0 {
		return max(0, o.Timeout)
	}
	return bound(c.Timeout, 60*time.Second)
}

// maxTimeout is how long the request may take altogether; 0 for no bound.
func (o *CallOptions) maxTimeout(c *ClientOptions) time.Duration {
	if o != nil && o.MaxTimeout != 0 {
		return max(0, o.MaxTimeout)
	}
	return bound(c.MaxTimeout, 10*time.Minute)
}

// bound is a time of the user's, or what stands for none given; 0 for no bound.
func bound(given, otherwise time.Duration) time.Duration {
	if given == 0 {
		return otherwise
	}
	return max(0, given)
}
