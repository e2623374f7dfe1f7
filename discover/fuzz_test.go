package discover_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
)

// FuzzRouter feeds any lines to a router, through a real connection. Whatever they
// are, what comes out is messages of JSON-RPC; each request and each line that is
// nothing at all is answered once; no notification and no response ever is.
func FuzzRouter(f *testing.F) {
	for _, e := range eras {
		for _, c := range append(callCases, otherCases...) {
			line := c.line(e)
			if !e.modern {
				line = initialize(e.version) + "\n" + line
			}
			if len(line) < 1000 { // long inputs are slow to fuzz and to minimize
				f.Add([]byte(line))
			}
		}
	}
	f.Add([]byte(initialize("2025-03-26") + "\n[" + request("1", "ping", ``) + "," + initialized + "]\n[]\n[1,{}]"))
	f.Add([]byte(modernEra.withMeta("1", "tools/call", `"name":"report"`, `"progressToken":0`)))
	f.Add([]byte(modernEra.request("1", "server/discover", ``) + "\n" + initialize("2099-01-01") + "\n" + initialize("2025-06-18")))
	f.Add([]byte(listen(`"a"`, `{"toolsListChanged":true,"resourceSubscriptions":["notes://1","a:b"]}`) + "\n" + listen("1", `{"x":[]}`) + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	f.Add([]byte(initialize("2025-11-25") + "\n" + initialized + "\n" + request("1", "resources/subscribe", `"uri":"a:b"`) + "\n" +
		request("2", "resources/unsubscribe", `"uri":"a:b"`)))
	s := quick()
	f.Fuzz(func(t *testing.T, input []byte) {
		lines := strings.Split(string(input), "\n")
		in, out := newInbox(len(lines)), &outbox{}
		for _, line := range lines {
			in.lines <- line
		}
		close(in.lines)
		r := discover.NewRouter(s, nil)
		c := jsonrpc.NewConn(in, out, r, &jsonrpc.Options{Logger: quiet(), Inner: discover.Inner(), InOrder: r.InOrder, LongLived: r.LongLived})
		if err := c.Serve(context.Background()); err != nil {
			t.Fatalf("the connection ended with %v, want nil", err)
		}
		r.Close()
		checkAnswers(t, lines, bytes.Clone(out.text))
	})
}

// checkAnswers compares what came out with what may come out for these lines.
func checkAnswers(t *testing.T, lines []string, output []byte) {
	due, exactly := 0, true
	ids := map[string]bool{}
	for _, line := range lines {
		batch := jsonrpc.IsArray([]byte(line))
		if batch {
			exactly = false // its elements are answered as they are, or it is as a whole
		}
		elements := []jsonrpc.Raw{jsonrpc.Raw(line)}
		if batch {
			elements, _ = new(jsonrpc.Scanner).Split([]byte(line))
			due++
		}
		for _, element := range elements {
			var m jsonrpc.Message
			(&jsonrpc.Scanner{Inner: discover.Inner()}).Scan(element, &m)
			switch m.Kind {
			case jsonrpc.Request, jsonrpc.Invalid:
				due++
				ids[m.ID.Key()] = true
			case jsonrpc.Notification:
				exactly = exactly && string(m.Method) != "notifications/cancelled"
			}
		}
	}
	answers := 0
	for line := range strings.Lines(string(output)) {
		for _, m := range checkMessages(t, strings.TrimSuffix(line, "\n")) {
			if m.Method != nil {
				continue
			}
			answers++
			if id, _ := jsonrpc.ParseID(jsonrpc.Raw(m.ID)); m.ID != nil && !ids[id.Key()] {
				t.Errorf("an answer to an id that no request has: %s", line)
			}
		}
	}
	if answers > due || exactly && answers != due {
		t.Errorf("%d answers, want %d (exactly: %t)\nlines %q\n  out %q", answers, due, exactly, lines, output)
	}
}
