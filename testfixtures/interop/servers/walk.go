package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// longestStep is how long a step may take, many times what it does take.
const longestStep = time.Minute

// walk is a client on its way through a server.
type walk struct {
	*heard
	ctx     context.Context // of the step
	run     run
	dir     string // a folder of the run's own
	url     string // of the server, over HTTP
	c       *mcp.Client
	verdict *discover.Verdict
}

// outcome is how a run went.
type outcome struct {
	run
	spoke  string
	done   int // steps that were taken
	faults []string
}

// total is how many steps there are.
func (o *outcome) total() int { return len(steps) }

func (o *outcome) fault(format string, args ...any) {
	o.faults = append(o.faults, o.label()+": "+fmt.Sprintf(format, args...))
}

// through takes all steps of a run.
func through(ctx context.Context, r run, s *started, dir string) outcome {
	o := outcome{run: r}
	w := &walk{heard: newHeard(), run: r, dir: dir, url: s.url}
	era := mcp.Both // which has to be found, where it is the newest that the server speaks
	if r.era != r.server.eras[0] {
		era = mcp.Legacy
	}
	connecting, cancel := context.WithTimeout(ctx, longestStep)
	var err error
	w.c, w.verdict, err = discover.Connect(connecting, s.transport, &discover.ConnectOptions{Client: w.options(dir), Era: era})
	cancel()
	if err != nil {
		o.fault("connect: %v", err)
		return o
	}
	defer w.c.Close()
	o.spoke = w.c.ProtocolVersion()
	if want := revisions[r.era]; o.spoke != want || r.transport == sse && o.spoke != revisions[legacy] {
		o.fault("it speaks %q, want %q: %s", o.spoke, want, w.verdict)
	}
	for _, s := range steps {
		if err := w.take(ctx, s.name); err != nil {
			o.fault("%s: %v", s.name, err)
		} else if r.lacks(s.name) == "" {
			o.done++
		}
	}
	return o
}

// take takes one step, or sees that the server has no such thing.
func (w *walk) take(ctx context.Context, name string) error {
	var cancel context.CancelFunc
	w.ctx, cancel = context.WithTimeout(ctx, longestStep)
	defer cancel()
	if w.run.lacks(name) != "" {
		return w.refused(name)
	}
	return w.run.server.steps[name](w)
}

// requests are what shows that a server lacks what a step is about, as far as there is
// a method for it.
var requests = map[string]string{
	"ping":           "ping",
	"list resources": "resources/list",
	"read":           "resources/read",
	"list prompts":   "prompts/list",
	"prompt":         "prompts/get",
	"complete":       "completion/complete",
	"log":            "logging/setLevel",
	"subscribe":      "resources/subscribe",
}

// refused makes a request that the server has to answer with -32601.
func (w *walk) refused(step string) error {
	method := requests[step]
	if method == "" {
		return nil
	}
	result, err := w.c.Do(w.ctx, method, nil, nil)
	return wantCode(string(result), err, jsonrpc.MethodNotFound)
}

// call calls a tool, which must not fail.
func (w *walk) call(tool string, arguments any) (*mcp.Result, error) {
	r, err := w.c.CallTool(w.ctx, tool, arguments, nil)
	if err == nil && r.IsError {
		err = fmt.Errorf("%s has failed: %s", tool, textOf(r))
	}
	return r, err
}

// says calls a tool, which has to answer with this text.
func (w *walk) says(tool string, arguments any, want string) error {
	r, err := w.call(tool, arguments)
	if err != nil {
		return err
	}
	return same(tool, textOf(r), want)
}

// fails calls a tool, which has to fail with a text that has this part.
func (w *walk) fails(tool string, arguments any, part string) error {
	r, err := w.c.CallTool(w.ctx, tool, arguments, nil)
	switch {
	case err != nil:
		return err
	case !r.IsError || !strings.Contains(textOf(r), part):
		return fmt.Errorf("%s: got %q, failed: %t, want a failure with %q", tool, textOf(r), r.IsError, part)
	}
	return nil
}

// object is the arguments of a tool.
type object = map[string]any

// textOf is all text in a result.
func textOf(r *mcp.Result) string {
	var all []string
	for _, block := range r.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return strings.Join(all, "\n")
}

// same compares.
func same(what string, got, want any) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s: got %+v, want %+v", what, got, want)
	}
	return nil
}

// wantCode wants an error with this code.
func wantCode(result any, err error, code jsonrpc.Code) error {
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != code {
		return fmt.Errorf("got %v, %v, want the error %d", result, err, code)
	}
	return nil
}

// identity compares what a server says of itself.
func (w *walk) identity(name, version, title, instructions string, capabilities mcp.ServerCapabilities) error {
	d, err := w.c.Discover(w.ctx)
	if err != nil {
		return err
	}
	info, bad := mcp.ReadImplementation(d.Meta[mcp.MetaServerInfo], "")
	if bad != nil {
		return bad
	}
	got := d.Capabilities
	got.Other = nil
	return errors.Join(
		same("name", info.Name+" "+info.Version+" "+info.Title, name+" "+version+" "+title),
		same("capabilities", got, capabilities),
		same("instructions", strings.HasPrefix(d.Instructions, instructions), true),
		same("the era", w.c.Era().String()+w.verdict.Era.String(), w.run.era+w.run.era),
	)
}

// toolNames are those of all pages.
func (w *walk) toolNames() ([]string, error) {
	var names []string
	for tool, err := range w.c.Tools(w.ctx) {
		if err != nil {
			return nil, err
		}
		names = append(names, tool.Name)
	}
	return names, nil
}

// tool finds one.
func (w *walk) tool(name string) (*mcp.Tool, error) {
	for tool, err := range w.c.Tools(w.ctx) {
		if err != nil || tool.Name == name {
			return tool, err
		}
	}
	return nil, fmt.Errorf("there is no tool %s", name)
}

// together makes fifty calls at once. arguments and want are of the i-th.
func (w *walk) together(tool string, call func(i int) (arguments object, want string)) error {
	errs := make(chan error, 50)
	for i := range cap(errs) {
		arguments, want := call(i)
		go func() { errs <- w.says(tool, arguments, want) }()
	}
	var all []error
	for range cap(errs) {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

// cancelled cancels a call that reports progress, and sees that the connection goes on.
func (w *walk) cancelled(tool string, arguments any) error {
	empty(w.reports)
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := w.c.CallTool(ctx, tool, arguments, &mcp.CallOptions{Progress: w.progress})
		ended <- err
	}()
	begun := next(w.ctx, w.reports, "sign of the call", func(float64) bool { return true })
	cancel()
	if err := <-ended; begun != nil || !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the call: %v, want the end of its context; %v", err, begun)
	}
	_, err := w.toolNames()
	return err
}

// counted makes a call that reports progress, and wants these reports before its end.
func (w *walk) counted(tool string, arguments any, want ...float64) error {
	empty(w.reports)
	r, err := w.c.CallTool(w.ctx, tool, arguments, &mcp.CallOptions{Progress: w.progress})
	if err != nil || r.IsError {
		return fmt.Errorf("%s: %+v, %w", tool, r, err)
	}
	var got []float64
	for len(w.reports) > 0 {
		got = append(got, <-w.reports)
	}
	return same("reports", got, want)
}

// filled is the answer of the client's user to forms: content, or "" to decline. It calls a tool
// that asks, and wants these questions and a text with this part.
func (w *walk) filled(content, tool string, arguments any, questions []string, part string) error {
	w.fill(content)
	r, err := w.call(tool, arguments)
	if err != nil {
		return err
	}
	if !strings.Contains(textOf(r), part) {
		return fmt.Errorf("%s: got %q, want a part %q", tool, textOf(r), part)
	}
	return same("questions", w.questions(), questions)
}

// watched subscribes to a resource that a call changes, and wants to be told; and not to be
// told any more when it has unsubscribed.
func (w *walk) watched(filter mcp.Filter, change func() error, passes func(mcp.Change) bool) error {
	s, err := w.c.Listen(w.ctx, &filter)
	if err != nil {
		return err
	}
	defer s.Close()
	told := make(chan mcp.Change, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for c := range s.All() {
			put(told, c)
		}
	}()
	if err := change(); err != nil {
		return err
	}
	if err := next(w.ctx, told, "change", passes); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	<-ended
	empty(told)
	// The function of the options is told beside, so it may be told after that.
	return errors.Join(s.Err(), next(w.ctx, w.changes, "change for the function of the options", passes))
}

// close closes the client: a process has to end in the time that it is given.
func (w *walk) close() error {
	began := time.Now()
	err := w.c.Close()
	if took := time.Since(began); took > 10*time.Second {
		return fmt.Errorf("it took %v", took)
	}
	return err
}

// closeStep is the step close of all servers.
func closeStep(w *walk) error { return w.close() }

// pingStep is the step ping of all servers.
func pingStep(w *walk) error { return w.c.Ping(w.ctx) }

// promptNames lists prompts as "name(argument, argument?)", where "?" is what may be left out.
func (w *walk) promptNames() ([]string, error) {
	var names []string
	for prompt, err := range w.c.Prompts(w.ctx) {
		if err != nil {
			return nil, err
		}
		var arguments []string
		for _, a := range prompt.Arguments {
			name := a.Name
			if !a.Required {
				name += "?"
			}
			arguments = append(arguments, name)
		}
		names = append(names, prompt.Name+"("+strings.Join(arguments, ", ")+")")
	}
	return names, nil
}

// resourceURIs lists resources and then templates.
func (w *walk) resourceURIs() ([]string, error) {
	var uris []string
	for resource, err := range w.c.Resources(w.ctx) {
		if err != nil {
			return nil, err
		}
		uris = append(uris, resource.URI)
	}
	slices.Sort(uris)
	for template, err := range w.c.ResourceTemplates(w.ctx) {
		if err != nil {
			return nil, err
		}
		uris = append(uris, template.URITemplate)
	}
	return uris, nil
}

// read reads a resource of one part.
func (w *walk) read(uri string) (mcp.ResourceContents, error) {
	r, err := w.c.ReadResource(w.ctx, uri, nil)
	if err != nil {
		return nil, err
	}
	if len(r.Contents) != 1 {
		return nil, fmt.Errorf("%s has %d parts", uri, len(r.Contents))
	}
	return r.Contents[0], nil
}
