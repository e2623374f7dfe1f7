package discover_test

import (
	"encoding/json"
	"strings"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
)

// TestVerdictText: a verdict is kept as text and read again.
func TestVerdictText(t *testing.T) {
	tests := []struct {
		verdict discover.Verdict
		text    string
	}{
		{discover.Verdict{Era: mcp.Modern, Version: "2026-07-28"}, "modern 2026-07-28"},
		{discover.Verdict{Era: mcp.Legacy, Version: "2025-11-25", Evidence: "server/discover was answered with the error -32601: no: really"},
			"legacy 2025-11-25: server/discover was answered with the error -32601: no: really"},
	}
	for _, test := range tests {
		text, err := test.verdict.MarshalText()
		if err != nil || string(text) != test.text {
			t.Errorf("%+v: got %s, %v\nwant %s", test.verdict, text, err, test.text)
		}
		var got discover.Verdict
		if err := got.UnmarshalText(text); err != nil || got != test.verdict {
			t.Errorf("%s: got %+v, %v\nwant %+v", text, got, err, test.verdict)
		}
	}
	kept, err := json.Marshal(map[string]discover.Verdict{"server": tests[0].verdict})
	if err != nil || string(kept) != `{"server":"modern 2026-07-28"}` {
		t.Errorf("as JSON: got %s, %v", kept, err)
	}
}

// TestVerdictIsNone: what is no verdict is neither written nor read.
func TestVerdictIsNone(t *testing.T) {
	for _, v := range []discover.Verdict{{}, {Era: mcp.Both, Version: "1"}, {Era: mcp.Modern}, {Era: mcp.Modern, Version: "a b"},
		{Era: mcp.Modern, Version: "1", Evidence: "a\nb"}} {
		if text, err := v.MarshalText(); err == nil {
			t.Errorf("%+v: got %s, want an error", v, text)
		}
	}
	for _, text := range []string{"", "modern", "modern ", "both 2026-07-28", "modern 2026-07-28 or so", "modern 1: a\nb", "modern 1: " + strings.Repeat("a", 1024)} {
		v := discover.Verdict{Version: "before"}
		if err := v.UnmarshalText([]byte(text)); err == nil || v.Version != "before" {
			t.Errorf("%.40q: got %+v, want an error", text, v)
		}
	}
}

// FuzzVerdict: whatever is read as a verdict is written as the same text.
func FuzzVerdict(f *testing.F) {
	f.Add("modern 2026-07-28: why")
	f.Add("legacy 2025-11-25")
	f.Fuzz(func(t *testing.T, text string) {
		var v discover.Verdict
		if v.UnmarshalText([]byte(text)) != nil {
			return
		}
		again, err := v.MarshalText()
		var w discover.Verdict
		if err != nil || w.UnmarshalText(again) != nil || w != v {
			t.Errorf("%q: read as %+v, written as %q, %v", text, v, again, err)
		}
	})
}
