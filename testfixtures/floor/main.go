// Command floor does the least that a program between two pipes can do and still answer like mcp-echo in
// the modern era: it finds the id and the text of each line by searching for the bytes before them, and
// writes them into a reply of fixed bytes. It checks nothing, so it is no server; benchmarks divide by it.
//
//	floor                 answers as mcp-echo answers tools/call
//	floor -answer FILE    answers each request with its id and the bytes of FILE, which follow the id
//
// It is meant to be fast, so that the ratio to it is honest: one buffer for reading, one for writing, and
// one write for all answers to what was read at once.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
)

// What stands around the id and the text in a reply of mcp-echo. A test holds the two programs to the same
// bytes.
const (
	beforeID   = `{"jsonrpc":"2.0","id":`
	beforeText = `,"result":{"resultType":"complete","content":[{"type":"text","text":"echo: `
	afterText  = `"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"echo-server","version":"1.0.0"}}}}`
)

var (
	idMark   = []byte(`"id":`)
	textMark = []byte(`"text":"`)
)

// bufferSize is more than the longest line of the benchmarks.
const bufferSize = 1 << 20

func main() {
	file := flag.String("answer", "", "file that holds what follows the id in every reply")
	flag.Parse()
	var fixed []byte
	if *file != "" {
		text, err := os.ReadFile(*file)
		if err != nil {
			fmt.Fprintln(os.Stderr, "floor:", err)
			os.Exit(2)
		}
		fixed = bytes.TrimSpace(text)
	}
	if err := serve(os.Stdin, os.Stdout, fixed); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

// serve answers lines until the input ends. Answers are gathered while a whole line is at hand.
func serve(in io.Reader, out io.Writer, fixed []byte) error {
	lines := bufio.NewReaderSize(in, bufferSize)
	var replies []byte
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		replies = appendReply(replies, line, fixed)
		if more, _ := lines.Peek(lines.Buffered()); bytes.IndexByte(more, '\n') >= 0 {
			continue
		}
		if _, err := out.Write(replies); err != nil {
			return err
		}
		replies = replies[:0]
	}
}

// appendReply trusts the line: the id ends at a comma, the text at a quote.
func appendReply(dst, line, fixed []byte) []byte {
	id := line[bytes.Index(line, idMark)+len(idMark):]
	dst = append(dst, beforeID...)
	dst = append(dst, id[:bytes.IndexByte(id, ',')]...)
	if fixed != nil {
		dst = append(dst, fixed...)
		return append(dst, '\n')
	}
	text := id[bytes.Index(id, textMark)+len(textMark):]
	dst = append(dst, beforeText...)
	dst = append(dst, text[:bytes.IndexByte(text, '"')]...)
	dst = append(dst, afterText...)
	return append(dst, '\n')
}
