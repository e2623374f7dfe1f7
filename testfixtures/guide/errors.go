package guide

import (
	"context"
	"errors"
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// NewErrors makes a server whose tool fails in each of the three ways.
func NewErrors(reserve func(item string, count int) error) *mcp.Server {
	type order struct {
		Item  string `json:"item" mcp:"name of the item, as list_items gives it"`
		Count int    `json:"count" minimum:"1"`
	}
	stock := map[string]int{"lamp": 3, "table": 1}

	s := mcp.NewServer("shop", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "order", Description: "Orders an item."},
		func(ctx context.Context, c *mcp.Call, in order) (string, error) {
			left, known := stock[in.Item]
			if !known { // the model can mend this: say how
				return "", fmt.Errorf("there is no item %q; list_items shows all of them", in.Item)
			}
			if left < in.Count {
				return "", fmt.Errorf("only %d of %s are left; order fewer", left, in.Item)
			}
			if c.Meta("com.example/shop") == nil { // the client has to mend this, no model can
				return "", jsonrpc.Errorf(jsonrpc.InvalidParams, "_meta must name the shop in com.example/shop")
			}
			if err := reserve(in.Item, in.Count); err != nil { // nobody but the operator can
				c.Logger().Error("reserving failed", "item", in.Item, "error", err)
				return "", errors.New("the warehouse does not answer; nothing was ordered, try again in a minute")
			}
			return "ordered", nil
		})
	return s
}
