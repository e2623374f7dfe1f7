package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"isthmus.internal/cmd/mcp/cli"
)

// steering is text that does something to a terminal: it colours, clears, beeps, turns the
// direction of what follows, and does so by the controls of eight bits, too.
const steering = "\x1b[2J\u009b31m\u202e\a\u2066"

const patience = 20 * time.Second

// message is what a client sends.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// hostile serves on a socket: each message of a client goes to hear, with a function that sends a
// line.
func hostile(t *testing.T, hear func(m message, send func(format string, args ...any))) (target string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				var mu sync.Mutex
				for lines := bufio.NewScanner(c); lines.Scan(); {
					var m message
					if json.Unmarshal(lines.Bytes(), &m) != nil {
						return
					}
					hear(m, func(format string, args ...any) {
						mu.Lock()
						defer mu.Unlock()
						fmt.Fprintf(c, format+"\n", args...)
					})
				}
			}()
		}
	}()
	return "unix:" + path
}

// streamOf serves on a socket: whoever connects gets the line so often, and nothing else.
func streamOf(t *testing.T, line string, times int) (target string) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			for range times {
				if _, err := io.WriteString(c, line); err != nil {
					break
				}
			}
			_, _ = io.Copy(io.Discard, c) // until it is closed
			c.Close()
		}
	})
	t.Cleanup(func() { l.Close(); serving.Wait() })
	return "unix:" + l.Addr().String()
}

// results is a server that has a result for each method, and errors for the others.
func results(of map[string]string) func(m message, send func(string, ...any)) {
	return func(m message, send func(string, ...any)) {
		switch result, ok := of[m.Method]; {
		case m.ID == nil:
		case ok:
			send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		default:
			send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, m.ID, quoted("no: "+steering))
		}
	}
}

// quoted is a text in JSON, with all that may stand there as it is.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// modern are the results of a server of the modern era in which all that is text is steering.
func modern() map[string]string {
	bad := quoted("x" + steering)
	return map[string]string{
		"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28",` + bad + `],"capabilities":{"tools":{},"experimental":{` + bad + `:{}}},
			"instructions":` + bad + `,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":` + bad + `,"version":` + bad + `,"title":` + bad + `}}}`,
		"tools/list": `{"resultType":"complete","tools":[{"name":` + bad + `,"description":` + bad + `,"inputSchema":{"type":"object"}},
			{"name":"go","title":` + bad + `,"inputSchema":{"type":"object","properties":{"x":{"type":` + bad + `,"description":` + bad + `},` + bad + `:{}}}}]}`,
		"resources/list":           `{"resultType":"complete","resources":[{"uri":` + bad + `,"name":` + bad + `,"mimeType":` + bad + `}]}`,
		"resources/templates/list": `{"resultType":"complete","resourceTemplates":[{"uriTemplate":` + bad + `,"name":` + bad + `}]}`,
		"prompts/list":             `{"resultType":"complete","prompts":[{"name":` + bad + `,"arguments":[{"name":` + bad + `}]}]}`,
		"resources/read":           `{"resultType":"complete","contents":[{"uri":` + bad + `,"text":` + bad + `},{"uri":"u:","blob":"G1sySg=="}]}`,
		"prompts/get":              `{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":` + bad + `}}]}`,
		"completion/complete":      `{"resultType":"complete","completion":{"values":[` + bad + `]}}`,
		"tools/call":               `{"resultType":"complete","content":[],"structuredContent":{` + bad + `:` + bad + `}}`,
	}
}

func unescaped(results map[string]string) map[string]string {
	for method, text := range results {
		// Go's encoder escapes what JSON allows as it is; a hostile server does not.
		results[method] = strings.Join(strings.Fields(text), " ")
	}
	return results
}

// runMCP runs a command.
func runMCP(t *testing.T, env *cli.Env, args ...string) (status int, out, log string) {
	t.Helper()
	var o, e bytes.Buffer
	if env.Out == nil {
		env.Out = &o
	}
	if env.Err == nil {
		env.Err = &e
	}
	if env.In == nil {
		env.In = strings.NewReader("")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	status = cli.Run(ctx, args, env)
	if ctx.Err() != nil {
		t.Fatalf("mcp %q has not ended within %v\n%s%s", args, patience, o.String(), e.String())
	}
	return status, o.String(), e.String()
}

func TestNothingSteersTheTerminal(t *testing.T) {
	good := hostile(t, results(unescaped(modern())))
	refusing := hostile(t, results(map[string]string{"server/discover": unescaped(modern())["server/discover"]}))
	old := hostile(t, results(map[string]string{"initialize": `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"1"}}`}))
	for _, command := range []string{
		"discover", "tools", "tools TARGET go", "resources", "templates", "prompts", "read TARGET file:///a",
		"prompt TARGET p", "complete TARGET prompt:p a v", "call TARGET go", "call TARGET go x=1",
	} {
		if !strings.Contains(command, "TARGET") {
			command += " TARGET"
		}
		for _, output := range []string{"text", "json"} {
			for name, target := range map[string]string{"good": good, "refusing": refusing, "old": old} {
				args := append(strings.Fields(strings.Replace(command, "TARGET", target, 1)), "-output", output)
				for _, before := range [][]string{nil, {"wire"}} {
					_, out, log := runMCP(t, &cli.Env{OutTerminal: true}, append(before, args...)...)
					if at := strings.IndexFunc(out+log, steers); at >= 0 {
						t.Errorf("mcp %s %v, server %s: prints %q", before, args, name, (out + log)[max(0, at-40):min(at+40, len(out+log))])
					}
				}
			}
		}
	}
}

func steers(c rune) bool {
	return c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c))
}

func TestJSONSaysTheSame(t *testing.T) {
	target := hostile(t, results(unescaped(modern())))
	status, out, log := runMCP(t, &cli.Env{}, "tools", target, "-output", "json")
	var got struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(out), &got); status != cli.ExitOK || err != nil {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, log)
	}
	if want := "x" + steering; got.Tools[0].Name != want {
		t.Errorf("name is %q, want %q", got.Tools[0].Name, want)
	}
}

func TestBytesOfResource(t *testing.T) {
	target := hostile(t, results(unescaped(modern())))
	for _, c := range []struct {
		name     string
		terminal bool
		want     bool
	}{{"to a file", false, true}, {"to a terminal", true, false}} {
		_, out, _ := runMCP(t, &cli.Env{OutTerminal: c.terminal}, "read", target, "u:")
		if got := strings.Contains(out, "\x1b[2J"); got != c.want {
			t.Errorf("%s: bytes are printed: %v, want %v\n%q", c.name, got, c.want, out)
		}
	}
}

func TestLongErrorIsCut(t *testing.T) {
	target := hostile(t, func(m message, send func(string, ...any)) {
		if m.Method == "tools/list" {
			send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"%s"}}`, m.ID, strings.Repeat("é", 1<<20))
			return
		}
		results(unescaped(modern()))(m, send)
	})
	_, _, log := runMCP(t, &cli.Env{}, "tools", target)
	if len(log) > 10000 {
		t.Errorf("%d bytes of a message are printed", len(log))
	}
}

// full is a disk that is.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	target := hostile(t, func(m message, send func(string, ...any)) {
		if m.Method == "subscriptions/listen" {
			const of = `"_meta":{"io.modelcontextprotocol/subscriptionId":%s}`
			send(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},`+of+`}}`, m.ID)
			send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{`+of+`}}`, m.ID)
			return
		}
		results(unescaped(modern()))(m, send)
	})
	for _, args := range [][]string{
		{"tools", target}, {"tools", target, "-output", "json"}, {"call", target, "go"},
		{"read", target, "u:"}, {"discover", target}, {"listen", target}, {"tools", "-h"},
	} {
		status, _, log := runMCP(t, &cli.Env{Out: full{}}, args...)
		if status != cli.ExitProtocol || !strings.Contains(log, "no space left") {
			t.Errorf("mcp %q: status %d, want %d; it says %q", args, status, cli.ExitProtocol, log)
		}
	}
}

// screen is what stands on a terminal.
type screen struct {
	mu   sync.Mutex
	text string
	more chan struct{}
}

func newScreen() *screen { return &screen{more: make(chan struct{}, 1)} }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text += string(b)
	select {
	case s.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// await waits until the text stands there.
func (s *screen) await(t *testing.T, text string) {
	t.Helper()
	late := time.After(patience)
	for !strings.Contains(s.String(), text) {
		select {
		case <-s.more:
		case <-late:
			t.Fatalf("%q does not come up on\n%s", text, s)
		}
	}
}

const form = `{"mode":"form","message":"%s","requestedSchema":{"type":"object","properties":{"%s":{"type":"string"}},"required":["%s"]}}`

// asksModern asks before it answers a call.
func asksModern(m message, send func(string, ...any)) {
	if m.Method == "tools/call" && !bytes.Contains(m.Params, []byte("inputResponses")) {
		send(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":`+form+`}}}}`, m.ID, "First", "one", "one")
		return
	}
	results(unescaped(modern()))(m, send)
}

// asksLegacy asks two things at once.
func asksLegacy(heard chan<- message) func(m message, send func(string, ...any)) {
	return func(m message, send func(string, ...any)) {
		switch {
		case m.Method == "tools/call":
			send(`{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":`+form+`}`, "First", "one", "one")
			send(`{"jsonrpc":"2.0","id":"b","method":"elicitation/create","params":`+form+`}`, "Second", "two", "two")
		case m.Method == "" && m.ID != nil:
			heard <- m
		default:
			results(map[string]string{
				"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}`,
				"tools/list": `{"tools":[]}`,
			})(m, send)
		}
	}
}

func TestInterrupted(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer silent.Close()
	for _, c := range []struct {
		name, at string
		args     []string
		in       string
		want     int
	}{
		{"asked, modern", "one (string): ", []string{"call", hostile(t, asksModern), "go"}, "", cli.ExitInterrupted},
		{"asked, legacy", "(string): ", []string{"call", hostile(t, asksLegacy(make(chan message, 2))), "go"}, "", cli.ExitInterrupted},
		{"reading -json", "<-- ", []string{"wire", "call", hostile(t, asksModern), "go", "-json", "-"}, "", cli.ExitInterrupted},
		{"raw, at the input", "", []string{"raw", silent.URL}, "", cli.ExitOK},
		{"raw, at the answer", "--> ", []string{"wire", "raw", silent.URL}, "{}\n", cli.ExitOK},
		{"connecting", "--> ", []string{"wire", "tools", silent.URL}, "", cli.ExitInterrupted},
		{"connecting to listen", "--> ", []string{"wire", "listen", silent.URL}, "", cli.ExitInterrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			keys, typed := io.Pipe()
			defer typed.Close()
			go io.WriteString(typed, c.in)
			terminal := newScreen()
			ctx, interrupt := context.WithCancel(context.Background())
			defer interrupt()
			ended := make(chan int, 1)
			go func() {
				ended <- cli.Run(ctx, c.args, &cli.Env{In: keys, Out: io.Discard, Err: terminal, Terminal: true})
			}()
			terminal.await(t, c.at)
			interrupt()
			select {
			case status := <-ended:
				said := strings.HasSuffix(terminal.String(), ": interrupted\n")
				if status != c.want || said != (c.want == cli.ExitInterrupted) {
					t.Errorf("mcp %q\n got: %d, and it has said\n%s\nwant: %d", c.args, status, terminal, c.want)
				}
			case <-time.After(patience):
				t.Fatalf("mcp %q does not end when it is interrupted:\n%s", c.args, terminal)
			}
		})
	}
}

func TestOneQuestionAtATime(t *testing.T) {
	heard := make(chan message, 2)
	keys, typed := io.Pipe()
	defer typed.Close()
	terminal := newScreen()
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	ended := make(chan int, 1)
	target := hostile(t, asksLegacy(heard))
	go func() {
		ended <- cli.Run(ctx, []string{"call", target, "go"}, &cli.Env{In: keys, Out: io.Discard, Err: terminal, Terminal: true})
	}()
	given := map[string]string{}
	for range 2 {
		terminal.await(t, "(string): ")
		// What is asked last is what the user answers.
		asked := terminal.String()
		field := "one"
		if strings.LastIndex(asked, "two (string)") > strings.LastIndex(asked, "one (string)") {
			field = "two"
		}
		terminal.mu.Lock()
		terminal.text = ""
		terminal.mu.Unlock()
		given[field] = "for " + field
		fmt.Fprintf(typed, "for %s\ny\n", field)
		select {
		case m := <-heard:
			want := fmt.Sprintf(`{"action":"accept","content":{%q:%q}}`, field, given[field])
			if string(m.Result) != want {
				t.Errorf("asked for %s, the answer to %s is %s%s, want %s", field, m.ID, m.Result, m.Error, want)
			}
		case <-time.After(patience):
			t.Fatalf("no answer comes of\n%s", terminal)
		}
	}
	interrupt()
	<-ended
}

func TestAnswerSampleAtTerminal(t *testing.T) {
	target := hostile(t, func(m message, send func(string, ...any)) {
		switch {
		case m.Method == "tools/call" && !bytes.Contains(m.Params, []byte("inputResponses")):
			send(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}}}`, m.ID)
		case m.Method == "tools/call":
			send(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"has it: %v"}]}}`, m.ID, bytes.Contains(m.Params, []byte(`"forty"`)))
		default:
			results(unescaped(modern()))(m, send)
		}
	})
	_, out, log := runMCP(t, &cli.Env{Terminal: true}, "call", target, "go", "-answer", "sample=forty")
	if out != "has it: true\n" {
		t.Errorf("prints %q, %q", out, log)
	}
}

func TestRawEnds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line, _ := io.ReadAll(r.Body)
		if string(line) == `"stream"` {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: 1\n\n")
			_ = http.NewResponseController(w).Flush()
		}
		if string(line) == `"switch"` {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
			conn.SetReadDeadline(time.Now().Add(patience / 2))
			io.Copy(io.Discard, conn) // until the client hangs up
			return
		}
		<-r.Context().Done()
	}))
	defer server.Close()
	for _, c := range []struct {
		name, in string
		want     int
	}{
		{"another protocol", `"switch"` + "\n", cli.ExitOK},
		{"no head of the answer", "1\n", cli.ExitProtocol},
		{"a stream without an end", `"stream"` + "\n", cli.ExitOK},
	} {
		status, out, log := runMCP(t, &cli.Env{In: strings.NewReader(c.in)}, "raw", server.URL, "-timeout", "200ms")
		if status != c.want {
			t.Errorf("%s: status %d, want %d\n%s%s", c.name, status, c.want, out, log)
		}
	}
}

// TestRawHeaders: what is typed over HTTP goes out with the headers that repeat what is in it
// (2026-07-28 basic/transports/streamable-http, Standard Request Headers and Value Encoding).
func TestRawHeaders(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer server.Close()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, c := range []struct{ name, method, params, version, asMethod, asName string }{
		{"a tool", "tools/call", `{"name":"a",` + meta + `}`, "2026-07-28", "tools/call", "a"},
		{"a name beyond ASCII", "prompts/get", `{"name":"wörter",` + meta + `}`, "2026-07-28", "prompts/get", "=?base64?d8O2cnRlcg==?="},
		{"a name with a space behind", "tools/call", `{"name":"a ",` + meta + `}`, "2026-07-28", "tools/call", "=?base64?YSA=?="},
		{"a name with a line end", "tools/call", `{"name":"a\nb",` + meta + `}`, "2026-07-28", "tools/call", "=?base64?YQpi?="},
		{"a resource", "resources/read", `{"uri":"a:b","name":"c",` + meta + `}`, "2026-07-28", "resources/read", "a:b"},
		{"a list", "tools/list", `{"name":"a",` + meta + `}`, "2026-07-28", "tools/list", ""},
		{"the legacy era", "tools/call", `{"name":"a"}`, "", "", ""},
	} {
		line := `{"jsonrpc":"2.0","id":1,"method":"` + c.method + `","params":` + c.params + "}\n"
		if status, _, log := runMCP(t, &cli.Env{In: strings.NewReader(line)}, "raw", server.URL); status != cli.ExitOK {
			t.Errorf("%s: status %d, %s", c.name, status, log)
		}
		for name, want := range map[string]string{"Mcp-Protocol-Version": c.version, "Mcp-Method": c.asMethod, "Mcp-Name": c.asName} {
			if got.Get(name) != want {
				t.Errorf("%s: %s: %q, want %q", c.name, name, got.Get(name), want)
			}
		}
	}
}

func TestRawShownOnTerminal(t *testing.T) {
	bad := "é\x1b[2J" + steering + "é"
	target := hostile(t, func(m message, send func(string, ...any)) {
		for i := range bad { // in pieces
			send("%s", bad[i:])
		}
	})
	for _, c := range []struct {
		terminal bool
		want     bool
	}{{true, false}, {false, true}} {
		_, out, _ := runMCP(t, &cli.Env{OutTerminal: c.terminal, In: strings.NewReader(`{"id":1,"method":"x"}` + "\n")}, "raw", target)
		if got := strings.IndexFunc(out, steers) >= 0; got != c.want {
			t.Errorf("terminal %v: steered: %v, want %v: %q", c.terminal, got, c.want, out)
		}
	}
}

// What may be secret in a URL is in no message, and no header goes out that could not be one.
func TestSecretsOfTarget(t *testing.T) {
	const target = "http://user:hunter2@127.0.0.1:1/path?key=hunter2"
	for _, args := range [][]string{{"tools", target}, {"raw", target}, {"call", target, "go"}} {
		status, out, log := runMCP(t, &cli.Env{In: strings.NewReader("{}\n")}, args...)
		if status != cli.ExitProtocol || strings.Contains(out+log, "hunter2") || !strings.Contains(log, "127.0.0.1:1") {
			t.Errorf("mcp %q: status %d, %s%s", args, status, out, log)
		}
	}
}

func TestHeadersThatAreNone(t *testing.T) {
	for _, header := range []string{"A: b\r\nEvil: 1", "Bad Name: b", "A:\x00", "Ä: b", ": b", "A"} {
		status, _, log := runMCP(t, &cli.Env{}, "tools", "http://127.0.0.1:1/", "-header", header)
		if status != cli.ExitUsage {
			t.Errorf("%q: status %d, %s", header, status, log)
		}
	}
}

// At a terminal ^C ends the server, too, and that may be seen first.
func TestInterruptedBehindTheServer(t *testing.T) {
	for _, c := range []struct {
		method string
		args   []string
		want   int
		not    string
	}{
		{"subscriptions/listen", []string{"listen", "TARGET"}, cli.ExitOK, "ended"},
		{"tools/call", []string{"call", "TARGET", "go"}, cli.ExitInterrupted, "ended"},
	} {
		t.Run(c.method, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(context.Background())
			defer interrupt()
			path := filepath.Join(t.TempDir(), "s")
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				endAt(conn, c.method)
				conn.Close()
				<-time.After(50 * time.Millisecond)
				interrupt()
			}()
			for i, arg := range c.args {
				c.args[i] = strings.Replace(arg, "TARGET", "unix:"+path, 1)
			}
			terminal := newScreen()
			status := cli.Run(ctx, c.args, &cli.Env{In: strings.NewReader(""), Out: io.Discard, Err: terminal})
			if status != c.want || strings.Contains(terminal.String(), c.not) {
				t.Errorf("status %d, want %d; it says %q", status, c.want, terminal)
			}
		})
	}
}

// endAt serves until this method is asked for. A subscription is agreed to before.
func endAt(conn net.Conn, method string) {
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			return
		}
		if m.Method == "subscriptions/listen" {
			fmt.Fprintf(conn, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`+"\n", m.ID)
		}
		if m.Method == method {
			return
		}
		results(unescaped(modern()))(m, func(format string, args ...any) { fmt.Fprintf(conn, format+"\n", args...) })
	}
}

// Nothing is drawn over a question.
func TestProgressBesideQuestion(t *testing.T) {
	asked := make(chan struct{})
	target := hostile(t, func(m message, send func(string, ...any)) {
		if m.Method != "tools/call" {
			asksLegacy(make(chan message, 2))(m, send)
			return
		}
		var params struct {
			Meta struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		}
		_ = json.Unmarshal(m.Params, &params)
		send(`{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":`+form+`}`, "First", "one", "one")
		<-asked
		send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"total":2}}`, params.Meta.Token)
		send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"behind it"}}`)
	})
	keys, typed := io.Pipe()
	defer typed.Close()
	terminal := newScreen()
	ctx, interrupt := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, []string{"call", target, "go"}, &cli.Env{In: keys, Out: io.Discard, Err: terminal, Terminal: true})
	}()
	terminal.await(t, "one (string): ")
	close(asked)
	terminal.await(t, "behind it")
	interrupt()
	<-ended
	if strings.Contains(terminal.String(), "50%") {
		t.Errorf("progress is drawn over a question:\n%s", terminal)
	}
}

// TestNoQuestionSteersTheTerminal: nor does any text of a question.
func TestNoQuestionSteersTheTerminal(t *testing.T) {
	bad := quoted("x" + steering)
	asks := func(method, params string) string { return `{"method":"` + method + `","params":` + params + `}` }
	fields := func(schema string) string {
		return asks("elicitation/create", `{"mode":"form","message":`+bad+`,"requestedSchema":{"type":"object","properties":`+schema+`}}`)
	}
	field := `{` + bad + `:{"type":"string","title":` + bad + `,"description":` + bad + `,"enum":[` + bad + `],"default":` + bad + `}}`
	for _, test := range []struct{ name, question, typed string }{
		{"a form", fields(field), "?\n" + steering + "\n\ne\n\ny\n"},
		{"a field that must be filled in", fields(field + `,"required":[` + bad + `]`), "?\n\ny\n"},
		{"a form that nothing fits", fields(`{"a":{"type":"string"}},"minProperties":1,"required":[` + bad + `],"not":{"const":` + bad + `}`), "a\nb\n!\n"},
		{"fields that need others", fields(`{"a":{"type":"string"}},"dependentRequired":{"a":[` + bad + `]}`), "a\nb\n!\n"},
		{"names that do not fit", fields(field + `,"propertyNames":{"pattern":"^y$"}`), "\n!\n"},
		{"a page", asks("elicitation/create", `{"mode":"url","message":`+bad+`,"url":"https://x/\u001b[2J"}`), "n\n"},
		{"a model", asks("sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":`+bad+`}}],"systemPrompt":`+bad+`,"maxTokens":1}`), "hi\n"},
		{"what there is not", asks("x\\u001b[2J", `{}`), ""},
	} {
		for _, key := range []string{`"k"`, bad} {
			target := hostile(t, func(m message, send func(string, ...any)) {
				if m.Method == "tools/call" && !bytes.Contains(m.Params, []byte("inputResponses")) {
					send(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{%s:%s}}}`, m.ID, key, test.question)
					return
				}
				results(unescaped(modern()))(m, send)
			})
			for _, terminal := range []bool{true, false} {
				_, out, log := runMCP(t, &cli.Env{In: strings.NewReader(test.typed), Terminal: terminal, OutTerminal: true}, "call", target, "go")
				if at := strings.IndexFunc(out+log, steers); at >= 0 {
					t.Errorf("%s, on a terminal: %t: prints %q", test.name, terminal, (out + log)[max(0, at-40):min(at+40, len(out+log))])
				}
			}
		}
	}
}
