package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

const callHelp = `The arguments are NAME=VALUE, read as the tool's schema has them: text as it is, numbers,
booleans, objects and arrays as JSON. NAME:=JSON takes any JSON. Or -json gives all of them.
Text is written as the server has sent it, with a line end behind it where it has none; to a
terminal without control characters. The exit status is 1 when the tool says that its call has failed.
`

var callCommand = command{
	name: "call", examples: []string{`http://127.0.0.1:8080/mcp add a=2 b=3`, `echo text='hello there' -- mcp-echo`, `ask --answer name=Ada -- mcp-everything`},
	usage: "TARGET TOOL [NAME=VALUE …]", least: 1, most: -1, summary: "call a tool", help: callHelp,
	flags: func(f *flag.FlagSet, s *settings) {
		f.StringVar(&s.json, "json", "", "the arguments as one JSON `OBJECT`, or @FILE that holds it, or - for the input")
		askFlags(f, s)
		logFlag(f, s)
	},
	run: runCall,
}

func runCall(ctx context.Context, r *request) error {
	c, err := r.connect(ctx)
	if err != nil {
		return err
	}
	name := r.words[0]
	schema, err := schemaOf(ctx, c, name)
	if err != nil {
		return err
	}
	arguments, err := r.readArguments(ctx, r.words[1:], schema)
	if err != nil {
		return err
	}
	result, err := c.CallToolRaw(ctx, name, arguments, r.callOptions())
	if closeErr := r.close(); err == nil {
		err = closeErr
	}
	var told *jsonrpc.Error
	if schema != nil && errors.As(err, &told) && told.Code == jsonrpc.InvalidParams {
		return &hinted{err, r.target.line("tools", name) + " shows its arguments."}
	}
	if err != nil {
		return err
	}
	if r.output == asJSON {
		if err := r.printRaw(mcp.Append(nil, result, formOf(c))); err != nil {
			return err
		}
	} else {
		r.printResult(result)
	}
	if result.IsError {
		return errTool
	}
	return nil
}

// schemaOf finds the schema of a tool's arguments in the list of tools, where the server knows
// them by heart; nil when the tool is not in it, which the server may then say itself.
func schemaOf(ctx context.Context, c *mcp.Client, name string) (jsonrpc.Raw, error) {
	for t, err := range c.Tools(ctx) {
		if err != nil {
			return nil, err
		}
		if t.Name == name {
			return t.InputSchema, nil
		}
	}
	return nil, nil
}

// printResult prints what a tool has given: its content, or where there is none what is
// structured.
func (r *request) printResult(result *mcp.Result) {
	for _, block := range result.Content {
		r.printContent(block)
	}
	if len(result.Content) == 0 && result.Structured != nil {
		_ = r.printRaw(result.Structured, nil)
	}
}

// printContent prints one block.
func (r *request) printContent(block mcp.Content) {
	switch b := block.(type) {
	case *mcp.TextContent:
		r.printText(b.Text)
	case *mcp.ImageContent:
		r.printf("[image, %s, %d bytes]\n", oneLine(b.MIMEType), len(b.Data))
	case *mcp.AudioContent:
		r.printf("[audio, %s, %d bytes]\n", oneLine(b.MIMEType), len(b.Data))
	case *mcp.ResourceLink:
		r.printf("[link to %s%s]\n", oneLine(b.URI), described(titleOr(b.Title, b.Name)))
	case *mcp.EmbeddedResource:
		r.printContents(b.Contents, false)
	default:
		r.printf("[content of a kind that is not known here: -output json shows it]\n")
	}
}

// printContents prints contents of a resource. When they are what was asked for, and not for a
// terminal, they are written as they are: a file then holds what the server has.
func (r *request) printContents(contents mcp.ResourceContents, asked bool) {
	asFile := asked && !r.env.OutTerminal
	switch t := contents.(type) {
	case *mcp.TextResource:
		if asFile {
			_, _ = io.WriteString(r.env.Out, t.Text)
			return
		}
		r.printText(t.Text)
	case *mcp.BlobResource:
		if asFile {
			_, _ = r.env.Out.Write(t.Blob)
			return
		}
		r.printf("[resource %s, %s, %d bytes]\n", oneLine(t.URI), oneLine(t.MIMEType), len(t.Blob))
		if asked {
			fmt.Fprintf(r.env.Err, "Bytes are not written to a terminal: > FILE takes them.\n")
		}
	}
}

// printText prints text that ends its line, as the server has sent it, unless to a terminal.
func (r *request) printText(text string) {
	text = r.written(text)
	if text == "" || text[len(text)-1] != '\n' {
		text += "\n"
	}
	_, _ = io.WriteString(r.env.Out, text)
}

func described(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf(": %s", oneLine(text))
}
