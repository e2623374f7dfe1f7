package guide

import (
	"context"
	"fmt"

	"isthmus.internal/mcp"
)

// NewOnce makes one of several replicas, which share keys, of a server whose tool asks
// twice. keys is what seal.NewKeys makes of a secret that all replicas have.
func NewOnce(keys mcp.Sealer, hold func() (seat int, err error), book func(seat int, name string) error) *mcp.Server {
	type traveller struct {
		Name string `json:"name" mcp:"name of the traveller"`
	}
	type consent struct {
		OK bool `json:"ok" mcp:"whether to book"`
	}
	s := mcp.NewServer("trains", "1.0.0", &mcp.ServerOptions{Keys: keys})
	mcp.AddTool(s, mcp.Tool{Name: "book_seat", Description: "Books a seat. It asks the user for the name and for consent."},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			// The questions need a seat, so it is held before them: once.
			seat, err := mcp.Once(c, "seat", hold)
			if err != nil {
				return "", err
			}
			who, err := mcp.Ask[traveller](ctx, c, "traveller", fmt.Sprintf("Who travels on seat %d?", seat))
			if err != nil {
				return "", err
			}
			sure, err := mcp.Ask[consent](ctx, c, "consent", fmt.Sprintf("Book seat %d for %s?", seat, who.Name))
			if err != nil {
				return "", err
			}
			if !sure.OK {
				return "Nothing was booked.", nil
			}
			// Behind the last question nothing runs again, unless the client sends the same
			// answer again: book refuses a seat that is booked.
			if err := book(seat, who.Name); err != nil {
				return "", err
			}
			return fmt.Sprintf("seat %d is booked for %s", seat, who.Name), nil
		})
	return s
}
