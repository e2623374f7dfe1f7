package mcp

import (
	"context"
	"fmt"
	"iter"

	"isthmus.internal/jsonrpc"
)

// ListTools asks for one page of the server's tools, the first one when cursor is nil
// (2026-07-28 server/tools, Listing Tools). Entries that cannot be read are left out, and
// so are tools that mark their arguments for headers against the rules (server/tools,
// x-mcp-header); the log names each.
func (c *Client) ListTools(ctx context.Context, cursor *string, o *CallOptions) (*Page[Tool], error) {
	turn := c.tools.turn()
	page, err := listPage[Tool](ctx, c, "tools/list", cursor, o)
	if err != nil {
		return nil, err
	}
	c.readMarks(ctx, turn, page, cursor == nil)
	return page, nil
}

// ListResources asks for one page of the server's resources; see [Client.ListTools].
func (c *Client) ListResources(ctx context.Context, cursor *string, o *CallOptions) (*Page[Resource], error) {
	return listPage[Resource](ctx, c, "resources/list", cursor, o)
}

// ListResourceTemplates asks for one page of the server's templates of resources; see
// [Client.ListTools].
func (c *Client) ListResourceTemplates(ctx context.Context, cursor *string, o *CallOptions) (*Page[ResourceTemplate], error) {
	return listPage[ResourceTemplate](ctx, c, "resources/templates/list", cursor, o)
}

// ListPrompts asks for one page of the server's prompts; see [Client.ListTools].
func (c *Client) ListPrompts(ctx context.Context, cursor *string, o *CallOptions) (*Page[Prompt], error) {
	return listPage[Prompt](ctx, c, "prompts/list", cursor, o)
}

// listItem is what lists are of.
type listItem interface {
	Tool | Prompt | Resource | ResourceTemplate
}

// listPage asks for one page of a list.
func listPage[T listItem](ctx context.Context, c *Client, method string, cursor *string, o *CallOptions) (*Page[T], error) {
	page := new(Page[T])
	if err := c.readPage(ctx, page, method, cursor, o); err != nil {
		return nil, err
	}
	return page, nil
}

// readPage asks for the page. It is apart from the types of pages, since that is compiled
// for each of them.
func (c *Client) readPage(ctx context.Context, page interface {
	read(raw jsonrpc.Raw, skip func(*Malformed)) *Malformed
}, method string, cursor *string, o *CallOptions) error {
	r := &clientCall{ClientRequest: ClientRequest{Method: method}}
	if cursor != nil {
		w := writer{}
		w.open("", '{')
		w.text("cursor", *cursor)
		w.close('}')
		r.Params = w.dst
	}
	raw, err := c.do(ctx, r, o)
	if err != nil {
		return err
	}
	m := page.read(raw, func(m *Malformed) {
		c.log.WarnContext(ctx, "an entry of a list is left out", "method", method, "error", m.at("result"))
	})
	if m != nil {
		return m.at("result")
	}
	return nil
}

// Tools are all tools of the server, page by page as they are needed. An error ends them:
// that of a page, or one that says that a page has led back to an earlier one. A cursor may
// be the empty string (2026-07-28 server/utilities/pagination). What is left out is as
// [Client.ListTools] says.
//
//	for tool, err := range c.Tools(ctx) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(tool.Name)
//	}
func (c *Client) Tools(ctx context.Context) iter.Seq2[*Tool, error] {
	return pages(ctx, c.ListTools, nil)
}

// Resources are all resources of the server; see [Client.Tools].
func (c *Client) Resources(ctx context.Context) iter.Seq2[*Resource, error] {
	return pages(ctx, c.ListResources, nil)
}

// ResourceTemplates are all templates of resources of the server; see [Client.Tools].
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[*ResourceTemplate, error] {
	return pages(ctx, c.ListResourceTemplates, nil)
}

// Prompts are all prompts of the server; see [Client.Tools].
func (c *Client) Prompts(ctx context.Context) iter.Seq2[*Prompt, error] {
	return pages(ctx, c.ListPrompts, nil)
}

// The bounds of a list, so that one that has no end has one: how many pages it has, and how
// long their cursors are in all.
const (
	mostPages   = 100_000
	mostCursors = 16 << 20
)

// pages goes from page to page.
func pages[T listItem](ctx context.Context, list func(context.Context, *string, *CallOptions) (*Page[T], error), o *CallOptions) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var cursor *string
		var seen trail
		for {
			page, err := list(ctx, cursor, o)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page.Items {
				if !yield(&page.Items[i], nil) {
					return
				}
			}
			if cursor = page.NextCursor; cursor == nil {
				return
			}
			if err := seen.add(*cursor); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// trail is the cursors that a list has led along.
type trail struct {
	seen map[string]bool
	size int
}

// add takes the next one. A list that has no end is an error.
func (t *trail) add(cursor string) error {
	if t.seen[cursor] {
		return fmt.Errorf("mcp: the list has no end: the server has given the cursor %q twice", jsonrpc.Clip([]byte(cursor)))
	}
	put(&t.seen, cursor, true)
	if t.size += len(cursor); len(t.seen) == mostPages || t.size > mostCursors {
		return fmt.Errorf("mcp: the list has no end in sight: %d pages, %d bytes of cursors", len(t.seen), t.size)
	}
	return nil
}
