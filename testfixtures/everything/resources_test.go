package everything_test

import (
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/testfixtures/mcptest"
)

func TestResources(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		same(t, "the list", strings.Join(mcptest.Names(c.List("resources/list"), "uri"), " "),
			"test://static-text test://static-binary test://watched-resource file://docs/readme")
		same(t, "the templates", strings.Join(mcptest.Names(c.List("resources/templates/list"), "uriTemplate"), " "),
			"test://template/{id}/data file://docs/{name}")
		for uri, want := range map[string]string{
			"test://static-text":       `"text/plain" "This is the content of the static text resource."`,
			"test://watched-resource":  `"text/plain" "Touched 0 times."`,
			"file://docs/guide":        `"text/plain" "Call a tool, read a resource, get a prompt."`,
			"test://template/123/data": `"application/json" "{\"id\":\"123\",\"templateTest\":true,\"data\":\"The record of this id.\"}"`,
			"test://template/%22/data": `"application/json" "{\"id\":\"\\\"\",\"templateTest\":true,\"data\":\"The record of this id.\"}"`,
		} {
			r := c.Read(uri)
			same(t, uri, fmt.Sprintf("%s %s", r.At("contents", 0, "mimeType"), r.At("contents", 0, "text")), want)
		}
		hints := map[string]string{"test://static-text": "60000 \"public\"", "test://watched-resource": "0 \"private\""}
		for uri, want := range hints { // which caches can be tried with
			if c.Revision() != mcptest.Modern {
				want = " "
			}
			r := c.Read(uri)
			same(t, "how long "+uri+" may be kept", fmt.Sprintf("%s %s", r.At("ttlMs"), r.At("cacheScope")), want)
		}
		if r := c.Read("test://static-binary"); !strings.HasPrefix(string(r.At("contents", 0, "blob")), `"iVBORw0KGgo`) {
			t.Errorf("the picture: %s", r)
		}
		for _, uri := range []string{"file://docs/none", "file://docs/..%2Freadme", "test://template//data", "test://other"} {
			want := jsonrpc.Code(-32002)
			if c.Revision() == mcptest.Modern {
				want = jsonrpc.InvalidParams
			}
			if r := c.Read(uri); r.Code() != want {
				t.Errorf("%s: got %s, want %d: it is not there", uri, r, want)
			}
		}
	})
}

func TestPrompts(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		for _, row := range []struct{ name, arguments, want string }{
			{"test_simple_prompt", "", "text: This is a simple prompt for testing."},
			{"test_prompt_with_arguments", `{"arg1":"a","arg2":"b"}`, "text: Prompt with arguments: arg1='a', arg2='b'"},
			{"test_prompt_with_embedded_resource", `{"resourceUri":"a:b"}`, "resource: , text: Please process the embedded resource above."},
			{"test_prompt_with_image", "", "image: , text: Please analyze the image above."},
			{"greet", `{"name":"Ada"}`, "text: Greet Ada in one sentence."},
		} {
			var got []string
			for _, m := range mcptest.Elements(c.Prompt(row.name, row.arguments).At("messages")) {
				kind, _ := mcptest.At(m, "content", "type").Text()
				said, _ := mcptest.At(m, "content", "text").Text()
				got = append(got, kind+": "+said)
			}
			same(t, row.name, strings.Join(got, ", "), row.want)
		}
		if r := c.Prompt("greet", ""); r.Code() != -32602 || !strings.Contains(r.Error.Message, "name") {
			t.Errorf("greet without a name: got %s", r)
		}
	})
}

func TestCompletion(t *testing.T) {
	mcptest.Each(t, quiet, func(t *testing.T, c *mcptest.Client) {
		values := func(r *mcptest.Response) string { return string(r.At("completion", "values")) }
		same(t, "greet", values(c.CompletePrompt("greet", "name", "a", "")), `["Ada","Alan","Barbara","Grace"]`)
		same(t, "greet, one", values(c.CompletePrompt("greet", "name", "ada", "")), `["Ada"]`)
		same(t, "arg1", values(c.CompletePrompt("test_prompt_with_arguments", "arg1", "par", `{"arg2":"x"}`)), `["paris","park","party"]`)
		same(t, "docs", values(c.CompleteResource("file://docs/{name}", "name", "g", "")), `["guide","changes"]`)
		same(t, "record", values(c.CompleteResource("test://template/{id}/data", "id", "12", "")), `["12","123"]`)
	})
}
