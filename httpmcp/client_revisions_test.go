package httpmcp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
	"isthmus.internal/mcp/seal"
)

// pair is a client of a revision and the workshop that it is connected with, in a bubble.
type pair struct {
	*testing.T
	*workshop
	client *mcp.Client
	front  *front
	heard  []string // log messages and changes, in order; read behind synctest.Wait
}

// front stands before the server: it can cut connections, and knows which requests came.
type front struct {
	http.Handler
	mu    sync.Mutex
	conns []net.Conn
	saw   []*http.Request
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.saw = append(f.saw, r)
	f.mu.Unlock()
	f.Handler.ServeHTTP(w, r)
}

// requests are those that came with a method.
func (f *front) requests(method string) (found []*http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.saw {
		if r.Method == method {
			found = append(found, r)
		}
	}
	return found
}

// cut cuts all connections.
func (f *front) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		c.Close()
	}
	f.conns = nil
}

// withPair connects a client that asks for a version of an endpoint, and runs f.
func withPair(t *testing.T, version string, serve func(*mcp.Server) endpoint, f func(p *pair)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &pair{T: t, workshop: newWorkshop()}
		e := serve(p.Server)
		p.front = &front{Handler: e}
		http, end := clientOf(t, p.front)
		defer end()
		defer func() {
			inTime, stop := context.WithTimeout(context.Background(), time.Second)
			defer stop()
			e.Shutdown(inTime)
		}()
		p.front.watch(http)
		options := &mcp.ClientOptions{
			Roots: func(context.Context) ([]mcp.Root, error) {
				return []mcp.Root{{URI: "file:///a"}, {URI: "file:///b"}}, nil
			},
			LogLevel: mcp.LogWarning,
			Log: func(l *mcp.LogMessageParams) {
				p.heard = append(p.heard, "log "+string(l.Data))
				if err := p.client.Ping(t.Context()); err != nil && !errors.Is(err, mcp.ErrLinkClosed) { // B172: from where messages are heard
					t.Errorf("Ping: %v", err)
				}
			},
			Changed: func(c mcp.Change) { p.heard = append(p.heard, "change") },
		}
		var err error
		p.client, _, err = discover.Connect(t.Context(), httpmcp.Dial("http://h.example/mcp", &httpmcp.DialOptions{Client: http}),
			&discover.ConnectOptions{Client: options, Version: version})
		if err != nil {
			t.Fatal(err)
		}
		defer p.client.Close()
		synctest.Wait()
		f(p)
	})
}

// watch keeps the connections of a client, to cut them.
func (f *front) watch(c *http.Client) {
	t := c.Transport.(*http.Transport)
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err == nil {
			f.mu.Lock()
			f.conns = append(f.conns, c)
			f.mu.Unlock()
		}
		return c, err
	}
}

type endpoint = interface {
	http.Handler
	Shutdown(context.Context) error
}

// inEachRevision runs f with the endpoints of both transports.
func inEachRevision(t *testing.T, f func(p *pair, version string, old bool)) {
	t.Helper()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			withPair(t, version, func(s *mcp.Server) endpoint { return httpmcp.Handler(s, nil) }, func(p *pair) { f(p, version, false) })
		})
		t.Run(version+" over HTTP with SSE", func(t *testing.T) {
			withPair(t, version, func(s *mcp.Server) endpoint { return httpmcp.SSEHandler(s, nil) }, func(p *pair) { f(p, version, true) })
		})
	}
}

// text is what a tool answers.
func (p *pair) text(ctx context.Context, name string, o *mcp.CallOptions) string {
	r, err := p.client.CallTool(ctx, name, nil, o)
	if err != nil {
		return err.Error()
	}
	return r.Content[0].(*mcp.TextContent).Text
}

// All that a server and a client have to say to each other.
func TestEachRevision(t *testing.T) {
	inEachRevision(t, func(p *pair, version string, old bool) {
		if got := p.client.ProtocolVersion(); got != version {
			p.Errorf("the version is %s", got)
		}
		if page, err := p.client.ListTools(p.Context(), nil, nil); err != nil || len(page.Items) < 5 {
			p.Errorf("ListTools: %v", err)
		}
		if got := p.text(p.Context(), "roots", nil); got != "2" {
			p.Errorf("roots: %s, %v", got, <-p.ended)
		}
		if got := p.text(p.Context(), "log", nil); got != "logged" {
			p.Errorf("log: %s", got)
		}
		synctest.Wait()
		if got := strings.Join(p.heard, ", "); got != `log "error"` {
			p.Errorf("heard %s", got)
		}
		p.heard = nil
		go close(p.open)
		var told []float64
		got := p.text(p.Context(), "wait", &mcp.CallOptions{Progress: func(r mcp.ProgressParams) { told = append(told, r.Progress) }})
		if got != "waited" || fmt.Sprint(told) != "[1 2]" {
			p.Errorf("wait: %s, told of %v", got, told)
		}
		p.AddTool(mcp.Tool{Name: "another"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("x"), nil })
		<-time.After(time.Minute) // changes are told together
		synctest.Wait()
		if got := strings.Join(p.heard, ", "); got != "change" {
			p.Errorf("heard %s", got)
		}
		if err := p.client.Close(); err != nil {
			p.Errorf("Close: %v", err)
		}
		if n := len(p.front.requests("DELETE")); (n == 1) == old {
			p.Errorf("%d DELETEs", n)
		}
		for _, r := range p.front.requests("GET") {
			if got := r.Header.Get("MCP-Protocol-Version"); !old && got != version || old && got != "" {
				p.Errorf("GET has the version %q", got)
			}
		}
	})
}

// Sessions that the server keeps nothing of, and none at all.
func TestEachRevisionWithoutSessions(t *testing.T) {
	for _, version := range versions {
		for name, o := range map[string]*httpmcp.Options{
			"sealed": {SessionKeys: seal.RandomKeys()},
			"none":   {Stateless: true},
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				withPair(t, version, func(s *mcp.Server) endpoint { return httpmcp.Handler(s, o) }, func(p *pair) {
					if got := p.text(p.Context(), "log", nil); got != "logged" {
						p.Errorf("log: %s", got)
					}
					if n := len(p.front.requests("GET")); n != 1 {
						p.Errorf("%d GETs, want the one that is told that there are none", n)
					}
					if err := p.client.Close(); err != nil {
						p.Errorf("Close: %v", err)
					}
				})
			})
		}
	}
}

// Nothing needs to be known of a server that speaks the transport of 2024-11-05 alone.
func TestOldServerIsFound(t *testing.T) {
	withPair(t, "", func(s *mcp.Server) endpoint { return httpmcp.SSEHandler(s, nil) }, func(p *pair) {
		if got := p.client.ProtocolVersion(); got != "2025-11-25" {
			p.Errorf("the version is %s", got)
		}
		if got := p.text(p.Context(), "roots", nil); got != "2" {
			p.Errorf("roots: %s", got)
		}
	})
}

// A cancelled call ends on the server, too.
func TestEachRevisionCancels(t *testing.T) {
	inEachRevision(t, func(p *pair, _ string, _ bool) {
		ctx, cancel := context.WithTimeout(p.Context(), time.Second)
		defer cancel()
		if got := p.text(ctx, "wait", nil); !strings.Contains(got, "deadline") {
			p.Errorf("got %s", got)
		}
		if err := <-p.ended; !errors.Is(err, context.Canceled) {
			p.Errorf("the handler has ended with %v", err)
		}
	})
}

// Connections that break, however often, cost no message and no answer.
func TestEachRevisionBroken(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			withPair(t, version, func(s *mcp.Server) endpoint { return httpmcp.Handler(s, nil) }, func(p *pair) {
				var told []float64
				done := make(chan string, 1)
				go func() {
					done <- p.text(p.Context(), "wait", &mcp.CallOptions{Progress: func(r mcp.ProgressParams) { told = append(told, r.Progress) }})
				}()
				for range 3 {
					<-time.After(15 * time.Second)
					p.front.cut()
				}
				close(p.open)
				if got := <-done; got != "waited" || fmt.Sprint(told) != "[1 2]" {
					p.Errorf("got %s, told of %v", got, told)
				}
				p.AddTool(mcp.Tool{Name: "another"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("x"), nil })
				<-time.After(time.Minute)
				synctest.Wait()
				if got := strings.Join(p.heard, ", "); got != "change" {
					p.Errorf("heard %s", got)
				}
			})
		})
	}
}

// A server that lets the connection go has the client come back for the answer, where the revision
// has that (2025-11-25 basic/transports, Sending Messages to the Server, 6).
func TestEachRevisionPolls(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			withPair(t, version, func(s *mcp.Server) endpoint { return httpmcp.Handler(s, nil) }, func(p *pair) {
				start := time.Now()
				done := make(chan string, 1)
				go func() { done <- p.text(p.Context(), "detach", nil) }()
				synctest.Wait()
				close(p.open)
				polls := version == "2025-11-25"
				if got := <-done; !strings.HasPrefix(got, fmt.Sprint(polls)) {
					p.Errorf("got %s", got)
				}
				if took := time.Since(start); (took >= 3*time.Second) != polls {
					p.Errorf("took %s", took)
				}
				resumed := slices.ContainsFunc(p.front.requests("GET"), func(r *http.Request) bool { return r.Header.Get("Last-Event-ID") != "" })
				if resumed != polls {
					p.Errorf("there was a GET with Last-Event-ID: %v", resumed)
				}
			})
		})
	}
}

// A session that the server ends in the middle: what was under way is lost, and the next call
// goes on in another session.
func TestEachRevisionSessionEnds(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			withPair(t, version, func(s *mcp.Server) endpoint { return httpmcp.Handler(s, nil) }, func(p *pair) {
				done := make(chan string, 1)
				go func() { done <- p.text(p.Context(), "wait", &mcp.CallOptions{Progress: func(mcp.ProgressParams) {}}) }()
				synctest.Wait()
				posts := p.front.requests("POST")
				id := posts[len(posts)-1].Header.Get("Mcp-Session-Id")
				p.endSession(id)
				if got := <-done; !strings.Contains(got, "the connection was lost before the answer came") {
					p.Errorf("the call under way: %s", got)
				}
				if got := p.text(p.Context(), "log", nil); got != "logged" {
					p.Errorf("the next call: %s", got)
				}
				posts = p.front.requests("POST")
				if now := posts[len(posts)-1].Header.Get("Mcp-Session-Id"); now == id || now == "" {
					p.Errorf("the session is %q, and was %q", now, id)
				}
			})
		})
	}
}

// endSession ends a session behind the back of its client.
func (p *pair) endSession(id string) {
	r, _ := http.NewRequest("DELETE", "http://h.example/mcp", nil)
	r.Header.Set("Mcp-Session-Id", id)
	p.front.Handler.ServeHTTP(discarded{http.Header{}}, r)
}

// discarded is a response that nobody reads.
type discarded struct{ header http.Header }

func (d discarded) Header() http.Header            { return d.header }
func (discarded) Write(b []byte) (int, error)      { return len(b), nil }
func (discarded) WriteHeader(int)                  {}
func (discarded) SetWriteDeadline(time.Time) error { return nil }
