package mcp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

var suites = flag.String("suites", "", "folder of the public test data; empty skips the tests that need it")

// TestSuiteRoundTrip reads each official example of 2026-07-28 into our types and
// writes it again: it must mean the same.
func TestSuiteRoundTrip(t *testing.T) {
	if *suites == "" {
		t.Skip("no -suites given")
	}
	top := filepath.Join(*suites, "mcp-schema", "2026-07-28", "examples")
	folders, err := os.ReadDir(top)
	if err != nil || len(folders) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	there := map[string]bool{}
	for _, folder := range folders {
		there[folder.Name()] = true
		t.Run(folder.Name(), func(t *testing.T) {
			again, ok := examples[folder.Name()]
			if why, left := without[folder.Name()]; left == ok {
				t.Fatalf("must be in one of the tables: examples, or without (there it says %q)", why)
			} else if left {
				t.Skip(why)
			}
			files, err := filepath.Glob(filepath.Join(top, folder.Name(), "*.json"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no files: %v", err)
			}
			for _, file := range files {
				checkRoundTrip(t, file, again)
			}
		})
	}
	for _, name := range append(slices.Collect(maps.Keys(examples)), slices.Collect(maps.Keys(without))...) {
		if !there[name] {
			t.Errorf("the tables have %s, of which there are no examples", name)
		}
	}
}

func checkRoundTrip(t *testing.T, file string, again roundTrip) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.TrimSpace(text)
	got, err := again(text)
	if err != nil {
		t.Errorf("%s: %v\n%s", filepath.Base(file), err, text)
		return
	}
	if bytes.ContainsAny(got, "\n\r") {
		t.Errorf("%s: not one line: %s", filepath.Base(file), got)
	}
	if a, b := meaning(t, text), meaning(t, got); !reflect.DeepEqual(a, b) {
		t.Errorf("%s:\n got %s\nwant %s", filepath.Base(file), got, text)
	}
}

// roundTrip reads a text and writes it again.
type roundTrip func(text jsonrpc.Raw) ([]byte, error)

// examples says which type of ours reads the examples of each folder.
var examples = map[string]roundTrip{
	"AudioContent":         contentAgain,
	"ImageContent":         contentAgain,
	"TextContent":          contentAgain,
	"ResourceLink":         contentAgain,
	"EmbeddedResource":     contentAgain,
	"BlobResourceContents": contentsAgain,
	"TextResourceContents": contentsAgain,

	"Tool":               again[mcp.Tool],
	"Resource":           again[mcp.Resource],
	"ClientCapabilities": again[mcp.ClientCapabilities],
	"ServerCapabilities": again[mcp.ServerCapabilities],

	"CallToolResult":              again[mcp.Result],
	"DiscoverResult":              again[mcp.DiscoverResult],
	"ListResourcesResult":         again[mcp.Page[mcp.Resource]],
	"ListResourceTemplatesResult": again[mcp.Page[mcp.ResourceTemplate]],
	"ListToolsResult":             again[mcp.Page[mcp.Tool]],
	"ReadResourceResult":          again[mcp.ReadResourceResult],
	"SubscriptionsListenResult":   again[mcp.EmptyResult],

	"CompleteResult":    again[mcp.Completion],
	"GetPromptResult":   again[mcp.PromptResult],
	"ListPromptsResult": again[mcp.Page[mcp.Prompt]],

	"CompleteResultResponse":              responseAgain(again[mcp.Completion]),
	"GetPromptResultResponse":             responseAgain(again[mcp.PromptResult]),
	"ListPromptsResultResponse":           responseAgain(again[mcp.Page[mcp.Prompt]]),
	"CallToolResultResponse":              responseAgain(again[mcp.Result]),
	"DiscoverResultResponse":              responseAgain(again[mcp.DiscoverResult]),
	"ListResourcesResultResponse":         responseAgain(again[mcp.Page[mcp.Resource]]),
	"ListResourceTemplatesResultResponse": responseAgain(again[mcp.Page[mcp.ResourceTemplate]]),
	"ListToolsResultResponse":             responseAgain(again[mcp.Page[mcp.Tool]]),
	"ReadResourceResultResponse":          responseAgain(again[mcp.ReadResourceResult]),
	"SubscriptionsListenResultResponse":   responseAgain(again[mcp.EmptyResult]),

	"CallToolRequestParams":             again[mcp.CallToolParams],
	"CancelledNotificationParams":       again[mcp.CancelledParams],
	"CompleteRequestParams":             again[mcp.CompleteParams],
	"GetPromptRequestParams":            again[mcp.GetPromptParams],
	"LoggingMessageNotificationParams":  again[mcp.LogMessageParams],
	"LoggingMessageNotification":        messageAgain("notifications/message", again[mcp.LogMessageParams]),
	"PaginatedRequestParams":            again[mcp.ListParams],
	"ProgressNotificationParams":        again[mcp.ProgressParams],
	"ResourceUpdatedNotificationParams": again[mcp.ResourceUpdatedParams],

	"CallToolRequest":                       messageAgain("tools/call", again[mcp.CallToolParams]),
	"CompleteRequest":                       messageAgain("completion/complete", again[mcp.CompleteParams]),
	"DiscoverRequest":                       messageAgain("server/discover", again[mcp.RequestParams]),
	"GetPromptRequest":                      messageAgain("prompts/get", again[mcp.GetPromptParams]),
	"ListPromptsRequest":                    messageAgain("prompts/list", again[mcp.ListParams]),
	"ListResourcesRequest":                  messageAgain("resources/list", again[mcp.ListParams]),
	"ListResourceTemplatesRequest":          messageAgain("resources/templates/list", again[mcp.ListParams]),
	"ListToolsRequest":                      messageAgain("tools/list", again[mcp.ListParams]),
	"ReadResourceRequest":                   messageAgain("resources/read", again[mcp.ReadResourceParams]),
	"CancelledNotification":                 messageAgain("notifications/cancelled", again[mcp.CancelledParams]),
	"ProgressNotification":                  messageAgain("notifications/progress", again[mcp.ProgressParams]),
	"PromptListChangedNotification":         messageAgain("notifications/prompts/list_changed", again[mcp.NotificationParams]),
	"ResourceListChangedNotification":       messageAgain("notifications/resources/list_changed", again[mcp.NotificationParams]),
	"SubscriptionsListenRequest":            messageAgain("subscriptions/listen", again[mcp.ListenParams]),
	"SubscriptionsAcknowledgedNotification": messageAgain("notifications/subscriptions/acknowledged", again[mcp.AcknowledgedParams]),
	"ToolListChangedNotification":           messageAgain("notifications/tools/list_changed", again[mcp.NotificationParams]),
	"ResourceUpdatedNotification":           messageAgain("notifications/resources/updated", again[mcp.ResourceUpdatedParams]),

	"HeaderMismatchError":                  failureAgain,
	"MissingRequiredClientCapabilityError": failureAgain,
	"UnsupportedProtocolVersionError":      failureAgain,
	"InternalError":                        errorAgain,
	"InvalidParamsError":                   errorAgain,
	"MethodNotFoundError":                  errorAgain,
	"ParseError":                           errorAgain,
}

// without says why there is no type of ours for a folder.
var without = map[string]string{
	"BooleanSchema":                  "the vocabulary has no type for it yet",
	"CreateMessageRequest":           "the vocabulary has no type for it yet",
	"CreateMessageRequestParams":     "the vocabulary has no type for it yet",
	"CreateMessageResult":            "the vocabulary has no type for it yet",
	"ElicitRequest":                  "the vocabulary has no type for it yet",
	"ElicitRequestFormParams":        "the vocabulary has no type for it yet",
	"ElicitRequestURLParams":         "the vocabulary has no type for it yet",
	"ElicitResult":                   "the vocabulary has no type for it yet",
	"InputRequests":                  "the vocabulary has no type for it yet",
	"InputRequiredResult":            "the vocabulary has no type for it yet",
	"InputResponses":                 "the vocabulary has no type for it yet",
	"ListRootsRequest":               "the vocabulary has no type for it yet",
	"ListRootsResult":                "the vocabulary has no type for it yet",
	"ModelPreferences":               "the vocabulary has no type for it yet",
	"NumberSchema":                   "the vocabulary has no type for it yet",
	"Root":                           "the vocabulary has no type for it yet",
	"SamplingMessage":                "the vocabulary has no type for it yet",
	"StringSchema":                   "the vocabulary has no type for it yet",
	"TitledMultiSelectEnumSchema":    "the vocabulary has no type for it yet",
	"TitledSingleSelectEnumSchema":   "the vocabulary has no type for it yet",
	"ToolResultContent":              "the vocabulary has no type for it yet",
	"ToolUseContent":                 "the vocabulary has no type for it yet",
	"UntitledMultiSelectEnumSchema":  "the vocabulary has no type for it yet",
	"UntitledSingleSelectEnumSchema": "the vocabulary has no type for it yet",
}

// again is the round trip through the type T.
func again[T any, P interface {
	*T
	mcp.Value
}](text jsonrpc.Raw) ([]byte, error) {
	v, err := mcp.Read[T, P](text, "example")
	if err != nil {
		return nil, err
	}
	return mcp.Append(nil, P(&v), form("2026-07-28"))
}

func contentAgain(text jsonrpc.Raw) ([]byte, error) {
	c, err := mcp.ReadContent(text, "example")
	if err != nil {
		return nil, err
	}
	return mcp.Append(nil, c.(mcp.Value), form("2026-07-28"))
}

func contentsAgain(text jsonrpc.Raw) ([]byte, error) {
	c, err := mcp.ReadResourceContents(text, "example")
	if err != nil {
		return nil, err
	}
	return mcp.Append(nil, c.(mcp.Value), form("2026-07-28"))
}

// scan takes a message apart as a connection does.
func scan(text jsonrpc.Raw) (*jsonrpc.Message, error) {
	var m jsonrpc.Message
	if err := (&jsonrpc.Scanner{}).Scan(text, &m); err != nil {
		return nil, err
	}
	return &m, nil
}

// messageAgain is the round trip of a request or notification.
func messageAgain(method string, params roundTrip) roundTrip {
	return func(text jsonrpc.Raw) ([]byte, error) {
		m, err := scan(text)
		if err != nil {
			return nil, err
		}
		if string(m.Method) != method {
			return nil, fmt.Errorf("the method is %s, want %s", m.Method, method)
		}
		written, err := params(m.Params)
		return jsonrpc.AppendMessage(nil, m.ID, method, written), err
	}
}

// responseAgain is the round trip of a response with a result.
func responseAgain(result roundTrip) roundTrip {
	return func(text jsonrpc.Raw) ([]byte, error) {
		m, err := scan(text)
		if err != nil {
			return nil, err
		}
		written, err := result(m.Result)
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID.Raw(), written), err
	}
}

// failureAgain is the round trip of a response with an error.
func failureAgain(text jsonrpc.Raw) ([]byte, error) {
	m, err := scan(text)
	if err != nil {
		return nil, err
	}
	e := jsonrpc.ReadError(m.Error)
	if e.Data, err = errorData(e); err != nil {
		return nil, err
	}
	return jsonrpc.AppendError(nil, m.ID, e), nil
}

// errorAgain is the round trip of an error object by itself.
func errorAgain(text jsonrpc.Raw) ([]byte, error) {
	e := jsonrpc.ReadError(text)
	compact, err := jsonrpc.AppendCompact(nil, e.Data)
	if e.Data != nil && err != nil {
		return nil, err
	}
	e.Data = compact
	message := jsonrpc.AppendError(nil, jsonrpc.ID{}, e)
	return bytes.TrimSuffix(bytes.TrimPrefix(message, []byte(`{"jsonrpc":"2.0","error":`)), []byte("}")), nil
}

// errorData is the round trip of what the protocol's own errors carry.
func errorData(e *jsonrpc.Error) (jsonrpc.Raw, error) {
	switch e.Code {
	case mcp.MissingRequiredClientCapability:
		return again[mcp.RequiredCapabilities](e.Data)
	case -32022:
		return again[mcp.UnsupportedVersion](e.Data)
	}
	return e.Data, nil
}

// silent are members that say, with this value, what their absence says too
// (2026-07-28 schema: the remarks on each).
var silent = map[string]any{
	"isError": false, "hasMore": false, "mode": "form",
}

// meaning decodes a text so that equal meanings are equal values: numbers by value,
// members in any order, and what absence would say left out.
func meaning(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, text)
	}
	return reduce(v)
}

func reduce(v any) any {
	switch v := v.(type) {
	case json.Number:
		n, _ := new(big.Rat).SetString(string(v))
		return n.RatString()
	case []any:
		for i := range v {
			v[i] = reduce(v[i])
		}
	case map[string]any:
		for name, value := range v {
			v[name] = reduce(value)
			if absent, ok := silent[name]; ok && absent == value {
				delete(v, name)
			}
		}
		if elicitation, ok := v["elicitation"].(map[string]any); ok && len(elicitation) == 0 {
			elicitation["form"] = map[string]any{} // neither mode means forms
		}
	}
	return v
}
