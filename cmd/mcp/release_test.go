package main_test

import (
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/testfixtures/echo"
)

// TestReleaseOverTLS: mcp as make build builds it, without HTTP/2, speaks HTTP/1.1 to a server that
// has both, in either era. Built without the tag it takes HTTP/2, so the server does offer it.
func TestReleaseOverTLS(t *testing.T) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("SSL_CERT_FILE is not looked at on " + runtime.GOOS)
	}
	protos := make(chan string, 100)
	endpoint := httpmcp.Handler(echo.NewServer(slog.New(slog.DiscardHandler)), nil)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protos <- r.Proto
		endpoint.ServeHTTP(w, r)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	dir := t.TempDir()
	roots, release := filepath.Join(dir, "roots.pem"), filepath.Join(dir, "mcp")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-trimpath", "-tags", "nethttpomithttp2", "-gcflags=crypto/tls=-l", "-ldflags=-s -w", "-o", release, "isthmus.internal/cmd/mcp")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	for _, test := range []struct{ mcp, proto string }{{release, "HTTP/1.1"}, {binary, "HTTP/2.0"}} {
		for _, era := range []string{"legacy", "modern"} {
			call := exec.Command(test.mcp, "call", "-era", era, s.URL, "echo", "text=hello")
			call.Env = append(os.Environ(), "SSL_CERT_FILE="+roots)
			out, err := call.CombinedOutput()
			if err != nil || string(out) != "echo: hello\n" {
				t.Errorf("%s, %s: %v, %s", test.proto, era, err, out)
			}
			if len(protos) == 0 {
				t.Errorf("%s, %s: no request has come", test.proto, era)
			}
			for range len(protos) {
				if proto := <-protos; proto != test.proto {
					t.Errorf("%s: a request by %s, want %s", era, proto, test.proto)
				}
			}
		}
	}
}
