package cli_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"isthmus.internal/cmd/mcp/cli"
)

// TestRawWaits: at the end of the input raw waits for the answers of the requests that were sent, for
// -timeout at the most, and names those that have not come.
func TestRawWaits(t *testing.T) {
	const ask = `{"jsonrpc":"2.0","id":%s,"method":%q}` + "\n"
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}` + "\n"
	mute, answered := func(ids ...string) (lines string) {
		for _, id := range ids {
			lines += fmt.Sprintf(ask, id, "mute")
		}
		return lines
	}, fmt.Sprintf(ask, "7", "answer")
	const reply = `{"jsonrpc":"2.0","id":7,"result":{}}` + "\n"
	for _, tt := range []struct {
		name, in, out, said string
	}{
		{"answered", answered, reply, ""},
		{"without a line end", strings.TrimSuffix(answered, "\n"), reply, ""},
		{"nothing", "", "", ""},
		{"one not", mute("1"), "", "id 1"},
		{"two of three", mute("1", `"b"`) + answered, reply, `id "b", id 1`},
		{"the same id twice", mute("7") + answered, reply, "id 7"},
		{"many", mute("10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21"), "",
			"id 10, id 11, id 12, id 13, id 14, id 15, id 16, id 17, id 18, id 19 and 2 more"},
		{"what steers", mute("\"\u202e\""), "", "id \"\ufffd\""},
		{"cancelled", mute("1") + fmt.Sprintf(cancelled, "1") + answered, reply, ""},
		{"another cancelled", mute("1") + fmt.Sprintf(cancelled, "2") + answered, reply, "id 1"},
		{"an error without an id", fmt.Sprintf(ask, "1", "refuse"), `{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}` + "\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := hostile(t, func(m message, send func(string, ...any)) {
				switch m.Method {
				case "answer":
					send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
				case "refuse":
					send(`{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`)
				}
			})
			status, out, said := runMCP(t, &cli.Env{In: strings.NewReader(tt.in)}, "raw", "-timeout", "200ms", target)
			want := cli.ExitOK
			if tt.said != "" {
				want, tt.said = cli.ExitProtocol, "mcp raw: not answered: "+tt.said+"\n"
			}
			if status != want || out != tt.out || said != tt.said {
				t.Errorf("sent %q\n got: %d, %q, %q\nwant: %d, %q, %q", tt.in, status, out, said, want, tt.out, tt.said)
			}
		})
	}
}

// TestRawOverHTTP: a request that gets an HTTP status of failure and no answer beside it is named at the end, whatever
// is sent behind it.
func TestRawOverHTTP(t *testing.T) {
	const answer, refusal = `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}`
	const ask, tell = `{"jsonrpc":"2.0","id":1,"method":"x"}` + "\n", `{"jsonrpc":"2.0","method":"x"}` + "\n"
	const both = `[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":2,"method":"x"}]` + "\n"
	for _, tt := range []struct {
		name, in string
		status   int
		body     string
		said     string
	}{
		{"answered", ask, 200, answer, ""},
		{"no success", ask, 400, answer, ""},
		{"without an id", ask, 400, refusal, ""},
		{"text", ask, 404, "not here", "id 1"},
		{"nothing", ask, 500, "", "id 1"},
		{"elsewhere", ask, 307, "", "id 1"},
		{"another id", ask, 400, `{"jsonrpc":"2.0","id":2,"result":{}}`, "id 1"},
		{"a notification", tell, 404, "not here", ""},
		{"a notification behind it", ask + tell, 404, "not here", "id 1"},
		{"two of them", ask + strings.Replace(ask, "1,", `"b",`, 1), 404, "not here", `id "b", id 1`},
		{"of a batch", both, 400, answer, "id 2"},
		{"a batch without an id", both, 400, refusal, "id 1, id 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			defer s.Close()
			status, _, said := runMCP(t, &cli.Env{In: strings.NewReader(tt.in)}, "raw", s.URL)
			want := cli.ExitOK
			if tt.said != "" {
				want, tt.said = cli.ExitProtocol, "mcp raw: not answered: "+tt.said+"\n"
			}
			for strings.HasPrefix(said, "HTTP ") {
				_, said, _ = strings.Cut(said, "\n")
			}
			if status != want || said != tt.said {
				t.Errorf("sent %q, answered with %d %s\n got: %d, %q\nwant: %d, %q", tt.in, tt.status, tt.body, status, said, want, tt.said)
			}
		})
	}
}

// TestRawKeepsTheInput: the server's input does not end before it has answered, also a batch.
func TestRawKeepsTheInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		served <- func() error {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			defer c.Close()
			in := bufio.NewReader(c)
			for range 2 {
				if _, err := in.ReadString('\n'); err != nil {
					return err
				}
			}
			for _, answer := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":3,"result":{}}]`} {
				c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
				if _, err := in.ReadString('\n'); !errors.Is(err, os.ErrDeadlineExceeded) {
					return fmt.Errorf("before %s: %w", answer, err)
				}
				fmt.Fprintln(c, answer)
			}
			c.SetReadDeadline(time.Time{})
			_, err = in.ReadString('\n')
			return err
		}()
	}()
	in := `{"jsonrpc":"2.0","id":1,"method":"x"}` + "\n" + `[{"jsonrpc":"2.0","id":2,"method":"x"},{"jsonrpc":"2.0","id":3,"method":"x"}]` + "\n"
	status, out, said := runMCP(t, &cli.Env{In: strings.NewReader(in)}, "raw", "unix:"+path)
	l.Close()
	if err := <-served; status != cli.ExitOK || said != "" || strings.Count(out, "\n") != 2 || err != io.EOF {
		t.Errorf("exit status %d, %q, %q; the server ends with %v, want the end of its input", status, out, said, err)
	}
}

// TestRawWhileTyping: while the input goes on a server that says nothing is given up, and one that has
// said something is not.
func TestRawWhileTyping(t *testing.T) {
	const timeout = 200 * time.Millisecond
	for _, tt := range []struct {
		name, first string
		status      int
		said        string
	}{
		{"mute", "mute", cli.ExitProtocol, "mcp raw: not answered: id 1\n"},
		{"asking", "ask", cli.ExitOK, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := make(chan struct{}, 1)
			target := hostile(t, func(m message, send func(string, ...any)) {
				switch {
				case m.Method == "ask":
					send(`{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage"}`)
					asked <- struct{}{}
				case m.Result != nil:
					send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
				}
			})
			keys, typed := io.Pipe()
			defer keys.Close()
			go func() {
				fmt.Fprintf(typed, `{"jsonrpc":"2.0","id":1,"method":%q}`+"\n", tt.first)
				if tt.first == "ask" {
					<-asked
					<-time.After(2 * timeout)
					fmt.Fprintln(typed, `{"jsonrpc":"2.0","id":"q","result":{}}`)
					typed.Close()
				}
			}()
			status, _, said := runMCP(t, &cli.Env{In: keys}, "raw", "-timeout", timeout.String(), target)
			if status != tt.status || said != tt.said {
				t.Errorf("exit status %d and %q, want %d and %q", status, said, tt.status, tt.said)
			}
		})
	}
}

// TestRawCommand: a command that is started answers, ends with its input, and is told of when it ends
// before.
func TestRawCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	for _, tt := range []struct {
		name      string
		command   []string
		status    int
		out, said string
	}{
		{"a server", []string{self, asEcho, "-log", "off"}, cli.ExitOK, `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n", ""},
		{"one that ends", []string{"sh", "-c", "read -r line; exit 4"}, cli.ExitProtocol, "", "mcp raw: not answered: id 1\nthe server: exit status 4\n"},
		{"one that reads nothing", []string{"sh", "-c", "exec sleep 3 <&-"}, cli.ExitProtocol, "", "mcp raw: not answered: id 1\n"},
		{"none", []string{"nosuch-server"}, cli.ExitProtocol, "", `mcp raw: the server: exec: "nosuch-server": executable file not found in $PATH`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"raw", "-timeout", "2s", "--"}, tt.command...)
			status, out, said := runMCP(t, &cli.Env{In: strings.NewReader(ping)}, args...)
			if status != tt.status || out != tt.out || !strings.Contains(said, tt.said) {
				t.Errorf("exit status %d, %q, %q, want %d, %q, %q", status, out, said, tt.status, tt.out, tt.said)
			}
		})
	}
}
