package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

var discoverCommand = command{
	name: "discover", examples: []string{`http://127.0.0.1:8080/mcp`, `-- mcp-echo`, `--era legacy -- ssh HOST mcp-notes`},
	usage: "TARGET", run: runDiscover,
	summary: "find the era of the server, its versions, and what it offers",
}

// identity is what was found of a server.
type identity struct {
	verdict *discover.Verdict
	server  *mcp.DiscoverResult
	info    *mcp.Implementation // nil when the server does not say
	form    *mcp.Form
}

func runDiscover(ctx context.Context, r *request) error {
	c, err := r.connect(ctx)
	if err != nil {
		return err
	}
	d, err := c.Discover(ctx)
	if err != nil {
		return err
	}
	id := &identity{verdict: r.verdict, server: d, form: formOf(c)}
	if raw := d.Meta[mcp.MetaServerInfo]; raw != nil {
		info, bad := mcp.ReadImplementation(raw, "serverInfo")
		if bad == nil {
			id.info = &info
		}
	}
	if r.output == asJSON {
		return r.printRaw(id.json())
	}
	id.print(r)
	return nil
}

func (id *identity) print(r *request) {
	var info mcp.Implementation
	if id.info != nil {
		info = *id.info
	}
	for _, line := range [][2]string{
		{"era", id.verdict.Era.String()},
		{"version", id.verdict.Version},
		{"speaks", strings.Join(id.server.SupportedVersions, ", ")},
		{"server", info.Name + " " + info.Version},
		{"title", info.Title},
		{"description", info.Description},
		{"website", info.WebsiteURL},
		{"offers", strings.Join(offers(&id.server.Capabilities), ", ")},
		{"evidence", id.verdict.Evidence},
	} {
		if value := oneLine(line[1]); value != "" {
			r.printf("%-14s%s\n", line[0], value)
		}
	}
	if text := strings.TrimSpace(id.server.Instructions); text != "" {
		r.printf("\n%s\n", printable(text))
	}
}

// offers are the capabilities in words.
func offers(k *mcp.ServerCapabilities) (all []string) {
	if k.Tools != nil {
		all = append(all, offer("tools", k.Tools.ListChanged, false))
	}
	if k.Prompts != nil {
		all = append(all, offer("prompts", k.Prompts.ListChanged, false))
	}
	if k.Resources != nil {
		all = append(all, offer("resources", k.Resources.ListChanged, k.Resources.Subscribe))
	}
	if k.Completions {
		all = append(all, "completions")
	}
	if k.Logging {
		all = append(all, "logging")
	}
	for _, name := range slices.Sorted(maps.Keys(k.Extensions)) {
		all = append(all, "extension "+oneLine(name))
	}
	for _, name := range slices.Sorted(maps.Keys(k.Experimental)) {
		all = append(all, "experiment "+oneLine(name))
	}
	return all
}

// offer is one of which changes may be told.
func offer(name string, listChanged, subscribe bool) string {
	switch {
	case listChanged && subscribe:
		return name + " (tells of changes, can be subscribed to)"
	case listChanged:
		return name + " (tells of changes)"
	case subscribe:
		return name + " (can be subscribed to)"
	}
	return name
}

// json is the identity as one object.
func (id *identity) json() (jsonrpc.Raw, error) {
	dst := jsonrpc.AppendString([]byte(`{"era":`), id.verdict.Era.String())
	dst = jsonrpc.AppendString(append(dst, `,"version":`...), id.verdict.Version)
	dst = jsonrpc.AppendString(append(dst, `,"evidence":`...), id.verdict.Evidence)
	dst = append(dst, `,"supportedVersions":[`...)
	for i, version := range id.server.SupportedVersions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, version)
	}
	dst, err := mcp.Append(append(dst, `],"capabilities":`...), &id.server.Capabilities, id.form)
	if err != nil {
		return nil, err
	}
	if raw := id.server.Meta[mcp.MetaServerInfo]; raw != nil {
		dst = append(append(dst, `,"serverInfo":`...), raw...)
	}
	if id.server.Instructions != "" {
		dst = jsonrpc.AppendString(append(dst, `,"instructions":`...), id.server.Instructions)
	}
	return append(dst, '}'), nil
}
