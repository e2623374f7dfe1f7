package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// answered is what a client answers to a question of its server: the result, or the code and
// message of the error that the server is told.
func answered(t testing.TB, c *mcp.Client, ctx context.Context, f *mcp.Form, method, params string) string {
	t.Helper()
	var raw jsonrpc.Raw
	if params != "" {
		raw = jsonrpc.Raw(params)
	}
	result, err := c.Answer(ctx, method, raw, f)
	var told *jsonrpc.Error
	switch {
	case err == nil:
		return string(result)
	case result != nil:
		t.Errorf("%s %s: a result and an error: %s", method, params, result)
	case !errors.As(err, &told):
		t.Errorf("%s %s: the server cannot be told of %v", method, params, err)
		return err.Error()
	}
	return fmt.Sprintf("%d %s", told.Code, told.Message)
}

// logs are the lines that a client logs.
type logs struct{ strings.Builder }

func (l *logs) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

const (
	notDeclared   = "-32601 Method not found: %s: the client has not declared it"
	notAnswered   = "-32603 Internal error: the client could not answer"
	formOnly      = "-32602 params.mode is not one that the client has declared: form"
	formOrURL     = "-32602 params.mode is not one that the client has declared: form, url"
	wantsAge      = `{"message":"How old?","requestedSchema":{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}}`
	wantsPage     = `{"mode":"url","message":"Sign in","url":"https://example.com/sign-in","elicitationId":"e"}`
	wantsDefaults = `{"message":"m","requestedSchema":{"type":"object","properties":{` +
		`"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},` +
		`"status":{"type":"string","enum":["active","inactive"],"default":"active"},"verified":{"type":"boolean","default":true},` +
		`"plain":{"type":"string"}},"required":["name"]}}`
)

// elicits is a client whose user does as told.
func elicits(log *logs, does func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)) *mcp.Client {
	return mcp.NewClient(&mcp.ClientOptions{Logger: log.logger(), Elicit: does, ElicitURL: true})
}

// gives is a user who does the same whatever is asked.
func gives(action, content string, err error) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if err != nil {
			return nil, err
		}
		return &mcp.ElicitResult{Action: action, Content: jsonrpc.Raw(content)}, nil
	}
}

// TestAnswerElicitation (B193, B203): what the user does reaches the server as such, with the
// defaults of the form where something is accepted, and with nothing else where not.
func TestAnswerElicitation(t *testing.T) {
	mine := errors.New("the screen is broken")
	tests := []struct {
		name, params string
		does         func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
		want, logged string
	}{
		{"accepted", wantsAge, gives("accept", `{"age": 30}`, nil), `{"action":"accept","content":{"age":30}}`, ""},
		{"integers stay exact", wantsAge, gives("accept", `{"age":9007199254740993}`, nil), `{"action":"accept","content":{"age":9007199254740993}}`, ""},
		{"mode is said", `{"mode":"form",` + wantsAge[1:], gives("accept", `{"age":1}`, nil), `{"action":"accept","content":{"age":1}}`, ""},
		{"declined", wantsAge, gives("decline", `{"age":30}`, nil), `{"action":"decline"}`, ""},
		{"declined, as an error", wantsAge, gives("", "", fmt.Errorf("no: %w", mcp.ErrDeclined)), `{"action":"decline"}`, ""},
		{"cancelled", wantsAge, gives("cancel", ``, nil), `{"action":"cancel"}`, ""},
		{"cancelled, as an error", wantsAge, gives("", "", mcp.ErrCancelled), `{"action":"cancel"}`, ""},
		{"defaults of all kinds", wantsDefaults, gives("accept", `{}`, nil),
			`{"action":"accept","content":{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}}`, ""},
		{"defaults beside what is there", wantsDefaults, gives("accept", `{"age":7,"plain":"x"}`, nil),
			`{"action":"accept","content":{"age":7,"plain":"x","name":"John Doe","score":95.5,"status":"active","verified":true}}`, ""},
		{"defaults where nothing is given", wantsDefaults, func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept"}, nil
		}, `{"action":"accept","content":{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}}`, ""},
		{"no defaults where declined", wantsDefaults, gives("decline", ``, nil), `{"action":"decline"}`, ""},
		{"a default that does not fit", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"integer","default":"x"}}}}`,
			gives("accept", `{}`, nil), `{"action":"accept","content":{}}`, ""},
		{"what zod adds", `{"message":"m","requestedSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}}`,
			gives("accept", `{"a":"x"}`, nil), `{"action":"accept","content":{"a":"x"}}`, ""},

		{"does not fit", wantsAge, gives("accept", `{"age":"x"}`, nil), notAnswered, "/age: expected an integer"},
		{"lacks what is required", wantsAge, gives("accept", `{}`, nil), notAnswered, "age"},
		{"no object", wantsAge, gives("accept", `[1]`, nil), notAnswered, "must be a JSON object"},
		{"no JSON", wantsAge, gives("accept", `{"age":1`, nil), notAnswered, "must be a JSON object"},
		{"another action", wantsAge, gives("yes", `{"age":1}`, nil), notAnswered, `action is`},
		{"nothing", wantsAge, func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, nil }, notAnswered, "neither a result nor an error"},
		{"an error", wantsAge, gives("", "", mine), notAnswered, "the screen is broken"},
		{"an error for the server", wantsAge, gives("", "", fmt.Errorf("so: %w", jsonrpc.Errorf(-32000, "Busy"))), "-32000 Busy", ""},
		{"a panic", wantsAge, func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { panic("ouch") }, notAnswered, "ouch"},

		{"no params", ``, nil, "-32602 params must be an object: it is missing", ""},
		{"params are an array", `[]`, nil, "-32602 params must be an object", ""},
		{"no message", `{"requestedSchema":{}}`, nil, "-32602 params.message must be there", ""},
		{"no schema", `{"message":"m"}`, nil, "-32602 params.requestedSchema must be there", ""},
		{"a schema that is none", `{"message":"m","requestedSchema":{"type":"wish"}}`, nil, "-32602 params.requestedSchema is no schema", ""},
		{"a schema from elsewhere", `{"message":"m","requestedSchema":{"$ref":"https://example.com/s"}}`, nil, "-32602 params.requestedSchema is no schema", ""},
		{"_meta is no object", `{"_meta":1,` + wantsAge[1:], nil, "-32602 params._meta must be an object", ""},
		{"a member twice", `{"message":"n",` + wantsAge[1:], nil, "-32602 params has a member twice", ""},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			log := &logs{}
			does := test.does
			if does == nil {
				does = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					t.Errorf("%s: the user was asked", test.name)
					return nil, mcp.ErrDeclined
				}
			}
			got := answered(t, elicits(log, does), context.Background(), f, "elicitation/create", test.params)
			if !f.Elicitation {
				same(t, test.name, got, fmt.Sprintf(notDeclared, "elicitation/create"))
				continue
			}
			if strings.HasPrefix(test.want, "-32602") {
				got = got[:min(len(got), len(test.want))] // the reason is behind it
			}
			same(t, test.name, got, test.want)
			if (test.logged == "") != (log.Len() == 0) || !strings.Contains(log.String(), test.logged) {
				t.Errorf("%s: logged %q, want %q in it", test.name, log, test.logged)
			}
		}
	})
}

// TestAnswerModes: a page is shown where the revision and the client have pages, and only
// one that a browser can open; what is entered in it stays there.
func TestAnswerModes(t *testing.T) {
	page := func(url string) string { return strings.Replace(wantsPage, "https://example.com/sign-in", url, 1) }
	tests := []struct {
		name, params string
		noPages      bool
		want         string
	}{
		{"agreed", wantsPage, false, `{"action":"accept"}`},
		{"while a server is developed", page("HTTP://localhost:8080/x"), false, `{"action":"accept"}`},
		{"not declared", wantsPage, true, formOnly},
		{"unknown mode", `{"mode":"voice"}`, false, formOrURL},
		{"mode is a number", `{"mode":1}`, false, formOrURL},
		{"no message", `{"mode":"url","url":"https://example.com"}`, false, "-32602 params.message must be there"},
		{"no url", `{"mode":"url","message":"m"}`, false, "-32602 params.url must be there"},
		{"a script", page("javascript:alert(1)"), false, "-32602 params.url: it must be https"},
		{"a file", page("file:///etc/passwd"), false, "-32602 params.url: it must be https"},
		{"a program", page("vscode://open?x=https://example.com"), false, "-32602 params.url: it must be https"},
		{"no host", page("https:///x"), false, "-32602 params.url: it must be https"},
		{"no slashes", page("https:example.com"), false, "-32602 params.url: it must be https"},
		{"relative", page("/sign-in"), false, "-32602 params.url: it must be https://, or http:// "},
		{"a space", page("https://example.com/a b"), false, "-32602 params.url: the uri has a character"},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			c := mcp.NewClient(&mcp.ClientOptions{ElicitURL: !test.noPages, Elicit: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if r.Page == nil || r.Form != nil || r.Page.Message != "Sign in" || r.Page.ID != "e" {
					t.Errorf("%s: asked for %+v", test.name, r)
				}
				return &mcp.ElicitResult{Action: "accept", Content: jsonrpc.Raw(`{"password":"p"}`)}, nil
			}})
			want := test.want
			switch {
			case !f.Elicitation:
				want = fmt.Sprintf(notDeclared, "elicitation/create")
			case !f.ElicitationModes:
				want = formOnly
			}
			got := answered(t, c, context.Background(), f, "elicitation/create", test.params)
			if strings.HasPrefix(want, "-32602 params.url: ") {
				got = got[:min(len(got), len(want))]
			}
			same(t, test.name, got, want)
		}
	})
}

// TestAnswerUndeclared: what the client cannot do it says it does not know.
func TestAnswerUndeclared(t *testing.T) {
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list", "tools/list", "ping", ""} {
			got := answered(t, mcp.NewClient(nil), context.Background(), f, method, `{}`)
			same(t, method, got, fmt.Sprintf(notDeclared, method))
		}
	})
}

// TestAnswerAsked: the handler sees what the server has sent, and who has.
func TestAnswerAsked(t *testing.T) {
	var asked *mcp.ElicitRequest
	c := elicits(&logs{}, func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked = r
		return nil, mcp.ErrDeclined
	})
	params := `{"_meta":{"a/b":1},` + wantsAge[1:]
	answered(t, c, context.Background(), form("2025-06-18"), "elicitation/create", params)
	if asked.Form == nil || asked.Form.Message != "How old?" || !strings.Contains(string(asked.Form.Schema), `"age"`) ||
		string(asked.Meta["a/b"]) != "1" || asked.Server.Name != "" {
		t.Errorf("before the server is known: %+v", asked)
	}
	c.Attach(&talker{form: form("2026-07-28"), server: &mcp.DiscoverResult{
		Meta: mcp.Meta{mcp.MetaServerInfo: jsonrpc.Raw(`{"name":"shop","version":"1"}`)}}})
	answered(t, c, context.Background(), form("2026-07-28"), "elicitation/create", params)
	if asked.Server.Name != "shop" {
		t.Errorf("the server is %+v, want shop", asked.Server)
	}
}

// TestAnswerErrors: the caller gets the reason, which the server is not told.
func TestAnswerErrors(t *testing.T) {
	mine := errors.New("the model is at dinner")
	ended, end := context.WithCancel(context.Background())
	end()
	tests := []struct {
		name   string
		ctx    context.Context
		err    error
		code   jsonrpc.Code
		logged bool
	}{
		{"a fault", context.Background(), mine, -32603, true},
		{"declined", context.Background(), mcp.ErrDeclined, -1, false},
		{"cancelled", context.Background(), mcp.ErrCancelled, -1, false},
		{"the question has ended", ended, context.Canceled, -32603, false},
		{"meant for the server", context.Background(), jsonrpc.Errorf(-32000, "Busy"), -32000, false},
	}
	for _, test := range tests {
		log := &logs{}
		c := mcp.NewClient(&mcp.ClientOptions{Logger: log.logger(), Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) { return nil, test.err }})
		_, err := c.Answer(test.ctx, "sampling/createMessage", jsonrpc.Raw(`{"maxTokens":1,"messages":[]}`), form("2026-07-28"))
		var told *jsonrpc.Error
		if !errors.As(err, &told) || told.Code != test.code || !errors.Is(err, test.err) {
			t.Errorf("%s: got %v, want one that matches %v and tells %d", test.name, err, test.err, test.code)
		}
		if told.Code != -32000 && strings.Contains(told.Message, test.err.Error()) {
			t.Errorf("%s: the server is told %q", test.name, told.Message)
		}
		if test.logged != strings.Contains(log.String(), mine.Error()) {
			t.Errorf("%s: logged %q", test.name, log)
		}
	}
}

// TestAnswerMany: questions are answered beside each other, up to 16, and a place is free
// again when one is answered.
func TestAnswerMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 16
		entered, leave := make(chan struct{}), make(chan struct{})
		c := mcp.NewClient(&mcp.ClientOptions{Roots: func(context.Context) ([]mcp.Root, error) {
			entered <- struct{}{}
			<-leave
			return nil, nil
		}})
		ask := func() string { return answered(t, c, context.Background(), form("2026-07-28"), "roots/list", "") }
		for round := range 2 {
			var all sync.WaitGroup
			for range most {
				all.Go(func() { same(t, "one of 16", ask(), `{"roots":[]}`) })
				<-entered
			}
			for range 3 {
				same(t, fmt.Sprintf("one more, round %d", round), ask(), "-32603 Too many questions: the client answers 16 at once, ask again later")
			}
			for range most {
				leave <- struct{}{}
			}
			all.Wait()
		}
	})
}

// TestAnswerTime: the time that the user takes for an answer is not the server's, in either
// era; what the server takes behind it is, and so is the longest time of a request.
func TestAnswerTime(t *testing.T) {
	tests := []struct {
		name         string
		user, server time.Duration // how long each takes
		most         time.Duration
		after        time.Duration
		want         string
	}{
		{"a slow user", 5 * time.Minute, time.Second, 0, 5*time.Minute + time.Second, ""},
		{"a slow user, then a server that takes its time", 5 * time.Minute, 59 * time.Second, 0, 5*time.Minute + 59*time.Second, ""},
		{"a slow server", time.Second, 2 * time.Minute, 0, 61 * time.Second, "nothing came for 1m0s"},
		{"a slow user, then a slow server", 5 * time.Minute, 2 * time.Minute, 0, 6 * time.Minute, "nothing came for 1m0s"},
		{"a user who is too slow", 20 * time.Minute, 0, 0, 10 * time.Minute, "within 10m0s"},
		{"no longest time", 20 * time.Minute, 0, -1, 20 * time.Minute, ""},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					wait := func(ctx context.Context, d time.Duration) error {
						select {
						case <-time.After(d):
							return nil
						case <-ctx.Done():
							return ctx.Err()
						}
					}
					x := &talker{form: f}
					c := talks(&mcp.ClientOptions{MaxTimeout: test.most, Roots: func(ctx context.Context) ([]mcp.Root, error) { return nil, wait(ctx, test.user) }}, x)
					x.call = func(ctx context.Context, _ *mcp.ClientRequest) (jsonrpc.Raw, error) {
						if _, err := c.Answer(ctx, "roots/list", nil, f); err != nil {
							return nil, err
						}
						return jsonrpc.Raw(`{}`), wait(ctx, test.server)
					}
					began := time.Now()
					_, err := c.Do(context.Background(), "tools/call", nil, nil)
					if took := time.Since(began); took != test.after || (err == nil) != (test.want == "") ||
						err != nil && (!errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), test.want)) {
						t.Errorf("after %v: %v, want %q after %v", took, err, test.want, test.after)
					}
				})
			})
		}
	})
}
