package mcp

import (
	"bytes"
	linked "container/list"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"isthmus.internal/jsonrpc"
)

// keepable are the methods whose results may be kept, with the kind of change that makes
// what is kept stale (2026-07-28 server/utilities/caching, Cacheable Results and
// Interaction with Notifications).
var keepable = map[string]ChangeKind{
	"server/discover":          "", // nothing tells of its changes
	"tools/list":               ToolsListChanged,
	"prompts/list":             PromptsListChanged,
	"resources/list":           ResourcesListChanged,
	"resources/templates/list": ResourcesListChanged,
	"resources/read":           ResourceUpdated,
}

// cache keeps results for as long as the server lets them be kept. What it holds is bounded:
// the results that were not asked for longest go first. A client acts for one user, so what is
// kept is private and public alike, and none of it reaches another client (2026-07-28
// server/utilities/caching, Cache Scope).
type cache struct {
	entries, size int // the bounds; 0 keeps nothing

	mu    sync.Mutex
	kept  map[cacheKey]*linked.Element // of *keptResult
	order linked.List                  // those used last in front
	used  int                          // bytes
	waits map[*awaited]struct{}        // for answers that may be kept
}

// cacheKey is what a result answers to: another method, or other params, have another one
// (2026-07-28 server/utilities/caching, Cache Key).
type cacheKey struct{ method, params string }

type keptResult struct {
	awaited
	result jsonrpc.Raw
	until  time.Time
}

// awaited is a request whose answer may be kept.
type awaited struct {
	cacheKey
	uri   string // of resources/read
	paged bool   // it has a cursor
	retry bool   // it has what an earlier answer has asked for, and is neither kept nor found
	stale bool   // what it asks for has changed since it was sent; under cache.mu
}

// init sets the bounds.
func (k *cache) init(o *ClientOptions) {
	k.entries, k.size = cacheBound(o.CacheEntries, 1024), cacheBound(o.CacheBytes, 16<<20)
	k.kept = make(map[cacheKey]*linked.Element)
	k.waits = make(map[*awaited]struct{})
}

// cacheBound is a bound of the options, or otherwise where they have none; 0 for less than 0.
func cacheBound(given, otherwise int) int {
	if given == 0 {
		return otherwise
	}
	return max(0, given)
}

// through is the answer to r: the one that is kept, unless the caller wants a fresh one, or that
// of ask, which is kept if it may be.
func (k *cache) through(ctx context.Context, f *Form, r *ClientRequest, fresh bool, ask func(context.Context) (jsonrpc.Raw, error)) (jsonrpc.Raw, error) {
	_, keeps := keepable[r.Method]
	if !keeps || !f.CacheHints || k.entries == 0 || k.size == 0 || !onlyTraced(r.Meta) {
		result, err := ask(ctx)
		k.doubt(r.Method, err)
		return result, err
	}
	w := awaits(r)
	if w.retry {
		return ask(ctx)
	}
	if !fresh {
		if kept := k.find(w.cacheKey); kept != nil {
			return kept, nil
		}
	}
	k.begin(w)
	result, err := ask(ctx)
	k.end(w, r, result, err)
	return result, err
}

// onlyTraced reports whether _meta holds nothing that could make the result another one: what
// the era puts there says nothing about it, and neither does trace context.
func onlyTraced(m Meta) bool {
	for name := range m {
		if !oneOf(name, "traceparent", "tracestate", "baggage") {
			return false
		}
	}
	return true
}

// awaits reads what the cache has to know of a request.
func awaits(r *ClientRequest) *awaited {
	w := &awaited{cacheKey: cacheKey{r.Method, string(r.Params)}}
	if len(r.Params) == 0 {
		w.params = "{}"
	}
	o := jsonrpc.ReadObject(r.Params)
	for o.Next() {
		switch string(o.Name()) {
		case "uri":
			w.uri, _ = o.Value().Text()
		case "cursor":
			w.paged = true
		case "inputResponses", "requestState":
			w.retry = true
		}
	}
	return w
}

// find is the result that is kept, for the caller to have; nil when there is none, or none
// that is fresh.
func (k *cache) find(key cacheKey) jsonrpc.Raw {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.kept[key]
	if e == nil {
		return nil
	}
	kept := e.Value.(*keptResult)
	if !time.Now().Before(kept.until) {
		k.dropLocked(e)
		return nil
	}
	k.order.MoveToFront(e)
	return bytes.Clone(kept.result)
}

// begin notes a request, so that a change which comes before its answer counts.
func (k *cache) begin(w *awaited) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waits[w] = struct{}{}
}

// end keeps the answer, if it may be kept: for ttlMs from now on, unless it came of a retry,
// or what it tells of has changed already. Where a page fails that is asked for by its
// cursor, all pages go, since they do not belong to each other any more (2026-07-28
// server/utilities/caching, Interaction with Pagination).
func (k *cache) end(w *awaited, r *ClientRequest, result jsonrpc.Raw, err error) {
	ttl := time.Duration(0)
	if err == nil && !r.Retried {
		ttl = freshFor(result)
	}
	var refused *jsonrpc.Error
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.waits, w)
	switch {
	case err == nil && ttl > 0 && !w.stale:
		k.keepLocked(&keptResult{*w, bytes.Clone(result), time.Now().Add(ttl)})
	case err == nil:
		if e := k.kept[w.cacheKey]; e != nil {
			k.dropLocked(e) // it was asked for fresh, and is now not to be kept
		}
	case w.paged && errors.As(err, &refused):
		k.dropAllLocked(func(o *awaited) bool { return o.method == w.method })
	}
}

// freshFor is for how long the server lets a result be kept; 0 when it does not say, and for a
// result that is none yet (2026-07-28 server/utilities/caching, Cacheable Results).
func freshFor(result jsonrpc.Raw) time.Duration {
	var hint *CacheHint
	r := readObject(result)
	for r.next() {
		if string(r.name()) == "resultType" {
			r.word(complete)
		}
		r.cache(&hint)
	}
	if r.end() != nil || hint == nil {
		return 0
	}
	return hint.TTL
}

// keepLocked keeps a result, and lets those go that were not asked for longest.
func (k *cache) keepLocked(kept *keptResult) {
	if e := k.kept[kept.cacheKey]; e != nil {
		k.dropLocked(e)
	}
	if kept.cost() > k.size {
		return
	}
	k.used += kept.cost()
	k.kept[kept.cacheKey] = k.order.PushFront(kept)
	for len(k.kept) > k.entries || k.used > k.size {
		k.dropLocked(k.order.Back())
	}
}

// cost is about what a result takes in memory, in bytes.
func (k *keptResult) cost() int {
	const rest = 256
	return len(k.result) + len(k.method) + len(k.params) + len(k.uri) + rest
}

func (k *cache) dropLocked(e *linked.Element) {
	kept := k.order.Remove(e).(*keptResult)
	delete(k.kept, kept.cacheKey)
	k.used -= kept.cost()
}

// dropAllLocked drops what is stale, and lets no answer be kept that was asked for before.
func (k *cache) dropAllLocked(stale func(*awaited) bool) {
	for _, e := range k.kept {
		if stale(&e.Value.(*keptResult).awaited) {
			k.dropLocked(e)
		}
	}
	for w := range k.waits {
		w.stale = w.stale || stale(w)
	}
}

// changed drops what the change is about. A resource that was updated may be one below that
// which was read, or hold it (2026-07-28 schema, ResourceUpdatedNotificationParams).
func (k *cache) changed(ch Change) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropAllLocked(func(o *awaited) bool {
		kind := keepable[o.method]
		return kind != "" && kind == ch.Kind && (kind != ResourceUpdated || related(o.uri, ch.URI))
	})
}

// related reports whether one of two uris begins the other.
func related(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// doubted says which list an error of a method makes doubtful: what it has told of is not
// there any more, or not as it was (2026-07-28 server/utilities/caching, Freshness Calculation).
var doubted = map[string]string{"tools/call": "tools/list", "prompts/get": "prompts/list"}

// doubt drops the list by which a call was made that the server does not understand.
func (k *cache) doubt(method string, err error) {
	list := doubted[method]
	if list == "" || err == nil {
		return
	}
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != jsonrpc.InvalidParams && refused.Code != jsonrpc.MethodNotFound {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropAllLocked(func(o *awaited) bool { return o.method == list })
}

// forget drops everything: who answers may be another one now.
func (k *cache) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropAllLocked(func(*awaited) bool { return true })
}
