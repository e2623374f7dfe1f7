package guide

import (
	"context"
	"fmt"
	"time"

	"isthmus.internal/mcp"
)

// searchArguments is what a model fills in. Each tag is a keyword of its JSON Schema.
type searchArguments struct {
	Customer string     `json:"customer" mcp:"id of the customer, such as C000042; find_customers gives it" pattern:"^C[0-9]{6}$"`
	States   []string   `json:"states,omitempty" mcp:"only orders in one of these states; all when absent" enum:"open,paid,sent" uniqueItems:"true"`
	Since    *time.Time `json:"since" mcp:"only orders from this time on"`
	Limit    int        `json:"limit" mcp:"how many orders at the most" default:"20" minimum:"1" maximum:"100"`
}

// NewArguments makes a server whose tool says all that a model has to know.
func NewArguments() *mcp.Server {
	s := mcp.NewServer("shop", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{
		Name:  "search_orders",
		Title: "Search orders",
		Description: "Finds the orders of one customer, newest first. " +
			"Use it to learn the state of an order; it does not find customers by name, find_customers does.",
	}, func(ctx context.Context, c *mcp.Call, in searchArguments) (string, error) {
		// Here in.Customer matches its pattern, in.States holds known states alone, and
		// in.Limit is from 1 to 100, or 20 when the model has left it out.
		text := fmt.Sprintf("no orders of %s among the newest %d", in.Customer, in.Limit)
		if in.Since != nil {
			text += " since " + in.Since.Format(time.DateOnly)
		}
		return text, nil
	})
	return s
}
