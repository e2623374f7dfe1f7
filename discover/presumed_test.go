package discover_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// presume connects with a verdict that says modern.
func presume(t *testing.T, s *fakeServer, o discover.ConnectOptions) *mcp.Client {
	t.Helper()
	o.Known = &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28", Evidence: "it was so"}
	c, verdict, err := discover.Connect(t.Context(), s, &o)
	if err != nil || *verdict != *o.Known {
		t.Fatalf("got %v, %v", verdict, err)
	}
	if h := s.history(); h != "" {
		t.Errorf("connecting has sent %s, want nothing", h)
	}
	return c
}

// TestKnownModern: nothing is sent before the first request, and nothing beside it when it is
// answered as only a modern server answers.
func TestKnownModern(t *testing.T) {
	bothTransports(t, func(t *testing.T, stream bool) {
		s := &fakeServer{t: t, stream: stream, answer: newServer}
		c := presume(t, s, discover.ConnectOptions{})
		if c.Server() != nil || c.ProtocolVersion() != "2026-07-28" {
			t.Errorf("the client knows %v in %s before it has asked", c.Server(), c.ProtocolVersion())
		}
		for range 2 {
			if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := s.history(), "tools/list tools/list"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		done := c.Done()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		<-done
		if !errors.Is(c.Err(), mcp.ErrLinkClosed) {
			t.Errorf("the client has ended with %v", c.Err())
		}
	})
}

// TestKnownModernProvesRight: an error of the first request has the server asked, and is then
// the request's own.
func TestKnownModernProvesRight(t *testing.T) {
	for name, code := range map[string]jsonrpc.Code{"any code": -32603, "a code of the era": -32021} {
		t.Run(name, func(t *testing.T) {
			s := &fakeServer{t: t, answer: func(ctx context.Context, m sent) (string, error) {
				if m.method == "tools/call" {
					return "", failWith(code, "no", "")
				}
				return newServer(ctx, m)
			}}
			c := presume(t, s, discover.ConnectOptions{Renewed: func(v *discover.Verdict) { t.Errorf("it was renewed: %v", v) }})
			defer c.Close()
			want := map[jsonrpc.Code]string{-32603: "tools/call server/discover tools/call", -32021: "tools/call tools/call"}[code]
			for range 2 {
				if _, err := c.CallTool(t.Context(), "a", nil, nil); jsonrpc.CodeOf(err) != code {
					t.Errorf("got %v, want the error of the tool", err)
				}
			}
			if got := s.history(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestKnownModernProvesWrong: the era is found anew once, and the first request is sent again
// when it was surely not served.
func TestKnownModernProvesWrong(t *testing.T) {
	const renewed = "server/discover initialize notifications/initialized"
	tests := []struct {
		name        string
		first       func(context.Context) (string, error) // answer to the call
		probe       func(context.Context) (string, error)
		list, calls string // what is sent for each kind of first request
		failed      bool   // the call is not sent again
	}{
		{"-32601", refuses(-32601, "Method not found", ""), refuses(-32601, "Method not found", ""),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed + " tools/call", false},
		{"-32602", refuses(-32602, "Invalid params", ""), refuses(-32602, "Invalid request", ""),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed + " tools/call", false},
		{"-32000 to everything", refuses(-32000, "No session", ""), refuses(-32000, "No session", ""),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed + " tools/call", false},
		{"code 0 to everything", answers("", jsonrpc.ReadError(jsonrpc.Raw(`{}`))), answers("", jsonrpc.ReadError(jsonrpc.Raw(`{}`))),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed + " tools/call", false},
		{"-32000 that may be the tool's", refuses(-32000, "I have tried", ""), refuses(-32000, "No session", ""),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed, true},
		{"-32000 in the words of another code", refuses(-32000, "No session", ""), refuses(-32001, "No session", ""),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed, true},
		{"-32603 that may be the tool's", refuses(-32603, "Internal error", ""), refuses(-32601, "Method not found", ""),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed, true},
		{"400", rejects(400, "400 Bad Request"), rejects(400, "400 Bad Request"),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed + " tools/call", false},
		{"502", rejects(502, "502 Bad Gateway"), rejects(404, "404 Not Found"),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed, true},
		{"-32022 with legacy versions", refuses(-32022, "Unsupported", `{"supported":["2025-11-25"],"requested":"2026-07-28"}`),
			refuses(-32022, "Unsupported", `{"supported":["2025-11-25"],"requested":"2026-07-28"}`),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed + " tools/call", false},
		{"exit", answers("", errExit), answers("", errExit),
			"tools/list " + renewed + " tools/list", "tools/call " + renewed, true},
		{"served by the rules of the other era", answers(`{"content":[],"tools":[]}`, nil), refuses(-32601, "Method not found", ""),
			"tools/list " + renewed, "tools/call " + renewed, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bothTransports(t, func(t *testing.T, stream bool) {
				for method, want := range map[string]string{"tools/list": test.list, "tools/call": test.calls} {
					var found *discover.Verdict
					s := &fakeServer{t: t, stream: stream}
					s.answer = func(ctx context.Context, m sent) (string, error) {
						if m.method == "server/discover" {
							return test.probe(ctx)
						}
						return oldServer(test.first)(ctx, m)
					}
					c := presume(t, s, discover.ConnectOptions{Renewed: func(v *discover.Verdict) { found = v }})
					err := firstRequest(t, c, method)
					if fails := test.failed && method == "tools/call"; (err != nil) != fails {
						t.Errorf("%s: got the error %v, want one: %t", method, err, fails)
					}
					if got := s.history(); got != want {
						t.Errorf("%s: got %s\nwant %s", method, got, want)
					}
					if found == nil || found.Era != mcp.Legacy || c.Era() != mcp.Legacy || c.Server() == nil {
						t.Errorf("%s: got the verdict %v and a client of the %s era", method, found, c.Era().String())
					}
					if err := firstRequest(t, c, method); err != nil || s.history() != method {
						t.Errorf("%s: the second one: %v", method, err)
					}
					if s.open() != 1 {
						t.Errorf("%s: %d links are open", method, s.open())
					}
					done := c.Done()
					c.Close()
					<-done
				}
			})
		})
	}
}

func firstRequest(t *testing.T, c *mcp.Client, method string) error {
	var err error
	if method == "tools/list" {
		_, err = c.ListTools(t.Context(), nil, nil)
	} else {
		_, err = c.CallTool(t.Context(), "a", nil, nil)
	}
	return err
}

// TestKnownModernIsSilent: a request that ends without an answer shows nothing, so the next
// one has the server asked first.
func TestKnownModernIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{t: t, stream: true, answer: oldServer(silence)}
		c := presume(t, s, discover.ConnectOptions{})
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.ListTools(ctx, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the first one: got %v", err)
		}
		if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
			t.Errorf("the second one: got %v", err)
		}
		if got, want := s.history(), "tools/list server/discover initialize notifications/initialized tools/list"; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	})
}

// TestKnownModernAtOnce: of many first requests that are refused, one has the era found and
// all are sent again.
func TestKnownModernAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{t: t, stream: true, answer: oldServer(func(context.Context) (string, error) {
			<-time.After(time.Second)
			return "", failWith(-32601, "Method not found", "")
		})}
		c := presume(t, s, discover.ConnectOptions{})
		defer c.Close()
		errs := make(chan error)
		for range 9 {
			go func() {
				_, err := c.ListTools(t.Context(), nil, nil)
				errs <- err
			}()
		}
		for range 9 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if h := s.history(); strings.Count(h, "initialize") != 2 || strings.Count(h, "server/discover") != 1 || strings.Count(h, "tools/list") != 18 {
			t.Errorf("got %s, want one handshake, one probe, and each request twice", h)
		}
	})
}

// TestKnownModernIsGone: a server that is neither, any more: the error is that of the request,
// the client goes on to try, and can be closed.
func TestKnownModernIsGone(t *testing.T) {
	bothTransports(t, func(t *testing.T, stream bool) {
		s := &fakeServer{t: t, stream: stream, answer: func(context.Context, sent) (string, error) {
			return "", failWith(-32050, "out of order", "")
		}}
		c := presume(t, s, discover.ConnectOptions{})
		for range 2 {
			if _, err := c.ListTools(t.Context(), nil, nil); !errors.Is(err, &jsonrpc.Error{Code: -32050}) {
				t.Errorf("got %v, want what the server says", err)
			}
		}
		if got, want := s.history(), "tools/list server/discover initialize server/discover initialize"; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if s.open() != 1 {
			t.Errorf("%d links are open", s.open())
		}
		c.Close()
		<-c.Done()
		if _, err := c.ListTools(t.Context(), nil, nil); !errors.Is(err, mcp.ErrLinkClosed) {
			t.Errorf("after Close: got %v", err)
		}
	})
}

// TestKnownModernClosed: a client that was never used can be closed, also while the era is
// looked for.
func TestKnownModernClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, used := range []bool{false, true} {
			s := &fakeServer{t: t, stream: true, answer: oldServer(func(ctx context.Context) (string, error) { return "", failWith(-32601, "no", "") })}
			c := presume(t, s, discover.ConnectOptions{})
			if used {
				s.answer = func(ctx context.Context, m sent) (string, error) {
					if m.method == "tools/list" {
						return "", failWith(-32601, "no", "")
					}
					return silence(ctx)
				}
				go c.ListTools(t.Context(), nil, nil)
				synctest.Wait()
			}
			if err := c.Close(); err != nil {
				t.Errorf("used %t: %v", used, err)
			}
			<-c.Done()
			synctest.Wait()
		}
	})
}

// TestKnownLegacy: the handshake is done without a probe; a server that refuses it is asked
// what it is.
func TestKnownLegacy(t *testing.T) {
	known := &discover.Verdict{Era: mcp.Legacy, Version: "2025-06-18", Evidence: "it was so"}
	bothTransports(t, func(t *testing.T, stream bool) {
		s := &fakeServer{t: t, stream: stream, answer: oldServer(nil)}
		c, verdict, err := discover.Connect(t.Context(), s, &discover.ConnectOptions{Known: known})
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if got, want := verdict.String(), "legacy 2025-11-25: it was so"; s.history() != "initialize notifications/initialized" || got != want {
			t.Errorf("got %s, want %s", got, want)
		}

		s = &fakeServer{t: t, stream: stream, answer: oldServer(nil)}
		c, verdict, err = discover.Connect(t.Context(), s, &discover.ConnectOptions{Known: &discover.Verdict{Era: mcp.Legacy, Version: "2024-11-05"}})
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if got, want := verdict.String(), "legacy 2025-11-25: it was kept as legacy 2024-11-05"; got != want {
			t.Errorf("without evidence: got %s, want %s", got, want)
		}

		s = &fakeServer{t: t, stream: stream, answer: newServer}
		c, verdict, err = discover.Connect(t.Context(), s, &discover.ConnectOptions{Known: known})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if verdict.Era != mcp.Modern || s.history() != "initialize server/discover" || s.open() != 1 {
			t.Errorf("a modern server: got %v with %d links open", verdict, s.open())
		}
	})
}

// TestKnownOfNoUse: a verdict that this client cannot act on is passed over.
func TestKnownOfNoUse(t *testing.T) {
	for _, known := range []discover.Verdict{{}, {Era: mcp.Modern, Version: "2030-01-01"}, {Era: mcp.Legacy, Version: "2020-01-01"}, {Era: mcp.Both, Version: "2026-07-28"}} {
		s := &fakeServer{t: t, answer: newServer}
		c, verdict, err := discover.Connect(t.Context(), s, &discover.ConnectOptions{Known: &known})
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if verdict.Era != mcp.Modern || s.history() != "server/discover" {
			t.Errorf("%v: got %v", known, verdict)
		}
	}
	s := &fakeServer{t: t, answer: oldServer(nil)}
	c, _, err := discover.Connect(t.Context(), s, &discover.ConnectOptions{Era: mcp.Legacy, Known: &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if h := s.history(); h != "initialize notifications/initialized" {
		t.Errorf("the era is forced: got %s", h)
	}
}

// TestKnownAndForced: with the era forced as well there is nothing to find anew.
func TestKnownAndForced(t *testing.T) {
	s := &fakeServer{t: t, answer: oldServer(refuses(-32601, "Method not found", ""))}
	c := presume(t, s, discover.ConnectOptions{Era: mcp.Modern})
	defer c.Close()
	if _, err := c.ListTools(t.Context(), nil, nil); jsonrpc.CodeOf(err) != jsonrpc.MethodNotFound || s.history() != "tools/list" {
		t.Errorf("got %v", err)
	}
}
