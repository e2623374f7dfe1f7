package jsonrpc_test

import (
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
)

func TestClip(t *testing.T) {
	full := strings.Repeat("x", 256)
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"all that fits", full, full},
		{"one byte more", full + "y", full + "…"},
		{"a character over the end", full[:255] + "é", full[:255] + "…"},
		{"a character at the end", full[:254] + "éz", full[:254] + "é…"},
		{"no UTF-8", strings.Repeat("\x80", 300), "…"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := jsonrpc.Clip([]byte(test.text)); got != test.want {
				t.Errorf("Clip(%q)\n got %q\nwant %q", test.text, got, test.want)
			}
		})
	}
}
