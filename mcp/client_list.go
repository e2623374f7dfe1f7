package mcp

import (
	"context"
	"iter"
)

// ListTools asks for one page of the server's tools, the first one when cursor is nil
// (2026-07-28 server/tools, Listing Tools). Entries that cannot be read are left out, and
// so are tools that mark their arguments for headers against the rules (server/tools,
// x-mcp-header); the log names each.
func (c *Client) ListTools(ctx context.Context, cursor *string, o *CallOptions) (*Page[Tool], error) {
	return listPage[Tool](ctx, c, "tools/list", cursor, o)
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

func listPage[T Tool | Prompt | Resource | ResourceTemplate, P interface {
	*Page[T]
	Value
}](ctx context.Context, c *Client, method string, cursor *string, o *CallOptions) (*Page[T], error) {
	w := writer{}
	w.open("", '{')
	if cursor != nil {
		w.text("cursor", *cursor)
	}
	w.close('}')
	raw, err := c.do(ctx, &ClientRequest{Method: method, Params: w.dst}, o)
	if err != nil {
		return nil, err
	}
	page := new(Page[T])
	if m := P(page).readJSON(raw); m != nil {
		return nil, m.at("result")
	}
	return page, nil
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
	return pages(ctx, c.ListTools)
}

// Resources are all resources of the server; see [Client.Tools].
func (c *Client) Resources(ctx context.Context) iter.Seq2[*Resource, error] {
	return pages(ctx, c.ListResources)
}

// ResourceTemplates are all templates of resources of the server; see [Client.Tools].
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[*ResourceTemplate, error] {
	return pages(ctx, c.ListResourceTemplates)
}

// Prompts are all prompts of the server; see [Client.Tools].
func (c *Client) Prompts(ctx context.Context) iter.Seq2[*Prompt, error] {
	return pages(ctx, c.ListPrompts)
}

// pages goes from page to page.
func pages[T Tool | Prompt | Resource | ResourceTemplate](ctx context.Context, list func(context.Context, *string, *CallOptions) (*Page[T], error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var cursor *string
		for {
			page, err := list(ctx, cursor, nil)
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
		}
	}
}
