package probed

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"isthmus.internal/jsonrpc"
)

// streams are the servers on streams of lines.
var streams = []Server{
	{Name: "method-not-found", Probe: "-32601", Era: Legacy, stream: says(-32601, "Method not found")},
	{Name: "invalid-params", Probe: "-32602", Era: Legacy, stream: says(-32602, "Invalid request parameters")},
	{Name: "invalid-request", Probe: "-32600", Era: Legacy, stream: says(-32600, "Server not initialized")},
	{Name: "internal-error", Probe: "-32603", Era: Legacy, stream: says(-32603, "'NoneType' object has no attribute 'session'")},
	{Name: "code-0", Probe: "an error with code 0", Era: Legacy, stream: says(0, `method "server/discover" is invalid during session initialization`)},
	{Name: "server-error", Probe: "-32000", Era: Legacy, stream: says(-32000, "Bad Request: Server not initialized")},
	{Name: "not-found-code", Probe: "-32001", Era: Legacy, stream: says(-32001, "Session not found")},
	{Name: "resource-code", Probe: "-32002, which is no modern error", Era: Legacy, stream: says(-32002, "Server not initialized")},
	{Name: "foreign-id", Probe: `an error with the id "server-error"`, Era: Legacy, Quiet: true, stream: lines(foreign(`"server-error"`, -32600, "Validation error"))},
	{Name: "null-id", Probe: "an error with the id null", Era: Legacy, Quiet: true, stream: lines(foreign("null", -32600, "Invalid Request"))},
	{Name: "no-id", Probe: "an error without an id", Era: Legacy, Quiet: true, stream: lines(foreign("", -32700, "Parse error"))},
	{Name: "plain-text", Probe: "a line that is no JSON", Era: Legacy, Quiet: true, stream: lines([]byte("error: unknown command server/discover"))},
	{Name: "silence", Probe: "nothing", Era: Legacy, Quiet: true, stream: func(*conn, jsonrpc.ID) error { return nil }},
	{Name: "exit", Probe: "the end of the process; the next one serves the handshake", Era: Legacy, stream: func(*conn, jsonrpc.ID) error { return ErrProbed }},
	{Name: "error-and-exit", Probe: "-32601 and the end of the process", Era: Legacy, stream: saysAndEnds},
	{Name: "empty-result", Probe: "the result {}", Era: Legacy, stream: gives(`{}`)},
	{Name: "other-result", Probe: "a result that has nothing to do with the request", Era: Legacy, stream: gives(`{"tools":[],"ok":true}`)},
	{Name: "text-result", Probe: `the result "ok"`, Era: Legacy, stream: gives(`"ok"`)},
	{Name: "null-result", Probe: "the result null", Era: Legacy, stream: gives(`null`)},
	{Name: "batch", Probe: "-32601 in a batch", Era: Legacy, Quiet: true, stream: inBatch},
	{Name: "twice", Probe: "-32601, two times", Era: Legacy, stream: twice},
	{Name: "late", Probe: "-32601, once the handshake has begun", Era: Legacy, Quiet: true, stream: late},
	{Name: "chatty", Probe: "notifications and a ping, and then -32601", Era: Legacy, stream: chatty},
	{Name: "echo", Probe: "the request itself, and then -32601; so it is with all requests", Era: Legacy, stream: says(-32601, "Method not found")},

	{Name: "modern", Probe: "a DiscoverResult", Era: Modern, stream: gives(discovered)},
	{Name: "missing-capability", Probe: "-32021", Era: Modern, stream: saysModern(lacking)},
	{Name: "no-common-version", Probe: "-32022 with 2027-01-01 alone", Era: None, Says: "2027-01-01", stream: saysModern(unsupported)},
}

// ErrProbed is what [Server.Serve] returns when the server ends because of the probe.
var ErrProbed = errors.New("probed: the probe has ended the server")

// conn is a server at work on a stream.
type conn struct {
	server *Server
	stream io.ReadWriter
	held   [][]byte // lines to send before the next answer
}

// Serve serves on a stream until its input ends, and closes it.
func (s *Server) Serve(stream io.ReadWriteCloser, saw Saw) error {
	defer stream.Close()
	c := &conn{server: s, stream: stream}
	in := bufio.NewReader(stream)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
				return nil
			}
			return err
		}
		if err := c.take(bytes.TrimSpace(line), saw); err != nil {
			return err
		}
	}
}

// take deals with one line.
func (c *conn) take(line []byte, saw Saw) error {
	m := scan(line)
	if m == nil || m.Kind == jsonrpc.Response {
		return nil
	}
	saw.tell(string(m.Method))
	if m.Kind != jsonrpc.Request {
		return nil
	}
	if c.server.Name == "echo" {
		if err := c.send(line); err != nil {
			return err
		}
	}
	if c.server.probe(m) {
		return c.server.stream(c, m.ID)
	}
	return c.send(c.server.respond(m))
}

// send sends lines, behind those that are held.
func (c *conn) send(lines ...[]byte) error {
	all := bytes.Join(append(c.held, lines...), []byte("\n"))
	c.held = nil
	_, err := c.stream.Write(append(all, '\n'))
	return err
}

// says answers with an error.
func says(code jsonrpc.Code, message string) func(*conn, jsonrpc.ID) error {
	return func(c *conn, id jsonrpc.ID) error { return c.send(failure(id, code, message)) }
}

// saysModern answers with one of the errors of the modern era.
func saysModern(e string) func(*conn, jsonrpc.ID) error {
	return func(c *conn, id jsonrpc.ID) error { return c.send(modernError(id, e)) }
}

// gives answers with a result.
func gives(result string) func(*conn, jsonrpc.ID) error {
	return func(c *conn, id jsonrpc.ID) error { return c.send(success(id, result)) }
}

// lines sends lines that are no answer.
func lines(all ...[]byte) func(*conn, jsonrpc.ID) error {
	return func(c *conn, _ jsonrpc.ID) error { return c.send(all...) }
}

func notFound(id jsonrpc.ID) []byte { return failure(id, -32601, "Method not found") }

func saysAndEnds(c *conn, id jsonrpc.ID) error {
	return errors.Join(c.send(notFound(id)), ErrProbed)
}

func inBatch(c *conn, id jsonrpc.ID) error {
	return c.send([]byte("[" + string(notFound(id)) + "]"))
}

func twice(c *conn, id jsonrpc.ID) error { return c.send(notFound(id), notFound(id)) }

func late(c *conn, id jsonrpc.ID) error {
	c.held = [][]byte{notFound(id)}
	return nil
}

func chatty(c *conn, id jsonrpc.ID) error {
	return c.send(
		[]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"starting"}}`),
		[]byte(`{"jsonrpc":"2.0","id":"server-1","method":"ping"}`),
		[]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`),
		notFound(id))
}
