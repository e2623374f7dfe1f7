package discover_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// probeRow is a way to answer server/discover, and what comes of it.
type probeRow struct {
	name     string
	answer   func(ctx context.Context) (string, error)
	era      mcp.Eras // that is found where both may be; 0 for an error
	evidence string   // a part of it, or of the error
	forced   string   // a part of the error where it must be the modern era; "" for evidence
}

func answers(result string, err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return result, err }
}

func refuses(code jsonrpc.Code, message, data string) func(context.Context) (string, error) {
	return answers("", failWith(code, message, data))
}

func rejects(status int, reason string) func(context.Context) (string, error) {
	return answers("", &mcp.Rejected{Status: status, Reason: reason})
}

// probeRows: the answers that servers are known to give. The handshake works in all of them.
var probeRows = []probeRow{
	{"a DiscoverResult", answers(discoverResult, nil), mcp.Modern, `server/discover was answered with supportedVersions "2026-07-28"`, ""},
	{"one of several versions", answers(`{"supportedVersions":["2030-01-01","2026-07-28","2025-11-25"],"capabilities":{}}`, nil), mcp.Modern, `"2030-01-01", "2026-07-28", "2025-11-25"`, ""},
	{"one that cannot be read", answers(`{"supportedVersions":["2026-07-28"],"capabilities":7}`, nil), mcp.Modern, "supportedVersions", ""},
	{"-32021", refuses(-32021, "Missing", `{"requiredCapabilities":{"roots":{}}}`), mcp.Modern, "the error -32021: Missing", ""},
	{"-32020", refuses(-32020, "Header mismatch", ""), mcp.Modern, "the error -32020", ""},

	{"legacy versions alone", answers(`{"supportedVersions":["2025-06-18"],"capabilities":{}}`, nil), mcp.Legacy, `supportedVersions "2025-06-18"`, `the server supports "2025-06-18"`},
	{"-32022 with legacy versions alone", refuses(-32022, "Unsupported protocol version", `{"supported":["2025-11-25"],"requested":"2026-07-28"}`), mcp.Legacy, "-32022", "leave the era and the version open"},
	{"-32022 with no version in common", refuses(-32022, "Unsupported protocol version", `{"supported":["2030-01-01"],"requested":"2026-07-28"}`), 0,
		`no modern version in common: the server supports "2030-01-01", and this client "2026-07-28"`, ""},
	{"-32022 with the very version", refuses(-32022, "Unsupported protocol version", `{"supported":["2026-07-28"],"requested":"2026-07-28"}`), 0, "refuses version 2026-07-28, although", ""},
	{"-32022 that names none", refuses(-32022, "busy", ""), mcp.Legacy, "-32022", ""},
	{"another code that names versions", refuses(-32602, "Unsupported protocol version", `{"supported":["2030-01-01"],"requested":"2026-07-28"}`), mcp.Legacy, "-32602", ""},
	{"no version in common", answers(`{"supportedVersions":["2030-01-01"],"capabilities":{}}`, nil), 0, `the server supports "2030-01-01"`, ""},

	{"B188 -32601", refuses(-32601, "Method not found", ""), mcp.Legacy, "the error -32601: Method not found", ""},
	{"B188 -32602", refuses(-32602, "Invalid request parameters", ""), mcp.Legacy, "-32602", ""},
	{"-32600", refuses(-32600, "Invalid Request", ""), mcp.Legacy, "-32600", ""},
	{"-32603", refuses(-32603, "Internal error", ""), mcp.Legacy, "-32603", ""},
	{"B188 -32000", refuses(-32000, "Bad Request: Server not initialized", ""), mcp.Legacy, "-32000", ""},
	{"an error of many lines", refuses(-32000, "a\nb\r\nc\u2028d", ""), mcp.Legacy, "the error -32000: a b  c d", ""},
	{"an error that steers a terminal", refuses(-32000, "a\u009bb\u202ec", ""), mcp.Legacy, "the error -32000: a b c", ""},
	{"code 0", answers("", jsonrpc.ReadError(jsonrpc.Raw(`{"code":0,"message":"x"}`))), mcp.Legacy, "without a proper code", ""},
	{"an empty result", answers(`{}`, nil), mcp.Legacy, "names no supportedVersions: {}", ""},
	{"a result that is no object", answers(`[1]`, nil), mcp.Legacy, "names no supportedVersions: [1]", ""},
	{"supportedVersions is empty", answers(`{"supportedVersions":[],"capabilities":{}}`, nil), mcp.Legacy, "names no supportedVersions", ""},
	{"supportedVersions is a string", answers(`{"supportedVersions":"2026-07-28"}`, nil), mcp.Legacy, "names no supportedVersions", ""},
	{"B188 400 with plain text", rejects(400, "400 Bad Request: no session"), mcp.Legacy, "rejected: 400 Bad Request: no session", ""},
	{"401", rejects(401, "401 Unauthorized"), mcp.Legacy, "401 Unauthorized", ""},
	{"403", rejects(403, "403 Forbidden"), mcp.Legacy, "403", ""},
	{"404", rejects(404, "404 Not Found"), mcp.Legacy, "404", ""},
	{"405", rejects(405, "405 Method Not Allowed"), mcp.Legacy, "405", ""},
	{"no answer that can be read", answers("", errors.New("the answer is no JSON-RPC message")), mcp.Legacy, "has failed: the answer is no JSON-RPC message", ""},
	{"B188 silence, or an id that nobody knows", silence, mcp.Legacy, "not answered within 5s", "not answered within 30s"},
	{"exit", answers("", errExit), mcp.Legacy, "had the server end the connection: ", ""},
}

// TestProbe: the era is found out by what the server answers, and none of the codes that
// servers of the legacy era may use counts (B188).
func TestProbe(t *testing.T) {
	for _, row := range probeRows {
		t.Run(row.name, func(t *testing.T) {
			bothTransports(t, func(t *testing.T, stream bool) {
				synctest.Test(t, func(t *testing.T) {
					s := &fakeServer{t: t, stream: stream, answer: oldServer(row.answer)}
					row.check(t, s, nil, row.era)
				})
			})
		})
	}
}

// TestForcedEras: where only one era may be, the other is not even tried.
func TestForcedEras(t *testing.T) {
	for _, row := range probeRows {
		t.Run(row.name, func(t *testing.T) {
			bothTransports(t, func(t *testing.T, stream bool) {
				synctest.Test(t, func(t *testing.T) {
					s := &fakeServer{t: t, stream: stream, answer: oldServer(row.answer)}
					modern := row
					if row.forced != "" {
						modern.evidence = row.forced
					}
					modern.check(t, s, &discover.ConnectOptions{Era: mcp.Modern}, row.era&mcp.Modern)
					if h := s.history(); strings.Contains(h, "initialize") {
						t.Errorf("modern: got %s, want no handshake", h)
					}
					s = &fakeServer{t: t, stream: stream, answer: oldServer(row.answer)}
					legacy := probeRow{row.name, row.answer, mcp.Legacy, "asked for", ""}
					legacy.check(t, s, &discover.ConnectOptions{Era: mcp.Legacy}, mcp.Legacy)
					if h := s.history(); strings.Contains(h, "discover") {
						t.Errorf("legacy: got %s, want no probe", h)
					}
				})
			})
		})
	}
}

// check connects, and makes a call if that has gone well.
func (row *probeRow) check(t *testing.T, s *fakeServer, o *discover.ConnectOptions, era mcp.Eras) {
	t.Helper()
	c, verdict, err := discover.Connect(t.Context(), s, o)
	if era == 0 {
		if err == nil {
			c.Close()
			t.Fatalf("got %v, want an error", verdict)
		}
		if !strings.Contains(err.Error(), row.evidence) || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("got the error %v\nwant one line with %q", err, row.evidence)
		}
		if n := s.open(); n != 0 {
			t.Errorf("%d links are open after the error", n)
		}
		return
	}
	if err != nil {
		t.Fatalf("got the error %v", err)
	}
	defer c.Close()
	version := map[mcp.Eras]string{mcp.Modern: "2026-07-28", mcp.Legacy: "2025-11-25"}[era]
	if verdict.Era != era || verdict.Version != version || c.Era() != era || c.ProtocolVersion() != version {
		t.Errorf("got %v and a client of %v %s, want %s", verdict, c.Era(), c.ProtocolVersion(), version)
	}
	if !strings.Contains(verdict.Evidence, row.evidence) || strings.ContainsAny(verdict.Evidence, "\r\n") {
		t.Errorf("got the evidence %q, want one line with %q", verdict.Evidence, row.evidence)
	}
	if n := s.open(); n != 1 {
		t.Errorf("%d links are open, want the one that is used", n)
	}
	s.answer = func(ctx context.Context, m sent) (string, error) {
		if era == mcp.Modern {
			return newServer(ctx, m)
		}
		return oldServer(nil)(ctx, m)
	}
	if _, err := c.ListTools(t.Context(), nil, nil); err != nil {
		t.Errorf("tools/list: %v", err)
	}
}

// TestProbeIsQuiet: the probe is said in the newest revision, and the server is not told
// that it is given up.
func TestProbeIsQuiet(t *testing.T) {
	s := &fakeServer{t: t, answer: newServer}
	c, _, err := discover.Connect(t.Context(), s, &discover.ConnectOptions{Client: &mcp.ClientOptions{Info: mcp.Implementation{Name: "a", Version: "2"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const want = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"a","version":"2"},"io.modelcontextprotocol/clientCapabilities":{}}}`
	if got := s.all[0]; got.method != "server/discover" || got.params != want || got.version != "2026-07-28" || !got.quiet {
		t.Errorf("got %+v\nwant a quiet server/discover in 2026-07-28 with %s", got, want)
	}
	if d := c.Server(); d == nil || d.Capabilities.Tools == nil {
		t.Errorf("the client knows of its server %+v", d)
	}
}

// TestHeardWhileConnecting: what a server logs before its era is known is heard, too (2025-11-25
// basic/lifecycle, Initialization).
func TestHeardWhileConnecting(t *testing.T) {
	for _, era := range []mcp.Eras{mcp.Modern, mcp.Legacy} {
		synctest.Test(t, func(t *testing.T) {
			s := &fakeServer{t: t, stream: true}
			s.answer = func(ctx context.Context, m sent) (string, error) {
				if m.method == "server/discover" {
					s.tell("notifications/message", `{"level":"info","data":"starting"}`)
				}
				if era == mcp.Legacy {
					return oldServer(refuses(-32601, "Method not found", ""))(ctx, m)
				}
				return newServer(ctx, m)
			}
			var heard []string
			c, _, err := discover.Connect(t.Context(), s, &discover.ConnectOptions{Client: &mcp.ClientOptions{
				Log: func(m *mcp.LogMessageParams) { heard = append(heard, string(m.Data)) },
			}})
			if err != nil {
				t.Fatal(err)
			}
			c.Close()
			if c.Era() != era || strings.Join(heard, " ") != `"starting"` {
				t.Errorf("%s: heard %q", c.Era().String(), heard)
			}
		})
	}
}

// TestSlowStart: a server of the modern era alone, that takes longer to start than the probe
// waits, is found all the same, once it has refused the handshake.
func TestSlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := &fakeServer{t: t, stream: true, answer: func(ctx context.Context, m sent) (string, error) {
			select {
			case <-time.After(time.Until(start.Add(8 * time.Second))):
			case <-ctx.Done():
				return "", ctx.Err()
			}
			return newServer(ctx, m)
		}}
		c, verdict, err := discover.Connect(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if got, want := s.history(), "server/discover initialize server/discover"; got != want || verdict.Era != mcp.Modern {
			t.Errorf("got %s and %v\nwant %s", got, verdict, want)
		}
	})
}

// TestConnectFails: the errors say what was tried and what came, and the causes can be found
// in them.
func TestConnectFails(t *testing.T) {
	tests := []struct {
		name             string
		probe, handshake func(context.Context) (string, error)
		want             string
		is               error
		after            time.Duration
	}{
		{"neither", refuses(-32601, "no such method", ""), refuses(-32603, "broken", ""),
			`modern: server/discover was answered with the error -32601: no such method; legacy: initialize for version "2025-11-25": jsonrpc: error -32603: broken`, &jsonrpc.Error{Code: -32603}, 0},
		{"silent in both", silence, silence, "server/discover was not answered within 5s; legacy: initialize was not answered within 1m0s", context.DeadlineExceeded, 70 * time.Second},
		{"ends on both", answers("", errExit), answers("", errExit), "had the server end the connection: ", mcp.ErrLinkClosed, 0},
		{"401 to both", rejects(401, "401 Unauthorized"), rejects(401, "401 again"), "discover: mcp: the server has rejected the request: 401 Unauthorized", nil, 0},
		{"not to be reached", answers("", &net.OpError{Op: "dial", Err: errors.New("refused")}), answers("", &net.OpError{Op: "dial", Err: errors.New("refused again")}),
			"discover: dial: refused", nil, 0},
		{"404 to both", rejects(404, "404 Not Found"), rejects(404, "404 again"), "rejected: 404 Not Found; legacy: ", nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bothTransports(t, func(t *testing.T, stream bool) {
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					s := &fakeServer{t: t, stream: stream, answer: func(ctx context.Context, m sent) (string, error) {
						if m.method == "initialize" {
							return test.handshake(ctx)
						}
						return test.probe(ctx)
					}}
					_, _, err := discover.Connect(t.Context(), s, nil)
					if err == nil || !strings.Contains(err.Error(), test.want) {
						t.Fatalf("got the error %v\nwant %s", err, test.want)
					}
					if test.is != nil && !errors.Is(err, test.is) {
						t.Errorf("the error %v does not match %v", err, test.is)
					}
					if took := time.Since(start); took != test.after {
						t.Errorf("it took %v, want %v", took, test.after)
					}
					if n := s.open(); n != 0 {
						t.Errorf("%d links are open", n)
					}
				})
			})
		})
	}
}

// TestConnectContext: the context of Connect ends it, at whichever step, with its own error.
func TestConnectContext(t *testing.T) {
	for name, answer := range map[string]func(context.Context, sent) (string, error){
		"probe":     func(ctx context.Context, m sent) (string, error) { return silence(ctx) },
		"handshake": oldServerThatHangs,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &fakeServer{t: t, stream: true, answer: answer}
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				_, _, err := discover.Connect(ctx, s, nil)
				if !errors.Is(err, context.DeadlineExceeded) || s.open() != 0 {
					t.Errorf("got %v with %d links open, want a deadline that was exceeded", err, s.open())
				}
			})
		})
	}
}

func oldServerThatHangs(ctx context.Context, m sent) (string, error) {
	if m.method == "initialize" {
		return silence(ctx)
	}
	return "", failWith(-32601, "Method not found", "")
}

// TestVersionOption: a version says which era is spoken.
func TestVersionOption(t *testing.T) {
	tests := []struct {
		name string
		o    discover.ConnectOptions
		want string // what was sent, or the error
	}{
		{"modern", discover.ConnectOptions{Version: "2026-07-28"}, "server/discover"},
		{"legacy", discover.ConnectOptions{Version: "2025-11-25"}, "initialize notifications/initialized"},
		{"both said", discover.ConnectOptions{Version: "2025-11-25", Era: mcp.Legacy}, "initialize notifications/initialized"},
		{"of the other era", discover.ConnectOptions{Version: "2025-11-25", Era: mcp.Modern}, "discover: version 2025-11-25 is not one of the modern era"},
		{"modern, and the other era", discover.ConnectOptions{Version: "2026-07-28", Era: mcp.Legacy}, "discover: version 2026-07-28 is not one of the legacy era"},
		{"no era", discover.ConnectOptions{Era: 9}, "discover: ConnectOptions.Era is Eras(9): it must be mcp.Legacy, mcp.Modern, or mcp.Both for either"},
		{"unknown", discover.ConnectOptions{Version: "2030-01-01"}, `discover: version "2030-01-01" is not known: there are "2026-07-28", "2025-11-25"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &fakeServer{t: t, stream: true, answer: func(ctx context.Context, m sent) (string, error) {
				if m.method == "initialize" {
					return handshakeResult, nil
				}
				return newServer(ctx, m)
			}}
			c, verdict, err := discover.Connect(t.Context(), s, &test.o)
			if err != nil {
				if !strings.HasPrefix(err.Error(), test.want) {
					t.Errorf("got the error %v\nwant %s", err, test.want)
				}
				return
			}
			defer c.Close()
			if got := s.history(); got != test.want || verdict.Version != test.o.Version {
				t.Errorf("got %s and %v, want %s", got, verdict, test.want)
			}
		})
	}
}

// TestNoTransport: an error in place of a nil dereference.
func TestNoTransport(t *testing.T) {
	c, verdict, err := discover.Connect(t.Context(), nil, nil)
	if err == nil || c != nil || verdict != nil || !strings.HasPrefix(err.Error(), "discover: there is no transport to connect by: ") {
		t.Errorf("got %v, %v, %v, want an error that says what is missing", c, verdict, err)
	}
}
