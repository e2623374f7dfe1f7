package guide

import (
	"context"
	"fmt"
	"log/slog"

	"isthmus.internal/mcp"
)

// NewLong makes a server whose tool takes its time.
func NewLong(convert func(ctx context.Context, page int) error) *mcp.Server {
	type book struct {
		Pages int `json:"pages" minimum:"1" maximum:"1000"`
	}
	s := mcp.NewServer("press", "1.0.0", &mcp.ServerOptions{Logging: true})
	mcp.AddTool(s, mcp.Tool{Name: "convert_book", Description: "Converts a book, about a second for each page."},
		func(ctx context.Context, c *mcp.Call, in book) (string, error) {
			log := slog.New(mcp.NewLogHandler(c, "convert")) // to the client, if it asks for it
			skipped := 0
			for page := 1; page <= in.Pages; page++ {
				if err := convert(ctx, page); ctx.Err() != nil {
					return "", ctx.Err() // cancelled: nobody waits any more
				} else if err != nil {
					skipped++
					log.Warn("page skipped", "page", page)
				}
				c.Progress(float64(page), float64(in.Pages), fmt.Sprintf("page %d", page))
			}
			return fmt.Sprintf("%d pages, %d skipped", in.Pages, skipped), nil
		})
	return s
}
