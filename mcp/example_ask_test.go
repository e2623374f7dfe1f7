package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
)

// A tool asks its user as it goes along. In the modern era the handler runs again from
// its top for each answer, so the order is placed behind the last question.
func ExampleAsk() {
	type order struct {
		Size  string `json:"size" enum:"small,large" default:"small"`
		Email string `json:"email" format:"email" mcp:"where the receipt goes"`
	}
	type confirmation struct {
		Sure bool `json:"sure"`
	}
	s := mcp.NewServer("shop", "1.0.0", nil)
	s.AddTool(mcp.Tool{Name: "order"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		o, err := mcp.Ask[order](ctx, c, "order", "What would you like?")
		if err != nil {
			return nil, err
		}
		yes, err := mcp.Ask[confirmation](ctx, c, "confirm", fmt.Sprintf("Order a %s one?", o.Size))
		switch {
		case errors.Is(err, mcp.ErrDeclined), err == nil && !yes.Sure:
			return mcp.TextResult("Nothing was ordered."), nil
		case err != nil:
			return nil, err
		}
		return mcp.TextResult("Ordered; the receipt goes to " + o.Email), nil
	})
}

// What cannot wait for the last answer is done once.
func ExampleOnce() {
	s := mcp.NewServer("tickets", "1.0.0", nil)
	s.AddTool(mcp.Tool{Name: "open"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		number, err := mcp.Once(c, "ticket", openTicket)
		if err != nil {
			return nil, err
		}
		in, err := mcp.Ask[struct {
			Text string `json:"text"`
		}](ctx, c, "text", fmt.Sprintf("What is ticket %d about?", number))
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(fmt.Sprintf("Ticket %d: %s", number, in.Text)), nil
	})
}

func openTicket() (int, error) { return 7, nil }

// Several questions in one round save the client from going to and fro.
func ExampleCall_AskAll() {
	type person struct {
		Name string `json:"name"`
	}
	s := mcp.NewServer("greeter", "1.0.0", nil)
	s.AddTool(mcp.Tool{Name: "greet"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		who, where := mcp.QuestionFor[person]("who", "Who are you?"), mcp.RootsQuestion("where")
		if err := c.AskAll(ctx, who, where); err != nil {
			return nil, err
		}
		p, err := who.Answer()
		if err != nil {
			return nil, err
		}
		roots, err := where.Answer()
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(fmt.Sprintf("Hello %s, with %d roots.", p.Name, len(roots))), nil
	})
}

// A handler can keep its own account of what it has asked.
func ExampleCall_RequireInput() {
	type person struct {
		Name string `json:"name"`
	}
	s := mcp.NewServer("greeter", "1.0.0", nil)
	s.AddTool(mcp.Tool{Name: "greet"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		answer := c.InputResponse("who")
		if answer == nil {
			return nil, c.RequireInput([]byte("asked"), mcp.QuestionFor[person]("who", "Who are you?"))
		}
		return mcp.TextResult(fmt.Sprintf("%s: %s", c.RequestState(), answer)), nil
	})
}

// Processes that serve the same clients share a secret, so that a retry may reach any of
// them.
func ExampleServerOptions_keys() {
	secret, err := os.ReadFile("/run/secrets/state")
	if err != nil {
		log.Fatal(err)
	}
	keys, err := seal.NewKeys(secret)
	if err != nil {
		log.Fatal(err)
	}
	mcp.NewServer("greeter", "1.0.0", &mcp.ServerOptions{Keys: keys})
}
