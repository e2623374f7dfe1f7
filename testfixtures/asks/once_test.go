package asks_test

import (
	"context"
	"fmt"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/asks"
	"isthmus.internal/testfixtures/mcptest"
)

// TestOnceKeepsDigits: what was done once comes back to the last digit, also where its Go
// type does not say that it is an integer.
func TestOnceKeepsDigits(t *testing.T) {
	m := mcptest.Matrix{Options: mcptest.Options{Answer: always}, Except: map[string]string{"2024-11-05": "it has no forms", "2025-03-26": "it has no forms"}}
	m.Each(t, func(testing.TB) *mcp.Server {
		s := mcp.NewServer("digits", "1", &mcp.ServerOptions{Keys: keys})
		mcp.AddTool(s, mcp.Tool{Name: "book"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			booked, err := mcp.Once(c, "booked", func() (map[string]any, error) { return map[string]any{"number": int64(9007199254740993)}, nil })
			if err != nil {
				return "", err
			}
			_, err = mcp.Ask[asks.Name](ctx, c, "name", "Who are you?")
			return fmt.Sprint(booked["number"]), err
		})
		return s
	}, func(t *testing.T, c *mcptest.Client) {
		if got := c.Call("book", "").Text(); got != "9007199254740993" {
			t.Errorf("got %s, want 9007199254740993", got)
		}
	})
}
