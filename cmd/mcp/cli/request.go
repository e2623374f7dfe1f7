package cli

import (
	"bufio"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
)

// request is one run of a command.
type request struct {
	settings
	env    *Env
	target target
	argv   []string // behind --
	words  []string // beside the target

	client  *mcp.Client
	server  atomic.Int64 // the process that was started last; 0 for none
	verdict *discover.Verdict
	screen  screen
	away    atomic.Bool            // the server cannot be reached at the moment, as the user was told
	wrong   atomic.Pointer[misuse] // what is wrong with -answer, as a question has shown

	answered sync.Map       // the names of what was taken of -answer
	tapping  sync.Mutex     // held while what passes is shown
	dialogue chan struct{}  // holds one while the user is asked: one thing at a time
	input    *bufio.Reader  // of the user; nil before the first line
	typing   chan typedLine // the line that is being read; nil for none
}

// connect connects to the target.
func (r *request) connect(ctx context.Context) (*mcp.Client, error) {
	r.screen.init(r)
	return r.connectAs(ctx, r.clientOptions())
}

// connectAs connects a client with these options.
func (r *request) connectAs(ctx context.Context, client *mcp.ClientOptions) (*mcp.Client, error) {
	o := &discover.ConnectOptions{
		Client: client, Era: mcp.Eras(r.era), Version: r.version,
		ProbeTime: r.probeTime(), HandshakeTime: r.timeout,
	}
	inTime, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	r.screen.garbage.limit(giveUp)
	defer r.screen.garbage.limit(nil)
	c, verdict, err := discover.Connect(inTime, r.transport(), o)
	if err != nil {
		if context.Cause(inTime) == errGarbage {
			err = errGarbage
		}
		return nil, &unreached{r.target, err, r.screen.garbage.begins()}
	}
	r.client, r.verdict = c, verdict
	return c, nil
}

// probeTime is how long the server may take to show that it speaks the modern era: as long as
// for any answer where no other era is wanted, else no longer than it would be waited for
// without -timeout.
func (r *request) probeTime() time.Duration {
	const usual = 5 * time.Second
	if mcp.Eras(r.era) == mcp.Modern || slices.Contains(discover.Versions(), r.version) {
		return r.timeout
	}
	return min(r.timeout, usual)
}

// clientOptions is what the client can be asked for, and what it shows.
func (r *request) clientOptions() *mcp.ClientOptions {
	o := &mcp.ClientOptions{
		Info:    mcp.Implementation{Name: "isthmus", Version: "1"},
		Timeout: r.timeout, MaxTimeout: -1, // the user is there to end it
		Logger: r.screen.logger(),
		Elicit: r.elicit, ElicitURL: true,
		Sample: r.sample,
		Log:    r.screen.log,
	}
	if len(r.roots) > 0 {
		o.Roots = r.listRoots
	}
	if r.level != "" {
		o.LogLevel, _ = mcp.ParseLogLevel(r.level)
	}
	return o
}

// callOptions are those of a request that may take long.
func (r *request) callOptions() *mcp.CallOptions {
	return &mcp.CallOptions{Progress: r.screen.progress()}
}

// close ends the connection. What the server has told before is shown when it returns, so a
// command calls it before it prints a result. The second call does nothing.
func (r *request) close() error {
	defer r.screen.close()
	if r.client == nil {
		return nil
	}
	err := r.client.Close()
	r.client = nil
	if err != nil && !r.away.Load() {
		return &failure{what: "the connection did not end well", err: err}
	}
	return nil
}
