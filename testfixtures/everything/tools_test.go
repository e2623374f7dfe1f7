package everything_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/mcptest"
)

func TestPlainTools(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		same(t, "the first tool", mcptest.Names(c.List("tools/list"), "name")[0], "test_simple_text")
		for _, row := range []struct{ tool, arguments, want string }{
			{"test_simple_text", "", "This is a simple text response for testing."},
			{"echo", `{"n":9007199254740993,"s":"<a&b>"}`, `{"n":9007199254740993,"s":"<a&b>"}`},
			{"echo", "", `{}`},
			{"add", `{"a":1,"b":2}`, `{"sum":3}`},
			{"add", `{"a":-9223372036854775808,"b":9223372036854775807}`, `{"sum":-1}`},
			{"big", `{"n":3}`, "xxx"},
			{"big", `{"n":300000}`, strings.Repeat("x", 300000)},
			{"slow", `{"ms":120}`, "done"},
			{"test_tool_with_progress", "", "The tool has reported its progress."},
			{"test_reconnection", "", "The answer has come through."},
			{"json_schema_2020_12_tool", `{"name":"n","email":"e"}`, `{"name":"n","email":"e"}`},
			{"test_x_mcp_header", `{"region":"eu"}`, "region: eu"},
		} {
			r := c.Call(row.tool, row.arguments)
			if got := r.Text(); got != row.want || r.IsError() {
				t.Errorf("%s %s\n got %.200s\nwant %.200s", row.tool, row.arguments, r, row.want)
			}
		}
	})
}

func TestFailures(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		for _, row := range []struct{ tool, arguments, want string }{
			{"test_error_handling", "", "This tool intentionally returns an error for testing."},
			{"add", `{"a":9223372036854775807,"b":1}`, "the sum does not fit into 64 bits: take smaller numbers"},
			{"add", `{"a":-9223372036854775808,"b":-1}`, "the sum does not fit into 64 bits: take smaller numbers"},
		} {
			if r := c.Call(row.tool, row.arguments); !r.IsError() || r.Text() != row.want {
				t.Errorf("%s %s\n got %s\nwant a failure that says %s", row.tool, row.arguments, r, row.want)
			}
		}
		if r := c.Call("boom", ""); r.Code() != -32603 || !strings.HasPrefix(r.Error.Message, "Internal error (correlation id ") {
			t.Errorf("boom: got %s, want an internal error", r)
		}
		same(t, "after boom", c.Call("echo", `{}`).Text(), `{}`)
	})
}

// kinds are the kinds of content by tool, as the newest revision has them.
var kinds = map[string]string{
	"test_image_content":          "image",
	"test_audio_content":          "audio",
	"test_embedded_resource":      "resource",
	"test_resource_link":          "resource_link",
	"test_multiple_content_types": "text image resource",
}

// since are the kinds that came after the first revision. Before, a text stands in.
var since = map[string]string{"audio": "2025-03-26", "resource_link": "2025-06-18"}

func TestContent(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		for tool, want := range kinds {
			if first, ok := since[want]; ok && c.Revision() < first {
				want = "text"
			}
			r := c.Call(tool, "")
			got := strings.Join(mcptest.Names(mcptest.Elements(r.At("content")), "type"), " ")
			same(t, tool, got, want)
		}
	})
}

// TestSchema: a schema that is written by hand goes out as it is, space aside.
func TestSchema(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		for _, tool := range c.List("tools/list") {
			if !mcptest.At(tool, "name").Is("json_schema_2020_12_tool") {
				continue
			}
			for path, want := range map[string]string{
				"$schema": `"https://json-schema.org/draft/2020-12/schema"`, "additionalProperties": "false",
				"allOf": `[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}]`,
				"if":    `{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]}`,
				"then":  `{"required":["phone"]}`, "else": `{"required":["email"]}`,
				"$defs": `{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}}`,
			} {
				same(t, path, string(mcptest.At(tool, "inputSchema", path)), want)
			}
			return
		}
		t.Error("the tool is not listed")
	})
}

// TestPages: with pages a list has the same entries in the same order.
func TestPages(t *testing.T) {
	paged := func(testing.TB) *mcp.Server {
		return everything.NewServer(&everything.Options{Logger: slog.New(slog.DiscardHandler), Page: 7})
	}
	mcptest.Each(t, paged, func(t *testing.T, c *mcptest.Client) {
		whole := mcptest.Dial(t, quiet(t), &mcptest.Options{Revision: c.Revision()})
		for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			want := whole.List(method)
			same(t, method, fmt.Sprintf("%s", c.List(method)), fmt.Sprintf("%s", want))
			if got, most := len(c.Pages(method)), (len(want)+6)/7; got != most {
				t.Errorf("%s has %d pages, want %d", method, got, most)
			}
		}
	})
	mcptest.Conform(t, paged, nil)
}

// TestDescribed: outside suites want a description of each tool and prompt, and a name of
// each resource.
func TestDescribed(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		for method, members := range map[string][]string{
			"tools/list": {"name", "description", "inputSchema"}, "prompts/list": {"name", "description"},
			"resources/list": {"name", "uri", "mimeType"}, "resources/templates/list": {"name", "uriTemplate"},
		} {
			for _, entry := range c.List(method) {
				for _, name := range members {
					if mcptest.At(entry, name) == nil {
						t.Errorf("%s: an entry has no %s: %s", method, name, entry)
					}
				}
				if header := mcptest.At(entry, "inputSchema", "properties", "region", "x-mcp-header"); mcptest.At(entry, "name").Is("test_x_mcp_header") {
					same(t, "the header", string(header), `"Region"`)
				}
			}
		}
	})
}
