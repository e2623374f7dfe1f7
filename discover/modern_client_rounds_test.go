package discover_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

const (
	askName = `{"method":"elicitation/create","params":{"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}`
	askRoot = `{"method":"roots/list"}`
)

// inRounds answers with one result after the other, the last one for ever.
func inRounds(s *fakeServer, results ...string) {
	s.answer = func(context.Context, sent) (string, error) {
		result := results[0]
		if len(results) > 1 {
			results = results[1:]
		}
		return result, nil
	}
}

// answering is a client that can be asked: forms are declined when their message is No, and
// else filled in.
func answering(t *testing.T, s *fakeServer, o mcp.ClientOptions) *mcp.Client {
	o.Elicit = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		switch r.Form.Message {
		case "No":
			return nil, mcp.ErrDeclined
		case "Broken":
			return nil, errors.New("the screen is broken")
		}
		return &mcp.ElicitResult{Action: "accept", Content: jsonrpc.Raw(`{"name":"Ada"}`)}, nil
	}
	o.Roots = func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///a"}}, nil }
	return modernClient(t, s, &o)
}

// retried is what a request says beyond its _meta.
func (m sent) retried() string {
	_, rest, _ := strings.Cut(m.params, `"elicitation":{"form":{}}}}`)
	return strings.Trim(strings.TrimSuffix(rest, "}"), ",")
}

const completeCall = `{"resultType":"complete","content":[]}`

// TestModernRounds: a server that asks for input (2026-07-28 basic/patterns/mrtr, Client
// Requirements).
func TestModernRounds(t *testing.T) {
	const call = `"name":"a","arguments":{"b":9007199254740993}`
	const ada = `{"action":"accept","content":{"name":"Ada"}}`
	tests := []struct {
		name    string
		results []string
		want    []string // what the requests say beside _meta, the first one aside
	}{
		{"none", nil, nil},
		{"a question", []string{`{"resultType":"input_required","inputRequests":{"who":` + askName + `}}`},
			[]string{`"inputResponses":{"who":` + ada + `},` + call}},
		{"a state", []string{`{"resultType":"input_required","requestState":"s"}`}, []string{`"requestState":"s",` + call}},
		{"both, in the server's order", []string{`{"requestState":"s","inputRequests":{"z":` + askName + `,"a":` + askRoot + `},"resultType":"input_required"}`},
			[]string{`"inputResponses":{"z":` + ada + `,"a":{"roots":[{"uri":"file:///a"}]}},"requestState":"s",` + call}},
		{"nothing asked", []string{`{"resultType":"input_required","inputRequests":{}}`}, []string{`"inputResponses":{},` + call}},
		{"B193 declined, with a state of any bytes",
			[]string{`{"resultType":"input_required","inputRequests":{"a":` + strings.Replace(askName, "Name?", "No", 1) + `,"b":` + askName + `},"requestState":"aGk=\u0000\/\ud800"}`},
			[]string{`"inputResponses":{"a":{"action":"decline"},"b":` + ada + `},"requestState":"aGk=\u0000\/\ud800",` + call}},
		{"a key that needs escapes", []string{`{"resultType":"input_required","inputRequests":{"\"\u0001é":` + askRoot + `}}`},
			[]string{`"inputResponses":{"\"\u0001é":{"roots":[{"uri":"file:///a"}]}},` + call}},
		{"rounds that keep nothing of each other", []string{
			`{"resultType":"input_required","inputRequests":{"a":` + askRoot + `},"requestState":"1"}`,
			`{"resultType":"input_required","inputRequests":{"b":` + askName + `}}`,
			`{"resultType":"input_required","requestState":"3"}`},
			[]string{`"inputResponses":{"a":{"roots":[{"uri":"file:///a"}]}},"requestState":"1",` + call,
				`"inputResponses":{"b":` + ada + `},` + call, `"requestState":"3",` + call}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &fakeServer{t: t}
			inRounds(s, append(test.results, completeCall)...)
			c := answering(t, s, mcp.ClientOptions{})
			if _, err := c.CallTool(t.Context(), "a", map[string]any{"b": 9007199254740993}, nil); err != nil {
				t.Fatal(err)
			}
			ids := map[string]bool{}
			for i, m := range s.all {
				want := call
				if i > 0 {
					want = test.want[i-1]
				}
				if got := m.retried(); got != want || m.method != "tools/call" {
					t.Errorf("request %d\n got %s\nwant %s", i, got, want)
				}
				if ids[m.id.String()] {
					t.Errorf("request %d has an id that was used before", i)
				}
				ids[m.id.String()] = true
			}
			if len(s.all) != 1+len(test.want) {
				t.Errorf("it was sent %d times, want %d", len(s.all), 1+len(test.want))
			}
			// What was asked of the one is not told to another.
			if _, err := c.CallTool(t.Context(), "other", nil, nil); err != nil {
				t.Fatal(err)
			}
			if got := s.all[len(s.all)-1].retried(); got != `"name":"other"` {
				t.Errorf("another request: got %s", got)
			}
		})
	}
}

// TestModernRoundsOfEach: the other two requests that a server may answer by asking.
func TestModernRoundsOfEach(t *testing.T) {
	s := &fakeServer{t: t}
	c := answering(t, s, mcp.ClientOptions{})
	const ask = `{"resultType":"input_required","inputRequests":{"a":` + askRoot + `}}`
	inRounds(s, ask, `{"resultType":"complete","messages":[]}`)
	if _, err := c.GetPrompt(t.Context(), "p", nil, nil); err != nil {
		t.Errorf("prompts/get: %v", err)
	}
	inRounds(s, ask, `{"resultType":"complete","contents":[]}`)
	if _, err := c.ReadResource(t.Context(), "file:///r", nil); err != nil {
		t.Errorf("resources/read: %v", err)
	}
	if h := s.history(); h != "prompts/get prompts/get resources/read resources/read" {
		t.Errorf("got %s", h)
	}
}

// TestModernRoundsEnd: rounds that come to nothing. Nothing is sent any more, and the error
// says whose question it was.
func TestModernRoundsEnd(t *testing.T) {
	ask := func(rest string) string { return `{"resultType":"input_required"` + rest + `}` }
	tests := []struct {
		name, result string
		rounds       int
		want         string
		sent         int
	}{
		{"for ever", ask(`,"requestState":"s"`), 3, "goes on to ask for input before it answers tools/call: it has done so 3 times", 4},
		{"B193 a decline that is not heeded", ask(`,"inputRequests":{"a":` + strings.Replace(askName, "Name?", "No", 1) + `}`), 0, "it has done so 8 times", 9},
		{"not to be asked", ask(`,"requestState":"s"`), -1, "the client is not to be asked (MaxRounds)", 1},
		{"neither questions nor state", ask(``), 0, "has neither inputRequests nor requestState", 1},
		{"questions that are no object", ask(`,"inputRequests":[]`), 0, "inputRequests is no object", 1},
		{"questions that are null", ask(`,"inputRequests":null`), 0, "inputRequests is no object", 1},
		{"a state that is no string", ask(`,"requestState":{"a":1}`), 0, "requestState is no string", 1},
		{"a question that is none", ask(`,"inputRequests":{"a":7}`), 0, `the server's question "a" cannot be read: mcp: inputRequests must be an object`, 1},
		{"a question twice", ask(`,"inputRequests":{"a":` + askRoot + `,"a":` + askRoot + `}`), 0, `duplicate member`, 1},
		{"questions without end", ask(`,"inputRequests":{"a":` + askRoot + manyMore(128) + `}`), 0, "the server asks more than 128 things at once", 1},
		{"a question twice, of which the first would fail", ask(`,"inputRequests":{"a":` + strings.Replace(askName, "Name?", "Broken", 1) + `,"a":` + askRoot + `}`), 0, `duplicate member`, 1},
		{"a question of another kind", ask(`,"inputRequests":{"a":{"method":"tools/list"}}`), 0, `the question "a": the server's tools/list was not answered: `, 1},
		{"a question that was not declared", ask(`,"inputRequests":{"a":{"method":"sampling/createMessage","params":{}}}`), 0, `the server's sampling/createMessage was not answered: `, 1},
		{"a handler that fails", ask(`,"inputRequests":{"a":` + strings.Replace(askName, "Name?", "Broken", 1) + `}`), 0, "the screen is broken", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &fakeServer{t: t}
			inRounds(s, test.result)
			c := answering(t, s, mcp.ClientOptions{MaxRounds: test.rounds})
			_, err := c.CallTool(t.Context(), "a", nil, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got the error %v\nwant %s", err, test.want)
			}
			if len(s.all) != test.sent {
				t.Errorf("it was sent %d times, want %d", len(s.all), test.sent)
			}
		})
	}
}

// TestModernRoundsCancelled: a user who takes too long.
func TestModernRoundsCancelled(t *testing.T) {
	s := &fakeServer{t: t}
	inRounds(s, `{"resultType":"input_required","inputRequests":{"a":`+askRoot+`}}`)
	ctx, cancel := context.WithCancel(t.Context())
	c := modernClient(t, s, &mcp.ClientOptions{Roots: func(ctx context.Context) ([]mcp.Root, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	if _, err := c.CallTool(ctx, "a", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if len(s.all) != 1 {
		t.Errorf("it was sent %d times", len(s.all))
	}
}

// TestModernRoundsOfTheCaller: params that look like those of a retry are not sent beside the
// real ones.
func TestModernRoundsOfTheCaller(t *testing.T) {
	s := &fakeServer{t: t}
	inRounds(s, `{"resultType":"input_required","requestState":"server"}`, completeCall)
	c := answering(t, s, mcp.ClientOptions{})
	const params = `{"name":"a","requestState":"mine","inputResponses":{"x":{}}}`
	if _, err := c.Do(t.Context(), "tools/call", jsonrpc.Raw(params), nil); err != nil {
		t.Fatal(err)
	}
	if got, want := s.all[1].retried(), `"requestState":"server","name":"a"`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestModernRoundsProgress: each retry has a token of its own, and all is told to the one
// caller.
func TestModernRoundsProgress(t *testing.T) {
	s := &fakeServer{t: t}
	n := 0
	s.answer = func(_ context.Context, m sent) (string, error) {
		n++
		s.tell("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d}`, m.id, n))
		s.tell("notifications/progress", fmt.Sprintf(`{"progressToken":%d,"progress":%d}`, n-1, 10*n)) // of the one before
		if n < 3 {
			return `{"resultType":"input_required","requestState":"s"}`, nil
		}
		return completeCall, nil
	}
	var got []float64
	c := modernClient(t, s, nil)
	if _, err := c.CallTool(t.Context(), "a", nil, &mcp.CallOptions{Progress: func(p mcp.ProgressParams) { got = append(got, p.Progress) }}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != "[1 2 3]" {
		t.Errorf("got %v", got)
	}
}

// manyMore are so many questions more.
func manyMore(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d":%s`, i, askRoot)
	}
	return b.String()
}
