package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestServeHTTP(t *testing.T) {
	const one = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"text":"a"}}}`
	const two = `{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"arguments":{"text":""}}}`
	tests := []struct {
		name      string
		floor     *floor
		body      string
		wantReply string
	}{
		{"modern", &floor{}, one, beforeID + "1" + beforeText + "a" + afterText},
		{"legacy", &floor{legacy: true}, two, beforeID + `"b"` + legacyBeforeText + legacyAfterText},
		{"fixed", &floor{fixed: []byte(`,"result":{}}`)}, two, `{"jsonrpc":"2.0","id":"b","result":{}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // the second time the buffers are there
				w := httptest.NewRecorder()
				test.floor.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(test.body)))
				if got := w.Body.String(); got != test.wantReply || w.Header().Get("Content-Type") != "application/json" {
					t.Errorf("input %s\n got %s %v\nwant %s", test.body, got, w.Header(), test.wantReply)
				}
			}
		})
	}
}
