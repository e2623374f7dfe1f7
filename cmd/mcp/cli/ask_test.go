package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"isthmus.internal/cmd/mcp/cli"
	"isthmus.internal/jsonrpc"
)

// asker is a modern server on a Unix socket that asks one thing before its tool answers, and
// then says which answer it has got.
func asker(t *testing.T, question string) (target string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for in := bufio.NewScanner(conn); in.Scan(); {
			m, scanner := &jsonrpc.Message{}, jsonrpc.Scanner{}
			if scanner.Scan(in.Bytes(), m) != nil || m.ID.IsZero() {
				continue
			}
			const meta = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop\u001b[31m","version":"1"}}`
			result := `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public",` + meta + `}`
			switch string(m.Method) {
			case "tools/list":
				result = `{"resultType":"complete","tools":[{"name":"buy","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}`
			case "tools/call":
				result = `{"resultType":"input_required","inputRequests":{"q":` + question + `}}`
				if answers := m.Param("inputResponses"); answers != nil {
					result = `{"resultType":"complete","content":[{"type":"text","text":` + string(jsonrpc.AppendStringBytes(nil, answers)) + `}]}`
				}
			}
			fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
	})
	t.Cleanup(func() {
		l.Close()
		serving.Wait()
	})
	return "unix:" + path
}

const (
	aForm = `{"method":"elicitation/create","params":{"mode":"form","message":"Who are you?","requestedSchema":{"type":"object","properties":` +
		`{"name":{"type":"string"},"age":{"type":"integer","minimum":0,"default":7}},"required":["name"]}}}`
	aChoice = `{"method":"elicitation/create","params":{"mode":"form","message":"What is it?","requestedSchema":{"type":"object","properties":` +
		`{"colour":{"type":"string","enum":["red","blue"]},"sure":{"type":"boolean"},"some":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["colour"]}}}`
	aPage  = `{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"http://user@xn--shp-sna.example/in?a=b"}}`
	aModel = `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"systemPrompt":"Be kind","maxTokens":5}}`
)

// TestAsksOnATerminal: the user sees which server asks and what it wants, looks at a form before it
// goes, and can decline and turn away (2026-07-28 client/elicitation, User Interaction Model and Safe
// URL Handling).
func TestAsksOnATerminal(t *testing.T) {
	const review = `This goes to the server: `
	tests := []struct {
		name, question, typed string
		args                  []string
		want                  string   // of the answer
		shown                 []string // in this order
	}{
		{"a form", aForm, "Ada\n\ny\n", nil, `{"action":"accept","content":{"name":"Ada","age":7}}`,
			[]string{", which calls itself shop�[31m, asks: Who are you?", "name (string):", "age (integer, 7 if left empty):", review + `{"name":"Ada","age":7}`, "Send it?"}},
		{"a form, edited", aForm, "Bob\n5\ne\nAda\n\nyes\n", nil, `{"action":"accept","content":{"name":"Ada","age":5}}`,
			[]string{review + `{"name":"Bob","age":5}`, "name (string), Bob so far:", "(integer), 5 so far:", review + `{"name":"Ada","age":5}`}},
		{"a form with a wrong word", aForm, "\nAda\nx\n-1\n5\n?\ny\n", nil, `{"action":"accept","content":{"name":"Ada","age":5}}`,
			[]string{"It must be filled in", "name (string):", `"x": want integer`, "age (integer, 7 if left empty):", "expected a number of at least 0, got the number -1", review + `{"name":"Ada","age":5}`, "Send it?", "Send it?"}},
		{"a form that the flags begin", aForm, "7\ny\n", []string{"-answer", "age=9"}, `{"action":"accept","content":{"name":"7","age":9}}`, []string{"name (string):", review + `{"name":"7","age":9}`}},
		{"choices", aChoice, "pink\nred\nmaybe\nYes\na, b\ny\n", nil, `{"action":"accept","content":{"colour":"red","sure":true,"some":["a","b"]}}`,
			[]string{"colour [red, blue] (string):", `expected one of "red", "blue", got the string "pink"`, "sure (yes or no, optional):", `"maybe": want yes or no`, "some [a, b] (some of them, with commas between, optional):", review}},
		{"declined at a field", aForm, "!\n", nil, `{"action":"decline"}`, []string{"a line with only ! declines"}},
		{"declined at the end", aForm, "Ada\n\nn\n", nil, `{"action":"decline"}`, []string{review}},
		{"turned away at a field", aForm, "", nil, `{"action":"cancel"}`, []string{"the end of input (Ctrl-D) cancels"}},
		{"turned away at the end", aForm, "Ada\n\n", nil, `{"action":"cancel"}`, []string{review}},
		{"a page", aPage, "y\n", nil, `{"action":"accept"}`, []string{"asks: Sign in", "page of xn--shp-sna.example:", "http://user@xn--shp-sna.example/in?a=b",
			"Beware: the connection", "Beware: what stands in front of the @", "Beware: the name of the host", "Have you opened it? [y: yes, n: no, Ctrl-D: not now]"}},
		{"a page, declined", aPage, "n\n", nil, `{"action":"decline"}`, nil},
		{"a page, turned away", aPage, "", nil, `{"action":"cancel"}`, nil},
		{"a model", aModel, "Hello\n", nil, `{"role":"assistant","content":{"type":"text","text":"Hello"},"model":"a person","stopReason":"endTurn"}`,
			[]string{" asks for what a model would say to this, in 5 tokens at the most:", "system: Be kind", "user: Hi", "! declines"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := asker(t, test.question)
			var out, shown bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			args := append([]string{"call", target, "buy"}, test.args...)
			status := cli.Run(ctx, args, &cli.Env{In: strings.NewReader(test.typed), Out: &out, Err: &shown, Terminal: true})
			if want := `{"q":` + test.want + "}\n"; status != cli.ExitOK || out.String() != want {
				t.Errorf("exit status %d, got %s\nwant %s\n%s", status, out.String(), want, shown.String())
			}
			if !strings.Contains(shown.String(), "The server "+target) {
				t.Errorf("it does not say which server asks:\n%s", shown.String())
			}
			left := shown.String()
			for _, want := range test.shown {
				_, after, found := strings.Cut(left, want)
				if !found {
					t.Errorf("not shown, or not in this order: %q\n%s", want, shown.String())
				}
				left = after
			}
		})
	}
}

// TestPageWithoutATerminal: a page that is declined, as nobody is there, is shown with its host and with
// what may deceive, as on a terminal.
func TestPageWithoutATerminal(t *testing.T) {
	const want = "The server wants a page opened, and is declined, as there is no terminal: Sign in\n" +
		"It is a page of xn--shp-sna.example:\n  http://user@xn--shp-sna.example/in?a=b\n"
	_, out, said := runMCP(t, &cli.Env{}, "call", asker(t, aPage), "buy")
	if !strings.HasPrefix(said, want) || strings.Count(said, "  Beware: ") != 3 || out != `{"q":{"action":"decline"}}`+"\n" {
		t.Errorf("got %s%s\nwant %s, and 3 warnings", said, out, want)
	}
}

// TestModelTurnedAway: who turns away from what a model is asked ends the call: there is no answer
// to send (2026-07-28 client/sampling, Error Handling).
func TestModelTurnedAway(t *testing.T) {
	for _, typed := range []string{"", "!\n"} {
		target := asker(t, aModel)
		var out, shown bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		status := cli.Run(ctx, []string{"call", target, "buy"}, &cli.Env{In: strings.NewReader(typed), Out: &out, Err: &shown, Terminal: true})
		if status != cli.ExitProtocol || out.Len() > 0 {
			t.Errorf("%q: exit status %d, printed %s", typed, status, out.String())
		}
	}
}

// TestPagesFirst: an error of 2025-11-25 that names pages shows each with its host and all of its
// URL (2025-11-25 client/elicitation, URL Elicitation Required Error).
func TestPagesFirst(t *testing.T) {
	pages := func(data string) string { return `{"code":-32042,"message":"Not yet","data":` + data + `}` }
	const page = `{"mode":"url","elicitationId":"e","url":"https://shop.example/in?a=b","message":"Sign in"}`
	for _, test := range []struct{ name, fault, want string }{
		{"one", pages(`{"elicitations":[` + page + `]}`), "error -32042: Not yet\nSign in\nIt wants you to open this page of shop.example:\n  https://shop.example/in?a=b\nThen run the command again.\n"},
		{"many", pages(`{"elicitations":[` + strings.Repeat(page+",", 40) + page + `]}`), "/in?a=b\nOf 37 more mcp wire before the command shows all.\nThen run the command again.\n"},
		{"none", pages(`{"elicitations":[]}`), "error -32042: Not yet\n"},
		{"no data", `{"code":-32042,"message":"Not yet"}`, "error -32042: Not yet\n"},
		{"odd data", pages(`{"elicitations":7}`), "error -32042: Not yet\n"},
	} {
		target := hostile(t, func(m message, send func(string, ...any)) {
			if m.Method == "tools/call" {
				send(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, test.fault)
				return
			}
			results(map[string]string{
				"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}`,
				"tools/list": `{"tools":[]}`,
			})(m, send)
		})
		status, _, shown := runMCP(t, &cli.Env{}, "call", target, "go")
		if status != cli.ExitProtocol || !strings.HasSuffix(shown, test.want) || len(shown) > 2000 {
			t.Errorf("%s: exit status %d, printed %s\nwant %s", test.name, status, shown, test.want)
		}
	}
}
