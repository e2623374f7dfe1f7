package guide

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"

	"isthmus.internal/mcp"
)

// baskets are what clients have begun. The handle is the key.
type baskets struct {
	mu  sync.Mutex
	all map[string]*basket
}

type basket struct {
	owner string
	items []string
}

// NewHandles makes a server that keeps something between calls, in no session.
func NewHandles() *mcp.Server {
	type handle struct {
		Basket string `json:"basket" mcp:"handle of the basket, from open_basket"`
	}
	type addition struct {
		Basket string `json:"basket" mcp:"handle of the basket, from open_basket"`
		Item   string `json:"item"`
	}
	b := &baskets{all: make(map[string]*basket)}
	s := mcp.NewServer("shop", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "open_basket", Description: "Opens an empty basket and returns its handle, which the other tools take."},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (handle, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if len(b.all) >= 10_000 {
				return handle{}, fmt.Errorf("too many baskets are open; try again later")
			}
			id := rand.Text() // nobody guesses it
			b.all[id] = &basket{owner: owner(c)}
			return handle{id}, nil
		})
	mcp.AddTool(s, mcp.Tool{Name: "add_to_basket", Description: "Puts an item into a basket."},
		func(ctx context.Context, c *mcp.Call, in addition) (string, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			found := b.all[in.Basket]
			if found == nil || found.owner != owner(c) { // one answer for both
				return "", fmt.Errorf("there is no such basket; open one with open_basket")
			}
			found.items = append(found.items, in.Item)
			return fmt.Sprintf("the basket holds %d items", len(found.items)), nil
		})
	return s
}

// owner is who a handle belongs to, "" for everybody whom the transport does not know.
func owner(c *mcp.Call) string {
	if p := c.Principal(); p != nil {
		return p.ID
	}
	return ""
}
