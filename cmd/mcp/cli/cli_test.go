package cli_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"isthmus.internal/cmd/mcp/cli"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/echo"
)

// TestMisuse: what cannot be used is found before anything is sent, and the message says what is
// wanted.
func TestMisuse(t *testing.T) {
	const url = "http://127.0.0.1:9/mcp"
	for _, tt := range []struct {
		name string
		args string
		want string
	}{
		{"no target", "tools", "TARGET is missing"},
		{"no command", "tools --", "behind -- the command of the server is missing"},
		{"a word that is no target", "tools nosuch", `TARGET "nosuch": want http://…`},
		{"a host and a port", "tools localhost:8080", "http://localhost:8080/mcp, or tcp:localhost:8080?"},
		{"a URL without a host", "tools http:///mcp", `TARGET "http:///mcp": want`},
		{"another scheme", "tools ftp://x/y", `TARGET "ftp://x/y": want`},
		{"a socket without a path", "tools unix:", `TARGET "unix:": want`},
		{"a port that is missing", "tools tcp:127.0.0.1", `TARGET "tcp:127.0.0.1": the port is missing: want tcp:HOST:PORT`},
		{"a port that is empty", "tools tcp:127.0.0.1:", "the port is missing"},
		{"a port that there is not", "tools tcp:127.0.0.1:99999", "want a port from 1 to 65535"},
		{"such a port in a URL", "tools http://127.0.0.1:99999/", `TARGET "http://127.0.0.1:99999/": want a port from 1 to 65535`},
		{"nothing behind tcp:", "tools tcp:", `TARGET "tcp:": want http://…`},
		{"a URL without its scheme", "tools localhost:8080/mcp", `TARGET "localhost:8080/mcp": http://localhost:8080/mcp? want`},
		{"no port, and a path", "tools localhost:x/mcp", `TARGET "localhost:x/mcp": want http://…`},
		{"too few words", "call " + url, "want TARGET TOOL"},
		{"words behind the command", "call -- server echo text=hello", "want TOOL [NAME=VALUE …] in front of --"},
		{"a command as a word", "call sh", "a command stands at the end of the line, behind --: … -- sh"},
		{"a command behind a word", "call nosuch sh", "a command stands at the end of the line, behind --: mcp call nosuch -- sh"},
		{"two commands as words", "call sh echo", "behind --: mcp call sh -- echo, or … -- sh"},
		{"a URL behind the rest", "read test://a " + url, "mcp read: TARGET comes before the rest: mcp read " + url + " test://a"},
		{"a URL with secrets", "read test://a http://u:p@127.0.0.1:9/mcp?k=v", "mcp read: TARGET comes before the rest: mcp read " + url + " test://a"},
		{"a URL in between", "complete prompt:foo " + url + " it's", "TARGET comes before the rest: mcp complete " + url + ` prompt:foo 'it'\''s'`},
		{"a word with a colon", "complete prompt:foo bar", `TARGET "prompt:foo": want http://…`},
		{"a URL and a command", "tools " + url + " -- sh", "two targets, " + url + " and sh: want one"},
		{"two URLs", "tools " + url + " unix:x", "two targets, unix:x and " + url + ": want one"},
		{"two URLs for nothing else", "discover " + url + " unix:x", "two targets, unix:x and " + url},
		{"two URLs and a URI", "read " + url + " test://a unix:x", "two targets, unix:x and " + url},
		{"two URLs to measure", "bench " + url + " unix:x", "two targets, unix:x and " + url + ": -vs names the second one"},
		{"too many words", "tools " + url + " a b", `unexpected argument "b": want TARGET [NAME]`},
		{"no such flag", "tools --nosuch " + url, "there is no flag -nosuch"},
		{"a time without a unit", "tools --timeout 5 " + url, "want a time with its unit, such as"},
		{"no time", "tools --timeout 0s " + url, "-timeout must be more than 0"},
		{"no number", "listen --count x " + url, "want a whole number"},
		{"less than nothing", "listen --count -1 " + url, "-count must not be less than 0"},
		{"no era", "tools --era late " + url, "want legacy, modern or auto"},
		{"no version", "tools --version 2020-01-01 " + url, "known are 2026-07-28, 2025-11-25"},
		{"a version of the other era", "tools --version 2026-07-28 --era legacy " + url, "leave -era out"},
		{"and the other way round", "tools --version 2025-11-25 --era modern " + url, "leave -era out"},
		{"no output", "tools --output yaml " + url, "want text or json"},
		{"no header", "tools --header x " + url, `want "NAME: VALUE"`},
		{"no file of headers", "tools --header @/nonexistent/file " + url, "for flag -header: open /nonexistent/file: no such file"},
		{"a folder of headers", "tools --header @/ " + url, "for flag -header: read /: is a directory"},
		{"a header to a socket", "tools --header a:b unix:x", "-header is for a target that is a URL"},
		{"no level", "call --log loud " + url + " x", "want one of debug, info"},
		{"no answer", "call --answer x " + url + " x", "want NAME=VALUE"},
		{"an answer twice", "call --answer a=1 --answer b=2 --answer a=3 " + url + " x", "for flag -answer: a stands twice"},
		{"no folder", "call --root /nonexistent/folder " + url + " x", "there is no such folder"},
		{"no pair", "complete --with x " + url + " prompt:a b", "want NAME=VALUE"},
		{"JSON for a prompt", "prompt " + url + " greet name:=3", `argument "name:=3": arguments of prompts and templates are text: name=3`},
		{"JSON that is settled", "complete --with a:=b=c " + url + " prompt:a b", "are text: a=b=c"},
		{"a flag that raw has not", "raw --era legacy " + url, "there is no flag -era"},
		{"what is not to be completed", "complete " + url + " a b", "want prompt:NAME or resource:TEMPLATE"},
		{"wire without a command", "wire", "mcp wire -h explains"},
		{"wire before what is none", "wire nosuch", `unknown command "nosuch"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, out, said := command(t, strings.Fields(tt.args)...)
			if status != cli.ExitUsage || out != "" || !strings.Contains(said, tt.want) {
				t.Errorf("mcp %s\n got: %d %q %q\nwant: %d and %q", tt.args, status, out, said, cli.ExitUsage, tt.want)
			}
		})
	}
}

// TestHeaderFiles: headers of a file go with each request beside those of the line; what is wrong with
// a file is told with its name and the line, never with what stands there.
func TestHeaderFiles(t *testing.T) {
	var came http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came = r.Header
		http.Error(w, "", http.StatusNotFound)
	}))
	t.Cleanup(s.Close)
	const secret = "s3cret"
	for _, tt := range []struct {
		name, file string
		status     int
		want       string // X-One, X-Two and X-Line as they came, or what is said
	}{
		{"several", "# who asks\n\nX-One: " + secret + "\r\n  X-Two:2 \n", cli.ExitProtocol, `["s3cret"] ["2"] ["line"]`},
		{"one name twice", "X-One: 1\nx-one: a:b", cli.ExitProtocol, `["1" "a:b"] [] ["line"]`},
		{"nothing", "# none\n\n", cli.ExitUsage, "the file has no header, want a line NAME: VALUE"},
		{"as much as there may be", "X-One: 1" + strings.Repeat("\n", 64<<10-8), cli.ExitProtocol, `["1"] [] ["line"]`},
		{"too much", "X-One: 1" + strings.Repeat("\n", 64<<10-7), cli.ExitUsage, "the file has more than 64 KiB"},
		{"no header", "X-One: 1\n\n# x\n" + secret, cli.ExitUsage, `line 4: want "NAME: VALUE"`},
		{"no name", "X " + secret + ": 1", cli.ExitUsage, "line 1: no header can have that name or value"},
		{"no value", "X-One: " + secret + "\x00", cli.ExitUsage, "line 1: no header can have that name or value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			came = nil
			file := filepath.Join(t.TempDir(), "headers")
			if err := os.WriteFile(file, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			status, _, said := command(t, "tools", "--header", "X-Line: line", "--header", "@"+file, s.URL)
			got := fmt.Sprintf("%q %q %q", came["X-One"], came["X-Two"], came["X-Line"])
			if tt.status == cli.ExitUsage {
				got = said
				tt.want = fmt.Sprintf("mcp tools: invalid value %q for flag -header: %s (mcp tools -h explains)\n", "@"+file, tt.want)
			}
			if status != tt.status || got != tt.want || strings.Contains(said, secret) {
				t.Errorf("a file with %.99q\n got: %d %s, and is told %q\nwant: %d %s", tt.file, status, got, said, tt.status, tt.want)
			}
		})
	}
}

// TestUnreached: an error of the connection says once what is wrong, without the names of
// packages, and what to look at.
func TestUnreached(t *testing.T) {
	refusing := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			http.Error(w, body, status)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for _, tt := range []struct {
		name   string
		target []string
		want   []string
	}{
		{"nobody", []string{"http://127.0.0.1:9/mcp"}, []string{"connection refused\n", "Is the server running"}},
		{"nobody on a port", []string{"tcp:127.0.0.1:9"}, []string{"connection refused", "Is the server running"}},
		{"no socket", []string{"unix:/nonexistent/socket"}, []string{"no such file", "There is no socket of that name"}},
		{"no program", []string{"--", "nosuch-server"}, []string{"executable file not found", "Is the name right?"}},
		{"no path", []string{"--", "/nonexistent/server"}, []string{"no such file", "Is the name right?"}},
		{"no file that runs", []string{"--", "/dev/null"}, []string{"permission denied", "no program that may be run"}},
		{"TLS where there is none", []string{strings.Replace(refusing(404, ""), "http:", "https:", 1)}, []string{"begins with http://"}},
		{"none where there is TLS", []string{strings.Replace(secure.URL, "https:", "http:", 1)}, []string{"begins with https://"}},
		{"nothing at the path", []string{refusing(404, "not here")}, []string{"404 Not Found: not here", "Is the URL right"}},
		{"a token is wanted", []string{refusing(401, "who?")}, []string{"401 Unauthorized: who?", "Authorization: Bearer TOKEN"}},
		{"broken", []string{refusing(503, "later")}, []string{"503 Service Unavailable: later\n", "a fault of the server", "try again after 7s"}},
		{"busy", []string{refusing(429, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"later"}}`)}, []string{"error -32603: later\nIt has too much to do: try again after 7s.\n"}},
		{"no answer of MCP", []string{refusing(200, "<html>")}, []string{"the server gives an answer that is none of MCP: 200 OK (Content-Type", "Is the URL right"}},
		{"silent", []string{"--timeout", "50ms", silent(t)}, []string{"not answered within 50ms", "-timeout gives it longer"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, out, said := command(t, append([]string{"tools"}, tt.target...)...)
			for _, want := range tt.want {
				if status != cli.ExitProtocol || out != "" || !strings.Contains(said, want) {
					t.Errorf("got: %d %q %q\nwant: %d and %q", status, out, said, cli.ExitProtocol, want)
				}
			}
			if target := tt.target[len(tt.target)-1]; strings.Contains(target, ":") && strings.Count(said, target) > 1 {
				t.Errorf("the user is told twice where the server is: %q", said)
			}
			for _, room := range []string{"discover: ", "httpmcp: ", "stdio: ", "legacy: legacy: ", " mcp: "} {
				if strings.Contains(said, room) {
					t.Errorf("the user is told of a package: %q", said)
				}
			}
		})
	}
}

// TestBusy: of a server that is too busy for a call the user learns when to try again.
func TestBusy(t *testing.T) {
	e := httpmcp.Handler(echo.NewServer(slog.New(slog.DiscardHandler)), nil)
	t.Cleanup(func() { e.Shutdown(context.Background()) })
	for _, tt := range []struct{ body, want string }{
		{`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"later"}}`, "mcp call: the server answers with error -32603: later\nIt has too much to do: try again after 7s.\n"},
		{"later", "mcp call: the server has rejected the request: 503 Service Unavailable: later; try again after 7s\nThat is a fault of the server, or of what stands before it.\n"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Method") == "tools/call" {
				w.Header().Set("Retry-After", "7")
				http.Error(w, tt.body, http.StatusServiceUnavailable)
				return
			}
			e.ServeHTTP(w, r)
		}))
		if status, out, said := command(t, "call", s.URL, "echo", "text=x"); status != cli.ExitProtocol || out != "" || said != tt.want {
			t.Errorf("got: %d %q %q\nwant: %d and %q", status, out, said, cli.ExitProtocol, tt.want)
		}
		s.Close()
	}
}

// silent takes connections and says nothing.
func silent(t *testing.T) (target string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "tcp:" + l.Addr().String()
}

// TestHelp: each command explains itself, with examples that can be read.
func TestHelp(t *testing.T) {
	for _, name := range cli.Names() {
		for _, flag := range []string{"-h", "--help"} {
			status, out, said := command(t, name, flag)
			if status != cli.ExitOK || said != "" || !strings.HasPrefix(out, "mcp "+name) {
				t.Errorf("mcp %s %s: %d %q %q", name, flag, status, out, said)
			}
		}
		if _, out, _ := command(t, name, "-h"); !strings.Contains(out, "\n  mcp "+name+" ") && name != "bench" {
			t.Errorf("mcp %s -h has no example:\n%s", name, out)
		}
	}
}

// TestURIsAreNoTargets: what looks like a target may be what is asked for.
func TestURIsAreNoTargets(t *testing.T) {
	const url = "http://127.0.0.1:9/mcp"
	for _, args := range []string{
		"read " + url + " http://a.example/", "resources " + url + " http://a.example/", "templates " + url + " http://a.example/{x}",
		"complete " + url + " prompt:p a unix:x", "call " + url + " fetch url=http://a.example/", "read http://a.example/ -- /nonexistent/server",
	} {
		if status, _, said := command(t, strings.Fields(args)...); status != cli.ExitProtocol || !strings.Contains(said, "cannot connect") {
			t.Errorf("mcp %s\n got: %d %q\nwant: %d and that there is no connection", args, status, said, cli.ExitProtocol)
		}
	}
}

// TestHintsAtArguments: where a tool's arguments are wrong, the user is told how to see them.
func TestHintsAtArguments(t *testing.T) {
	s := mcp.NewServer("test", "1", nil)
	s.AddTool(mcp.Tool{Name: "go", InputSchema: jsonrpc.Raw(`{"type":"object"}`)}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "no")
	})
	url := overHTTP(t, s)
	const hint = "mcp call: the server answers with error -32602: no\nmcp tools %s go shows its arguments.\n"
	for _, era := range []string{"legacy", "modern"} {
		status, out, said := command(t, "call", "--era", era, url+"/?key=secret", "go")
		if want := fmt.Sprintf(hint, url+"/"); status != cli.ExitProtocol || out != "" || said != want {
			t.Errorf("%s: %d %q %q\nwant %d %q", era, status, out, said, cli.ExitProtocol, want)
		}
	}
}

// TestSignsOfWork: a call that takes longer than -timeout is waited for while the server tells how
// far it is, though nobody is shown that.
func TestSignsOfWork(t *testing.T) {
	s := mcp.NewServer("test", "1", nil)
	mcp.AddTool(s, mcp.Tool{Name: "work"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
		for i := range 30 {
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				return "", ctx.Err()
			}
			c.Progress(float64(i), 30, "")
		}
		return "done", nil
	})
	url := overHTTP(t, s)
	for _, era := range []string{"legacy", "modern"} {
		status, out, said := command(t, "call", "--era", era, "--timeout", "1s", url, "work")
		if status != cli.ExitOK || out != "done\n" || said != "" {
			t.Errorf("%s: %d %q %q", era, status, out, said)
		}
	}
}

// TestArguments: NAME=VALUE is read as the schema of the tool has it.
func TestArguments(t *testing.T) {
	s := mcp.NewServer("test", "1", nil)
	s.AddTool(mcp.Tool{Name: "show", InputSchema: jsonrpc.Raw(`{"type":"object","properties":{
		"text":{"type":"string"},"count":{"type":"integer"},"sure":{"type":"boolean"},"all":{"type":"array"},"whole":{"type":"object"},
		"maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},"both":{"type":["string","number"]},"open":{}}}`)},
		func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			return mcp.TextResult(string(c.Arguments())), nil
		})
	url := overHTTP(t, s)
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, cli.ExitOK, `{}`},
		{[]string{"text=5"}, cli.ExitOK, `{"text":"5"}`},
		{[]string{"text="}, cli.ExitOK, `{"text":""}`},
		{[]string{"text=a=b"}, cli.ExitOK, `{"text":"a=b"}`},
		{[]string{"count=5", "sure=true"}, cli.ExitOK, `{"count":5,"sure":true}`},
		{[]string{"all=[1, 2]", `whole={"a": 1}`}, cli.ExitOK, `{"all":[1,2],"whole":{"a":1}}`},
		{[]string{"maybe=5"}, cli.ExitOK, `{"maybe":5}`},
		{[]string{"maybe=null"}, cli.ExitOK, `{"maybe":null}`},
		{[]string{"maybe=five"}, cli.ExitUsage, `"five": want integer or null`},
		{[]string{"both=5"}, cli.ExitOK, `{"both":5}`},
		{[]string{"both=true"}, cli.ExitOK, `{"both":"true"}`},
		{[]string{"both=five"}, cli.ExitOK, `{"both":"five"}`},
		{[]string{"open=5"}, cli.ExitOK, `{"open":"5"}`},
		{[]string{"open:=5"}, cli.ExitOK, `{"open":5}`},
		{[]string{"text:=5x"}, cli.ExitUsage, `argument text: "5x": want JSON`},
		{[]string{"count=many"}, cli.ExitUsage, `argument count: "many": want integer`},
		{[]string{"sure=yes"}, cli.ExitUsage, `argument sure: "yes": want boolean`},
		{[]string{"all=1"}, cli.ExitUsage, `argument all: "1": want array`},
		{[]string{"text"}, cli.ExitUsage, `argument "text": want NAME=VALUE`},
		{[]string{"text=a", "text=b"}, cli.ExitUsage, `argument "text" stands twice`},
		{[]string{"--json", `{"text":"x"}`}, cli.ExitOK, `{"text":"x"}`},
		{[]string{"--json", `{"text":"x"}`, "count=5"}, cli.ExitUsage, "not both"},
		{[]string{"--json", `["x"]`}, cli.ExitUsage, "want one JSON object"},
		{[]string{"--json", `@/nonexistent`}, cli.ExitUsage, "no such file"},
	} {
		status, out, said := command(t, append([]string{"call", url, "show"}, tt.args...)...)
		if status != tt.status || !strings.Contains(out+said, tt.want) {
			t.Errorf("%q: %d %q %q\nwant %d and %s", tt.args, status, out, said, tt.status, tt.want)
		}
	}
}

// TestWrongAnswers: an -answer that does not fit is misuse in both eras, and the server is not told of
// it as of something that the user has said.
func TestWrongAnswers(t *testing.T) {
	s := mcp.NewServer("test", "1", nil)
	mcp.AddTool(s, mcp.Tool{Name: "ask"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
		answer, err := c.Elicit(ctx, "q", &mcp.ElicitForm{Message: "How old?", Schema: jsonrpc.Raw(
			`{"type":"object","properties":{"age":{"type":"integer","minimum":0},"sure":{"type":"boolean"}},"required":["age"]}`)})
		return string(answer), err
	})
	url := overHTTP(t, s)
	for _, tt := range []struct {
		answers string
		status  int
		want    string
	}{
		{"age=7", cli.ExitOK, `{"age":7}`},
		{"age=7 sure=yes", cli.ExitOK, `{"age":7,"sure":true}`},
		{"age=old", cli.ExitUsage, `mcp call: -answer age: "old": want integer`},
		{"age=-1", cli.ExitUsage, "mcp call: -answer: /age: expected a number of at least 0, got the number -1"},
		{"sure=yes", cli.ExitTool, "-answer age=INTEGER answers it."},
		{"", cli.ExitTool, "-answer age=INTEGER answers it."},
	} {
		for _, era := range []string{"legacy", "modern"} {
			args := []string{"call", "--era", era, url, "ask"}
			for _, answer := range strings.Fields(tt.answers) {
				args = append(args, "--answer", answer)
			}
			status, out, said := command(t, args...)
			if status != tt.status || !strings.Contains(out+said, tt.want+"\n") || strings.Contains(said, "was not answered") {
				t.Errorf("%s, -answer %s: %d %q %q\nwant %d and %q", era, tt.answers, status, out, said, tt.status, tt.want)
			}
		}
	}
}

// TestUnusedAnswers: an -answer that nothing has asked for is named at the end, and changes nothing else.
func TestUnusedAnswers(t *testing.T) {
	s := mcp.NewServer("test", "1", nil)
	mcp.AddTool(s, mcp.Tool{Name: "ask"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
		answer, err := c.Elicit(ctx, "q", &mcp.ElicitForm{Message: "Who?", Schema: jsonrpc.Raw(`{"type":"object","properties":{"name":{"type":"string"}}}`)})
		return string(answer), err
	})
	url := overHTTP(t, s)
	const unused = "mcp call: -answer nam was not used: nothing has asked for that\n"
	for _, tt := range []struct {
		name, answers string
		status        int
		said          string
	}{
		{"used", "--answer name=Ada", cli.ExitOK, ""},
		{"one of two", "--answer name=Ada --answer nam=Bob", cli.ExitOK, unused},
		{"for a model", "--answer name=Ada --answer sample=x", cli.ExitOK, "mcp call: -answer sample was not used: nothing has asked for that\n"},
		{"not connected", "--answer nam=Ada --timeout 1ns", cli.ExitProtocol, ""},
	} {
		for _, era := range []string{"legacy", "modern"} {
			args := append([]string{"call", "--era", era, url, "ask"}, strings.Fields(tt.answers)...)
			status, _, said := command(t, args...)
			if status != tt.status || status == cli.ExitOK && said != tt.said || strings.Contains(said, "was not used") != (tt.said != "") {
				t.Errorf("%s, %s: %d %q\nwant %d %q", tt.name, era, status, said, tt.status, tt.said)
			}
		}
	}
}

// TestSlowAnswer: who waits in vain is told of the flag, and of no option of the Go API.
func TestSlowAnswer(t *testing.T) {
	s := mcp.NewServer("test", "1", nil)
	mcp.AddTool(s, mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.Call, _ struct{}) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	const want = "mcp call: tools/call: nothing came for 300ms\n-timeout gives it longer; mcp wire before the command shows what was said.\n"
	if status, _, said := command(t, "call", "--timeout", "300ms", overHTTP(t, s), "wait"); status != cli.ExitProtocol || said != want {
		t.Errorf("got: %d %q\nwant: %d %q", status, said, cli.ExitProtocol, want)
	}
}

// TestBridgeUnreached: a bridge that does not find its server says so as all commands do.
func TestBridgeUnreached(t *testing.T) {
	const want = "mcp bridge: cannot connect to http://127.0.0.1:9/: dial tcp 127.0.0.1:9: connect: connection refused\n" +
		"Nothing listens there. Is the server running, and is the address right?\n"
	if status, _, said := command(t, "bridge", "http://127.0.0.1:9/"); status != cli.ExitProtocol || said != want {
		t.Errorf("got: %d %q\nwant: %d %q", status, said, cli.ExitProtocol, want)
	}
}

// TestPassword: a server that is started may ask for something on the terminal.
func TestPassword(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("there is no command script, which makes a terminal")
	}
	bin := buildCommands(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	line := fmt.Sprintf(`%s tools -- sh -c 'printf "Password: " >/dev/tty; read -r word </dev/tty; exec %s'`, filepath.Join(bin, "mcp"), filepath.Join(bin, "mcp-echo"))
	run := exec.CommandContext(ctx, script, "-qec", line, "/dev/null")
	in, keys, err := os.Pipe() // it stays open: its end would be that of the terminal
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer keys.Close()
	run.Stdin = in
	keys.WriteString("secret\n")
	out, err := run.Output()
	if err != nil || !strings.Contains(string(out), "Sends back the text") {
		t.Errorf("%s: %v, %q", line, err, out)
	}
}
