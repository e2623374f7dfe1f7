package client_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/mcp"
)

var update = flag.Bool("update", false, "rewrite what the client sends in the transcripts that fail")

// TestTranscripts plays every transcript.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("client-*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			synctest.Test(t, func(t *testing.T) { got = play(t, strings.TrimSuffix(file, ".txt"), string(text)) })
			if got == string(text) {
				return
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				t.Logf("%s is rewritten", file)
				return
			}
			t.Errorf("%s\n%s", file, difference(got, string(text)))
		})
	}
}

// play has a program take the steps of a case, and returns the transcript of it.
func play(t *testing.T, file, text string) string {
	parts := strings.SplitN(file, "-", 4)
	era := mcp.Modern
	if parts[1] == "legacy" {
		era = mcp.Legacy
	}
	open := overStream
	if parts[2] == "http" {
		open = overHTTP
	}
	transport, r, wait := open(t, text)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // of the bubble
	defer cancel()
	r.remark("connect")
	c, verdict, err := discover.Connect(ctx, transport, connects(parts[3], era, r))
	if err != nil {
		t.Fatal(err)
	}
	if found[parts[3]] {
		r.remark("  %v", verdict)
	}
	steps[parts[3]](&program{r, ctx, c})
	r.remark("close")
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	wait()
	return r.String()
}

// difference shows the first lines that are not alike.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if at(g, i) != at(w, i) {
			return "behind " + at(g, i-1) + "\n got " + at(g, i) + "\nwant " + at(w, i)
		}
	}
	return "no difference"
}

func at(lines []string, i int) string {
	if i < 0 || i >= len(lines) {
		return "the end"
	}
	return lines[i]
}

// TestNames: there is a transcript of each case in each era and over each transport that has it.
func TestNames(t *testing.T) {
	files, err := filepath.Glob("*.txt")
	if err != nil {
		t.Fatal(err)
	}
	only := map[string]string{"headers": "modern-http", "resume": "legacy-http", "renew": "legacy-http", "old": "legacy-http"}
	var want []string
	for name := range steps {
		for _, way := range []string{"modern-stdio", "modern-http", "legacy-stdio", "legacy-http"} {
			if only[name] == "" || only[name] == way {
				want = append(want, "client-"+way+"-"+name+".txt")
			}
		}
	}
	slices.Sort(want)
	if !slices.Equal(files, want) {
		t.Errorf("there are\n%q\nwant\n%q", files, want)
	}
}

// TestPlayCanFail: what a transcript has too much, too little or otherwise is found.
func TestPlayCanFail(t *testing.T) {
	const file = "client-legacy-stdio-close"
	text, err := os.ReadFile(file + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct{ name, from, to string }{
		{"nothing", "", ""},
		{"another name", `"name":"transcript"`, `"name":"other"`},
		{"a line less", `--> {"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n", ""},
		{"a line more", "# close\n", "--> {}\n# close\n"},
		{"another end", "--> @closed\n", ""},
		{"another remark", "# close\n", "# shut\n"},
	} {
		changed := strings.Replace(string(text), change.from, change.to, 1)
		synctest.Test(t, func(t *testing.T) {
			if got := play(t, file, changed); (got == changed) != (change.from == "") {
				t.Errorf("%s: %s", change.name, difference(got, changed))
			}
		})
	}
}
