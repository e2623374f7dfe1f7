package revisions_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/revisions"
)

// TestAgain reads everything that the walks bring with the types of package mcp, as a
// client does, and writes it again in the form of its revision: it must mean the same.
func TestAgain(t *testing.T) {
	for _, revision := range revisions.All {
		t.Run(revision, func(t *testing.T) {
			all := slices.Concat(legacy.Forms(), discover.Forms())
			form := all[slices.IndexFunc(all, func(f *mcp.Form) bool { return f.Revision == revision })]
			n := 0
			for _, x := range walkMessages(t, revision) {
				var l line
				if err := json.Unmarshal([]byte(x.message), &l); err != nil {
					t.Fatal(err)
				}
				method, value := x.method, l.Result
				switch {
				case l.Method != "":
					method, value = l.Method, l.Params
				case l.Error != nil:
					continue
				case mcp.ResultTypeOf(jsonrpc.Raw(value)) == "input_required":
					method = "input_required"
				}
				n++
				checkAgain(t, form, method, jsonrpc.Raw(value))
			}
			if n < 30 {
				t.Errorf("only %d values", n)
			}
		})
	}
}

func checkAgain(t *testing.T, form *mcp.Form, method string, value jsonrpc.Raw) {
	t.Helper()
	if value == nil { // params may be left out
		return
	}
	trip, ok := trips[method]
	if !ok {
		t.Errorf("no type of ours reads what %s brings: %s", method, value)
		return
	}
	got, err := trip(value, form)
	if err != nil {
		t.Errorf("%s: %v\n%s", method, err, value)
		return
	}
	if !reflect.DeepEqual(meaning(t, got), meaning(t, value)) {
		t.Errorf("%s:\n got %s\nwant %s", method, got, value)
	}
}

// trip reads a value and writes it again.
type trip func(value jsonrpc.Raw, f *mcp.Form) ([]byte, error)

// again is the trip through the type T.
func again[T any, P interface {
	*T
	mcp.Value
}](value jsonrpc.Raw, f *mcp.Form) ([]byte, error) {
	v, err := mcp.Read[T, P](value, "value")
	if err != nil {
		return nil, err
	}
	return mcp.Append(nil, P(&v), f)
}

// elicitAgain is the trip of what a user is asked, by its mode.
func elicitAgain(value jsonrpc.Raw, f *mcp.Form) ([]byte, error) {
	var mode struct{ Mode string }
	if err := json.Unmarshal(value, &mode); err == nil && mode.Mode == "url" {
		return again[mcp.ElicitURL](value, f)
	}
	return again[mcp.ElicitForm](value, f)
}

// trips are the types of results by the method of their request, and of params by their
// own method.
var trips = map[string]trip{
	"initialize":               again[mcp.InitializeResult],
	"server/discover":          again[mcp.DiscoverResult],
	"ping":                     again[mcp.EmptyResult],
	"logging/setLevel":         again[mcp.EmptyResult],
	"resources/subscribe":      again[mcp.EmptyResult],
	"resources/unsubscribe":    again[mcp.EmptyResult],
	"subscriptions/listen":     again[mcp.EmptyResult],
	"tools/list":               again[mcp.Page[mcp.Tool]],
	"tools/call":               again[mcp.Result],
	"resources/list":           again[mcp.Page[mcp.Resource]],
	"resources/templates/list": again[mcp.Page[mcp.ResourceTemplate]],
	"resources/read":           again[mcp.ReadResourceResult],
	"prompts/list":             again[mcp.Page[mcp.Prompt]],
	"prompts/get":              again[mcp.PromptResult],
	"completion/complete":      again[mcp.CompleteResult],
	"input_required":           again[mcp.InputRequired],

	"elicitation/create":     elicitAgain,
	"sampling/createMessage": again[mcp.SampleRequest],
	"roots/list":             again[mcp.RequestParams],

	"notifications/progress":                   again[mcp.ProgressParams],
	"notifications/message":                    again[mcp.LogMessageParams],
	"notifications/cancelled":                  again[mcp.CancelledParams],
	"notifications/tools/list_changed":         again[mcp.NotificationParams],
	"notifications/prompts/list_changed":       again[mcp.NotificationParams],
	"notifications/resources/list_changed":     again[mcp.NotificationParams],
	"notifications/resources/updated":          again[mcp.ResourceUpdatedParams],
	"notifications/subscriptions/acknowledged": again[mcp.AcknowledgedParams],
}

// meaning decodes a text so that equal values are equal: our own writers spell numbers in
// one way only.
func meaning(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, text)
	}
	return v
}
