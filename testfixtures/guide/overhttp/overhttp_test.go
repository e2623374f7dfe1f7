package overhttp_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/fixture/fixturetest"
	"isthmus.internal/testfixtures/guide/overhttp"
)

// site is the site of the page, with a server that says who asks.
func site() (http.Handler, *httpmcp.Endpoint) {
	s := mcp.NewServer("who", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "who", Description: "Says who asks."},
		func(_ context.Context, c *mcp.Call, _ struct{}) (string, error) {
			return "You are " + c.Principal().ID, nil
		})
	return overhttp.NewSite(s, map[string]*mcp.Principal{"secret": {ID: "ada"}})
}

var (
	call   = fixturetest.Request("1", "tools/call", `"name":"who",`+fixturetest.Meta)
	listen = fixturetest.Request("2", "subscriptions/listen", `"notifications":{"toolsListChanged":true},`+fixturetest.Meta)
)

// TestSite: the token decides, and tells the handler who asks; pages of the listed origin may
// read the answers, a refusal too, and others may not call.
func TestSite(t *testing.T) {
	handler, _ := site()
	server := httptest.NewServer(handler)
	defer server.Close()
	const origin, token = "Origin", "Authorization"
	tests := []struct {
		name   string
		path   string
		header []string
		status int
		says   string
		cors   string
	}{
		{"a user", "/tools/mcp", []string{token, "Bearer secret"}, 200, "You are ada", ""},
		{"nobody", "/tools/mcp", nil, 401, "a token is needed", ""},
		{"a page", "/tools/mcp", []string{token, "Bearer secret", origin, "https://app.example"}, 200, "You are ada", "https://app.example"},
		{"a page without a token", "/tools/mcp", []string{origin, "https://app.example"}, 401, "a token is needed", "https://app.example"},
		{"another page", "/tools/mcp", []string{token, "Bearer secret", origin, "https://evil.example"}, 403, "nor one that it allows", ""},
		{"elsewhere", "/tools", []string{token, "Bearer secret"}, 404, "", ""},
	}
	for _, test := range tests {
		got := fixturetest.Post(t, server.Client(), server.URL+test.path, call, test.header...)
		text := fixturetest.Body(t, got)
		if got.StatusCode != test.status || !strings.Contains(text, test.says) || got.Header.Get("Access-Control-Allow-Origin") != test.cors {
			t.Errorf("%s\ngot  %d %s %v\nwant %d, %q, and CORS for %q", test.name, got.StatusCode, text, got.Header, test.status, test.says, test.cors)
		}
	}
	if r, err := server.Client().Get(server.URL + "/health"); err != nil || r.StatusCode != http.StatusNoContent {
		t.Errorf("health: got %v, %v, want 204", r, err)
	}
}

// TestEnds: both ways to serve end an open stream in order and return nil.
func TestEnds(t *testing.T) {
	cert := httptest.NewUnstartedServer(nil)
	cert.StartTLS() // for its certificate alone
	pool := x509.NewCertPool()
	pool.AddCert(cert.Certificate())
	certFile, keyFile := files(t, cert.TLS.Certificates[0])
	cert.Close()

	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			handler, endpoint := site()
			done := make(chan error, 1)
			go func() {
				if scheme == "http" {
					done <- overhttp.Serve(ctx, l, handler)
				} else {
					done <- overhttp.ServeTLS(ctx, l, handler, endpoint, certFile, keyFile)
				}
			}()
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
			defer client.CloseIdleConnections()
			r := fixturetest.Post(t, client, scheme+"://"+l.Addr().String()+"/tools/mcp", listen, "Authorization", "Bearer secret")
			defer r.Body.Close()
			stream := bufio.NewReader(r.Body)
			if line, err := stream.ReadString('\n'); err != nil {
				t.Fatalf("got %q, %v, want what opens an event", line, err)
			}
			cancel()
			rest, err := io.ReadAll(stream)
			if err != nil || !strings.Contains(string(rest), `"id":2,"result":{"resultType":"complete"`) {
				t.Errorf("got %q, %v, want the end of the stream in order", rest, err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// files writes a certificate and its key as servers read them.
func files(t *testing.T, c tls.Certificate) (cert, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert", "CERTIFICATE", c.Certificate[0]), write("key", "PRIVATE KEY", der)
}
