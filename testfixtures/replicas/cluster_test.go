package replicas

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"isthmus.internal/testfixtures/fixture/fixturetest"
)

// patience bounds one test: what hangs fails, and does not hang for ever.
const patience = 30 * time.Second

// size is how many replicas there are.
const size = 3

// cluster is nginx with the replicas behind it.
type cluster struct {
	t        *testing.T
	replicas map[string]*fixturetest.Process // by address
	client   *http.Client
}

// start starts replicas with these flags besides those of the cluster, and nginx.
func start(t *testing.T, flags ...string) *cluster {
	t.Helper()
	if *nginx == "" {
		t.Skip("it needs nginx: make replicas")
	}
	// A folder of its own, since the path of a socket must be short.
	dir, err := os.MkdirTemp("", "replicas")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	keys := filepath.Join(dir, "keys")
	write(t, keys, "0123456789abcdef0123456789abcdef\n")

	c := &cluster{t: t, replicas: make(map[string]*fixturetest.Process)}
	ready := regexp.MustCompile(` ready on http://([^/]+)/mcp: `)
	var addresses []string
	for range size {
		p := fixturetest.Start(t, io.Discard, binary, append(flags, "-http", "127.0.0.1:0", "-seal-key-file", keys, "-log", "error")...)
		m := ready.FindStringSubmatch(p.Ready)
		if m == nil {
			p.Terminate()
			t.Fatalf("a replica says %q, want that it is ready", p.Ready)
		}
		c.replicas[m[1]] = p
		addresses = append(addresses, m[1])
		t.Cleanup(func() { c.stop(m[1]) })
	}
	socket := filepath.Join(dir, "socket")
	c.proxy(dir, socket, addresses)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	c.client = &http.Client{Transport: &http.Transport{DialContext: dial}, Timeout: patience}
	t.Cleanup(c.client.CloseIdleConnections)
	return c
}

// stop ends a replica in order, unless it was killed.
func (c *cluster) stop(address string) {
	p := c.replicas[address]
	if p == nil {
		return
	}
	delete(c.replicas, address)
	if status, log := p.Terminate(); status != 0 || log != "" {
		c.t.Errorf("%s ended with status %d and said %q, want 0 and nothing", address, status, log)
	}
}

// kill ends a replica at once.
func (c *cluster) kill(address string) {
	c.t.Helper()
	p := c.replicas[address]
	if p == nil {
		c.t.Fatalf("there is no replica at %q", address)
	}
	delete(c.replicas, address)
	p.Kill()
}

// proxy starts nginx, as docs/http.md configures it, on a socket of its own.
func (c *cluster) proxy(dir, socket string, addresses []string) {
	t := c.t
	t.Helper()
	config := `daemon off;
master_process off;
pid pid;
error_log stderr crit;
events {}
http {
access_log off;
client_body_temp_path body;
proxy_temp_path proxy;
fastcgi_temp_path fastcgi;
uwsgi_temp_path uwsgi;
scgi_temp_path scgi;
` + documented(t, socket, addresses) + "}\n"
	write(t, filepath.Join(dir, "nginx.conf"), config)
	p := exec.Command(*nginx, "-p", dir, "-c", "nginx.conf", "-e", "stderr")
	var log strings.Builder
	p.Stdout, p.Stderr = &log, &log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Process.Signal(os.Interrupt)
		p.Wait()
		if t.Failed() && log.Len() > 0 {
			t.Logf("nginx said\n%s", &log)
		}
	})
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); ; {
		if conn, err := net.Dial("unix", socket); err == nil {
			conn.Close()
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("nginx does not listen; its configuration is\n%s", config)
		}
	}
}

// documented is the configuration that docs/http.md shows, with the addresses of this test in place
// of those there, and a header that says which replica has answered.
func documented(t *testing.T, socket string, addresses []string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?ms)^```nginx\n(.*?)^```$").FindSubmatch(text)
	if block == nil {
		t.Fatal("docs/http.md shows no configuration of nginx")
	}
	config := string(block[1])
	replace := func(pattern, with string, times int) {
		p := regexp.MustCompile(pattern)
		if got := len(p.FindAllString(config, -1)); got != times {
			t.Fatalf("docs/http.md has %q %d times, want %d", pattern, got, times)
		}
		config = p.ReplaceAllLiteralString(config, with)
	}
	for i, address := range addresses {
		replace(`server 10\.0\.0\.`+string(rune('1'+i))+`:7000;`, "server "+address+";", 1)
	}
	replace(`listen [^;]*;`, "listen unix:"+socket+"; add_header X-Upstream $upstream_addr always;", 1)
	replace(`ssl_certificate[^;]*;`, "", 2)
	return config
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
