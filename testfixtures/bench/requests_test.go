package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// meta is what every request of the modern era carries (2026-07-28 basic/index, _meta).
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// callRequest is a call of echo with a text of so many bytes, which begins with the id: a reply that went to
// the wrong request would show.
func callRequest(size int) []byte {
	text := fmt.Sprint(firstID, strings.Repeat("the quick brown fox jumps over the lazy dog; ", size/45+1))[:size]
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{`+
		`"name":"echo","arguments":{"text":"%s"},`+meta+"}}\n", firstID, text)
}

// listRequest asks for all tools.
var listRequest = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{`+meta+"}}\n", firstID)

// check reads a reply as a client would: what the benchmarks compare with must be right itself.
func check(request, answer []byte) error {
	var asked struct {
		Method string
		Params struct{ Arguments struct{ Text string } }
	}
	var got struct {
		JSONRPC string
		ID      int
		Error   json.RawMessage
		Result  struct {
			ResultType string
			Content    []struct{ Type, Text string }
			Tools      []struct{ Name string }
		}
	}
	if err := json.Unmarshal(request, &asked); err != nil {
		return err
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return fmt.Errorf("%w in the answer %.200s", err, answer)
	}
	good := got.JSONRPC == "2.0" && got.ID == firstID && got.Error == nil
	// Only results of the modern era tell their type.
	good = good && (got.Result.ResultType == "complete") == bytes.Contains(request, []byte(meta))
	switch asked.Method {
	case "tools/list":
		good = good && len(got.Result.Tools) == 101
	default:
		good = good && len(got.Result.Content) == 1 && got.Result.Content[0].Text == "echo: "+asked.Params.Arguments.Text
	}
	if !good {
		return fmt.Errorf("the answer to %.300s\nis %.300s", request, answer)
	}
	return nil
}
