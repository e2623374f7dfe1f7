package web_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"isthmus.internal/jsonrpc/leaktest"
	"isthmus.internal/testfixtures/transcripts/web"
)

var update = flag.Bool("update", false, "rewrite the transcripts that fail")

func TestMain(m *testing.M) { os.Exit(leaktest.Run(m)) }

// TestTranscripts plays every transcript and compares it with what came.
func TestTranscripts(t *testing.T) {
	all, err := web.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range all {
		t.Run(want.Name, func(t *testing.T) {
			var got web.Transcript
			synctest.Test(t, func(t *testing.T) { got = play(t, want) })
			if got.String() == want.String() {
				return
			}
			if *update {
				if err := os.WriteFile(want.Name+".txt", []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				t.Logf("%s.txt is rewritten", want.Name)
				return
			}
			g, w := strings.Split(got.String(), "\n"), strings.Split(want.String(), "\n")
			for i := range max(len(g), len(w)) {
				if i >= len(g) || i >= len(w) || g[i] != w[i] {
					t.Fatalf("from line %d on:\ngot\n%s\nwant\n%s", i+1, strings.Join(g[min(i, len(g)):], "\n"), strings.Join(w[min(i, len(w)):], "\n"))
				}
			}
		})
	}
}

// Lines that are none are told by their number.
func TestParse(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no server", "1 --> GET / HTTP/1.1\n", `web: x: the first line must be "# server: " and echo, notes or everything`},
		{"no kind", "# server: echo\nPOST\n", `web: x: line 2 is of no kind: "POST"`},
		{"nothing", "", `web: x: the first line must be "# server: " and echo, notes or everything`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := web.Parse("x", tt.text); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
