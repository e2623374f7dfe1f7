package mcp

import (
	"slices"
)

// listKey names what is kept of a list in one form: a page by the index of its first
// item, or, at index -1, whether anything is hidden from anybody.
type listKey struct {
	member string
	form   *Form
	first  int
}

// list answers a list request: the items that the one who asks may see, in the order of
// registration (2026-07-28 server/tools, Capabilities, asks for one order), as the member
// of this name. Pages that are the same for all are encoded once per form and kept until
// the registry changes; otherwise the bytes of each item are.
func list[T listed](c *Call, member string, items []T, hint CacheHint) (Reply, error) {
	filtered := isFiltered(c, member, items)
	if filtered {
		hint.Public = false // it differs from one to another
	}
	scope := c.cursorScope(member, hint.Public)
	after, err := c.cursor(scope)
	if err != nil {
		return Reply{}, err
	}
	first := position(items, after)
	var p *page
	if filtered {
		p, err = visiblePage(c, member, items[first:])
	} else {
		p, err = commonPage(c, member, items, first)
	}
	if err != nil {
		return Reply{}, err
	}
	if p.more {
		return Reply{body: &continued{p, c.nextCursor(p.last, scope)}, cache: &hint}, nil
	}
	return Reply{body: p.members, cache: &hint}, nil
}

// isFiltered reports whether anything of a list is hidden from anybody.
func isFiltered[T listed](c *Call, member string, items []T) bool {
	key := listKey{member, nil, -1}
	if known, ok := c.reg.lists.Load(key); ok {
		return known.(bool)
	}
	filtered := slices.ContainsFunc(items, func(item T) bool { return item.filter() != nil })
	c.reg.lists.Store(key, filtered)
	return filtered
}

// page is a page of a list as members of the result, and what comes behind it.
type page struct {
	members
	more bool
	last uint64 // the number of the last item
}

// commonPage is the page of a list that everybody may see all of. The pages that one
// comes to from the first one are kept, so what is kept is not more than the list.
func commonPage[T listed](c *Call, member string, items []T, first int) (*page, error) {
	size := c.server.opts.pageSize()
	key := listKey{member, c.asked.Form, first}
	if known, ok := c.reg.lists.Load(key); ok {
		return known.(*page), nil
	}
	p := &page{}
	if len(items)-first > size {
		p.more, p.last = true, items[first+size-1].registration().number
		items = items[:first+size]
	}
	w := writer{}
	w.open(member, '[')
	for _, item := range items[first:] {
		if err := w.item(item, c.asked.Form); err != nil {
			return nil, err
		}
	}
	w.close(']')
	p.members = slices.Clip(w.dst)
	if first%size == 0 {
		c.reg.lists.Store(key, p)
	}
	return p, nil
}

// visiblePage is the first page of what the one who asks may see of items.
func visiblePage[T listed](c *Call, member string, items []T) (*page, error) {
	p := &page{}
	w := writer{}
	w.open(member, '[')
	room := c.server.opts.pageSize()
	for _, item := range items {
		if !c.visible(item) {
			continue
		}
		if room == 0 {
			p.more = true
			break
		}
		if err := w.item(item, c.asked.Form); err != nil {
			return nil, err
		}
		p.last = item.registration().number
		room--
	}
	w.close(']')
	p.members = w.dst
	return p, nil
}

// item writes an item of a list.
func (w *writer) item(item listed, f *Form) error {
	bytes, err := encoded(item, f)
	if err != nil {
		return err
	}
	w.comma()
	w.dst = append(w.dst, bytes...)
	return nil
}

// continued is a page that another one comes behind.
type continued struct {
	*page
	cursor string
}

func (b *continued) write(w *writer, f *Form) {
	b.members.write(w, f)
	w.text("nextCursor", b.cursor)
}
