package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"isthmus.internal/jsonrpc"
)

// Rounds is what one request has asked, been answered and done so far, over all the
// times that its handler has run: the rounds. Exchanges carry it from one to the next
// ([Asker]); handlers see it through the methods of [Call] alone. Its methods may be
// called from several goroutines at once.
type Rounds struct {
	mu sync.Mutex

	// Of the rounds so far:
	count     int                    // how many there were
	answers   map[string]jsonrpc.Raw // found good, by key
	posed     map[string]jsonrpc.Raw // which questions the client was asked: digests, by key
	bound     bool                   // responses are to those alone
	done      map[string]jsonrpc.Raw // results of [Once]
	required  map[string]Inquiry     // what RequireInput has asked for last
	kept      []byte                 // what RequireInput has been given to keep
	responses map[string]jsonrpc.Raw // that came with this round, by key
	where     string                 // the name of responses in the request, "" when they are not in it

	// Of this run of the handler:
	asked   map[string]Inquiry       // what stands under each key
	busy    map[string]bool          // keys that wait for an answer
	open    []Inquiry                // what the client has to answer
	input   []Question               // those of RequireInput among them
	suspend bool                     // the run needs another one
	keep    []byte                   // for the next round
	refusal *jsonrpc.Error           // the request came with an answer that is none
	running map[string]chan struct{} // keys of Once at work

	// after is [Call.afterRun] once the handler has asked. It is set by what handlers
	// call to ask, so that a program which never asks has nothing of all this in it.
	after func(c *Call, ctx context.Context, reply Reply, err error) (bool, Reply, error)
}

// errNoQuestions refuses questions where the protocol has none.
var errNoQuestions = errors.New("mcp: only the handlers of tools, prompts and resources can ask the client, and only until they return (2026-07-28 basic/patterns/mrtr, Supported Requests)")

// inRounds is the handler of a request that may ask its client (2026-07-28
// basic/patterns/mrtr, Supported Requests).
func inRounds(run Handler) Handler {
	return func(ctx context.Context, c *Call) (Reply, error) { return c.inRounds(ctx, run) }
}

func (c *Call) inRounds(ctx context.Context, run Handler) (Reply, error) {
	if c.asked.Asker == nil {
		return run(ctx, c)
	}
	retried, err := c.beginRounds()
	if err != nil {
		return Reply{}, err
	}
	defer c.giveUpAsking()
	for {
		reply, err := run(ctx, c)
		if reply.cache != nil && retried {
			// It depends on what is no part of a cache's key (2026-07-28
			// server/utilities/caching, Cache Key).
			reply.cache = &CacheHint{}
		}
		after := c.whatFollows()
		if after == nil {
			return reply, err
		}
		again, reply, err := after(c, ctx, reply, err)
		if !again {
			return reply, err
		}
	}
}

// beginRounds lets the handler ask, and reports whether the request is a retry. Where
// middleware has called the handler before, what was answered and done then counts.
func (c *Call) beginRounds() (retried bool, err error) {
	rounds := c.knownRounds()
	if rounds == nil {
		if rounds, err = c.asked.Asker.Resume(c.server, &c.asked); err != nil {
			return false, err
		}
	} else {
		rounds.again()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mayAsk, c.rounds = true, rounds
	return rounds != nil && rounds.where != "", nil
}

// again forgets what belongs to one run of the handler.
func (r *Rounds) again() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetRunLocked()
}

func (r *Rounds) forgetRunLocked() {
	r.asked, r.open, r.input, r.suspend, r.keep, r.refusal = nil, nil, nil, false, nil, nil
}

// afterRun decides what becomes of a run: it stands, or lacks input. Where the client
// has to bring it with a retry, the reply says so; else it is asked here, and the
// handler runs again.
func (c *Call) afterRun(ctx context.Context, reply Reply, err error) (again bool, _ Reply, _ error) {
	r := c.knownRounds()
	r.mu.Lock()
	refusal, suspend, open, input := r.refusal, r.suspend, r.open, r.input
	r.mu.Unlock()
	switch {
	case refusal != nil:
		return false, Reply{}, refusal
	case !suspend:
		return false, reply, c.tellAsked(err)
	case ctx.Err() != nil:
		return false, Reply{}, ctx.Err()
	}
	answers, err := c.putRound(ctx, r, open)
	if errors.Is(err, ErrInputRequired) {
		reply, err := c.asked.Asker.Suspend(c.server, &c.asked, r)
		return false, reply, err
	}
	if err == nil {
		err = r.next(input, open, answers)
	}
	if err != nil {
		reply, err := c.fail(ctx, err)
		return false, reply, err
	}
	return true, Reply{}, nil
}

// fail is what becomes of an error that a handler would have returned, had it been
// there.
func (c *Call) fail(ctx context.Context, err error) (Reply, error) {
	var protocol *jsonrpc.Error
	if c.Method() != "tools/call" || errors.As(err, &protocol) || ctx.Err() != nil {
		return Reply{}, c.tellAsked(err)
	}
	return Reply{body: ErrorResult(err.Error())}, nil
}

// whatFollows is nil when the handler has not asked anything.
func (c *Call) whatFollows() func(*Call, context.Context, Reply, error) (bool, Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rounds == nil {
		return nil
	}
	return c.rounds.after
}

// knownRounds is nil when nothing was asked, nor came with the request.
func (c *Call) knownRounds() *Rounds {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rounds
}

// openRounds is where a handler's questions go.
func (c *Call) openRounds() (*Rounds, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.mayAsk || c.ended {
		return nil, errNoQuestions
	}
	if c.rounds == nil {
		c.rounds = &Rounds{}
	}
	c.rounds.after = (*Call).afterRun
	c.server.holdStates()
	return c.rounds, nil
}

// next begins another round, in which the handler finds the answers to what it has
// required.
func (r *Rounds) next(questions []Question, open []Inquiry, answers []Answer) error {
	responses := make(map[string]jsonrpc.Raw)
	for i, a := range answers {
		if a.Refusal != nil {
			if err := questions[i].refused(open[i], a.Refusal); err != nil {
				return err
			}
			return ErrDeclined // there is no answer that the handler could look at
		}
		if bad := questions[i].take(a.Result); bad != nil {
			return r.refuse(open[i].Key, "", bad)
		}
		responses[open[i].Key] = a.Result
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posed, r.bound = r.posedLocked(), true
	r.responses, r.kept = responses, r.keep
	r.forgetRunLocked()
	return nil
}

func tooManyRounds(most int) error {
	return jsonrpc.Errorf(jsonrpc.InternalError, "The request has asked for input %d times, which is the most", most)
}

// given is an answer, and where it stands in the request.
type given struct {
	result jsonrpc.Raw
	where  string
	other  bool // there is one, to another question
}

// claim looks for the answer to a question, and has its key wait for one if there is
// none. [Rounds.release] ends that. An answer to another question is forgotten.
func (r *Rounds) claim(in Inquiry) (answer given, known bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.noteLocked(in); err != nil {
		return given{}, false, err
	}
	known = r.isForLocked(in)
	if result, ok := r.answers[in.Key]; ok && known {
		return given{result: result}, true, nil
	}
	result, ok := r.responses[in.Key]
	if ok && known {
		return given{result: result, where: r.where}, true, nil
	}
	if _, answered := r.answers[in.Key]; answered {
		delete(r.answers, in.Key)
		ok = true
	}
	if r.busy[in.Key] {
		return given{}, false, fmt.Errorf("mcp: the question %q is being asked already: give each question a key of its own", in.Key)
	}
	put(&r.busy, in.Key, true)
	return given{other: ok}, false, nil
}

// noteLocked notes which question stands under a key in this run.
func (r *Rounds) noteLocked(in Inquiry) error {
	if before, ok := r.asked[in.Key]; ok && !before.isLike(in) {
		return fmt.Errorf("mcp: the key %q stands for another question already: give each question a key of its own", in.Key)
	}
	put(&r.asked, in.Key, in)
	return nil
}

// isLike reports whether two inquiries are the same question.
func (in Inquiry) isLike(other Inquiry) bool {
	return in.Method == other.Method && string(in.likeness()) == string(other.likeness())
}

func (in Inquiry) likeness() jsonrpc.Raw {
	if in.alike != nil {
		return in.alike
	}
	return in.Params
}

func (r *Rounds) release(open []Inquiry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range open {
		delete(r.busy, in.Key)
	}
}

// accept takes what the client has answered.
func (r *Rounds) accept(q Question, in Inquiry, a Answer) error {
	if a.Refusal != nil {
		return q.refused(in, a.Refusal)
	}
	return r.settle(q, in, given{result: a.Result})
}

// settle gives an answer to the question, and remembers it if it is one.
func (r *Rounds) settle(q Question, in Inquiry, a given) error {
	if bad := q.take(a.result); bad != nil {
		return r.refuse(in.Key, a.where, bad)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.answers[in.Key]; !ok {
		put(&r.answers, in.Key, bytes.Clone(a.result))
		put(&r.posed, in.Key, in.digest())
	}
	return nil
}

// refuse makes the error of an answer that is none. One that came with the request
// makes that request a bad one.
func (r *Rounds) refuse(key, where string, bad badAnswer) error {
	e := &InvalidAnswer{Key: key, Reason: strings.TrimLeft(bad(""), ". ")}
	if where != "" {
		e.told = &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: bad(where + step([]byte(key)))}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.refusal = e.told
	}
	return e
}

// want notes that the client has to answer before the request can be. A question that is
// asked twice in one run is put to it once.
func (r *Rounds) want(open []Inquiry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.suspend = true
	for _, in := range open {
		if !r.isOpenLocked(in.Key) {
			r.open = append(r.open, in)
		}
	}
}

func (r *Rounds) isOpenLocked(key string) bool {
	return slices.ContainsFunc(r.open, func(in Inquiry) bool { return in.Key == key })
}

// put makes the map if there is none yet.
func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[key] = value
}
