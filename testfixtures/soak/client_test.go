package soak

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
)

// client speaks HTTP as a library of a well-behaved client does.
type client struct {
	host     string
	http     *http.Client
	version  string
	session  string // of the legacy era, once there is one
	next     int    // id of the next request
	answered *int64 // calls whose answer has come; owned by the goroutine of the client
}

func newClient(r *rig, version string) *client {
	return &client{host: r.host, version: version, http: &http.Client{Transport: &http.Transport{}}, answered: new(int64)}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// message is one that came.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Meta     map[string]any `json:"_meta"`
		Progress float64
	}
	Result struct {
		ResultType    string
		RequestState  string
		InputRequests map[string]any
		Tools         []struct{ Name string }
		Content       []struct{ Text string }
	}
	Error json.RawMessage
	event string // its id, where it came on a stream that can be taken up again
}

// meta is what a request of the modern era carries.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` +
	`{"name":"soak","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"progressToken":"p"}`

// request makes the text of a request. params are members, without the braces.
func (c *client) request(method, params string) (id int, body string) {
	c.next++
	m := meta
	if c.version != modern {
		m = `"_meta":{"progressToken":"p"}`
	}
	if params != "" {
		m = "," + m
	}
	return c.next, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, c.next, method, params, m)
}

// send sends a request until there is room for it: one that was refused for want of room has not run.
func (c *client) send(ctx context.Context, verb, body string, headers map[string]string) (*http.Response, error) {
	for {
		r, err := http.NewRequestWithContext(ctx, verb, "http://"+c.host+"/mcp", strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		c.setHeaders(r.Header, body)
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		answer, err := c.http.Do(r)
		if err != nil {
			return nil, err
		}
		if answer.StatusCode != http.StatusServiceUnavailable && answer.StatusCode != http.StatusTooManyRequests {
			return answer, nil
		}
		answer.Body.Close()
		if answer.Header.Get("Retry-After") == "" {
			return nil, fmt.Errorf("%s without Retry-After", answer.Status)
		}
		if !pause(ctx, 20*time.Millisecond) {
			return nil, ctx.Err()
		}
	}
}

func (c *client) setHeaders(h http.Header, body string) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	h.Set("MCP-Protocol-Version", c.version)
	var m struct {
		Method string
		Params struct{ Name string }
	}
	json.Unmarshal([]byte(body), &m)
	switch {
	case c.version == modern:
		h.Set("Mcp-Method", m.Method)
		if m.Params.Name != "" {
			h.Set("Mcp-Name", m.Params.Name)
		}
	case c.session != "":
		h.Set("Mcp-Session-Id", c.session)
	}
}

// errSessionEnded is the answer to what comes in a session that is no more (2025-11-25 basic/transports, Session
// Management). Its client opens another one.
var errSessionEnded = errors.New("404 Not Found")

// errEnough ends the reading of a stream before its end.
var errEnough = errors.New("enough")

// read hands the messages of an answer to each, until there are no more.
func read(answer *http.Response, each func(message) error) error {
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusNotFound {
		return errSessionEnded
	}
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		return fmt.Errorf("%s: %.500s", answer.Status, text)
	}
	if answer.Header.Get("Content-Type") == "application/json" {
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		return hand(text, "", each)
	}
	lines := bufio.NewReader(answer.Body)
	var id string
	var data []byte
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		field, value, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(": "))
		switch string(field) {
		case "id":
			id = string(value)
		case "data":
			data = bytes.Clone(value)
		case "":
			if len(data) > 0 {
				if err := hand(data, id, each); err != nil {
					return err
				}
			}
			data = nil
		}
	}
}

func hand(text []byte, event string, each func(message) error) error {
	m := message{event: event}
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("%w in %.500s", err, text)
	}
	if m.Error != nil {
		return fmt.Errorf("got the error %.500s", text)
	}
	return each(m)
}

// exchange sends a request and returns the one answer to it. What comes before it goes to other.
func (c *client) exchange(ctx context.Context, method, params string, other func(message) error) (message, error) {
	id, body := c.request(method, params)
	answer, err := c.send(ctx, http.MethodPost, body, nil)
	if err != nil {
		return message{}, err
	}
	return c.answer(answer, id, other)
}

// answer reads to the end of what came, and expects the answer to a request there exactly once.
func (c *client) answer(got *http.Response, id int, other func(message) error) (found message, err error) {
	times := 0
	err = read(got, func(m message) error {
		if m.Method == "" {
			times++
			found = m
			return nil
		}
		if times > 0 {
			return fmt.Errorf("%s behind the answer", m.Method)
		}
		return other(m)
	})
	if err == nil && (times != 1 || string(found.ID) != fmt.Sprint(id)) {
		err = fmt.Errorf("got %d answers, the last to %s, want one to %d", times, found.ID, id)
	}
	return found, err
}

// call calls a tool with a text of its own, and expects that text back.
func (c *client) call(ctx context.Context, tool, text, more, want string, other func(message) error) (message, error) {
	m, err := c.exchange(ctx, "tools/call", fmt.Sprintf(`"name":%q,"arguments":{"text":%q}%s`, tool, text, more), other)
	if err != nil || m.Result.ResultType == "input_required" {
		return m, err
	}
	return m, c.check(m, want)
}

func (c *client) check(m message, want string) error {
	if len(m.Result.Content) != 1 || m.Result.Content[0].Text != want {
		return fmt.Errorf("got the result %+v, want the text %q", m.Result, want)
	}
	*c.answered++
	return nil
}

func unexpected(m message) error { return fmt.Errorf("got %s before the answer", m.Method) }

// rising returns a check that progress goes up.
func rising() func(message) error {
	last := 0.0
	return func(m message) error {
		if m.Method != "notifications/progress" || m.Params.Progress <= last {
			return fmt.Errorf("got %s with %v behind %v", m.Method, m.Params.Progress, last)
		}
		last = m.Params.Progress
		return nil
	}
}
