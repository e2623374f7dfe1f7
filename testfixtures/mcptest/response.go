package mcptest

import (
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

// Response is what came for a request.
type Response struct {
	// Line is the message as it came.
	Line string
	// Result is nil when there is an Error.
	Result jsonrpc.Raw
	Error  *jsonrpc.Error
	// Notes are the notifications about the request that came before: its progress,
	// and the log messages that came while it waited.
	Notes []Note
	// Rounds is how often the request was sent: once, and once for each time that it
	// was answered with input_required and tried again.
	Rounds int
}

// Note is a notification.
type Note struct {
	Method string
	Params jsonrpc.Raw // an object, or nil
	Line   string      // as it came
}

// At is the value at a path in the params, as [At] has it.
func (n Note) At(path ...any) jsonrpc.Raw { return At(n.Params, path...) }

// At is the value at a path in the result, as [At] has it.
func (r *Response) At(path ...any) jsonrpc.Raw { return At(r.Result, path...) }

// Text is all text in the result, with line ends between its parts: of the blocks of text
// of a tool, of the contents of a resource that are text, of the messages of a prompt.
func (r *Response) Text() string {
	var all []string
	add := func(block jsonrpc.Raw) {
		if At(block, "type").Is("text") {
			all = append(all, text(At(block, "text")))
		}
	}
	for _, block := range Elements(r.At("content")) {
		add(block)
	}
	for _, contents := range Elements(r.At("contents")) {
		if t, ok := At(contents, "text").Text(); ok {
			all = append(all, t)
		}
	}
	for _, message := range Elements(r.At("messages")) {
		add(At(message, "content"))
	}
	return strings.Join(all, "\n")
}

// IsError reports whether the result is that of a tool that failed.
func (r *Response) IsError() bool {
	is, _ := r.At("isError").Bool()
	return is
}

// InputRequired reports whether the result asks for something.
func (r *Response) InputRequired() bool { return r.At("resultType").Is("input_required") }

// Code is that of the error, 0 when there is none.
func (r *Response) Code() jsonrpc.Code {
	if r.Error == nil {
		return 0
	}
	return r.Error.Code
}

// Of returns the notes of one method.
func (r *Response) Of(method string) []Note {
	var some []Note
	for _, n := range r.Notes {
		if n.Method == method {
			some = append(some, n)
		}
	}
	return some
}

// String is the result, or the code and the words of the error.
func (r *Response) String() string {
	if r.Error != nil {
		return fmt.Sprintf("%d %s", r.Error.Code, r.Error.Message)
	}
	return string(r.Result)
}
