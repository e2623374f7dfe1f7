package mcp

import "slices"

// listKey names a list in one form.
type listKey struct {
	kind kind
	form *Form
}

// joined are the items of a list in one form, with commas between them.
type joined struct {
	bytes    []byte
	ends     []int // where each item ends
	filtered bool  // something is hidden from somebody
}

// run is the items from i up to j, of which there is one at least.
func (l *joined) run(i, j int) []byte {
	start := 0
	if i > 0 {
		start = l.ends[i-1] + len(",")
	}
	return l.bytes[start:l.ends[j-1]]
}

// list answers a list request: the items that the one who asks may see, in the order of
// registration (2026-07-28 server/tools, Capabilities, asks for one order). Each item is
// encoded once per form, the whole list is put together once per form until the registry
// changes, and what is sent are stretches of that.
func list(c *Call, k kind, hint CacheHint) (Reply, error) {
	member, items := memberNames[k], c.reg.shelves[k].items
	all, err := c.join(k)
	if err != nil {
		return Reply{}, err
	}
	if all.filtered {
		hint.Public = false // it differs from one to another
	}
	scope := c.cursorScope(member, hint.Public)
	after, err := c.cursor(scope)
	if err != nil {
		return Reply{}, err
	}
	first := position(items, after)
	p := &page{member: member}
	p.runs = p.one[:0]
	last, more := 0, false
	if all.filtered {
		last, more = c.addVisible(p, all, items, first)
	} else {
		end := first + min(c.server.opts.pageSize(), len(items)-first)
		p.add(all, first, end)
		last, more = end-1, end < len(items)
	}
	if more {
		p.next = c.nextCursor(items[last].registration().number, scope)
	}
	return Reply{body: p, cache: &hint}, nil
}

// join is the list in the form of the one who asks, which is kept.
func (c *Call) join(k kind) (*joined, error) {
	key := listKey{k, c.asked.Form}
	if known, ok := c.reg.derived.Load(key); ok {
		return known.(*joined), nil
	}
	items := c.reg.shelves[k].items
	all := &joined{ends: make([]int, 0, len(items))}
	for _, item := range items {
		bytes, err := encoded(item, c.asked.Form)
		if err != nil {
			return nil, err
		}
		if len(all.bytes) > 0 {
			all.bytes = append(all.bytes, ',')
		}
		all.bytes = append(all.bytes, bytes...)
		all.ends = append(all.ends, len(all.bytes))
		all.filtered = all.filtered || item.filter() != nil
	}
	all.bytes = slices.Clip(all.bytes)
	c.reg.derived.Store(key, all)
	return all, nil
}

// addVisible fills a page with the items from first on that the one who asks may see. It
// returns the index of the last of them, and whether there are more.
func (c *Call) addVisible(p *page, all *joined, items []listed, first int) (last int, more bool) {
	room := c.server.opts.pageSize()
	start, i := first, first // of a stretch of visible items, and its end
	for ; i < len(items); i++ {
		visible := c.visible(items[i])
		if more = visible && room == 0; more {
			break
		}
		if visible {
			room--
			last = i
			continue
		}
		p.add(all, start, i)
		start = i + 1
	}
	p.add(all, start, i)
	return last, more
}

// page is a page of a list: stretches of it, and the cursor of the page behind.
type page struct {
	member string
	runs   [][]byte
	one    [1][]byte // what runs begins with, which most often is all
	next   string    // "" when it is the last
}

// add adds the stretch of items from i up to j, which may be empty.
func (p *page) add(all *joined, i, j int) {
	if i < j {
		p.runs = append(p.runs, all.run(i, j))
	}
}

func (p *page) write(w *writer, _ *Form) {
	w.open(p.member, '[')
	for _, run := range p.runs {
		w.comma()
		w.dst = append(w.dst, run...)
	}
	w.close(']')
	w.optional("nextCursor", p.next)
}
