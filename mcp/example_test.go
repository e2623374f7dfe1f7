package mcp_test

import (
	"context"
	"fmt"
	"os"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// A resource that is always there, and a family of them behind a template.
func ExampleServer_AddResourceTemplate() {
	users := map[string]string{"7": `{"name":"Ada"}`}

	s := mcp.NewServer("users", "1.0.0", nil)
	s.AddResource(mcp.Resource{URI: "users://count", Name: "count", MIMEType: "text/plain"},
		func(ctx context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.TextResource{Text: fmt.Sprint(len(users))}}, nil
		})
	s.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "users://{id}", Name: "user", MIMEType: "application/json"},
		func(ctx context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			user, ok := users[c.Variable("id")]
			if !ok {
				return nil, mcp.ErrResourceNotFound // -32602 or -32002, as the client's revision has it
			}
			return []mcp.ResourceContents{&mcp.TextResource{Text: user}}, nil
		})
}

// The files of a folder, in the list of resources and behind a template. Whatever a
// client sends, nothing outside of the folder is read.
func ExampleServer_AddFiles() {
	root, err := os.OpenRoot("/srv/docs")
	if err != nil {
		return // no such folder here
	}
	defer root.Close()
	s := mcp.NewServer("docs", "1.0.0", nil)
	files := s.AddFiles("file:///docs/", root, &mcp.FilesOptions{Name: "docs", Description: "The handbook."})
	if err := files.List(); err != nil { // again whenever files have changed
		s.Logger().Warn("some files are not listed", "error", err)
	}
}

// Progress is sent to clients that have asked for it, and the context ends when the
// client cancels.
func ExampleCall_Progress() {
	s := mcp.NewServer("copier", "1.0.0", nil)
	s.AddTool(mcp.Tool{Name: "copy"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		const files = 100
		for i := range files {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c.Progress(float64(i+1), files, fmt.Sprintf("file %d", i+1))
		}
		return mcp.TextResult("done"), nil
	})
}

// A handler that wants its client to see a protocol error, and not a failed call
// for the model to read, returns one.
func ExampleToolHandler() {
	var h mcp.ToolHandler = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		n, ok := c.Argument("n").Int()
		if !ok {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "arguments.n must be an integer")
		}
		return mcp.TextResult(fmt.Sprint(n + 1)), nil
	}
	mcp.NewServer("next", "1.0.0", nil).AddTool(mcp.Tool{Name: "next"}, h)
}

// Tools and resources that change while the server serves. Clients that have asked are
// told, in the way of their revision.
func ExampleServer_ResourceUpdated() {
	log := "started"
	s := mcp.NewServer("builds", "1.0.0", nil)
	s.AddResource(mcp.Resource{URI: "builds://log", Name: "log", MIMEType: "text/plain"},
		func(ctx context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{&mcp.TextResource{Text: log}}, nil
		})

	log = "started\nfailed"
	s.ResourceUpdated("builds://log") // first the change, then the word of it
	s.AddTool(mcp.Tool{Name: "retry"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		s.RemoveTool("retry")
		return mcp.TextResult("started anew"), nil
	})
}
