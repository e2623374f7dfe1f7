package revisions_test

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/transcripts"
)

// fixtureMessages are the exchanges of all transcripts.
func fixtureMessages(t *testing.T) []exchange {
	t.Helper()
	recorded, err := transcripts.All()
	if err != nil {
		t.Fatal(err)
	}
	var all []exchange
	for _, tr := range recorded {
		all = append(all, pair(t, tr.Name, "", tr.Entries)...)
	}
	return all
}

// request is what a client asks.
type request struct{ method, params string }

// drive puts requests to a server, as a client of the given revision, and returns the
// exchanges.
func drive(t *testing.T, name string, s *mcp.Server, revision string, requests []request) []exchange {
	t.Helper()
	about := `"io.modelcontextprotocol/protocolVersion":"` + revision + `","io.modelcontextprotocol/clientCapabilities":{}`
	var lines []transcripts.Entry
	say := func(id, method, params string) {
		text := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
		lines = append(lines, transcripts.Entry{Kind: transcripts.Sent, Text: text})
	}
	if revision != modern {
		say(`"first"`, "initialize", `{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"t","version":"0"}}`)
	}
	for i, r := range requests {
		params := r.params
		if revision == modern && strings.HasPrefix(params, `{"_meta":{`) {
			params = strings.Replace(params, `{"_meta":{`, `{"_meta":{`+about+`,`, 1)
		} else if revision == modern {
			params = strings.Replace(`{"_meta":{`+about+`},`+params[1:], `,}`, `}`, 1)
		}
		say(strconv.Itoa(i), r.method, params)
	}
	return pair(t, name+" in "+revision, revision, append(lines, serve(t, s, lines)...))
}

// stream is a connection whose input is there as a whole.
type stream struct {
	io.Reader
	bytes.Buffer
}

func (s *stream) Read(p []byte) (int, error) { return s.Reader.Read(p) }
func (s *stream) Close() error               { return nil }

// serve returns what a server has to say to some lines.
func serve(t *testing.T, s *mcp.Server, lines []transcripts.Entry) []transcripts.Entry {
	t.Helper()
	var input strings.Builder
	for _, line := range lines {
		input.WriteString(line.Text + "\n")
	}
	end := &stream{Reader: strings.NewReader(input.String())}
	if err := stdio.ServeStream(context.Background(), end, s, nil); err != nil {
		t.Fatal(err)
	}
	var received []transcripts.Entry
	for line := range strings.Lines(end.String()) {
		received = append(received, transcripts.Entry{Kind: transcripts.Received, Text: strings.TrimSuffix(line, "\n")})
	}
	return received
}
