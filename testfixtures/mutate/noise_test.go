package mutate_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/fixture/fixturetest"
	"isthmus.internal/testfixtures/notes"
)

// random is the same each time.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// bytesOf makes a megabyte of an alphabet, "" for all bytes.
func bytesOf(seed uint64, alphabet string) []byte {
	r := random(seed)
	text := make([]byte, amount)
	for i := range text {
		text[i] = byte(r.Uint32())
		if alphabet != "" {
			text[i] = alphabet[r.IntN(len(alphabet))]
		}
	}
	return text
}

// values makes a megabyte of JSON values, one a line, that are no messages.
func values(seed uint64) []byte {
	r := random(seed)
	var text []byte
	for len(text) < amount {
		text = append(appendValue(text, r, 4), '\n')
	}
	return text
}

// names are members of messages, and others, so that some values come near to being
// messages, and one in a very great many is one.
var names = []string{"a", "jsonrpc", "id", "method", "params", "result", "error", "_meta", "Method", "", "\\u0000", "é",
	"code", "message", "name", "arguments", "io.modelcontextprotocol/protocolVersion", "\u2028"}

// texts are strings, some of which say something in the protocol.
var texts = []string{`""`, `"\ud800"`, `"\\\"\/"`, "\"\u2028\"", `"tools/list"`, `"tools/call"`, `"initialize"`, `"echo"`, `"2025-03-26"`, `"2026-07-28"`}

func appendValue(dst []byte, r *rand.Rand, depth int) []byte {
	kind := r.IntN(7)
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return append(dst, []string{"null", "true", "false"}[r.IntN(3)]...)
	case 1:
		return fmt.Append(dst, r.Int64())
	case 2:
		return fmt.Append(dst, r.NormFloat64())
	case 3:
		return append(dst, `"2.0"`...)
	case 4:
		return append(dst, texts[r.IntN(len(texts))]...)
	case 5:
		dst = append(dst, '[')
		for i := range r.IntN(5) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, r, depth-1)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range r.IntN(6) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `"`+names[r.IntN(len(names))]+`":`...)
		dst = appendValue(dst, r, depth-1)
	}
	return append(dst, '}')
}

// TestNoise sends a megabyte of what is no message, before any handshake, in a session
// without batches, and in one with them.
func TestNoise(t *testing.T) {
	wide := `"` + strings.Repeat(`\u0041`, amount/6) + `"`
	noises := []struct {
		name  string
		bytes []byte
	}{
		{"random bytes", bytesOf(1, "")},
		{"random bytes without a line end", bytes.ReplaceAll(bytesOf(2, ""), []byte("\n"), []byte(" "))},
		{"letters of JSON", bytesOf(3, "{}[]\",:0123456789.eE+-truefalsn\\u \t\r\n")},
		{"brackets", bytesOf(4, "{}[]")},
		{"quotes and backslashes", bytesOf(5, "\"\"\"\"\"\"\"\"\\\\\\\\\\\\\\\\\n")},
		{"line ends", bytesOf(6, "\n\r \t")},
		{"NUL", make([]byte, amount)},
		{"values", values(7)},
		{"one array", []byte("[" + strings.Repeat("0,", amount/2) + "0]")},
		{"one array of empty objects", []byte("[" + strings.Repeat("{},", amount/3) + "{}]")},
		{"one string", []byte(wide)},
		{"one object", []byte(`{"a":` + wide + `}`)},
		{"one object of many members", manyMembers()},
		{"one number", []byte("1" + strings.Repeat("0", amount))},
		{"nested arrays", []byte(strings.Repeat("[", amount/2) + strings.Repeat("]", amount/2))},
		{"nested objects", []byte(strings.Repeat(`{"a":`, amount/6) + "1" + strings.Repeat("}", amount/6))},
		{"nested and never closed", []byte(strings.Repeat("[{\"a\":", amount/6))},
		{"responses", bytes.Repeat([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"), amount/37)},
		{"notifications", bytes.Repeat([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"last legacy"}}`+"\n"), amount/90)},
	}
	handshake := func(version string) string { return fixturetest.Initialize(version) + "\n" }
	befores := []struct{ name, lines string }{
		{"before any handshake", ""}, {"in 2025-06-18", handshake("2025-06-18")}, {"in 2025-03-26", handshake("2025-03-26")},
	}
	quiet := slog.New(slog.DiscardHandler)
	for _, noise := range noises {
		t.Run(noise.name, func(t *testing.T) {
			targets := []*target{newTarget(t, echo.NewServer(quiet)), newTarget(t, notes.NewServer(quiet, notes.Default()))}
			err := spread(len(targets)*len(befores), func(i int) error {
				before := befores[i/len(targets)]
				if err := targets[i%len(targets)].attack(append([]byte(before.lines), noise.bytes...)); err != nil {
					return fmt.Errorf("%s: %w", before.name, err)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%.2000s", err.Error())
			}
		})
	}
}

// manyMembers is an object with as many members as a megabyte holds.
func manyMembers() []byte {
	text := []byte(`{"jsonrpc":"2.0"`)
	for i := 0; len(text) < amount; i++ {
		text = fmt.Appendf(text, `,"m%d":%d`, i, i)
	}
	return append(text, '}')
}
