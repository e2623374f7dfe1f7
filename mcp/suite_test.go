package mcp_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
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
			if !ok {
				t.Fatal("no type of ours reads this folder; add it to the table examples")
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
	for name := range examples {
		if !there[name] {
			t.Errorf("the table has %s, of which there are no examples", name)
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

	"CompleteResult":    again[mcp.CompleteResult],
	"GetPromptResult":   again[mcp.PromptResult],
	"ListPromptsResult": again[mcp.Page[mcp.Prompt]],

	"CompleteResultResponse":              responseAgain(again[mcp.CompleteResult]),
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

	"CreateMessageRequestParams": again[mcp.SampleRequest],
	"CreateMessageResult":        again[mcp.SampleResult],
	"ElicitRequestFormParams":    again[mcp.ElicitForm],
	"ElicitRequestURLParams":     again[mcp.ElicitURL],
	"ElicitResult":               again[mcp.ElicitResult],
	"ListRootsResult":            again[mcp.RootsResult],
	"ModelPreferences":           again[mcp.ModelPreferences],
	"Root":                       again[mcp.Root],
	"SamplingMessage":            again[mcp.SamplingMessage],
	"ToolResultContent":          again[mcp.ToolResult],
	"ToolUseContent":             again[mcp.ToolUse],

	"CreateMessageRequest": questionAgain,
	"ElicitRequest":        questionAgain,
	"ListRootsRequest":     questionAgain,
	"InputRequests":        questionsAgain,
	"InputResponses":       answersAgain,
	"InputRequiredResult":  requiredAgain,

	"BooleanSchema":                  fieldAgain,
	"NumberSchema":                   fieldAgain,
	"StringSchema":                   fieldAgain,
	"TitledMultiSelectEnumSchema":    fieldAgain,
	"TitledSingleSelectEnumSchema":   fieldAgain,
	"UntitledMultiSelectEnumSchema":  fieldAgain,
	"UntitledSingleSelectEnumSchema": fieldAgain,

	"HeaderMismatchError":                  failureAgain,
	"MissingRequiredClientCapabilityError": failureAgain,
	"UnsupportedProtocolVersionError":      failureAgain,
	"InternalError":                        errorAgain,
	"InvalidParamsError":                   errorAgain,
	"MethodNotFoundError":                  errorAgain,
	"ParseError":                           errorAgain,
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
