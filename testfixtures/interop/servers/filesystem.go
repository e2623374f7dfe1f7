package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Reasons.
const (
	toolsAlone = "it has tools alone"
	quick      = "nothing that it does takes long"
)

// filesystem is the server for files below the client's roots.
var filesystem = server{
	pkg:    "@modelcontextprotocol/server-filesystem",
	what:   "server-filesystem",
	file:   "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
	eras:   []string{legacy},
	starts: map[string]start{stdio: {args: []string{"DIR"}}},
	steps: map[string]func(*walk) error{
		"connect":                filesystemConnect,
		"ping":                   pingStep,
		"list tools":             filesystemTools,
		"call":                   filesystemCall,
		"calls at the same time": filesystemTogether,
		"content":                filesystemContent,
		"errors":                 filesystemErrors,
		"roots":                  filesystemRoots,
		"close":                  closeStep,
	},
	lacks: map[string]string{
		"list resources": toolsAlone, "read": toolsAlone, "list prompts": toolsAlone, "prompt": toolsAlone, "complete": toolsAlone,
		"log": toolsAlone, "subscribe": toolsAlone, "list changes": toolsAlone, "progress": quick, "cancel": quick,
		"elicit": "it asks for roots alone", "elicit a page": "it asks for roots alone", "sample": "it asks for roots alone",
	},
}

func filesystemConnect(w *walk) error {
	return w.identity("secure-filesystem-server", "0.2.0", "", "", mcp.ServerCapabilities{Tools: &mcp.ListCapability{ListChanged: true}})
}

func filesystemTools(w *walk) error {
	names, err := w.toolNames()
	if err != nil || len(names) != 14 || !slices.Contains(names, "read_text_file") || !slices.Contains(names, "move_file") {
		return fmt.Errorf("got %q, %v", names, err)
	}
	tool, err := w.tool("list_allowed_directories")
	if err != nil {
		return err
	}
	return same("output schema", strings.Contains(string(tool.OutputSchema), `"properties":{"content":{"type":"string"}}`), true)
}

// written is the structured content of its tools.
type written struct {
	Content string `json:"content"`
}

func filesystemCall(w *walk) error {
	file := filepath.Join(w.dir, "note.txt")
	if _, err := w.call("write_file", object{"path": file, "content": "one\ntwo ☃\n"}); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	typed, err := mcp.CallTool[written](w.ctx, w.c, "read_text_file", object{"path": file}, nil)
	if err != nil {
		return err
	}
	_, edited := w.call("edit_file", object{"path": file, "edits": []object{{"oldText": "one", "newText": "1"}}})
	after, err := os.ReadFile(file)
	return errors.Join(err, edited,
		same("the file", string(text), "one\ntwo ☃\n"),
		same("what is read", typed.Content, "one\ntwo ☃\n"),
		same("the file afterwards", string(after), "1\ntwo ☃\n"),
		w.says("list_directory", object{"path": w.dir}, "[FILE] note.txt"),
	)
}

func filesystemTogether(w *walk) error {
	for i := range 50 {
		if err := os.WriteFile(filepath.Join(w.dir, fmt.Sprintf("many-%d", i)), fmt.Appendf(nil, "file %d", i), 0o600); err != nil {
			return err
		}
	}
	return w.together("read_text_file", func(i int) (object, string) {
		return object{"path": filepath.Join(w.dir, fmt.Sprintf("many-%d", i))}, fmt.Sprintf("file %d", i)
	})
}

func filesystemContent(w *walk) error {
	file := filepath.Join(w.dir, "dot.png")
	if err := os.WriteFile(file, []byte("\x89PNG and so on"), 0o600); err != nil {
		return err
	}
	r, err := w.call("read_media_file", object{"path": file})
	if err != nil {
		return err
	}
	image, ok := r.Content[0].(*mcp.ImageContent)
	if !ok || image.MIMEType != "image/png" || string(image.Data) != "\x89PNG and so on" {
		return fmt.Errorf("got %+v", r.Content[0])
	}
	return nil
}

func filesystemErrors(w *walk) error {
	result, err := w.c.Do(w.ctx, "no/such", nil, nil)
	return errors.Join(
		w.fails("read_text_file", object{"path": filepath.Dir(w.dir)}, "Access denied"),
		w.fails("read_text_file", object{"path": 7}, "expected string, received number"),
		w.fails("nobody", nil, "Tool nobody not found"),
		wantCode(result, err, jsonrpc.MethodNotFound),
	)
}

// filesystemRoots: where the server may work is what the client's roots say, once it has asked.
func filesystemRoots(w *walk) error {
	return w.says("list_allowed_directories", nil, "Allowed directories:\n"+w.dir)
}
