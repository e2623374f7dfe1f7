package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"isthmus.internal/cmd/mcp/cli"
	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/echo"
)

var quiet = slog.New(slog.DiscardHandler)

// command runs a command of mcp in this process.
func command(t *testing.T, args ...string) (status int, out, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var o, e bytes.Buffer
	status = cli.Run(ctx, args, &cli.Env{In: strings.NewReader(""), Out: &o, Err: &e})
	return status, o.String(), e.String()
}

// overHTTP serves s in both eras until the test ends.
func overHTTP(t *testing.T, s *mcp.Server) (url string) {
	t.Helper()
	h := httpmcp.Handler(s, nil)
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Shutdown(context.Background())
		server.Close()
	})
	return server.URL
}

// child is the echo fixture as a target that is a command.
func child(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// figures stand for what is never the same.
var figures = regexp.MustCompile(`\d+(\.\d+)?( (ns|µs|ms|s|MiB)\b)?`)

// shape is a report without its figures, and without what a system may not tell.
func shape(report string) string { return figures.ReplaceAllString(report, "#") }

func TestBench(t *testing.T) {
	const head = "request         echo {\"text\":\"hello\"}; every answer was compared with the first\nclient          mcp.Client, # in flight\n"
	const measured = "requests        # in #, # errors\nrate            # requests/s\nlatency         p# #, p# #, p# #, max #\n"
	serverOurs := "server CPU      #/request\nserver memory   # at its peak\n"
	if runtime.GOOS != "linux" {
		serverOurs = "server CPU      not known: this system does not tell what a process uses while it runs\n"
	}
	const serverThere = "server CPU      not known: this command has not started the server\n"
	const client = "client CPU      #/request\n"
	url := overHTTP(t, echo.NewServer(quiet))
	for _, era := range []string{"legacy", "modern"} {
		for _, inFlight := range []string{"1", "16"} {
			flags := []string{"bench", "--era", era, "--in-flight", inFlight, "--count", "100", "--warm-up", "1ms"}
			for _, target := range []struct {
				name   string
				args   []string
				server string
			}{
				{"stdio", []string{"--", child(t), asEcho}, serverOurs},
				{"HTTP", []string{url}, serverThere},
			} {
				t.Run(target.name+"/"+era+"/"+inFlight, func(t *testing.T) {
					status, out, said := command(t, append(flags, target.args...)...)
					if status != cli.ExitOK || said != "" {
						t.Fatalf("exit status %d, said:\n%s", status, said)
					}
					if !strings.Contains(out, "requests        100 in ") {
						t.Errorf("it has not sent 100 requests:\n%s", out)
					}
					out = regexp.MustCompile(`(?m)^target .*\n`).ReplaceAllString(out, "")
					if got, want := shape(out), head+measured+target.server+client; got != want {
						t.Errorf("got:\n%s\nwant:\n%s", got, want)
					}
				})
			}
		}
	}
}

// TestBenchVersus has two targets take turns, of different kinds and eras.
func TestBenchVersus(t *testing.T) {
	url := overHTTP(t, echo.NewServer(quiet))
	rival := `"` + child(t) + `" '` + asEcho + `'`
	args := []string{"bench", "--count", "400", "--rounds", "4", "--warm-up", "0s", "--tool", "echo", "--vs", rival, url, "text=hi"}
	status, out, said := command(t, args...)
	if status != cli.ExitOK || said != "" {
		t.Fatalf("exit status %d, said:\n%s", status, said)
	}
	want := []string{`echo {"text":"hi"};`, "target          " + url, "target          " + child(t) + " " + asEcho, "requests        400 in",
		"The first by the second, median of 4 rounds (least to most):\nrate            ", "latency p50     ", "latency p99     ",
		"server CPU      not known: this command has not started the server\nclient CPU      "}
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("%q is not in the report:\n%s", w, out)
		}
	}
	if got := regexp.MustCompile(`(?m) +\d+\.\d\d \(\d+\.\d\d to \d+\.\d\d\)$`).FindAllString(out, -1); len(got) != 4 {
		t.Errorf("%d ratios, want 4:\n%s", len(got), out)
	}

	status, out, said = command(t, append(args, "--output", "json")...)
	var got struct {
		Client  string
		Request struct {
			Tool      string
			Arguments map[string]string
		}
		InFlight, Rounds int
		Targets          []struct {
			Target, Version   string
			Requests, Errors  int
			Seconds           float64
			RequestsPerSecond float64
			Latency           struct{ P50, P90, P99, Max float64 }
			ServerCPU         *float64
		}
		Ratios map[string]*struct{ Median, Least, Most float64 }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != cli.ExitOK {
		t.Fatalf("exit status %d, %v\n%s%s", status, err, out, said)
	}
	if got.Client != "mcp.Client" || got.Request.Tool != "echo" || got.Request.Arguments["text"] != "hi" || got.InFlight != 1 || got.Rounds != 4 || len(got.Targets) != 2 {
		t.Fatalf("got %s", out)
	}
	for i, x := range got.Targets {
		if x.Requests != 400 || x.Errors != 0 || x.Version != "2026-07-28" || x.Seconds <= 0 || x.RequestsPerSecond <= 0 ||
			x.Latency.P50 <= 0 || x.Latency.Max < x.Latency.P99 || x.Latency.P99 < x.Latency.P90 || x.Latency.P90 < x.Latency.P50 {
			t.Errorf("target %d: got %+v", i, x)
		}
	}
	if got.Targets[0].ServerCPU != nil || (got.Targets[1].ServerCPU != nil) != (runtime.GOOS == "linux") {
		t.Errorf("the processor time of the servers: %s", out)
	}
	if r := got.Ratios["requestsPerSecond"]; len(got.Ratios) != 5 || r == nil || r.Least > r.Median || r.Median > r.Most || got.Ratios["serverCPU"] != nil {
		t.Errorf("ratios: %s", out)
	}
}

// faulty is a server whose tool echo gives answer for the n-th call, counted from 0.
func faulty(answer func(n int64) (*mcp.Result, error)) *mcp.Server {
	var n atomic.Int64
	tool := mcp.Tool{Name: "echo", InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)}
	s := mcp.NewServer("faulty", "1", &mcp.ServerOptions{Logger: quiet})
	s.AddTool(tool, func(context.Context, *mcp.Call) (*mcp.Result, error) { return answer(n.Add(1) - 1) })
	return s
}

func TestBenchFaults(t *testing.T) {
	tests := []struct {
		name   string
		answer func(n int64) (*mcp.Result, error)
		want   []string // what is said
	}{
		{"a wrong answer", func(n int64) (*mcp.Result, error) {
			if n == 7 {
				return mcp.TextResult("good\x1b[2Jbye"), nil
			}
			return mcp.TextResult("hello"), nil
		}, []string{"gives a wrong answer, after 7 good ones", "ones: got\n  {", `"text":"good\u001b[2Jbye"`, "\nwant\n  {", `"text":"hello"`}},
		{"errors", func(n int64) (*mcp.Result, error) {
			if n%4 == 3 {
				return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "not now")
			}
			return mcp.TextResult("hello"), nil
		}, []string{"5 of 20 requests to http", "have failed, the first: the server answers with error -32602: not now"}},
		{"the tool fails now and then", func(n int64) (*mcp.Result, error) {
			r := mcp.TextResult("no luck")
			r.IsError = n%4 == 3
			if !r.IsError {
				return mcp.TextResult("hello"), nil
			}
			return r, nil
		}, []string{"5 of 20 requests to http", "the tool echo says that its call has failed: no luck"}},
		{"the first call fails", func(int64) (*mcp.Result, error) {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "never")
		}, []string{"the first request to http", `echo {"text":"hello"}, has failed: the server answers with error -32602: never`}},
	}
	for _, tt := range tests {
		for _, era := range []string{"legacy", "modern"} {
			t.Run(tt.name+"/"+era, func(t *testing.T) {
				status, _, said := command(t, "bench", "--era", era, "--count", "20", "--warm-up", "0s", overHTTP(t, faulty(tt.answer)))
				if status != cli.ExitProtocol {
					t.Errorf("exit status %d, want %d", status, cli.ExitProtocol)
				}
				for _, want := range tt.want {
					if !strings.Contains(said, want) {
						t.Errorf("%q is not in what was said:\n%s", want, said)
					}
				}
			})
		}
	}
}

// TestBenchSample: what is called when no tool is named.
func TestBenchSample(t *testing.T) {
	tool := func(name, schema string) *mcp.Tool { return &mcp.Tool{Name: name, InputSchema: jsonrpc.Raw(schema)} }
	const pair = `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`
	tests := []struct {
		name string
		tool *mcp.Tool
		want string
	}{
		{"none", nil, "ping"},
		{"add", tool("add", pair), `add {"a":2,"b":3}`},
		{"echo that wants more", tool("echo", `{"type":"object","properties":{"text":{"type":"string"},"to":{"type":"string"}},"required":["to"]}`), "tools/list"},
		{"echo of a message", tool("echo", `{"type":"object","properties":{"message":{"type":"string"},"to":{"type":"string"}}}`), `echo {"message":"hello"}`},
		{"nothing that is known", tool("format_disk", `{"type":"object"}`), "tools/list"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := mcp.NewServer("s", "1", &mcp.ServerOptions{Logger: quiet})
			if tt.tool != nil {
				s.AddTool(*tt.tool, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("5"), nil })
			}
			status, out, said := command(t, "bench", "--count", "5", "--warm-up", "0s", overHTTP(t, s))
			if want := fmt.Sprintf("request         %s; every", tt.want); status != cli.ExitOK || !strings.HasPrefix(out, want) {
				t.Errorf("exit status %d, want %q:\n%s%s", status, want, out, said)
			}
		})
	}
}

func TestBenchUsage(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"none in flight", []string{"--in-flight", "0"}, "-in-flight must be from 1 to 1000"},
		{"time", []string{"--time", "-1s"}, "must not be less than 0"},
		{"no rounds", []string{"--rounds", "0"}, "-rounds must be from 1 to 1000"},
		{"rounds of one", []string{"--rounds", "3"}, "-vs names the other one"},
		{"arguments alone", []string{"text=hi"}, "-tool names it"},
		{"argument without a value", []string{"--tool", "echo", "text"}, `argument "text": want NAME=VALUE`},
		{"no command", []string{"--vs", " "}, "-vs: "},
		{"open quote", []string{"--vs", "mcp-echo 'a"}, "whose quotes are closed"},
		{"bad target", []string{"--vs", "unix:"}, "-vs: TARGET"},
	}
	url := overHTTP(t, echo.NewServer(quiet))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, out, said := command(t, append([]string{"bench", url}, tt.args...)...)
			if status != cli.ExitUsage || !strings.Contains(said, tt.want) || out != "" {
				t.Errorf("exit status %d, said %q, want %q; printed %q", status, said, tt.want, out)
			}
		})
	}
}

// TestBenchProgress: on a terminal it is shown how far it is, and nothing of that is left.
func TestBenchProgress(t *testing.T) {
	var out, said bytes.Buffer
	env := &cli.Env{In: io.MultiReader(), Out: &out, Err: &said, Terminal: true}
	args := []string{"bench", "--time", "300ms", "--warm-up", "0s", overHTTP(t, echo.NewServer(quiet))}
	if status := cli.Run(t.Context(), args, env); status != cli.ExitOK {
		t.Fatalf("exit status %d: %s", status, &said)
	}
	if !regexp.MustCompile(`\[#*\.*\] +\d+% \d+ answers`).MatchString(said.String()) || !strings.HasSuffix(said.String(), "\r") {
		t.Errorf("said %q", said.String())
	}
}

// TestBenchFew: that rounds are too small for ratios is said beside them.
func TestBenchFew(t *testing.T) {
	url := overHTTP(t, echo.NewServer(quiet))
	const note = "mcp bench: a round of %d requests says little: -count, -time or fewer -rounds give it 100 and more, which ratios want\n"
	for _, tt := range []struct{ name, args, want string }{
		{"enough", "--count 200 --rounds 2 --vs " + url, ""},
		{"one too few", "--count 199 --rounds 2 --vs " + url, fmt.Sprintf(note, 99)},
		{"very few", "--count 3 --vs " + url, fmt.Sprintf(note, 1)},
		{"no ratios", "--count 3", ""},
		{"by time", "--count 0 --time 1ms", ""},
	} {
		status, _, said := command(t, append([]string{"bench", "--warm-up", "0s", url}, strings.Fields(tt.args)...)...)
		if status != cli.ExitOK || said != tt.want {
			t.Errorf("%s: %d %q, want %d %q", tt.name, status, said, cli.ExitOK, tt.want)
		}
	}
}

// TestBenchShort: a time that is too short to be shared among the rounds is no time without end.
func TestBenchShort(t *testing.T) {
	url := overHTTP(t, echo.NewServer(quiet))
	status, out, said := command(t, "bench", "--time", "5ns", "--warm-up", "0s", "--vs", url, url)
	if status != cli.ExitOK || !strings.Contains(out, "median of 10 rounds") {
		t.Errorf("exit status %d:\n%s%s", status, out, said)
	}
}

// TestBenchManyTools: a list may be longer than what fits into memory, as long as its pages do.
func TestBenchManyTools(t *testing.T) {
	const pages, size = 50, 2 << 20
	text, sent := strings.Repeat("x", size), 0
	var most uint64
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "server/discover":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}`, m.ID)
			return
		case "tools/list":
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[]}}`, m.ID)
			return
		}
		if sent++; sent%10 == 0 {
			runtime.GC()
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
		}
		next := ""
		if sent < pages {
			next = fmt.Sprintf(`"nextCursor":"%d",`, sent)
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s"ttlMs":0,"cacheScope":"private","tools":[{"name":"t","description":"%s","inputSchema":{"type":"object"}}]}}`, m.ID, next, text)
	})
	server := httptest.NewServer(h)
	defer server.Close()
	if status, _, said := command(t, "bench", "--count", "1", "--warm-up", "0s", "--timeout", "5m", server.URL); status != cli.ExitOK {
		t.Errorf("exit status %d: %s", status, said)
	}
	if sent < pages || most > pages*size/2 {
		t.Errorf("%d pages, %d MiB in memory", sent, most>>20)
	}
}
