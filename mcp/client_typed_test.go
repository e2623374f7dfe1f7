package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// outcome calls a tool whose result is answer and tells what becomes of it as an Out: the
// value, or the error.
func outcome[Out any](t *testing.T, answer string) (string, error) {
	t.Helper()
	c := meets(nil, &scripted{answers: map[string][]string{"tools/call": {answer}}})
	out, err := mcp.CallTool[Out](t.Context(), c, "t", nil, nil)
	switch out := any(out).(type) {
	case jsonrpc.Raw:
		return string(out), err
	case json.RawMessage:
		return string(out), err
	case *mcp.Result:
		if out == nil {
			return "", err
		}
		return fmt.Sprintf("%d blocks, %s", len(out.Content), out.Structured), err
	case []mcp.Content:
		return fmt.Sprintf("%d blocks", len(out)), err
	}
	return fmt.Sprintf("%+v", out), err
}

func TestCallToolTyped(t *testing.T) {
	type sum struct {
		Sum int64 `json:"sum"`
	}
	const (
		structured = `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"structuredContent":{"sum":9007199254740993}}`
		textOnly   = `{"content":[{"type":"text","text":"{\"sum\": 9007199254740993}"}]}`
		words      = `{"content":[{"type":"text","text":"some"},{"type":"image","mimeType":"image/png","data":""},{"type":"text","text":"words"}]}`
		nothing    = `{"content":[]}`
		array      = `{"content":[],"structuredContent":[1,2]}`
		text       = `{"content":[],"structuredContent":"t"}`
	)
	tests := []struct {
		name, answer string
		call         func(*testing.T, string) (string, error)
		want, err    string
	}{
		{"struct", structured, outcome[sum], "{Sum:9007199254740993}", ""},
		{"pointer", structured, outcome[*sum], "", ""},
		{"struct of text", textOnly, outcome[sum], "{Sum:9007199254740993}", ""},
		{"struct of words", words, outcome[sum], "", "there is no structuredContent"},
		{"struct of nothing", nothing, outcome[sum], "", "there is no structuredContent"},
		{"struct of an array", array, outcome[sum], "", "structuredContent"},
		{"map", structured, outcome[map[string]int64], "map[sum:9007199254740993]", ""},
		{"map of any", structured, outcome[map[string]any], "map[sum:9007199254740993]", ""},
		{"slice", array, outcome[[]int], "[1 2]", ""},
		{"integer", `{"content":[],"structuredContent":-9223372036854775808}`, outcome[int64], "-9223372036854775808", ""},
		{"string", text, outcome[string], "t", ""},
		{"string of words", words, outcome[string], "some\nwords", ""},
		{"string of an object", structured, outcome[string], "a\nb", ""},
		{"string of nothing", nothing, outcome[string], "", ""},
		{"any", structured, outcome[any], "map[sum:9007199254740993]", ""},
		{"any of words", words, outcome[any], "some\nwords", ""},
		{"Raw", structured, outcome[jsonrpc.Raw], `{"sum":9007199254740993}`, ""},
		{"RawMessage of text", textOnly, outcome[json.RawMessage], `{"sum":9007199254740993}`, ""},
		{"result", structured, outcome[*mcp.Result], `2 blocks, {"sum":9007199254740993}`, ""},
		{"blocks", words, outcome[[]mcp.Content], "3 blocks", ""},
		{"none", words, outcome[struct{}], "{}", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.call(t, test.answer)
			if test.err != "" {
				var invalid *mcp.InvalidResult
				if !errors.As(err, &invalid) || !strings.Contains(err.Error(), test.err) {
					t.Errorf("%s: got %v, want an *InvalidResult with %q", test.answer, err, test.err)
				}
				return
			}
			if err != nil || test.want != "" && got != test.want {
				t.Errorf("%s\n got %s, %v\nwant %s", test.answer, got, err, test.want)
			}
		})
	}
}

// TestCallToolOfNoType: a type that no result can become is an error before the tool is
// called.
func TestCallToolOfNoType(t *testing.T) {
	s := &scripted{answers: map[string][]string{"tools/call": {`{"content":[]}`}}}
	for range 2 {
		if _, err := mcp.CallTool[chan int](t.Context(), meets(nil, s), "t", nil, nil); err == nil || !strings.Contains(err.Error(), "chan int") || len(s.asked) > 0 {
			t.Errorf("got %v, asked %q; want an error with %q and nothing asked", err, s.asked, "chan int")
		}
	}
}

// TestCallToolError: a call that has failed is an error with all that came.
func TestCallToolError(t *testing.T) {
	long := strings.Repeat("long ", 200)
	tests := []struct{ name, answer, want string }{
		{"text", `{"isError":true,"content":[{"type":"text","text":"no"},{"type":"text","text":"money"}]}`, "mcp: tool \"t\" has failed: no\nmoney"},
		{"nothing", `{"isError":true}`, `mcp: tool "t" has failed: `},
		{"long", `{"isError":true,"content":[{"type":"text","text":"` + long + `"}]}`, `mcp: tool "t" has failed: ` + long[:256]},
	}
	for _, test := range tests {
		for of, call := range map[string]func(*testing.T, string) (string, error){"int": outcome[int], "*Result": outcome[*mcp.Result], "any": outcome[any]} {
			_, err := call(t, test.answer)
			var failed *mcp.ToolError
			if !errors.As(err, &failed) || !failed.Result.IsError || !strings.HasPrefix(err.Error(), test.want) || len(err.Error()) > len(test.want)+10 {
				t.Errorf("%s, %s: got %v, want %q", test.name, of, err, test.want)
			}
		}
	}
}
