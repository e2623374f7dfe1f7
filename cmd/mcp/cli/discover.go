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

// identity is what was found, as JSON has it.
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
	line := func(name, value string) {
		if value != "" {
			r.printf("%-14s%s\n", name, oneLine(value))
		}
	}
	line("era", discover.EraName(id.verdict.Era))
	line("version", id.verdict.Version)
	line("speaks", strings.Join(id.server.SupportedVersions, ", "))
	if id.info != nil {
		line("server", strings.TrimSpace(oneLine(id.info.Name)+" "+oneLine(id.info.Version)))
		line("title", oneLine(id.info.Title))
		line("description", oneLine(id.info.Description))
		line("website", oneLine(id.info.WebsiteURL))
	}
	line("offers", strings.Join(offers(&id.server.Capabilities), ", "))
	line("evidence", id.verdict.Evidence)
	if text := strings.TrimSpace(id.server.Instructions); text != "" {
		r.printf("\n%s\n", printable(text))
	}
}

// offers are the capabilities in words.
func offers(k *mcp.ServerCapabilities) (all []string) {
	list := func(name string, there bool, more ...string) {
		if !there {
			return
		}
		if more = slices.DeleteFunc(more, func(s string) bool { return s == "" }); len(more) > 0 {
			name += " (" + strings.Join(more, ", ") + ")"
		}
		all = append(all, name)
	}
	when := func(is bool, word string) string {
		if is {
			return word
		}
		return ""
	}
	const changes = "tells of changes"
	list("tools", k.Tools != nil, when(k.Tools != nil && k.Tools.ListChanged, changes))
	list("prompts", k.Prompts != nil, when(k.Prompts != nil && k.Prompts.ListChanged, changes))
	list("resources", k.Resources != nil,
		when(k.Resources != nil && k.Resources.ListChanged, changes),
		when(k.Resources != nil && k.Resources.Subscribe, "can be subscribed to"))
	list("completions", k.Completions)
	list("logging", k.Logging)
	for _, name := range slices.Sorted(maps.Keys(k.Extensions)) {
		list("extension "+oneLine(name), true)
	}
	for _, name := range slices.Sorted(maps.Keys(k.Experimental)) {
		list("experiment "+oneLine(name), true)
	}
	return all
}

// json is the identity as one object.
func (id *identity) json() (jsonrpc.Raw, error) {
	dst := jsonrpc.AppendString([]byte(`{"era":`), discover.EraName(id.verdict.Era))
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
