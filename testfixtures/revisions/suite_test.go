package revisions_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/revisions"
)

var suites = flag.String("suites", "", "folder of the public test data; empty skips the tests that need it")

// schemaFolder is where the data of one revision lies.
func schemaFolder(t *testing.T, revision string) string {
	t.Helper()
	if *suites == "" {
		t.Skip("no -suites given")
	}
	return filepath.Join(*suites, "mcp-schema", revision)
}

// readSchema reads the published schema of one revision.
func readSchema(t *testing.T, revision string) *revisions.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(schemaFolder(t, revision), "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := revisions.ReadSchema(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// definitionsOf are the definitions of requests and notifications by method. Those of
// results are in the table of the package.
var definitionsOf = map[string]string{
	"initialize":               "InitializeRequest",
	"server/discover":          "DiscoverRequest",
	"ping":                     "PingRequest",
	"tools/list":               "ListToolsRequest",
	"tools/call":               "CallToolRequest",
	"resources/list":           "ListResourcesRequest",
	"resources/templates/list": "ListResourceTemplatesRequest",
	"resources/read":           "ReadResourceRequest",
	"resources/subscribe":      "SubscribeRequest",
	"resources/unsubscribe":    "UnsubscribeRequest",
	"prompts/list":             "ListPromptsRequest",
	"prompts/get":              "GetPromptRequest",
	"completion/complete":      "CompleteRequest",
	"logging/setLevel":         "SetLevelRequest",
	"subscriptions/listen":     "SubscriptionsListenRequest",

	"elicitation/create":     "ElicitRequest",
	"sampling/createMessage": "CreateMessageRequest",
	"roots/list":             "ListRootsRequest",

	"notifications/progress":                   "ProgressNotification",
	"notifications/message":                    "LoggingMessageNotification",
	"notifications/cancelled":                  "CancelledNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/prompts/list_changed":       "PromptListChangedNotification",
	"notifications/resources/list_changed":     "ResourceListChangedNotification",
	"notifications/resources/updated":          "ResourceUpdatedNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
}

// errorsOf are the definitions of the errors that the protocol has made its own.
var errorsOf = map[jsonrpc.Code]string{
	-32020: "HeaderMismatchError",
	-32021: "MissingRequiredClientCapabilityError",
	-32022: "UnsupportedProtocolVersionError",
}

// held is a text that must satisfy a definition.
type held struct{ definition, text string }

// held says what an exchange must satisfy: the message of the server, the result in it,
// and the request, where the server took it.
func (x exchange) held(t *testing.T) []held {
	t.Helper()
	var m jsonrpc.Message
	if err := (&jsonrpc.Scanner{}).Scan([]byte(x.message), &m); err != nil && m.Kind != jsonrpc.Response {
		t.Fatalf("%s: %v: %s", x.where, err, x.message)
	}
	old := x.revision < "2025-11-25"
	switch {
	case m.Method != nil:
		return []held{{definitionsOf[string(m.Method)], x.message}}
	case m.Error != nil && errorsOf[jsonrpc.ReadError(m.Error).Code] != "":
		return []held{{errorsOf[jsonrpc.ReadError(m.Error).Code], x.message}}
	case m.Error != nil && old:
		return []held{{"JSONRPCError", x.message}}
	case m.Error != nil:
		return []held{{"JSONRPCErrorResponse", x.message}}
	}
	all := []held{{"JSONRPCResultResponse", x.message}, {revisions.ResultOf(x.method), string(m.Result)}}
	if x.request != "" {
		all = append(all, held{definitionsOf[x.method], x.request})
	}
	if old {
		all[0].definition = "JSONRPCResponse"
	}
	if mcp.ResultTypeOf(m.Result) == "input_required" {
		all[1].definition = "InputRequiredResult"
	}
	return all
}

// TestSuiteSchemas holds the messages of the fixtures, and of a server that says more,
// against the published schema of the revision, as data and not as we have read it.
func TestSuiteSchemas(t *testing.T) {
	all := append(fixtureMessages(t), richMessages(t)...)
	for _, revision := range revisions.All {
		t.Run(revision, func(t *testing.T) {
			s := readSchema(t, revision)
			n := 0
			for _, x := range append(walkMessages(t, revision), all...) {
				if x.revision != revision {
					continue
				}
				n++
				for _, h := range x.held(t) {
					for _, fault := range s.Check(h.definition, []byte(h.text)) {
						t.Errorf("%s: %s\n%s", x.where, fault, h.text)
					}
				}
			}
			if n < 20 {
				t.Errorf("only %d messages in %s", n, revision)
			}
		})
	}
}

// TestSuiteExamples holds the published examples against the schema they belong to: they
// show that the interpreter takes what it must.
func TestSuiteExamples(t *testing.T) {
	const revision = "2026-07-28"
	s := readSchema(t, revision)
	files, err := filepath.Glob(filepath.Join(schemaFolder(t, revision), "examples", "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		definition := filepath.Base(filepath.Dir(file))
		for _, fault := range s.Check(definition, text) {
			t.Errorf("%s: %s\n%s", filepath.Base(file), fault, text)
		}
	}
}

// schemaNames are the names in the schemas of what the table calls otherwise, the first
// that a revision has. What stands behind a slash is a member.
var schemaNames = map[string][]string{
	"Progress":            {"ProgressNotificationParams", "ProgressNotification/params"},
	"LogMessage":          {"LoggingMessageNotificationParams", "LoggingMessageNotification/params"},
	"Cancelled":           {"CancelledNotificationParams", "CancelledNotification/params"},
	"Updated":             {"ResourceUpdatedNotificationParams", "ResourceUpdatedNotification/params"},
	"Acknowledged":        {"SubscriptionsAcknowledgedNotificationParams"},
	"CreateMessageParams": {"CreateMessageRequestParams", "CreateMessageRequest/params"},
	"FormParams":          {"ElicitRequestFormParams", "ElicitRequest/params"},
	"URLParams":           {"ElicitRequestURLParams"},
	"FormSchema":          {"ElicitRequestFormParams/requestedSchema", "ElicitRequest/params/requestedSchema"},
	"Changing":            {"ServerCapabilities/tools"},
	"Subscribing":         {"ServerCapabilities/resources"},
	"Completion":          {"CompleteResult/completion"},
	"InputSchema":         {"Tool/inputSchema"},
	"CapabilityData":      {"MissingRequiredClientCapabilityError/error/data"},
	"VersionData":         {"UnsupportedProtocolVersionError/error/data"},
	"SubscriptionMeta":    {"SubscriptionsListenResultMetaObject"},
}

// more says what the table requires beyond a schema, on purpose.
var more = map[string]string{
	"_meta":                              "our server names itself in every result",
	"io.modelcontextprotocol/serverInfo": "our server names itself in every result",
	"requestId":                          "what has no id is about tasks, which we have not",
	"properties":                         "schemas of forms have them",
}

// membersOf finds a shape of the table in a schema.
func membersOf(s *revisions.Schema, shape string) (listed, required []string, ok bool) {
	names := schemaNames[shape]
	if names == nil {
		names = []string{shape}
	}
	for _, name := range names {
		if listed, required, ok = s.Members(name); ok {
			return listed, required, true
		}
	}
	return nil, nil, false
}

// TestSuiteTable compares the table that is written by hand with the published schemas:
// a revision knows the members that its schema lists, and no others; and it requires
// the same ones. What the engine never sends need not be in the table.
func TestSuiteTable(t *testing.T) {
	for _, revision := range revisions.All {
		t.Run(revision, func(t *testing.T) {
			s := readSchema(t, revision)
			compared := 0
			for _, shape := range revisions.Shapes() {
				listed, required, ok := membersOf(s, shape)
				if !ok {
					continue // the table's own, or of another revision
				}
				compared++
				known, needed := revisions.Members(shape, revision)
				for _, name := range known {
					if !slices.Contains(listed, name) {
						t.Errorf("%s.%s: the table knows it, the schema of %s does not", shape, name, revision)
					}
				}
				for _, name := range required {
					if !slices.Contains(needed, name) {
						t.Errorf("%s.%s: the schema of %s requires it, the table does not", shape, name, revision)
					}
				}
				for _, name := range needed {
					if !slices.Contains(required, name) && more[name] == "" {
						t.Errorf("%s.%s: the table requires it, the schema of %s does not", shape, name, revision)
					}
				}
			}
			if compared < 15 {
				t.Errorf("only %d shapes of the table are in the schema", compared)
			}
		})
	}
}
