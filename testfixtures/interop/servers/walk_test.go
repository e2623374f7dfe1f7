package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"isthmus.internal/mcp"
	mcpstdio "isthmus.internal/stdio"
	"isthmus.internal/testfixtures/notes"
)

// overNotes is a server with the notes of this project.
func overNotes(t *testing.T) *started {
	client, end := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcpstdio.ServeStream(context.Background(), end, notes.NewServer(slog.New(slog.DiscardHandler), notes.Default()), nil)
	}()
	t.Cleanup(func() { client.Close(); <-done })
	return &started{transport: mcpstdio.Stream(client, nil)}
}

// whole is a server with a step for everything, all of which go well.
func whole() server {
	s := server{what: "notes", eras: []string{modern, legacy}, steps: map[string]func(*walk) error{}}
	for _, step := range steps {
		s.steps[step.name] = func(*walk) error { return nil }
	}
	return s
}

// What goes well counts, and what does not is a fault of its step.
func TestThrough(t *testing.T) {
	tests := []struct {
		name   string
		era    string
		change func(*server)
		done   int
		faults []string
	}{
		{"all of the legacy era", legacy, func(*server) {}, 22, nil},
		{"all of the modern era, which has no ping", modern, func(*server) {}, 21, nil},
		{"a step that fails", modern, func(s *server) { s.steps["call"] = func(*walk) error { return errors.New("2 is not 3") } }, 20,
			[]string{"notes, modern, stdio: call: 2 is not 3"}},
		{"a step that looks", legacy, func(s *server) { s.steps["list tools"] = looks }, 22, nil},
		{"lacking, and it has it", modern, func(s *server) { s.lacks = map[string]string{"list resources": "not there"} }, 20,
			[]string{"list resources: got {", "want the error -32601"}},
		{"lacking, and so it says", modern, func(s *server) { s.lacks = map[string]string{"log": "not there"} }, 20, nil},
		{"another era than the newest", legacy, func(s *server) { s.eras = []string{legacy} }, 22, []string{`it speaks "2026-07-28", want "2025-11-25"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := whole()
			test.change(&s)
			o := through(t.Context(), run{s, test.era, stdio}, overNotes(t), t.TempDir())
			faults := strings.Join(o.faults, "\n")
			if o.done != test.done || (len(test.faults) == 0) != (faults == "") {
				t.Errorf("%d steps done, faults %s\nwant %d", o.done, faults, test.done)
			}
			for _, want := range test.faults {
				if !strings.Contains(faults, want) {
					t.Errorf("%q is missing in %s", want, faults)
				}
			}
		})
	}
}

// looks is a step that uses what steps use.
func looks(w *walk) error {
	uris, err := w.resourceURIs()
	contents, err2 := w.read("notes://2")
	return errors.Join(err, err2,
		w.says("notes_query", object{"tag": "none"}, "[]"),
		same("uris", uris, []string{"notes://all", "notes://{id}"}),
		same("a note", contents.(*mcp.TextResource).URI, "notes://2"),
		w.together("notes_query", func(int) (object, string) { return object{"tag": "none"}, "[]" }),
	)
}

func TestAwaitReady(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for a server is a shell script")
	}
	logFile := filepath.Join(t.TempDir(), "log")
	open := func() io.WriteCloser {
		f, err := os.Create(logFile)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	stop, err := awaitReady(exec.Command("sh", "-c", "echo starting; echo it is ready >&2; trap 'exit 1' TERM; while :; do sleep 0.1; done"), "ready", open())
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Errorf("stopping: %v", err)
	}
	if log, err := os.ReadFile(logFile); err != nil || string(log) != "starting\nit is ready\n" {
		t.Errorf("the log: %q, %v", log, err)
	}
	if _, err := awaitReady(exec.Command("sh", "-c", "echo no"), "ready", open()); err == nil || !strings.Contains(err.Error(), `without saying "ready"`) {
		t.Errorf("one that ends: %v", err)
	}
	if _, err := awaitReady(exec.Command(filepath.Join(t.TempDir(), "none")), "ready", open()); err == nil {
		t.Error("one that is not there: no error")
	}
}

// Without what make installs the error names the target of make.
func TestNothingInstalled(t *testing.T) {
	c := config{clients: t.TempDir(), pins: filepath.Join("..", "package.json")}
	if _, err := c.run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "make interop") {
		t.Errorf("got %v", err)
	}
}

// A proxy passes on what comes, breaks what is open when it is told to, and then passes on again.
func TestProxy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // which sends back what comes
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	p, err := newProxy("http://" + l.Addr().String() + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	u, err := url.Parse(p.url)
	if err != nil || u.Path != "/mcp" {
		t.Fatalf("%s: %v", p.url, err)
	}
	for range 2 {
		c, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4)
		io.WriteString(c, "ping")
		if _, err := io.ReadFull(c, buf); err != nil || string(buf) != "ping" {
			t.Errorf("got %q, %v", buf, err)
		}
		p.cut()
		if n, err := c.Read(buf); err == nil {
			t.Errorf("after the cut: %d bytes more", n)
		}
		c.Close()
	}
	if p.cuts() != 2 {
		t.Errorf("%d cuts", p.cuts())
	}
}
