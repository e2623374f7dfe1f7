package outside

import (
	"strings"
	"testing"
)

func TestReadyURL(t *testing.T) {
	tests := []struct{ line, url, err string }{
		{"everything-server 1.0.0 ready on http://127.0.0.1:41234/mcp: legacy 2025-11-25, modern 2026-07-28\n", "http://127.0.0.1:41234/mcp", ""},
		{"s ready on http://[::1]:1/x: legacy\n", "http://[::1]:1/x", ""},
		{"", "", `first line is ""`},
		{"s ready on stdio: legacy\n", "", `names "stdio"`},
		{"s ready on http://127.0.0.1:0/mcp: legacy\n", "", "want http://127.0.0.1:PORT/PATH"},
		{"s ready on http://10.1.2.3:80/mcp: legacy\n", "", "want http://127.0.0.1:PORT/PATH"},
		{"s ready on https://127.0.0.1:80/mcp: legacy\n", "", "want http://127.0.0.1:PORT/PATH"},
		{"s ready on http://%zz: legacy\n", "", "the line"},
	}
	for _, test := range tests {
		got, err := readyURL(test.line)
		if got != test.url || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: got %q, %v, want %q, %q", test.line, got, err, test.url, test.err)
		}
	}
}
