package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/load"
)

// bench is one run of mcp bench.
type bench struct {
	*request
	call  *benchCall
	sides []*side // one, or two that take turns
}

// side is a target under load, and what was measured of it.
type side struct {
	*request
	version string // that is spoken
	load    *load.Load
	total   load.Round // of all rounds
	rounds  []round

	serverCPU, clientCPU time.Duration
	memory               int64
	noServer, noClient   error // why their use is not known
}

// round is what is compared of one round.
type round struct {
	requests                             int
	rate, p50, p99, serverCPU, clientCPU float64
}

// errNotOurs is why nothing is known of a server that was there before.
var errNotOurs = errors.New("this command has not started the server")

// run connects, learns the answer, warms up and measures.
func (b *bench) run(ctx context.Context) error {
	for _, s := range b.sides {
		c, err := s.connectAs(ctx, s.plainOptions())
		if err != nil {
			return err
		}
		s.version = c.ProtocolVersion()
	}
	var err error
	if b.call, err = b.chooseCall(ctx); err != nil {
		return err
	}
	for _, s := range b.sides {
		if err := s.prepare(ctx, b.call); err != nil {
			return err
		}
	}
	b.compareAnswers()
	defer b.watch()()
	for i := range b.bench.rounds {
		for j := range b.sides {
			if err := b.sides[(i+j)%len(b.sides)].measure(ctx, b.bounds(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareAnswers warns when the two sides do not do the same.
func (b *bench) compareAnswers() {
	if len(b.sides) < 2 || load.Same(b.sides[0].load.Want(), b.sides[1].load.Want()) {
		return
	}
	fmt.Fprintln(b.env.Err, "mcp bench: the two give different answers, so the ratios may be of different work:")
	for _, s := range b.sides {
		fmt.Fprintf(b.env.Err, "  %s: %s\n", s.target, brief(string(s.load.Want())))
	}
}

// plainOptions are those of a client that asks for each answer anew and can be asked for nothing.
func (s *side) plainOptions() *mcp.ClientOptions {
	full := s.clientOptions()
	return &mcp.ClientOptions{Info: full.Info, Timeout: full.Timeout, Logger: full.Logger, CacheEntries: -1}
}

// prepare learns the answer, and warms up.
func (s *side) prepare(ctx context.Context, what *benchCall) (err error) {
	if what.tool != "" {
		// The list tells the client what belongs to the tool.
		if _, err := schemaOf(ctx, s.client, what.tool); err != nil {
			return err
		}
	}
	if s.load, err = load.New(ctx, what.ask(s.client)); err != nil {
		return &failure{what: fmt.Sprintf("the first request to %s, %s, has failed", s.target, what), err: err}
	}
	if s.bench.warmUp > 0 {
		if _, err := s.load.Run(ctx, load.Bounds{InFlight: s.bench.inFlight, Time: s.bench.warmUp}); err != nil {
			return s.wrong(err)
		}
	}
	return nil
}

// bounds are those of a round: its share of the time and of the requests.
func (b *bench) bounds(i int) load.Bounds {
	rounds := b.bench.rounds
	long := b.bench.long / time.Duration(rounds)
	if b.bench.long > 0 {
		long = max(long, 1) // 0 is no bound
	}
	return load.Bounds{
		InFlight: b.bench.inFlight,
		Time:     long,
		Count:    (b.count + i) / rounds,
	}
}

// measure runs a round and keeps what it tells.
func (s *side) measure(ctx context.Context, bounds load.Bounds) error {
	server, client := s.used(), s.self()
	got, err := s.load.Run(ctx, bounds)
	if err != nil {
		return s.wrong(err)
	}
	clientCPU, after := s.self()-client, s.used()
	serverCPU := after.CPU - server.CPU
	s.memory = after.Memory
	s.serverCPU += serverCPU
	s.clientCPU += clientCPU
	s.rounds = append(s.rounds, round{
		requests:  got.Requests,
		rate:      got.Rate(),
		p50:       float64(got.Latency.Quantile(0.5)),
		p99:       float64(got.Latency.Quantile(0.99)),
		serverCPU: each(serverCPU, got.Requests),
		clientCPU: each(clientCPU, got.Requests),
	})
	t := &s.total
	if t.Err == nil {
		t.Err = got.Err
	}
	t.Requests += got.Requests
	t.Errors += got.Errors
	t.Took += got.Took
	t.Latency.Merge(&got.Latency)
	return nil
}

// each is what one of so many requests has taken, in nanoseconds.
func each(cpu time.Duration, requests int) float64 {
	return float64(cpu) / float64(max(requests, 1))
}

// used is what the server has used so far.
func (s *side) used() load.Usage {
	pid := s.server.Load()
	if pid == 0 {
		s.noServer = errNotOurs
		return load.Usage{}
	}
	usage, err := load.Group(int(pid)) // it is the first of a group of its own
	if err != nil {
		s.noServer = err
	}
	return usage
}

// self is the processor time of this process so far.
func (s *side) self() time.Duration {
	cpu, err := load.Self()
	if err != nil {
		s.noClient = err
	}
	return cpu
}

// watch shows on a terminal how far it is, until the function that it returns is called.
func (b *bench) watch() (end func()) {
	show := b.screen.progress()
	if show == nil {
		return func() {}
	}
	began, stop := time.Now(), make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				show(b.progress(time.Since(began)))
			case <-stop:
				return
			}
		}
	})
	return func() {
		close(stop)
		watching.Wait()
	}
}

// progress is how far it is: by the time, or by the requests when those are bounded alone.
func (b *bench) progress(after time.Duration) mcp.ProgressParams {
	var done int64
	for _, s := range b.sides {
		done += s.load.Done()
	}
	at, total := after.Seconds(), b.bench.long.Seconds()*float64(len(b.sides))
	if b.bench.long == 0 {
		at, total = float64(done), float64(b.count*len(b.sides))
	}
	return mcp.ProgressParams{Progress: at, Total: &total, Message: fmt.Sprintf("%d answers", done)}
}
