package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

const (
	noPrompts    = "it has no prompts"
	asksNothing  = "it asks the client nothing"
	knowledgeURI = "memory://knowledge-graph"
)

// memory is the server that keeps a graph of knowledge.
var memory = server{
	pkg:    "@modelcontextprotocol/server-memory",
	what:   "server-memory",
	file:   "node_modules/@modelcontextprotocol/server-memory/dist/index.js",
	eras:   []string{legacy},
	starts: map[string]start{stdio: {env: []string{"MEMORY_FILE_PATH=DIR/memory.jsonl"}}},
	steps: map[string]func(*walk) error{
		"connect":                memoryConnect,
		"ping":                   pingStep,
		"list tools":             memoryTools,
		"call":                   memoryCall,
		"calls at the same time": memoryTogether,
		"errors":                 memoryErrors,
		"list resources":         memoryResources,
		"read":                   memoryRead,
		"subscribe":              memorySubscribe,
		"close":                  closeStep,
	},
	lacks: map[string]string{
		"content": "its results are text and structured content", "list prompts": noPrompts, "prompt": noPrompts, "complete": noPrompts,
		"log": "it logs nothing", "list changes": "its lists never change", "progress": quick, "cancel": quick,
		"elicit": asksNothing, "elicit a page": asksNothing, "sample": asksNothing, "roots": asksNothing,
	},
}

func memoryConnect(w *walk) error {
	return w.identity("memory-server", "0.6.3", "", "", mcp.ServerCapabilities{
		Tools: &mcp.ListCapability{ListChanged: true}, Resources: &mcp.ResourcesCapability{Subscribe: true, ListChanged: true},
	})
}

func memoryTools(w *walk) error {
	names, err := w.toolNames()
	return errors.Join(err, same("tools", names, []string{
		"create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations", "delete_relations",
		"read_graph", "search_nodes", "open_nodes",
	}))
}

// graph is what the server knows.
type graph struct {
	Entities  []entity   `json:"entities"`
	Relations []relation `json:"relations"`
}

type entity struct {
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
}

type relation struct {
	From         string `json:"from"`
	To           string `json:"to"`
	RelationType string `json:"relationType"`
}

// known is what the server is told in the step call.
var known = graph{
	Entities: []entity{
		{"Ada", "person", []string{"wrote ☃ the first program"}},
		{"Engine", "machine", []string{}},
	},
	Relations: []relation{{"Ada", "Engine", "writes for"}},
}

func memoryCall(w *walk) error {
	if _, err := w.call("create_entities", object{"entities": known.Entities}); err != nil {
		return err
	}
	if _, err := w.call("create_relations", object{"relations": known.Relations}); err != nil {
		return err
	}
	all, err := mcp.CallTool[graph](w.ctx, w.c, "read_graph", nil, nil)
	if err != nil {
		return err
	}
	found, err := mcp.CallTool[graph](w.ctx, w.c, "open_nodes", object{"names": []string{"Ada"}}, nil)
	return errors.Join(err, same("the graph", all, known), same("a node", found.Entities, known.Entities[:1]))
}

func memoryTogether(w *walk) error {
	text, err := json.MarshalIndent(graph{known.Entities[:1], known.Relations}, "", "  ")
	if err != nil {
		return err
	}
	return w.together("open_nodes", func(int) (object, string) { return object{"names": []string{"Ada"}}, string(text) })
}

func memoryErrors(w *walk) error {
	result, err := w.c.Do(w.ctx, "no/such", nil, nil)
	return errors.Join(
		w.fails("create_entities", object{"entities": "x"}, "expected array, received string"),
		w.fails("add_observations", object{"observations": []object{{"entityName": "Nobody", "contents": []string{"x"}}}}, "Nobody"),
		w.fails("nobody", nil, "Tool nobody not found"),
		wantCode(result, err, jsonrpc.MethodNotFound),
	)
}

func memoryResources(w *walk) error {
	got, err := w.resourceURIs()
	return errors.Join(err, same("resources", got, []string{knowledgeURI}))
}

func memoryRead(w *walk) error {
	contents, err := w.read(knowledgeURI)
	if err != nil {
		return err
	}
	text, ok := contents.(*mcp.TextResource)
	if !ok || text.MIMEType != "application/json" {
		return fmt.Errorf("got %+v", contents)
	}
	var read graph
	if err := json.Unmarshal([]byte(text.Text), &read); err != nil {
		return err
	}
	result, err := w.c.ReadResource(w.ctx, "memory://nowhere", nil)
	return errors.Join(same("the graph", read, known), wantCode(result, err, jsonrpc.InvalidParams))
}

func memorySubscribe(w *walk) error {
	change := func() error {
		_, err := w.call("add_observations", object{"observations": []object{{"entityName": "Ada", "contents": []string{fmt.Sprint("walk ", w.run.transport)}}}})
		return err
	}
	updated := func(c mcp.Change) bool { return c == mcp.Change{Kind: mcp.ResourceUpdated, URI: knowledgeURI} }
	if err := w.watched(mcp.Filter{ResourceSubscriptions: []string{knowledgeURI}}, change, updated); err != nil {
		return err
	}
	empty(w.changes)
	if _, err := w.call("delete_entities", object{"entityNames": []string{"Engine"}}); err != nil {
		return err
	}
	left, err := mcp.CallTool[graph](w.ctx, w.c, "read_graph", nil, nil)
	if err != nil || slices.ContainsFunc(left.Entities, func(e entity) bool { return e.Name == "Engine" }) {
		return fmt.Errorf("after a deletion: %+v, %v", left, err)
	}
	return quiet(w.changes, updated)
}
