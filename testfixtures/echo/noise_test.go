package echo_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/fixture/fixturetest"
)

// good is the request that has to be answered whatever came before it.
var good = call(`"good"`, "tools/call", `"name":"echo","arguments":{"text":"still there"},`+fixturetest.Meta)

var goodAnswer = result(`"good"`, `"resultType":"complete","content":[{"type":"text","text":"echo: still there"}],`+modernMeta)

// answers serves input, then the good request, then the end of the input, and
// checks that every line of the output is one message and that the good request
// is answered.
func answers(t *testing.T, input []byte) {
	t.Helper()
	var out bytes.Buffer
	in := io.MultiReader(bytes.NewReader(input), strings.NewReader("\n"+good+"\n"))
	if err := stdio.Serve(t.Context(), echo.NewServer(quiet()), &stdio.Options{In: in, Out: &out}); err != nil {
		t.Errorf("the server ended with %v, want nil", err)
	}
	answered := false
	for line := range bytes.Lines(out.Bytes()) {
		if !isReply(line) {
			t.Fatalf("got a line that is no answer: %q", line)
		}
		answered = answered || string(line) == goodAnswer+"\n"
	}
	if !answered {
		t.Errorf("the request after it is not answered; the end of the output: %q", out.Bytes()[max(0, out.Len()-500):])
	}
}

// isReply reports whether line is a JSON-RPC response, or a batch of them.
func isReply(line []byte) bool {
	batch := []json.RawMessage{line}
	if line[0] == '[' && (json.Unmarshal(line, &batch) != nil || len(batch) == 0) {
		return false
	}
	for _, message := range batch {
		var m map[string]json.RawMessage
		if json.Unmarshal(message, &m) != nil || string(m["jsonrpc"]) != `"2.0"` || len(m) > 3 ||
			(m["result"] == nil) == (m["error"] == nil) || (m["id"] == nil && m["error"] == nil) {
			return false
		}
	}
	return line[len(line)-1] == '\n'
}

// seeded is noise that is the same in every run.
func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func TestRandomBytes(t *testing.T) {
	r := seeded()
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	answers(t, noise)
}

// TestJSONThatIsNoMessage sends a megabyte of well-formed JSON.
func TestJSONThatIsNoMessage(t *testing.T) {
	r := seeded()
	var noise []byte
	for len(noise) < 1<<20 {
		noise = append(appendValue(noise, r, 6), '\n')
	}
	answers(t, noise)
}

// appendValue appends a value that nests no deeper than depth. Its names are
// those of the protocol, so that some of it looks like a message.
func appendValue(dst []byte, r *rand.Rand, depth int) []byte {
	names := []string{"jsonrpc", "id", "method", "params", "result", "error", "_meta", "code", "message",
		"io.modelcontextprotocol/protocolVersion", "name", "arguments", "", "\u2028"}
	scalars := []string{`"2.0"`, `1`, `-1.5e9`, `null`, `true`, `false`, `"tools/call"`, `"initialize"`, `"echo"`, `""`, `"\u0000"`,
		`"2025-03-26"`, `"2026-07-28"`}
	switch kind := r.IntN(4); {
	case depth == 0 || kind == 0:
		return append(dst, scalars[r.IntN(len(scalars))]...)
	case kind == 1:
		dst = append(dst, '[')
		for i := range r.IntN(4) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, r, depth-1)
		}
		return append(dst, ']')
	default:
		dst = append(dst, '{')
		for i := range r.IntN(6) {
			if i > 0 {
				dst = append(dst, ',')
			}
			name, _ := json.Marshal(names[r.IntN(len(names))])
			dst = append(append(dst, name...), ':')
			dst = appendValue(dst, r, depth-1)
		}
		return append(dst, '}')
	}
}

// TestOneByteChanged sends each of these lines once for every byte in it and some
// other bytes in that place, in a session of each era.
func TestOneByteChanged(t *testing.T) {
	opened := fixturetest.Initialize("2025-03-26") + "\n"
	lines := map[string]string{
		"handshake":      fixturetest.Initialize("2025-06-18"),
		"initialized":    fixturetest.Initialized,
		"legacy list":    call("1", "tools/list", ``),
		"legacy call":    call("1", "tools/call", `"name":"echo","arguments":{"text":"\u00e9 x"}`),
		"legacy batch":   `[` + call("1", "ping", ``) + `,` + call("2", "tools/list", ``) + `]`,
		"modern call":    call("1", "tools/call", `"name":"echo","arguments":{"text":"é x"},`+fixturetest.Meta),
		"modern list":    call(`"a"`, "tools/list", fixturetest.Meta),
		"discover":       call("-1", "server/discover", fixturetest.Meta),
		"cancellation":   `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		"response":       `{"jsonrpc":"2.0","id":1,"result":{}}`,
		"error response": `{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"x"}}`,
	}
	for name, line := range lines {
		for session, before := range map[string]string{"before a handshake": "", "in a legacy session": opened} {
			t.Run(name+" "+session, func(t *testing.T) {
				input := []byte(before)
				for i := range len(line) {
					for _, b := range []byte{line[i] ^ 1, line[i] ^ 0x80, '"', '\n', 0, '\\', '9', '{', ']', ','} {
						input = append(input, line[:i]...)
						input = append(input, b)
						input = append(append(input, line[i+1:]...), '\n')
					}
				}
				answers(t, input)
			})
		}
	}
}
