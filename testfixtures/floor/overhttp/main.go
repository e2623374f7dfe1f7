// Command overhttp does the least that a net/http handler can do and still answer like mcp-echo over HTTP: it
// reads the body, finds the id and the text by searching for the bytes before them, and writes them into a
// reply of fixed bytes, with the headers that the endpoint's reply has. It checks nothing, so it is no server;
// benchmarks divide by it.
//
//	overhttp                 answers as mcp-echo answers tools/call in the modern era
//	overhttp -legacy         answers so in revision 2025-11-25
//	overhttp -answer FILE    answers each request with its id and the bytes of FILE, which follow the id
//
// The line on standard error that says where it serves is like that of the fixtures. SIGTERM ends it.
//
// It is meant to be fast, so that the ratio to it is honest: buffers are used again, the body is read into room
// for all of it, and the length of the reply is told, so that it leaves in one write and without chunks.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
)

// What stands around the id and the text in a reply of mcp-echo. A test holds the two programs to the same
// bytes.
const (
	beforeID         = `{"jsonrpc":"2.0","id":`
	beforeText       = `,"result":{"resultType":"complete","content":[{"type":"text","text":"echo: `
	afterText        = `"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"echo-server","version":"1.0.0"}}}}`
	legacyBeforeText = `,"result":{"content":[{"type":"text","text":"echo: `
	legacyAfterText  = `"}]}}`
)

var (
	idMark   = []byte(`"id":`)
	textMark = []byte(`"text":"`)
)

func main() {
	var f floor
	file := flag.String("answer", "", "file that holds what follows the id in every reply")
	flag.BoolVar(&f.legacy, "legacy", false, "answer in revision 2025-11-25")
	flag.Parse()
	if err := f.run(*file); err != nil {
		fmt.Fprintln(os.Stderr, "overhttp:", err)
		os.Exit(1)
	}
}

// floor is the handler.
type floor struct {
	legacy bool
	fixed  []byte // what follows the id in every reply; nil to echo
	spare  sync.Pool
}

// run serves until SIGTERM.
func (f *floor) run(file string) error {
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		f.fixed = bytes.TrimSpace(text)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s := &http.Server{Handler: f}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	fmt.Fprintf(os.Stderr, "overhttp ready on http://%s/mcp\n", l.Addr())
	if err := s.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// buffers are those of one request.
type buffers struct{ body, reply []byte }

// ServeHTTP trusts the request in every way.
func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := f.spare.Get().(*buffers)
	if b == nil {
		b = new(buffers)
	}
	defer f.spare.Put(b)
	if n := int(r.ContentLength); cap(b.body) < n {
		b.body = make([]byte, n)
	} else {
		b.body = b.body[:n]
	}
	if _, err := io.ReadFull(r.Body, b.body); err != nil {
		panic(http.ErrAbortHandler)
	}
	b.reply = f.appendReply(b.reply[:0], b.body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b.reply)))
	w.Write(b.reply)
}

// appendReply trusts the body: the id ends at a comma, the text at a quote.
func (f *floor) appendReply(dst, body []byte) []byte {
	id := body[bytes.Index(body, idMark)+len(idMark):]
	dst = append(dst, beforeID...)
	dst = append(dst, id[:bytes.IndexByte(id, ',')]...)
	if f.fixed != nil {
		return append(dst, f.fixed...)
	}
	before, after := beforeText, afterText
	if f.legacy {
		before, after = legacyBeforeText, legacyAfterText
	}
	text := id[bytes.Index(id, textMark)+len(textMark):]
	dst = append(dst, before...)
	dst = append(dst, text[:bytes.IndexByte(text, '"')]...)
	return append(dst, after...)
}
