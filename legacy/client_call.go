package legacy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Call implements [mcp.Exchange]. There are no rounds: what the server asks meanwhile are
// requests of its own.
func (x *Client) Call(ctx context.Context, r *mcp.ClientRequest) (jsonrpc.Raw, error) {
	if r.Progress == nil && len(r.Meta) == 0 {
		return x.request(ctx, r.Method, r.Params, r.Room)
	}
	token, end := x.progress.begin(r.Progress)
	defer end()
	params, err := withMeta(r.Params, r.Meta, token)
	if err != nil {
		return nil, err
	}
	return x.request(ctx, r.Method, params, r.Room)
}

// withMeta is params with _meta as their last member: what the user has put there, and the
// token for progress, unless it is 0. Names that would make the request one of another era,
// or have a meaning to this side alone, are not the user's to give.
func withMeta(params jsonrpc.Raw, meta mcp.Meta, token int64) (jsonrpc.Raw, error) {
	dst := []byte(`{`)
	if len(params) > 0 {
		dst = bytes.TrimRight(append(dst[:0], params[:len(params)-1]...), " ")
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
	}
	dst = append(dst, `"_meta":{`...)
	if token != 0 {
		dst = append(dst, `"progressToken":`...)
		dst = append(jsonrpc.AppendInt(dst, token), ',')
	}
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		if meta[name] == nil || reserved(name) {
			continue
		}
		dst = append(jsonrpc.AppendString(dst, name), ':')
		var err error
		if dst, err = jsonrpc.AppendCompact(dst, meta[name]); err != nil {
			return nil, fmt.Errorf("legacy: _meta has the name %q with a value that is not JSON: %w", name, err)
		}
		dst = append(dst, ',')
	}
	return append(bytes.TrimRight(dst, ","), "}}"...), nil
}

// reserved reports whether a name in the _meta of a request is the protocol's to fill.
func reserved(name string) bool {
	switch name {
	case mcp.MetaProgressToken, mcp.MetaProtocolVersion, mcp.MetaClientInfo, mcp.MetaClientCapabilities, mcp.MetaLogLevel:
		return true
	}
	return false
}

// progress is who wants to be told how far a request is, by the token of that request
// (2025-11-25 basic/utilities/progress). Tokens are integers that count on, so that each is
// new in the session.
type progress struct {
	mu   sync.Mutex
	last int64
	open map[int64]*reporter
}

// reporter is told of one request.
type reporter struct {
	turn sync.Mutex // held while tell runs: one at a time, and none when the request is over
	tell func(mcp.ProgressParams)
}

// begin gives out a token, and the function that ends its use: once it has returned, tell
// is not called any more. Of a nil tell there is none, and the token is 0.
func (p *progress) begin(tell func(mcp.ProgressParams)) (token int64, end func()) {
	if tell == nil {
		return 0, func() {}
	}
	r := &reporter{tell: tell}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token = p.last
	if p.open == nil {
		p.open = make(map[int64]*reporter)
	}
	p.open[token] = r
	return token, func() { p.end(token) }
}

func (p *progress) end(token int64) {
	p.mu.Lock()
	r := p.open[token]
	delete(p.open, token)
	p.mu.Unlock()
	r.turn.Lock()
	defer r.turn.Unlock()
	r.tell = nil
}

// hear takes notifications/progress in. It reports false when it is about no request that
// is under way, which a server may send a moment too late.
func (p *progress) hear(m *jsonrpc.Message) (known bool, err error) {
	token, ok := m.Param(mcp.MetaProgressToken).Int()
	p.mu.Lock()
	r := p.open[token]
	p.mu.Unlock()
	if !ok || r == nil {
		return false, nil
	}
	told, err := mcp.Read[mcp.ProgressParams](m.Params, "params")
	if err != nil {
		return true, err
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	if r.tell != nil {
		r.tell(told)
	}
	return true, nil
}
