package bench

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// era is how the requests of an era look over HTTP.
type era struct {
	version string
	session bool // requests are part of a session, which initialize opens
}

var (
	modernEra = era{version: "2026-07-28"}
	legacyEra = era{version: "2025-11-25", session: true}
)

// appendRequest appends a whole request of this era, as the programs' client writes it: head and body.
func (e era) appendRequest(dst []byte, at *endpoint, session string, body []byte) []byte {
	dst = fmt.Appendf(dst, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: %s\r\n", at.path, at.host, e.version)
	method, name := described(body)
	switch {
	case session != "":
		dst = fmt.Appendf(dst, "Mcp-Session-Id: %s\r\n", session)
	case e.session: // initialize
	default:
		dst = fmt.Appendf(dst, "Mcp-Method: %s\r\n", method)
		if name != "" {
			dst = fmt.Appendf(dst, "Mcp-Name: %s\r\n", name)
		}
	}
	dst = fmt.Appendf(dst, "Content-Length: %d\r\n\r\n", len(body))
	return append(dst, body...)
}

// described is the method of a request of the benchmarks, and the name that it calls.
func described(body []byte) (method, name string) {
	between := func(mark string) string {
		_, rest, _ := bytes.Cut(body, []byte(mark))
		text, _, _ := bytes.Cut(rest, []byte(`"`))
		return string(text)
	}
	return between(`"method":"`), between(`"params":{"name":"`)
}

// wire is a connection on which like requests are put, one after the other.
type wire struct {
	conn    net.Conn
	request frame // head and body
	reply   frame // head and body
	date    int   // where the value of Date begins in the reply
	in, out []byte
}

const dateMark = "\r\nDate: "

// dial opens a connection, puts the first request, and takes the answer for what all answers look like.
func dial(at *endpoint, request []byte) (*wire, error) {
	conn, err := net.Dial("tcp", at.host)
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(patience))
	w := &wire{conn: conn, request: newFrame(request)}
	reply, err := w.learn()
	if err != nil {
		conn.Close()
		return nil, err
	}
	w.reply = newFrame(reply)
	w.date = bytes.Index(reply, []byte(dateMark)) + len(dateMark)
	w.in = make([]byte, len(reply))
	return w, nil
}

// learn puts the request as it was made and reads a reply whose length is not known before.
func (w *wire) learn() (reply []byte, err error) {
	if _, err := w.conn.Write(w.request.line); err != nil {
		return nil, err
	}
	chunk := make([]byte, 64<<10)
	for {
		n, err := w.conn.Read(chunk)
		reply = append(reply, chunk[:n]...)
		if whole, bad := isWhole(reply); bad != nil {
			return nil, bad
		} else if whole {
			return reply, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w after %.500q", err, reply)
		}
	}
}

// isWhole reports whether a reply is there, head and body. It must have the head that each answer of the
// programs has: success, with its length and a date.
func isWhole(reply []byte) (bool, error) {
	head, body, found := bytes.Cut(reply, []byte("\r\n\r\n"))
	if !found {
		return false, nil
	}
	_, rest, hasLength := strings.Cut(string(head)+"\r\n", "\r\nContent-Length: ")
	digits, _, _ := strings.Cut(rest, "\r\n")
	length, err := strconv.Atoi(digits)
	if !hasLength || err != nil || !bytes.HasPrefix(head, []byte("HTTP/1.1 200 OK\r\n")) || !bytes.Contains(head, []byte(dateMark)) {
		return false, fmt.Errorf("got %.1000q, want a success with its length", reply)
	}
	if len(body) > length {
		return false, fmt.Errorf("got more than the answer: %.1000q", reply)
	}
	return len(body) == length, nil
}

// ask puts the request with this id and checks every byte of the answer but its date.
func (w *wire) ask(id int) error {
	w.out = w.request.append(w.out[:0], id)
	if _, err := w.conn.Write(w.out); err != nil {
		return err
	}
	for n := 0; n < len(w.in); {
		more, err := w.conn.Read(w.in[n:])
		if err != nil {
			return fmt.Errorf("after %d bytes of an answer, %.500q: %w", n, w.in[:n], err)
		}
		n += more
	}
	copy(w.in[w.date:w.date+len(http.TimeFormat)], w.reply.line[w.date:])
	got, err := w.reply.match(w.in)
	if err == nil && got != id {
		err = fmt.Errorf("a reply to %d, want one to %d", got, id)
	}
	return err
}

// drive puts so many requests on the wires, in equal parts and one after the other on each.
func drive(wires []*wire, first, requests int) error {
	errs := make([]error, len(wires))
	each := requests / len(wires)
	var all sync.WaitGroup
	for i, w := range wires {
		all.Go(func() {
			for id := first + i*each; id < first+(i+1)*each && errs[i] == nil; id++ {
				errs[i] = w.ask(id)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
