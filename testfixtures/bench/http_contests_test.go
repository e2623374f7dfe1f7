package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// hits is a load of like requests over HTTP.
type hits struct {
	era      era
	body     []byte // of the request, made for firstID
	wires    int    // connections, each with one request in flight
	requests int    // of a round
}

// httpContest is a contest over HTTP, with its load.
type httpContest struct {
	contest
	hits hits
}

// BenchmarkHTTP is what BenchmarkProcess is, over HTTP.
func BenchmarkHTTP(b *testing.B) {
	var results []result
	for _, c := range httpContests(b, build(b, b.TempDir())) {
		b.Run(c.name, func(b *testing.B) {
			results = append(results, c.run(b))
		})
	}
	printTable(results)
}

// httpContests prepares the rows, with the programs in dir.
func httpContests(tb testing.TB, dir string) []httpContest {
	tb.Helper()
	program := func(name string, flags ...string) []string {
		return append([]string{filepath.Join(dir, name)}, flags...)
	}
	echo, many := program("mcp-echo", "-http", "127.0.0.1:0", "-log", "error"), program("manytools", "-http", "127.0.0.1:0")
	modernFloor, legacyFloor := program("overhttp"), program("overhttp", "-legacy")

	short, long := callRequest(64), callRequest(64<<10)
	var rows []httpContest
	add := func(name string, aim float64, server, floor []string, h hits) {
		h.body = h.era.body(h.body)
		c := contest{name: name, aim: aim, server: server, floor: floor, request: h.body, turns: 8, enter: h.enter}
		rows = append(rows, httpContest{c, h})
	}
	add("floor-beside-itself", 1.1, modernFloor, modernFloor, hits{era: modernEra, body: short, wires: 1, requests: 200})
	for _, e := range []era{modernEra, legacyEra} {
		floor := modernFloor
		if e.session {
			floor = legacyFloor
		}
		add(e.version+"-64B-one-wire", 1.35, echo, floor, hits{era: e, body: short, wires: 1, requests: 200})
		add(e.version+"-64B-16-wires", 1.35, echo, floor, hits{era: e, body: short, wires: 16, requests: 400})
		add(e.version+"-64KiB", 3, echo, floor, hits{era: e, body: long, wires: 1, requests: 50})
		list := hits{era: e, body: listRequest}
		file := filepath.Join(dir, "list-"+e.version+".json")
		if err := list.record(many, file); err != nil {
			tb.Fatal(err)
		}
		list.wires, list.requests = 1, 100
		add(e.version+"-101-tools", 1.3, many, program("overhttp", "-answer", file), list)
	}
	return rows
}

// body is the request of the modern era as this era has it.
func (e era) body(modern []byte) []byte {
	body := bytes.TrimSpace(modern)
	if e.session {
		body = bytes.Replace(body, []byte(","+meta), nil, 1)
		body = bytes.Replace(body, []byte(meta), nil, 1)
	}
	return body
}

// record puts the request once and writes what follows the id in the answer to a file.
func (h hits) record(program []string, file string) error {
	h.body = h.era.body(h.body)
	reply, err := h.firstReply(program)
	if err != nil {
		return err
	}
	_, body, _ := bytes.Cut(reply, []byte("\r\n\r\n"))
	_, afterID, _ := bytes.Cut(body, fmt.Append(nil, firstID))
	return os.WriteFile(file, afterID, 0o600)
}

// enter starts a program, opens the connections and warms it up. A round is a burst of requests, short enough
// that both programs meet the same machine.
func (h hits) enter(program []string) (entrant, error) {
	at, err := startEndpoint(program)
	if err != nil {
		return entrant{}, err
	}
	wires, err := h.dial(at)
	next := firstID + 1
	burst := func() (m measure, err error) {
		m, err = h.burst(at, wires, next)
		next += h.requests
		return m, err
	}
	leave := func() error {
		for _, w := range wires {
			w.conn.Close()
		}
		if err := at.stop(); err != nil {
			return fmt.Errorf("%q: %w", program, err)
		}
		return nil
	}
	if err == nil {
		_, err = burst()
	}
	if err != nil {
		return entrant{}, fmt.Errorf("%q: %w", program, errors.Join(err, leave()))
	}
	return entrant{round: burst, leave: leave}, nil
}

// burst puts the requests of one round, the first with this id.
func (h hits) burst(at *endpoint, wires []*wire, first int) (m measure, err error) {
	before, err := cpuTime(at.cmd.Process.Pid)
	if err != nil {
		return m, err
	}
	began := time.Now()
	if err := drive(wires, first, h.requests); err != nil {
		return m, err
	}
	m.wall = time.Since(began) / time.Duration(h.requests)
	after, err := cpuTime(at.cmd.Process.Pid)
	m.cpu = (after - before) / time.Duration(h.requests)
	return m, err
}

// dial opens the session and the connections.
func (h hits) dial(at *endpoint) (wires []*wire, err error) {
	var session string
	if h.era.session {
		if session, err = at.openSession(h.era.version); err != nil {
			return nil, err
		}
	}
	request := h.era.appendRequest(nil, at, session, h.body)
	for range h.wires {
		w, err := dial(at, request)
		if err != nil {
			return wires, err
		}
		wires = append(wires, w)
	}
	return wires, nil
}

// openSession does the handshake of the legacy era and returns the id of the session. The floor has none, and
// gets requests of the same length.
func (e *endpoint) openSession(version string) (string, error) {
	if e.isFloor() {
		return strings.Repeat("x", 32), nil
	}
	url := "http://" + e.host + e.path
	answer, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{`+
		`"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}}`))
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	session := answer.Header.Get("Mcp-Session-Id")
	if err != nil || session == "" || !bytes.Contains(body, []byte(`"protocolVersion":"`+version+`"`)) {
		return "", fmt.Errorf("initialize: got %s, %v, %.500q, %v", answer.Status, answer.Header, body, err)
	}
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Mcp-Session-Id", session)
	request.Header.Set("MCP-Protocol-Version", version)
	if answer, err = http.DefaultClient.Do(request); err != nil {
		return "", err
	}
	answer.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if answer.StatusCode != http.StatusAccepted {
		return "", fmt.Errorf("notifications/initialized: got %s, want 202", answer.Status)
	}
	return session, nil
}

// firstReply starts a program and puts the request once.
func (h hits) firstReply(program []string) (reply []byte, err error) {
	at, err := startEndpoint(program)
	if err != nil {
		return nil, err
	}
	h.wires = 1
	wires, err := h.dial(at)
	if err == nil {
		reply = slices.Clone(wires[0].reply.line)
		err = wires[0].ask(firstID + 1)
		wires[0].conn.Close()
	}
	if err = errors.Join(err, at.stop()); err != nil {
		return nil, fmt.Errorf("%q: %w", program, err)
	}
	return reply, nil
}
