package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// failure is an error with what was being done.
type failure struct {
	what string
	err  error
}

func (f *failure) Error() string { return f.what + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// unreached is the error of a connection that has not come about.
type unreached struct {
	target target
	err    error
	begins string // what came that is no message, in quotes; "" for nothing
}

func (u *unreached) Error() string {
	return "cannot connect to " + u.target.String() + ": " + u.err.Error()
}
func (u *unreached) Unwrap() error { return u.err }

// hinted is an error with what helps, which takes the place of what is said of its code.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }

// errTool: the tool says that its call has failed, and has said why.
var errTool = errors.New("the tool has failed")

// errInterrupted: the command was ended before it was done.
var errInterrupted = errors.New("interrupted")

// misuse is an error in what the user has given, that shows only beside the server.
type misuse struct{ error }

// explain says how the command ends for an error or none, and what the user is told: what went
// wrong, and on a line of its own what may help.
func (c *command) explain(err error) (status int, text string) {
	var (
		wrong     *misuse
		told      *jsonrpc.Error
		rejected  *mcp.Rejected
		doing     *failure
		helped    *hinted
		unreached *unreached
	)
	switch {
	case err == nil:
		return ExitOK, ""
	case errors.Is(err, errTool):
		return ExitTool, ""
	case errors.Is(err, errInterrupted):
		return ExitInterrupted, err.Error()
	case errors.As(err, &wrong):
		return ExitUsage, wrong.Error()
	case errors.As(err, &unreached):
		return ExitProtocol, unreached.explain(c)
	}
	text = plain(err.Error())
	switch {
	case errors.As(err, &told):
		text = fmt.Sprintf("the server answers with error %d: %s", told.Code, clipped(told.Message))
		if errors.As(err, &doing) {
			text = doing.what + ": " + text
		}
		if errors.As(err, &helped) {
			return ExitProtocol, text + "\n" + helped.hint
		}
		code := told.Code
		if errors.Is(err, mcp.ErrResourceNotFound) { // whose code was another one in the legacy era
			code = jsonrpc.InvalidParams
		}
		text += adviceOn(code) + adviceOnPages(told) + adviceOnWait(err)
	case errors.As(err, &rejected):
		text += adviceOnStatus(rejected, adviceOnWire) // how long to wait is in the text
	case errors.Is(err, exec.ErrNotFound):
		text += adviceOnCommand
	case errors.Is(err, context.DeadlineExceeded):
		text += c.adviceOnTime()
	}
	return ExitProtocol, text
}

const (
	adviceOnWire    = "\nmcp wire before the command shows what was said."
	adviceOnURL     = "\nIs the URL right, with its path? The path is /mcp for many servers."
	adviceOnCommand = "\nIs the name right? Behind -- stands the command that starts the server: a program on the PATH or a path, and its arguments, not in quotes."
)

// adviceOnTime is what helps where an answer has not come in time.
func (c *command) adviceOnTime() string {
	if c.serves { // and has no such flag
		return adviceOnWire
	}
	return "\n-timeout gives it longer; " + adviceOnWire[1:]
}

// explain says why there is no connection, of all that was tried what tells most, and what may
// help the user of the command.
func (u *unreached) explain(c *command) string {
	var (
		told     *jsonrpc.Error
		rejected *mcp.Rejected
		network  *net.OpError
		host     *net.DNSError
	)
	reason, advice := u.err.Error(), ""
	switch {
	case errors.As(u.err, &rejected):
		reason, advice = rejected.Error(), adviceOnStatus(rejected, adviceOnURL)+adviceOnWait(u.err)
	case errors.As(u.err, &told):
		reason, advice = fmt.Sprintf("the server answers with error %d: %s", told.Code, clipped(told.Message)), adviceOn(told.Code)+adviceOnWait(u.err)
	case errors.Is(u.err, exec.ErrNotFound), u.target.argv != nil && errors.Is(u.err, fs.ErrNotExist):
		advice = adviceOnCommand
	case u.target.argv != nil && errors.Is(u.err, fs.ErrPermission):
		advice = "\nIt is no program that may be run: the command that starts the server is wanted."
	case u.target.network == "unix" && errors.Is(u.err, fs.ErrNotExist):
		advice = "\nThere is no socket of that name. Is the server running, and is the path right?"
	case errors.As(u.err, &host):
		reason, advice = host.Error(), "\nIs the name of the host right?"
	case errors.Is(u.err, syscall.ECONNREFUSED):
		advice = "\nNothing listens there. Is the server running, and is the address right?"
	case errors.Is(u.err, http.ErrSchemeMismatch):
		reason, advice = http.ErrSchemeMismatch.Error(), "\nIt speaks without TLS: the URL begins with http://, not https://."
	case errors.Is(u.err, mcp.ErrLinkClosed):
		reason, advice = nearest(u.err, mcp.ErrLinkClosed).Error(), "\n"+u.notMCP()
	case u.begins != "":
		advice = "\n" + u.notMCP()
	case errors.Is(u.err, context.DeadlineExceeded):
		advice = c.adviceOnTime()
	}
	if errors.As(u.err, &network) && host == nil {
		reason = network.Error()
	}
	name := u.target.String() + ": " // which many errors begin with, too
	return "cannot connect to " + name + strings.Replace(plain(reason), name, "", 1) + advice
}

// notMCP says of a server on a stream what it has not done, and what it has.
func (u *unreached) notMCP() string {
	what := "It has answered nothing that MCP knows. "
	if u.begins != "" {
		what = "What it sends is not MCP, and begins " + u.begins + ". "
	}
	return what + u.target.asStreams()
}

// asStreams asks whether the target is what it has to be.
func (t target) asStreams() string {
	if t.argv != nil {
		return "Is it a server that serves on its standard streams? -stderr shows all that it writes to its standard error."
	}
	return "Does it serve a message a line there? Over HTTP the target is a URL."
}

// nearest is the error within err that is closest to target and still says more than that.
func nearest(err, target error) error {
	for {
		var inner []error
		switch u := err.(type) {
		case interface{ Unwrap() error }:
			inner = []error{u.Unwrap()}
		case interface{ Unwrap() []error }:
			inner = u.Unwrap()
		}
		i := slices.IndexFunc(inner, func(e error) bool { return errors.Is(e, target) })
		if i < 0 || inner[i] == target {
			return err
		}
		err = inner[i]
	}
}

// rooms are the packages whose names begin errors, which is of use to programmers alone.
var rooms = []string{"discover", "httpmcp", "jsonrpc", "legacy", "mcp", "stdio"}

// plain is the text of an error without the names of packages in front of its parts.
func plain(text string) string {
	parts := strings.Split(text, ": ")
	last := len(parts) - 1
	before := slices.DeleteFunc(parts[:last:last], func(part string) bool { return slices.Contains(rooms, part) })
	text = inWords.Replace(strings.Join(append(before, parts[last]), ": "))
	if head, answer, found := strings.Cut(text, rejection+"2"); found { // a status of success
		text = head + "the server gives an answer that is none of MCP: 2" + strings.Replace(answer, ", which is no answer to the request", "", 1)
	}
	return text
}

// rejection begins an error of [mcp.Rejected].
const rejection = "the server has rejected the request: "

// inWords says what errors name of the Go API in the words of somebody who has flags, where there is one.
var inWords = strings.NewReplacer(
	" (Timeout)", "",
	", the longest that it may take (MaxTimeout)", "",
	" (MaxRounds)", "",
	" (ClientOptions.MaxMessage)", "",
	" (DialOptions.MaxBody)", ", more than mcp takes",
	" (DialOptions.MaxEvent)", ", more than mcp takes",
	" (DialOptions.MaxStream)", ", more than mcp takes",
	"; if it is a gateway's fault, DialOptions.MessageURL can put it right", "",
)

// adviceOn is what helps with an error of the server.
func adviceOn(code jsonrpc.Code) string {
	switch code {
	case jsonrpc.MethodNotFound:
		return "\nThe server does not offer that: mcp discover shows what it offers."
	case jsonrpc.InvalidParams:
		return "\nmcp tools, resources and prompts show the names, and what belongs to each."
	case discover.UnsupportedProtocolVersion:
		return "\nmcp discover shows the versions that it speaks."
	case mcp.MissingRequiredClientCapability:
		return "\nIt needs something of a client that this one does not have: -root for folders, perhaps."
	}
	return ""
}

// adviceOnWait says for how long the server wants to be left alone, if it has said that.
func adviceOnWait(err error) string {
	var later *mcp.RetryAfter
	if !errors.As(err, &later) {
		return ""
	}
	return fmt.Sprintf("\nIt has too much to do: try again after %v.", later.Wait)
}

// adviceOnStatus is what helps with an HTTP status: onOther, where the answer seems to be none of MCP.
func adviceOnStatus(r *mcp.Rejected, onOther string) string {
	switch status := r.Status; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "\n-header \"Authorization: Bearer TOKEN\" sends a token, -header @FILE one that stands in a file."
	case status/100 == 2 || status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented:
		return onOther
	case status == http.StatusBadRequest && strings.Contains(r.Reason, "HTTPS"):
		return "\nIt speaks TLS: the URL begins with https://, not http://."
	case status >= 500:
		return "\nThat is a fault of the server, or of what stands before it."
	}
	return ""
}
