package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
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
	o := &discover.ConnectOptions{Client: client, Era: mcp.Eras(r.era), Version: r.version}
	c, verdict, err := discover.Connect(ctx, r.transport(), o)
	if err != nil {
		return nil, &failure{what: "cannot connect to " + r.target.String(), err: err}
	}
	r.client, r.verdict = c, verdict
	return c, nil
}

// clientOptions is what the client can be asked for, and what it shows.
func (r *request) clientOptions() *mcp.ClientOptions {
	o := &mcp.ClientOptions{
		Info:    mcp.Implementation{Name: "isthmus", Version: "1"},
		Timeout: r.timeout,
		Logger:  r.screen.logger(),
		Elicit:  r.elicit, ElicitURL: true,
		Sample: r.sample,
		Log:    r.screen.log,
	}
	if len(r.roots) > 0 {
		o.Roots = r.folders
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
	if r.client == nil {
		return nil
	}
	err := r.client.Close()
	r.client = nil
	r.screen.end()
	if err != nil {
		return &failure{what: "the connection did not end well", err: err}
	}
	return nil
}

func (t target) String() string {
	switch {
	case t.url != "":
		return t.url
	case t.network != "":
		return t.network + ":" + t.socket
	}
	return strings.Join(t.argv, " ")
}

// failure is an error with what was being done.
type failure struct {
	what string
	err  error
}

func (f *failure) Error() string { return f.what + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// errTool: the tool says that its call has failed, and has said why.
var errTool = errors.New("the tool has failed")

// misuse is an error in what the user has given, that shows only beside the server.
type misuse struct{ error }

// explain says how the command ends for an error, and what the user is told: what went
// wrong, and what may help.
func explain(err error) (status int, text string) {
	var (
		wrong    *misuse
		told     *jsonrpc.Error
		rejected *mcp.Rejected
		doing    *failure
	)
	switch {
	case errors.Is(err, errTool):
		return ExitTool, ""
	case errors.As(err, &wrong):
		return ExitUsage, err.Error()
	}
	text = err.Error()
	switch {
	case errors.As(err, &told):
		text = fmt.Sprintf("the server answers with error %d: %s", told.Code, clipped(told.Message))
		if errors.As(err, &doing) {
			text = doing.what + ": " + text
		}
		text += adviceOn(told.Code)
	case errors.As(err, &rejected):
		text += adviceOnStatus(rejected.Status)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		text += "\nIs the name right? The command of the server stands behind --, as a program on the PATH or a path."
	case errors.Is(err, context.DeadlineExceeded):
		text += "\n-timeout gives it longer; mcp wire before the command shows what was said."
	case errors.Is(err, context.Canceled):
		text = "interrupted"
	}
	return ExitProtocol, text
}

// adviceOn is what helps with an error of the server.
func adviceOn(code jsonrpc.Code) string {
	switch code {
	case jsonrpc.MethodNotFound:
		return "\nmcp discover shows what the server offers."
	case jsonrpc.InvalidParams:
		return "\nmcp tools, resources and prompts show the names, and what belongs to each."
	case discover.UnsupportedProtocolVersion:
		return "\nmcp discover shows the versions that it speaks."
	case mcp.MissingRequiredClientCapability:
		return "\nIt needs something of a client that this one does not have: -root for folders, perhaps."
	}
	return ""
}

// adviceOnStatus is what helps with an HTTP status.
func adviceOnStatus(status int) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "\n-header \"Authorization: Bearer TOKEN\" sends a token."
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return "\nIs the path right? It is /mcp for many servers."
	case status >= 500:
		return "\nThat is a fault of the server, or of what stands before it."
	}
	return ""
}
