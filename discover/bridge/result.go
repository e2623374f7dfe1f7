package bridge

import (
	"fmt"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// reply makes of a result of the server what the client gets: read by its type, and written
// as the client's revision has it.
func (b *Bridge) reply(c *mcp.Call, raw jsonrpc.Raw) (mcp.Reply, error) {
	f := formOf(c)
	switch kind := mcp.ResultTypeOf(raw); {
	case kind == "input_required":
		return b.inputRequired(raw)
	case kind != "complete" && b.modern() && f.ResultType:
		return extended(kind, raw)
	}
	var err error
	switch c.Method() {
	case "tools/call":
		return b.toolReply(raw)
	case "tools/list":
		tools := read[mcp.Page[mcp.Tool]]
		if b.modern() {
			tools = readTools
		}
		var page mcp.Value
		if page, raw, err = b.rewritePage("tools", tools, raw, f); err == nil {
			b.marks.learn(page.(*mcp.Page[mcp.Tool]).Items)
		}
	case "resources/list":
		_, raw, err = b.rewritePage("resources", read[mcp.Page[mcp.Resource]], raw, f)
	case "resources/templates/list":
		_, raw, err = b.rewritePage("resourceTemplates", read[mcp.Page[mcp.ResourceTemplate]], raw, f)
	case "prompts/list":
		_, raw, err = b.rewritePage("prompts", read[mcp.Page[mcp.Prompt]], raw, f)
	case "prompts/get":
		_, raw, err = rewrite(read[mcp.PromptResult], raw, f)
	case "resources/read":
		_, raw, err = rewrite(read[mcp.ReadResourceResult], raw, f)
	case "completion/complete":
		_, raw, err = rewrite(read[mcp.CompleteResult], raw, f)
	}
	if err != nil {
		return mcp.Reply{}, fmt.Errorf("bridge: the server's result of %s cannot be passed on: %w", c.Method(), err)
	}
	return replyOf(raw)
}

// reader is [mcp.Read] for one type.
type reader func(raw jsonrpc.Raw, where string) (mcp.Value, error)

// read is the reader of a T.
func read[T any, P interface {
	*T
	mcp.Value
}](raw jsonrpc.Raw, where string) (mcp.Value, error) {
	v, err := mcp.Read[T, P](raw, where)
	return P(&v), err
}

// readTools is the reader of a page of tools where the server's revision has marks for headers:
// one that breaks their rules is no tool, as every client of such a server has it (2026-07-28
// server/tools, x-mcp-header).
func readTools(raw jsonrpc.Raw, where string) (mcp.Value, error) {
	page, err := mcp.Read[mcp.Page[mcp.Tool]](raw, where)
	for i := range page.Items {
		if _, broken := page.Items[i].HeaderParams(); broken != nil && err == nil {
			err = fmt.Errorf("tool %q: %w", jsonrpc.Clip([]byte(page.Items[i].Name)), broken)
		}
	}
	return &page, err
}

// rewrite reads a result, and writes it in a form.
func rewrite(read reader, raw jsonrpc.Raw, f *mcp.Form) (mcp.Value, jsonrpc.Raw, error) {
	v, err := read(raw, "result")
	if err != nil {
		return nil, nil, err
	}
	text, err := mcp.Append(nil, v, f)
	return v, text, err
}

// replyOf is a result, which is an object, as the server of the bridge sends it.
func replyOf(raw jsonrpc.Raw) (mcp.Reply, error) {
	var members []byte
	var hint *mcp.CacheHint
	meta, err := mcp.Read[mcp.EmptyResult](raw, "result")
	if err != nil {
		return mcp.Reply{}, fmt.Errorf("bridge: the server's result cannot be passed on: %w", err)
	}
	members = append(members, '{')
	for o := jsonrpc.ReadObject(raw); o.Next(); {
		switch string(o.Name()) {
		case "resultType", "_meta":
		case "ttlMs", "cacheScope":
			if hint == nil {
				hint = hintOf(raw)
			}
		default:
			members = jsonrpc.AppendMember(members, string(o.Name()), o.Value())
		}
	}
	return mcp.NewReply(members[1:], hint).WithMeta(passing(meta.Meta)), nil
}

// extended is a result of a type that an extension has, which the client has declared: what it means
// is not known here, so it passes as it is.
func extended(kind string, raw jsonrpc.Raw) (mcp.Reply, error) {
	members, meta := []byte{'{'}, []byte{'{'}
	for o := jsonrpc.ReadObject(raw); o.Next(); {
		switch name := string(o.Name()); name {
		case "resultType":
		case "_meta":
			meta = jsonrpc.AppendMember(meta, name, o.Value())
		default:
			members = jsonrpc.AppendMember(members, name, o.Value())
		}
	}
	said, err := mcp.Read[mcp.EmptyResult](append(meta, '}'), "result")
	if err != nil {
		return mcp.Reply{}, fmt.Errorf("bridge: the server's result cannot be passed on: %w", err)
	}
	return mcp.NewReply(members[1:], nil).WithMeta(passing(said.Meta)).OfType(kind), nil
}

// hintOf reads the hint on caching of a result.
func hintOf(raw jsonrpc.Raw) *mcp.CacheHint {
	only := []byte(`{"contents":[]`)
	for o := jsonrpc.ReadObject(raw); o.Next(); {
		if name := string(o.Name()); name == "ttlMs" || name == "cacheScope" {
			only = jsonrpc.AppendMember(only, name, o.Value())
		}
	}
	r, err := mcp.Read[mcp.ReadResourceResult](append(only, '}'), "result")
	if err != nil {
		return nil
	}
	return r.Cache
}

// passing is what of a result's _meta is not about this connection.
func passing(m mcp.Meta) mcp.Meta {
	delete(m, mcp.MetaServerInfo) // which the bridge's own server says
	delete(m, mcp.MetaSubscriptionID)
	return m
}

// toolReply is the result of a tool. Some servers leave out content, or have null there.
func (b *Bridge) toolReply(raw jsonrpc.Raw) (mcp.Reply, error) {
	r, err := mcp.Read[mcp.Result](raw, "result")
	if err != nil {
		if r, err = mcp.Read[mcp.Result](withContent(raw), "result"); err != nil {
			return mcp.Reply{}, fmt.Errorf("bridge: the server's result cannot be passed on: %w", err)
		}
	}
	return mcp.ToolReply(&r).WithMeta(passing(r.Meta)), nil
}

func withContent(raw jsonrpc.Raw) jsonrpc.Raw {
	whole := []byte(`{`)
	has := false
	for o := jsonrpc.ReadObject(raw); o.Next(); {
		if string(o.Name()) == "content" {
			if o.Value().Kind() == jsonrpc.KindNull {
				continue
			}
			has = true
		}
		whole = jsonrpc.AppendMember(whole, string(o.Name()), o.Value())
	}
	if !has {
		whole = jsonrpc.AppendMember(whole, "content", jsonrpc.Raw(`[]`))
	}
	return append(whole, '}')
}

// inputRequired passes what a modern server asks a modern client, which brings it back as it
// is.
func (b *Bridge) inputRequired(raw jsonrpc.Raw) (mcp.Reply, error) {
	members := []byte{'{'}
	for o := jsonrpc.ReadObject(raw); o.Next(); {
		if name := string(o.Name()); name == "inputRequests" || name == "requestState" {
			members = jsonrpc.AppendMember(members, name, o.Value())
		}
	}
	return mcp.NewInputRequired(members[1:]), nil
}

// rewritePage is rewrite for a page, whose entries are left out that cannot be read or
// written.
func (b *Bridge) rewritePage(member string, read reader, raw jsonrpc.Raw, f *mcp.Form) (mcp.Value, jsonrpc.Raw, error) {
	if page, text, err := rewrite(read, raw, f); err == nil {
		return page, text, nil
	}
	return rewrite(read, b.readable(member, raw, func(one jsonrpc.Raw) error {
		v, err := read([]byte(`{"`+member+`":[`+string(one)+`]}`), "")
		if err == nil {
			_, err = mcp.Append(nil, v, f)
		}
		return err
	}), f)
}

// readable is a page without the entries that check refuses.
func (b *Bridge) readable(member string, raw jsonrpc.Raw, check func(jsonrpc.Raw) error) jsonrpc.Raw {
	whole := []byte{'{'}
	for o := jsonrpc.ReadObject(raw); o.Next(); {
		if string(o.Name()) != member {
			whole = jsonrpc.AppendMember(whole, string(o.Name()), o.Value())
			continue
		}
		kept := []byte{'['}
		for a := jsonrpc.ReadArray(o.Value()); a.Next(); {
			if err := check(a.Value()); err != nil {
				b.log.Warn("an entry of a list of the server is left out", "list", member, "error", err)
				continue
			}
			if len(kept) > 1 {
				kept = append(kept, ',')
			}
			kept = append(kept, a.Value()...)
		}
		whole = jsonrpc.AppendMember(whole, string(o.Name()), append(kept, ']'))
	}
	return append(whole, '}')
}
