package guide_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/guide"
)

var (
	wire  = regexp.MustCompile("(?ms)^```\n(-->.*?)^```$")
	state = regexp.MustCompile(`"requestState":"([^"]*)"`)
)

// TestWire sends what docs/guide.md shows on the wire under "Asking the user" and compares
// the answers. A state, which is another one each time, stands there as "…".
func TestWire(t *testing.T) {
	text, err := os.ReadFile("../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := wire.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 1 {
		t.Fatalf("the guide has %d blocks of messages, want 1", len(blocks))
	}
	in, client := io.Pipe()
	server, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		defer out.Close()
		served <- stdio.Serve(context.Background(), guide.NewAsks(), &stdio.Options{In: in, Out: out})
	}()
	answers, last := bufio.NewReader(server), ""
	for line := range strings.Lines(blocks[0][1]) {
		direction, message := line[:4], line[4:]
		if direction == "--> " {
			io.WriteString(client, strings.Replace(message, `"requestState":"…"`, `"requestState":"`+last+`"`, 1))
			continue
		}
		got, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if m := state.FindStringSubmatch(got); m != nil {
			last = m[1]
			got = strings.Replace(got, m[0], `"requestState":"…"`, 1)
		}
		if got != message {
			t.Errorf("the server answers\n got %swant %s", got, message)
		}
	}
	client.Close()
	if err := <-served; err != nil {
		t.Errorf("serving ended with %v", err)
	}
}
