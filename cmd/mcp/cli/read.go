package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

var readCommand = command{
	name: "read", examples: []string{`test://static-text -- mcp-everything`, `http://127.0.0.1:8080/mcp test://static-binary > pixel.png`},
	usage: "TARGET URI", least: 1, most: 1, ofURIs: true, summary: "read a resource",
	help:  "To a file or a program its text, or the bytes of what is none, are written as they are, byte for byte.\nA terminal is shown text without control characters, and no other bytes.\n",
	flags: func(f *flag.FlagSet, s *settings) { askFlags(f, s); logFlag(f, s) },
	run:   runRead,
}

func runRead(ctx context.Context, r *request) error {
	c, err := r.connect(ctx)
	if err != nil {
		return err
	}
	result, err := c.ReadResource(ctx, r.words[0], r.callOptions())
	if closeErr := r.close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if r.output == asJSON {
		return r.printRaw(mcp.Append(nil, result, formOf(c)))
	}
	for _, contents := range result.Contents {
		r.printContents(contents, true)
	}
	return nil
}

var promptCommand = command{
	name: "prompt", examples: []string{`http://127.0.0.1:8080/mcp greet name=Ada`},
	usage: "TARGET NAME [ARGUMENT=VALUE …]", least: 1, most: -1, summary: "have a prompt filled in",
	flags: func(f *flag.FlagSet, s *settings) { askFlags(f, s); logFlag(f, s) },
	run:   runPrompt,
}

func runPrompt(ctx context.Context, r *request) error {
	arguments, err := readPairs(r.words[1:])
	if err != nil {
		return err
	}
	c, err := r.connect(ctx)
	if err != nil {
		return err
	}
	result, err := c.GetPrompt(ctx, r.words[0], arguments, r.callOptions())
	if closeErr := r.close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if r.output == asJSON {
		return r.printRaw(mcp.Append(nil, result, formOf(c)))
	}
	for _, m := range result.Messages {
		r.printf("%s:\n", oneLine(string(m.Role)))
		r.printContent(m.Content)
	}
	return nil
}

const completeHelp = `WHAT is prompt:NAME or resource:TEMPLATE; ARGUMENT is one of its arguments or variables, and
VALUE the beginning of its value, which may be left out. -with gives those that are settled.
`

var completeCommand = command{
	name: "complete", examples: []string{`http://127.0.0.1:8080/mcp prompt:greet name A`, `http://127.0.0.1:8080/mcp 'resource:file://docs/{name}' name re`},
	usage: "TARGET WHAT ARGUMENT [VALUE]", least: 2, most: 3, summary: "ask for suggestions for an argument", help: completeHelp,
	flags: func(f *flag.FlagSet, s *settings) {
		f.Var((*pairs)(&s.arguments), "with", "an argument `NAME=VALUE` that is settled; may stand several times")
	},
	run: runComplete,
}

func runComplete(ctx context.Context, r *request) error {
	in := &mcp.CompleteParams{Argument: r.words[1]}
	switch kind, name, _ := strings.Cut(r.words[0], ":"); {
	case kind == "prompt" && name != "":
		in.Prompt = name
	case kind == "resource" && name != "":
		in.URI = name
	default:
		return &misuse{fmt.Errorf("%q: want prompt:NAME or resource:TEMPLATE", r.words[0])}
	}
	if len(r.words) == 3 {
		in.Value = r.words[2]
	}
	var err error
	if len(r.arguments) > 0 {
		if in.Context, err = readPairs(r.arguments); err != nil {
			return err
		}
	}
	c, err := r.connect(ctx)
	if err != nil {
		return err
	}
	found, err := c.Complete(ctx, in, r.callOptions())
	if err != nil {
		return err
	}
	if r.output == asJSON {
		return r.printRaw(mcp.Append(nil, &mcp.CompleteResult{Completion: *found}, formOf(c)))
	}
	for _, value := range found.Values {
		r.printf("%s\n", oneLine(value))
	}
	if found.HasMore {
		fmt.Fprintln(r.env.Err, "there are more")
	}
	return nil
}

var listenCommand = command{
	name: "listen", examples: []string{`http://127.0.0.1:8080/mcp --uri test://watched-resource`},
	usage: "TARGET", summary: "print changes as they come, until it is interrupted",
	flags: func(f *flag.FlagSet, s *settings) {
		f.Var(&s.uris, "uri", "be told when the resource `URI` changes; may stand several times")
		f.IntVar(&s.count, "count", 0, "end after `N` changes (default: do not)")
		logFlag(f, s)
	},
	run: runListen,
}

func runListen(ctx context.Context, r *request) error {
	c, err := r.connect(ctx)
	if err != nil {
		return err
	}
	s, err := c.Listen(ctx, &mcp.Filter{
		ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: r.uris,
	})
	if err != nil {
		return err
	}
	defer s.Close()
	r.announce(s.Honoured())
	told := 0
	for change := range s.All() {
		if !r.printChange(change) {
			return nil // nobody sees any more
		}
		if told++; told == r.count {
			return nil
		}
	}
	if isInterrupted(ctx) {
		return nil // that is how it is meant to end
	}
	if err := s.Err(); err != nil {
		return &failure{"no more changes come", err}
	}
	return &failure{"no more changes come", errors.New("the server has ended the subscription")}
}

// announce says what is listened to.
func (r *request) announce(honoured mcp.Filter) {
	var to []string
	for _, kind := range []struct {
		is   bool
		name string
	}{
		{honoured.ToolsListChanged, "the list of tools"},
		{honoured.PromptsListChanged, "the list of prompts"},
		{honoured.ResourcesListChanged, "the list of resources"},
	} {
		if kind.is {
			to = append(to, kind.name)
		}
	}
	for _, uri := range honoured.ResourceSubscriptions {
		to = append(to, oneLine(uri))
	}
	if len(to) == 0 {
		to = []string{"nothing: the server tells of no changes"}
	}
	fmt.Fprintf(r.env.Err, "listening to %s\n", strings.Join(to, ", "))
	for _, uri := range r.uris {
		if !slices.Contains(honoured.ResourceSubscriptions, uri) {
			fmt.Fprintf(r.env.Err, "not to %s: the server does not tell of it (mcp resources lists what there is)\n", oneLine(uri))
		}
	}
}

// printChange reports whether it could be written.
func (r *request) printChange(change mcp.Change) bool {
	if r.output == asJSON {
		dst := jsonrpc.AppendString([]byte(`{"change":`), string(change.Kind))
		if change.URI != "" {
			dst = jsonrpc.AppendString(append(dst, `,"uri":`...), change.URI)
		}
		return r.printf("%s}\n", escaped(dst))
	}
	line := changeNames[change.Kind]
	if change.Kind == mcp.ResourceUpdated {
		line += " " + oneLine(change.URI)
	}
	return r.printf("%s\n", line)
}

var changeNames = map[mcp.ChangeKind]string{
	mcp.ToolsListChanged:     "tools changed",
	mcp.PromptsListChanged:   "prompts changed",
	mcp.ResourcesListChanged: "resources changed",
	mcp.ResourceUpdated:      "updated",
}
