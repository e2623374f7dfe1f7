package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// speakLegacy is a turn of a client of the legacy era: a session with one of each kind of exchange. Every
// other session is left open.
func speakLegacy(ctx context.Context, c *client, turn int) error {
	if err := open(ctx, c); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	text := fmt.Sprintf("legacy %p %d", c, turn)
	if _, err := c.call(ctx, "echo", text, "", text, unexpected); err != nil {
		return fmt.Errorf("echo: %w", err)
	}
	long := text + strings.Repeat("x", 40<<10)
	if _, err := c.call(ctx, "echo", long, "", long, unexpected); err != nil {
		return fmt.Errorf("long echo: %w", err)
	}
	if _, err := c.call(ctx, "steps", text, "", text, rising()); err != nil {
		return fmt.Errorf("steps: %w", err)
	}
	if err := list(ctx, c); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if _, err := c.call(ctx, "ask", text, "", text+"!", func(m message) error { return reply(ctx, c, m) }); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	if err := resume(ctx, c, text); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	if err := hear(ctx, c); err != nil {
		return fmt.Errorf("hear: %w", err)
	}
	if turn%2 == 0 {
		return nil
	}
	answer, err := c.send(ctx, http.MethodDelete, "", nil)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode/100 != 2 && answer.StatusCode != http.StatusNotFound {
		return fmt.Errorf("DELETE: %s", answer.Status)
	}
	return nil
}

// open opens a session.
func open(ctx context.Context, c *client) error {
	c.session = ""
	answer, err := c.send(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+legacy+
		`","capabilities":{"elicitation":{}},"clientInfo":{"name":"soak","version":"1.0.0"}}}`, nil)
	if err != nil {
		return err
	}
	session := answer.Header.Get("Mcp-Session-Id")
	if _, err := c.answer(answer, 0, unexpected); err != nil {
		return err
	}
	if session == "" {
		return errors.New("no Mcp-Session-Id")
	}
	c.session = session
	return c.tell(ctx, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// tell sends a notification or a response.
func (c *client) tell(ctx context.Context, body string) error {
	answer, err := c.send(ctx, http.MethodPost, body, nil)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if answer.StatusCode == http.StatusNotFound {
		return errSessionEnded
	}
	if err != nil || answer.StatusCode != http.StatusAccepted || len(text) > 0 {
		return fmt.Errorf("%s: got %s, %.500q, %v, want 202 and nothing", body, answer.Status, text, err)
	}
	return nil
}

// reply answers the server's question.
func reply(ctx context.Context, c *client, m message) error {
	if m.Method != "elicitation/create" {
		return unexpected(m)
	}
	return c.tell(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":"!"}}}`, m.ID))
}

// resume breaks a stream behind its first message and takes it up again: what follows must come once.
func resume(ctx context.Context, c *client, text string) error {
	id, body := c.request("tools/call", fmt.Sprintf(`"name":"steps","arguments":{"text":%q}`, text))
	answer, err := c.send(ctx, http.MethodPost, body, nil)
	if err != nil {
		return err
	}
	var first message
	err = read(answer, func(m message) error {
		first = m
		return errEnough
	})
	if !errors.Is(err, errEnough) || first.Method != "notifications/progress" || first.event == "" {
		return fmt.Errorf("got %+v, %v, want progress in an event with an id", first, err)
	}
	if answer, err = c.send(ctx, http.MethodGet, "", map[string]string{"Last-Event-ID": first.event}); err != nil {
		return err
	}
	check := rising()
	if err := check(first); err != nil {
		return err
	}
	m, err := c.answer(answer, id, check)
	if err != nil {
		return err
	}
	return c.check(m, text)
}

// hear hears of two changes on the session's own stream, and goes.
func hear(ctx context.Context, c *client) error {
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	answer, err := c.send(ctx, http.MethodGet, "", nil)
	if err != nil {
		return err
	}
	heard := 0
	err = read(answer, func(m message) error {
		if m.Method != "notifications/tools/list_changed" {
			return unexpected(m)
		}
		if heard++; heard == 2 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return fmt.Errorf("the stream ended after %d changes: %w", heard, err)
}
