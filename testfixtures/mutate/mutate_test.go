package mutate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/transcripts"
)

// stream is a connection whose input is there as a whole.
type stream struct {
	in  bytes.Reader
	out bytes.Buffer
}

func (s *stream) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s *stream) Write(p []byte) (int, error) { return s.out.Write(p) }
func (s *stream) Close() error                { return nil }

// serve returns all that a server says to an input. It ends when everything is answered.
func serve(s *mcp.Server, input []byte) ([]byte, error) {
	var end stream
	end.in.Reset(input)
	err := stdio.ServeStream(context.Background(), &end, s, nil)
	return end.out.Bytes(), err
}

// good are requests that are answered whatever came before them, one of each era.
const good = `{"jsonrpc":"2.0","id":"last legacy","method":"ping"}
{"jsonrpc":"2.0","id":"last modern","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
`

// target is a server under attack, and what it says to good.
type target struct {
	server  *mcp.Server
	answers [][]byte
	seen    sync.Map // lines of output that have been checked
}

func newTarget(t *testing.T, s *mcp.Server) *target {
	t.Helper()
	output, err := serve(s, []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	answers := bytes.SplitAfter(output, []byte("\n"))
	answers = answers[:len(answers)-1]
	if len(answers) != 2 || bytes.Contains(output, []byte(`"error"`)) {
		t.Fatalf("the good requests alone are answered by %q", output)
	}
	return &target{server: s, answers: answers}
}

// attack sends an input, and the good requests behind it, and returns what is wrong with
// what comes back.
func (a *target) attack(input []byte) error {
	output, err := serve(a.server, append(append(bytes.Clone(input), '\n'), good...))
	if err != nil {
		return fmt.Errorf("the connection ended with %w, want nil", err)
	}
	return a.check(output)
}

func (a *target) check(output []byte) error {
	for _, answer := range a.answers {
		if n := bytes.Count(output, answer); n != 1 {
			return fmt.Errorf("the next good request was answered %d times\nwant %s\namong %s", n, answer, output)
		}
	}
	for line := range bytes.Lines(output) {
		if _, ok := a.seen.Load(string(line)); ok {
			continue
		}
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			return fmt.Errorf("the output ends within a line: %q", line)
		}
		if err := checkMessage(text); err != nil {
			return err
		}
		a.seen.Store(string(line), nil)
	}
	return nil
}

// checkMessage looks at one line of output: a response, or an array of responses. The
// fixtures never send a notification here, as no transcript asks for progress of theirs.
func checkMessage(text []byte) error {
	elements := []json.RawMessage{text}
	if jsonrpc.IsArray(text) {
		if err := json.Unmarshal(text, &elements); err != nil || len(elements) == 0 {
			return fmt.Errorf("a batch that is none: %w: %q", err, text)
		}
	}
	for _, element := range elements {
		var m struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  json.RawMessage `json:"result"`
			Error   *struct {
				Code    int
				Message string
			} `json:"error"`
		}
		d := json.NewDecoder(bytes.NewReader(element))
		d.DisallowUnknownFields()
		err := d.Decode(&m)
		switch {
		case err != nil && !strings.Contains(err.Error(), `unknown field "data"`):
			return fmt.Errorf("no response: %w: %q", err, text)
		case m.Version != "2.0", (m.Result == nil) == (m.Error == nil), m.Result != nil && m.ID == nil:
			return fmt.Errorf("no response: %q", text)
		case m.Error != nil && (m.Error.Code >= 0 || m.Error.Message == ""):
			return fmt.Errorf("an error without code or message: %q", text)
		}
		var scanner jsonrpc.Scanner
		if e := scanner.Scan(element, new(jsonrpc.Message)); e != nil {
			return fmt.Errorf("the scanner refuses what was sent: %w: %q", e, text)
		}
	}
	return nil
}

// spread runs f(0) to f(n-1), in any order and on all processors, until one fails.
func spread(n int, f func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var work sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && failed.Load() == nil; i = next.Add(1) - 1 {
				if err := f(int(i)); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	work.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// TestTranscripts changes one byte at a time, at every position of what a client sends,
// to several others. Under -short and the race detector it takes some of the positions.
func TestTranscripts(t *testing.T) {
	stride := stride
	if testing.Short() {
		stride = 37
	}
	all, err := transcripts.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range all {
		if tr.Fixture() == "everything" {
			continue // it changes while it runs, so that no answer is the same after each input
		}
		t.Run(tr.Name, func(t *testing.T) {
			s, err := tr.Server()
			if err != nil {
				t.Fatal(err)
			}
			a := newTarget(t, s)
			input := []byte(strings.Join(tr.Lines(transcripts.Sent), "\n") + "\n")
			if err := a.attack(input); err != nil {
				t.Fatalf("unchanged: %v", err)
			}
			err = spread(len(input)/stride, func(i int) error {
				at := i * stride
				for _, b := range []byte{input[at] ^ 1<<(at%8), '"', '{', 0, 0xFF} {
					changed := bytes.Clone(input)
					changed[at] = b
					if err := a.attack(changed); err != nil {
						return fmt.Errorf("byte %d changed from %q to %q: %w\nin %q", at, input[at], b, err, around(changed, at))
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// around shows the line in which a position is.
func around(text []byte, at int) []byte {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	end := bytes.IndexByte(text[at:], '\n')
	if end < 0 {
		return text[start:]
	}
	return text[start : at+end]
}

// TestCheckFinds shows that each thing that must not come out is found.
func TestCheckFinds(t *testing.T) {
	s, err := transcripts.Transcript{Entries: []transcripts.Entry{{Kind: transcripts.Remark, Text: " server: echo"}}}.Server()
	if err != nil {
		t.Fatal(err)
	}
	a := newTarget(t, s)
	right := string(a.answers[0]) + string(a.answers[1])
	tests := []struct{ name, output, want string }{
		{"right", right, ""},
		{"right, with more", `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + right + `[{"jsonrpc":"2.0","error":{"code":-1,"message":"m","data":[]}}]` + "\n", ""},
		{"nothing", "", "answered 0 times"},
		{"one answer missing", string(a.answers[1]), "answered 0 times"},
		{"one answer twice", right + string(a.answers[0]), "answered 2 times"},
		{"another answer", strings.Replace(right, "{}", `{"a":1}`, 1), "answered 0 times"},
		{"half a line", right + `{"jsonrpc":"2.0"`, "ends within a line"},
		{"an empty line", right + "\n", "no response"},
		{"text", right + "panic: x\n", "no response"},
		{"two on a line", right + `{"jsonrpc":"2.0","id":1,"result":{}}{}` + "\n", "the scanner refuses"},
		{"a notification", right + `{"jsonrpc":"2.0","method":"m"}` + "\n", "no response"},
		{"an empty batch", right + "[]\n", "a batch that is none"},
		{"a value in a batch", right + "[1]\n", "no response"},
		{"another version", right + `{"jsonrpc":"1.0","id":1,"result":{}}` + "\n", "no response"},
		{"a result without an id", right + `{"jsonrpc":"2.0","result":{}}` + "\n", "no response"},
		{"result and error", right + `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-1,"message":"m"}}` + "\n", "no response"},
		{"code 0", right + `{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"m"}}` + "\n", "without code or message"},
		{"no message", right + `{"jsonrpc":"2.0","id":1,"error":{"code":-1}}` + "\n", "without code or message"},
		{"a member twice", right + `{"jsonrpc":"2.0","id":1,"id":1,"result":{}}` + "\n", "the scanner refuses"},
		{"bytes that are not UTF-8", right + "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"result\":{}}\n", "the scanner refuses"},
	}
	for _, test := range tests {
		err := a.check([]byte(test.output))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: check(%q)\n got %v\nwant %q", test.name, test.output, err, test.want)
		}
	}
	if err := spread(100, func(i int) error {
		if i == 70 {
			return fmt.Errorf("number %d", i)
		}
		return nil
	}); err == nil || err.Error() != "number 70" {
		t.Errorf("spread returned %v, want the one error", err)
	}
}
