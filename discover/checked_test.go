package discover_test

import (
	"context"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
)

// What was found good in one request is not taken for good in the next, when that
// says something else.
func TestEveryRequestIsChecked(t *testing.T) {
	r := discover.NewRouter(fixture(), nil)
	scanner := jsonrpc.Scanner{Inner: discover.Inner()}
	const good, info = `{"roots":{}}`, `{"name":"t","version":"0"}`
	for _, row := range []struct {
		capabilities, info string
		want               string // of the error; "" for none
	}{
		{good, info, ""},
		{good, info, ""},
		{`{"roots":true}`, info, `params._meta["io.modelcontextprotocol/clientCapabilities"].roots must be an object`},
		{good, `{"name":"t"}`, `params._meta["io.modelcontextprotocol/clientInfo"].version must be a string`},
		{`{"roots":true}`, info, `params._meta["io.modelcontextprotocol/clientCapabilities"].roots must be an object`},
		{`[]`, info, `params._meta["io.modelcontextprotocol/clientCapabilities"] must be an object`},
		{`{}`, info, ""},
		{good, info, ""},
	} {
		line := `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":` + row.info + `,"io.modelcontextprotocol/clientCapabilities":` + row.capabilities + `}}}`
		var m jsonrpc.Message
		if err := scanner.Scan([]byte(line), &m); err != nil {
			t.Fatalf("Scan(%s) = %v", line, err)
		}
		_, told := jsonrpc.Invoke(context.Background(), r, &m, nil, nil, quiet())
		got := ""
		if told != nil {
			got = told.Message
		}
		if got != row.want {
			t.Errorf("%s\n got %q\nwant %q", line, got, row.want)
		}
	}
}
