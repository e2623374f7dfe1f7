package mcp

import (
	"math"
	"time"

	"isthmus.internal/jsonrpc"
)

// ResultTypeOf tells what kind of result raw is: "complete", "input_required" or what
// an extension has defined. A result that does not say, as before 2026-07-28, is
// complete (2026-07-28 basic/index, ResultType). It is "" when raw is no object or its
// resultType is no string; [Read] then says so.
func ResultTypeOf(raw jsonrpc.Raw) string {
	kind := complete
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
		if string(o.Name()) == "resultType" {
			kind, _ = o.Value().Text()
		}
	}
	if o.Err() != nil {
		return ""
	}
	return kind
}

const complete = "complete"

// EmptyResult is a result with nothing of its own, as that of ping and of
// subscriptions/listen.
type EmptyResult struct{ Meta Meta }

// Page is one page of a list: the result of tools/list, prompts/list, resources/list or
// resources/templates/list, by the type of its items.
type Page[T Tool | Prompt | Resource | ResourceTemplate] struct {
	Items []T
	// NextCursor is where the next page begins, and nil on the last page. A cursor
	// may be the empty string (2026-07-28 server/utilities/pagination, Response
	// Format).
	NextCursor *string
	// Cache tells whether the page may be kept; nil when the server does not say.
	Cache *CacheHint
	Meta  Meta
}

// ReadResourceResult is the result of resources/read.
type ReadResourceResult struct {
	Contents []ResourceContents
	// Cache tells whether the result may be kept; nil when the server does not say.
	Cache *CacheHint
	Meta  Meta
}

// common takes the members that every result may have. What a client does not know as
// a type of result is no result (2026-07-28 basic/index, ResultType).
func (r *objectReader) common(meta *Meta) {
	switch string(r.name()) {
	case "resultType":
		r.word(complete)
	case "_meta":
		r.meta(meta)
	}
}

// cache takes the members of a hint on caching.
func (r *objectReader) cache(to **CacheHint) {
	name := string(r.name())
	if name != "ttlMs" && name != "cacheScope" {
		return
	}
	if *to == nil {
		*to = &CacheHint{}
	}
	if name == "ttlMs" {
		var ms float64
		r.number(&ms)
		// One that is negative counts as 0 (2026-07-28 server/utilities/caching,
		// Time-to-Live), one beyond a Duration as the longest.
		const most = float64(math.MaxInt64 / int64(time.Millisecond))
		(*to).TTL = time.Duration(min(max(0, ms), most)) * time.Millisecond
		return
	}
	var scope string
	r.text(&scope)
	(*to).Public = scope == "public"
}

// beginResult and endResult write what every result has, around its own members.
func (w *writer) beginResult(f *Form) {
	w.open("", '{')
	if f.ResultType {
		w.text("resultType", complete)
	}
}

func (w *writer) endResult(cache *CacheHint, meta Meta, f *Form) {
	if f.CacheHints && cache != nil {
		w.cacheHint(*cache)
	}
	w.rawMap("_meta", meta)
	w.close('}')
}

func (e *EmptyResult) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		r.common(&e.Meta)
	}
	return r.end()
}

func (e *EmptyResult) writeJSON(w *writer, f *Form) {
	w.beginResult(f)
	w.endResult(nil, e.Meta, f)
}

func (c *Result) readJSON(raw jsonrpc.Raw) *Malformed {
	m := c.readLenient(raw)
	if m == nil && c.Content == nil {
		m = must("be there").inside([]byte("content"))
	}
	return m
}

// readLenient reads a result that may leave content out, or have null there.
func (c *Result) readLenient(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw)
	for r.next() {
		switch string(r.name()) {
		case "content":
			if r.value().Kind() != jsonrpc.KindNull {
				r.contents(&c.Content)
			}
		case "structuredContent":
			r.any(&c.Structured)
		case "isError":
			r.boolean(&c.IsError)
		default:
			r.common(&c.Meta)
		}
	}
	return r.end()
}

func (c *Result) writeJSON(w *writer, f *Form) {
	w.beginResult(f)
	c.write(w, f)
	w.endResult(nil, c.Meta, f)
}

// member is the name of the list in its page.
func (p *Page[T]) member() string {
	switch any(p.Items).(type) {
	case []Tool:
		return "tools"
	case []Prompt:
		return "prompts"
	case []Resource:
		return "resources"
	}
	return "resourceTemplates"
}

func (p *Page[T]) readJSON(raw jsonrpc.Raw) *Malformed { return p.read(raw, nil) }

// read reads a page. What cannot be read as an item is a fault of the page, unless skip is
// there: then that is told, and the item left out.
func (p *Page[T]) read(raw jsonrpc.Raw, skip func(*Malformed)) *Malformed {
	member := p.member()
	r := readObject(raw, member)
	for r.next() {
		switch string(r.name()) {
		case member:
			p.Items = []T{}
			place := 0
			r.each(func(value jsonrpc.Raw) *Malformed {
				var item T
				m := any(&item).(Value).readJSON(value)
				if m != nil && skip != nil {
					skip(m.element(place).inside([]byte(member)))
					m = nil
				} else {
					p.Items = append(p.Items, item)
				}
				place++
				return m
			})
		case "nextCursor":
			r.optionalText(&p.NextCursor)
		default:
			r.common(&p.Meta)
			r.cache(&p.Cache)
		}
	}
	return r.end()
}

func (p *Page[T]) writeJSON(w *writer, f *Form) {
	w.beginResult(f)
	w.open(p.member(), '[')
	for i := range p.Items {
		any(&p.Items[i]).(Value).writeJSON(w, f)
	}
	w.close(']')
	if p.NextCursor != nil {
		w.text("nextCursor", *p.NextCursor)
	}
	w.endResult(p.Cache, p.Meta, f)
}

func (c *ReadResourceResult) readJSON(raw jsonrpc.Raw) *Malformed {
	r := readObject(raw, "contents")
	for r.next() {
		switch string(r.name()) {
		case "contents":
			c.Contents = []ResourceContents{}
			r.each(func(value jsonrpc.Raw) *Malformed {
				var one contentsReader
				m := one.readJSON(value)
				c.Contents = append(c.Contents, one.ResourceContents)
				return m
			})
		default:
			r.common(&c.Meta)
			r.cache(&c.Cache)
		}
	}
	return r.end()
}

func (c *ReadResourceResult) writeJSON(w *writer, f *Form) {
	w.beginResult(f)
	w.open("contents", '[')
	for _, one := range c.Contents {
		if one == nil {
			w.fail("one of the contents is nil")
			return
		}
		one.write(w, f)
	}
	w.close(']')
	w.endResult(c.Cache, c.Meta, f)
}
