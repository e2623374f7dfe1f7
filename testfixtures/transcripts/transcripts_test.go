package transcripts_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/transcripts"
)

var update = flag.Bool("update", false, "rewrite the transcripts that fail")

// TestTranscripts plays every transcript over a stream and compares it with what came.
func TestTranscripts(t *testing.T) {
	all, err := transcripts.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range all {
		t.Run(want.Name, func(t *testing.T) {
			var got transcripts.Transcript
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
			t.Errorf("%s\n%s", want.Name, difference(got, want))
		})
	}
}

// stream is the server's end: what it reads comes through a pipe, what it writes is
// kept.
type stream struct {
	io.Reader
	mu      sync.Mutex
	written bytes.Buffer
}

func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.Write(b)
}

func (s *stream) Close() error { return nil }

// take returns what was written since the last take.
func (s *stream) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.written.Reset()
	return s.written.String()
}

// play sends the lines of a transcript, one after the other, and returns the
// transcript with what came back in place of what should. It runs in a bubble, so that
// all that comes for a line has come before the next one is sent.
func play(t *testing.T, script transcripts.Transcript) transcripts.Transcript {
	s, err := script.Server()
	if err != nil {
		t.Fatal(err)
	}
	reader, writer := io.Pipe()
	end := &stream{Reader: reader}
	done := make(chan error, 1)
	go func() { done <- stdio.ServeStream(context.Background(), end, s, nil) }()

	played := transcripts.Transcript{Name: script.Name}
	keep := func(text string) {
		for _, line := range changesLast(text) {
			if !strings.HasSuffix(line, "\n") {
				t.Errorf("a line without its end: %q", line)
			}
			played.Entries = append(played.Entries, transcripts.Entry{Kind: transcripts.Received, Text: strings.TrimSuffix(line, "\n")})
		}
	}
	for _, e := range script.Entries {
		if e.Kind == transcripts.Received {
			continue
		}
		played.Entries = append(played.Entries, e)
		if e.Kind == transcripts.Sent {
			io.WriteString(writer, e.Text+"\n")
			<-time.After(time.Second) // of the bubble
			synctest.Wait()
			keep(end.take())
		}
	}
	writer.Close()
	if err := <-done; err != nil {
		t.Errorf("the server ended with %v, want nil", err)
	}
	keep(end.take())
	return played
}

// changesLast returns the lines of a text, those that tell of a change behind all others:
// they belong to no request, so nothing says whether they come before an answer or after.
func changesLast(text string) []string {
	var others, changes []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, `/list_changed"`) || strings.Contains(line, `"notifications/resources/updated"`) {
			changes = append(changes, line)
		} else {
			others = append(others, line)
		}
	}
	return append(others, changes...)
}

// difference shows the first entries that are not alike.
func difference(got, want transcripts.Transcript) string {
	sent := ""
	for i := range max(len(got.Entries), len(want.Entries)) {
		g, w := entry(got, i), entry(want, i)
		if g != w {
			return "after " + sent + "\n got " + g + "\nwant " + w
		}
		if strings.HasPrefix(g, transcripts.Sent) {
			sent = g
		}
	}
	return "no difference"
}

func entry(t transcripts.Transcript, i int) string {
	if i >= len(t.Entries) {
		return "the end"
	}
	return t.Entries[i].Kind + t.Entries[i].Text
}

func TestParse(t *testing.T) {
	const head = "# server: echo\n"
	tests := []struct{ name, text, err string }{
		{"least", head, ""},
		{"all kinds", head + "\n# a\n#b\n--> {}\n<-- {}\n--> \n", ""},
		{"notes", "# server: notes\n", ""},
		{"no server", "--> {}\n", "the first line must be"},
		{"empty", "", "the first line must be"},
		{"a gap first", "\n" + head, "the first line must be"},
		{"another server", "# server: other\n", "the first line must be"},
		{"no end", head + "--> {}", "the last line has no end"},
		{"another mark", head + "-> {}\n", `line 2 begins with none of --> <-- #: "-> {}"`},
		{"no space behind the mark", head + "-->{}\n", "line 2 begins with none of"},
	}
	for _, test := range tests {
		got, err := transcripts.Parse("name", test.text)
		switch {
		case test.err == "" && (err != nil || got.String() != test.text):
			t.Errorf("%s: Parse(%q) = %q, %v, want it whole", test.name, test.text, got, err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: Parse(%q): %v, want it to say %q", test.name, test.text, err, test.err)
		}
	}
}

// TestPlayCanFail shows that what a transcript has too much, too little or otherwise
// is found.
func TestPlayCanFail(t *testing.T) {
	const ping, pong = `--> {"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n", `<-- {"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	const head = "# server: echo\n"
	const note = `--> {"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	tests := []struct{ name, text, difference string }{
		{"right", head + ping + pong + note, "no difference"},
		{"another answer", head + ping + strings.Replace(pong, "1", "2", 1), `want <-- {"jsonrpc":"2.0","id":2,"result":{}}`},
		{"an answer too many", head + ping + pong + pong, "got the end"},
		{"an answer to a notification", head + note + pong, "got the end"},
		{"no answer", head + ping, "want the end"},
		{"an answer too late", head + ping + note + pong, "want " + strings.TrimSuffix(note, "\n")},
	}
	for _, test := range tests {
		script, err := transcripts.Parse(test.name, test.text)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			if got := difference(play(t, script), script); !strings.Contains(got, test.difference) {
				t.Errorf("%s: %s\nwant it to say %q", test.name, got, test.difference)
			}
		})
	}
}

// TestNames: a transcript says in its name whose role and which era it shows, and
// each era and fixture has one.
func TestNames(t *testing.T) {
	all, err := transcripts.All()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tr := range all {
		names = append(names, tr.Name)
		parts := strings.SplitN(tr.Name, "-", 3)
		if len(parts) < 3 || parts[0] != "server" || !slices.Contains([]string{"legacy", "modern", "both"}, parts[1]) {
			t.Errorf("%s.txt is not named role-era-case", tr.Name)
		}
		if len(tr.Lines(transcripts.Sent)) == 0 {
			t.Errorf("%s.txt sends nothing", tr.Name)
		}
	}
	for _, era := range []string{"legacy-2024-11-05", "legacy-2025-03-26", "legacy-2025-06-18", "legacy-2025-11-25", "modern"} {
		for _, fixture := range []string{"echo", "notes", "content", "lists", "progress", "logging", "resources", "prompts", "changes", "asks-undeclared"} {
			if want := "server-" + era + "-" + fixture; !slices.Contains(names, want) {
				t.Errorf("there is no %s.txt", want)
			}
		}
	}
}
