package soak

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// behave is one turn of a well-behaved client. errSessionEnded says that the client was too slow for its session:
// nothing has run that was not answered.
type behave func(ctx context.Context, c *client, turn int) error

// speakModern is a turn of a client of the modern era: one of each kind of exchange.
func speakModern(ctx context.Context, c *client, turn int) error {
	text := fmt.Sprintf("modern %p %d", c, turn)
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
	if err := askModern(ctx, c, text); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	if err := listen(ctx, c); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return nil
}

func list(ctx context.Context, c *client) error {
	m, err := c.exchange(ctx, "tools/list", "", unexpected)
	if err == nil && (len(m.Result.Tools) < tools || len(m.Result.Tools) > tools+1) {
		err = fmt.Errorf("got %d tools, want %d or one more", len(m.Result.Tools), tools)
	}
	return err
}

// askModern is asked a question, and answers it with a retry.
func askModern(ctx context.Context, c *client, text string) error {
	first, err := c.call(ctx, "ask", text, "", "", unexpected)
	if err == nil && (first.Result.RequestState == "" || first.Result.InputRequests["name"] == nil) {
		err = fmt.Errorf("got %+v, want a question", first.Result)
	}
	if err != nil {
		return err
	}
	more := fmt.Sprintf(`,"requestState":%q,"inputResponses":{"name":{"action":"accept","content":{"name":"!"}}}`, first.Result.RequestState)
	_, err = c.call(ctx, "ask", text, more, text+"!", unexpected)
	return err
}

// listen hears of two changes and goes.
func listen(ctx context.Context, c *client) error {
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	id, body := c.request("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	answer, err := c.send(ctx, http.MethodPost, body, nil)
	if err != nil {
		return err
	}
	heard := 0
	err = read(answer, func(m message) error {
		want := "notifications/tools/list_changed"
		if heard == 0 {
			want = "notifications/subscriptions/acknowledged"
		}
		if m.Method != want || m.Params.Meta["io.modelcontextprotocol/subscriptionId"] != float64(id) {
			return fmt.Errorf("got %s %v, want %s for %d", m.Method, m.Params, want, id)
		}
		if heard++; heard == 3 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return fmt.Errorf("the stream ended after %d messages: %w", heard, err)
}
