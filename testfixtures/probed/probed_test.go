package probed_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"isthmus.internal/testfixtures/fixture/fixturetest"
	"isthmus.internal/testfixtures/probed"
)

var (
	probe  = fixturetest.Request("0", "server/discover", fixturetest.Meta)
	call   = fixturetest.Request("3", "tools/call", `"name":"`+probed.Tool+`","arguments":{}`)
	modern = fixturetest.Request("3", "tools/call", `"name":"`+probed.Tool+`","arguments":{},`+fixturetest.Meta)
)

// The tables are whole: each row is found by its name, and says what has to come of it.
func TestTables(t *testing.T) {
	kinds := []struct {
		table []probed.Server
		find  func(string) (*probed.Server, error)
	}{{probed.Streams(), probed.Stream}, {probed.Sites(), probed.Site}}
	for _, kind := range kinds {
		seen := map[string]bool{}
		for _, s := range kind.table {
			if seen[s.Name] || s.Probe == "" || (s.Era == probed.None) != (s.Says != "") || !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(s.Name) {
				t.Errorf("%q stands twice, or lacks what comes or what has to be said", s.Name)
			}
			seen[s.Name] = true
			if got, err := kind.find(s.Name); err != nil || got.Probe != s.Probe {
				t.Errorf("%s: got %v, %v", s.Name, got, err)
			}
		}
		if _, err := kind.find("nobody"); err == nil || !strings.Contains(err.Error(), "want one of method-not-found, ") {
			t.Errorf("nobody: got %v, want the names", err)
		}
	}
}

// served is a server at the other end of a connection.
type served struct {
	t    *testing.T
	end  net.Conn
	in   *bufio.Reader
	done chan error
}

func serve(t *testing.T, s *probed.Server, saw probed.Saw) *served {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	client.SetDeadline(time.Now().Add(10 * time.Second))
	c := &served{t, client, bufio.NewReader(client), make(chan error, 1)}
	go func() { c.done <- s.Serve(server, saw) }()
	t.Cleanup(func() { client.Close() })
	return c
}

func (c *served) send(line string) {
	if _, err := io.WriteString(c.end, line+"\n"); err != nil {
		c.t.Errorf("sending %s: %v", line, err)
	}
}

// until reads lines up to one with this part, and returns them.
func (c *served) until(part string) string {
	c.t.Helper()
	var all strings.Builder
	for !strings.Contains(all.String(), part) {
		line, err := c.in.ReadString('\n')
		all.WriteString(line)
		if err != nil {
			c.t.Fatalf("after %q: %v, want %q", &all, err, part)
		}
	}
	return all.String()
}

// What the servers on streams say to the probe, and that the handshake and a call go well
// behind it.
func TestStreams(t *testing.T) {
	answers := map[string]string{
		"method-not-found": `"id":0,"error":{"code":-32601`, "invalid-params": `"id":0,"error":{"code":-32602`, "invalid-request": `"id":0,"error":{"code":-32600`,
		"code-0": `"id":0,"error":{"code":0,`, "server-error": `"id":0,"error":{"code":-32000`, "foreign-id": `"id":"server-error","error"`,
		"null-id": `"id":null,"error"`, "no-id": `{"jsonrpc":"2.0","error"`, "plain-text": "unknown command", "empty-result": `"id":0,"result":{}}`,
		"batch": `[{"jsonrpc":"2.0","id":0,"error"`, "chatty": `"method":"ping"`, "echo": probe, "modern": `"supportedVersions":["2026-07-28"]`,
		"missing-capability": "-32021", "no-common-version": "-32022",
	}
	for _, row := range probed.Streams() {
		t.Run(row.Name, func(t *testing.T) {
			var saw []string
			c := serve(t, &row, func(method string) { saw = append(saw, method) })
			c.send(probe)
			if part := answers[row.Name]; part != "" {
				c.until(part)
			}
			if strings.HasSuffix(row.Name, "exit") {
				io.Copy(io.Discard, c.in)
				if err := <-c.done; !errors.Is(err, probed.ErrProbed) {
					t.Errorf("it ended with %v", err)
				}
				return
			}
			want := []string{"server/discover", "tools/call"}
			if row.Era == probed.Legacy {
				c.send(fixturetest.Initialize("2025-11-25"))
				c.until(`"protocolVersion":"2025-11-25"`)
				c.send(fixturetest.Initialized)
				c.send(call)
				c.until(`"id":3,"result":{"content":[{"type":"text","text":"` + probed.Text)
				want = slices.Insert(want, 1, "initialize", "notifications/initialized")
			} else {
				c.send(modern)
				if row.Era == probed.Modern {
					c.until(`"id":3,"result":{"resultType":"complete"`)
				} else {
					c.until(`"id":3,"error":{"code":-32022`)
				}
			}
			c.end.Close()
			if err := <-c.done; err != nil || !slices.Equal(saw, want) {
				t.Errorf("it ended with %v, and saw %q, want %q", err, saw, want)
			}
		})
	}
}

// post posts a message to a site. The status is 0 when there is no answer in time.
func post(t *testing.T, client *http.Client, url, message, session string) (status int, body string, h http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", session)
	answer, err := client.Do(r)
	if err != nil {
		return 0, "", nil
	}
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, string(text), answer.Header
}

// What the sites say to the probe, and that the handshake and a call go well behind it.
func TestSites(t *testing.T) {
	for _, row := range probed.Sites() {
		t.Run(row.Name, func(t *testing.T) {
			site := httptest.NewServer(row.Handler(nil))
			defer site.Close()
			client := site.Client()
			client.Timeout = 200 * time.Millisecond // for the one that does not answer
			status, body, _ := post(t, client, site.URL, probe, "")
			if first := row.Probe[:min(3, len(row.Probe))]; status != 0 && row.Name != "modern" && first != strconv.Itoa(status) {
				t.Errorf("the probe: got %d %s, want %s", status, body, row.Probe)
			}
			client.Timeout = 10 * time.Second
			switch {
			case strings.HasPrefix(row.Name, "sse"):
				walkAncient(t, client, site.URL)
			case row.Era == probed.Legacy:
				walkLegacy(t, client, site.URL)
			default:
				status, body, _ := post(t, client, site.URL, modern, "")
				if ok := status == 200 && strings.Contains(body, probed.Text); ok != (row.Era == probed.Modern) {
					t.Errorf("a call: got %d %s", status, body)
				}
			}
		})
	}
}

// walkLegacy takes the handshake and a call to a site.
func walkLegacy(t *testing.T, client *http.Client, url string) {
	status, body, h := post(t, client, url, fixturetest.Initialize("2025-06-18"), "")
	session := h.Get("Mcp-Session-Id")
	if status != 200 || !strings.Contains(body, `"protocolVersion":"2025-06-18"`) || session == "" {
		t.Errorf("initialize: got %d %s, session %q", status, body, session)
	}
	if status, body, _ := post(t, client, url, fixturetest.Initialized, session); status != 202 || body != "" {
		t.Errorf("initialized: got %d %s", status, body)
	}
	if status, body, _ := post(t, client, url, call, session); status != 200 || !strings.Contains(body, probed.Text) {
		t.Errorf("a call: got %d %s", status, body)
	}
	if status, body, _ := post(t, client, url, call, "other"); status != 404 {
		t.Errorf("a call in no session: got %d %s", status, body)
	}
}

// walkAncient takes the handshake and a call to a site of 2024-11-05.
func walkAncient(t *testing.T, client *http.Client, url string) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	events := bufio.NewReader(answer.Body)
	data := func() string {
		for {
			line, err := events.ReadString('\n')
			if data, found := strings.CutPrefix(line, "data: "); found || err != nil {
				return strings.TrimSpace(data)
			}
		}
	}
	place := url + "/" + data()
	for _, step := range [][2]string{{fixturetest.Initialize("2025-11-25"), `"protocolVersion":"2024-11-05"`}, {call, probed.Text}} {
		if status, body, _ := post(t, client, place, step[0], ""); status != 202 || body != "" {
			t.Errorf("%s: got %d %s", step[0], status, body)
		}
		if got := data(); !strings.Contains(got, step[1]) {
			t.Errorf("%s: got %s", step[0], got)
		}
	}
}
