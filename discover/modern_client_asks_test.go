package discover_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// asksTwice is a server whose tool asks under two keys, with a state that must come back as it
// is, as often as rounds says.
func asksTwice(t *testing.T, state string, rounds int) *fakeServer {
	return &fakeServer{t: t, stream: true, answer: func(_ context.Context, m sent) (string, error) {
		switch {
		case m.method == "server/discover":
			return discoverResult, nil
		case rounds == 0:
			return `{"resultType":"complete","content":[]}`, nil
		}
		rounds--
		return `{"resultType":"input_required","requestState":` + state + `,"inputRequests":{` +
			`"a \u00e9":{"method":"elicitation/create","params":{"mode":"form","message":"A?","requestedSchema":{"type":"object","properties":{"x":{"type":"integer","default":7}}}}},` +
			`"b":{"method":"elicitation/create","params":{"message":"B?","requestedSchema":{"type":"object","properties":{}}}}}}`, nil
	}}
}

// connected is a modern client of the server whose user accepts A and does with B as told.
func connected(t *testing.T, s *fakeServer, b error) *mcp.Client {
	t.Helper()
	c, _, err := discover.Connect(context.Background(), s, &discover.ConnectOptions{Era: mcp.Modern, Client: &mcp.ClientOptions{
		Elicit: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if r.Form.Message == "B?" {
				return nil, b
			}
			return &mcp.ElicitResult{Action: "accept"}, nil
		}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestDeclined (B193): who declines has that sent as it is, beside the other answer, with the
// very state, under another id; and a server that goes on to ask is given up.
func TestDeclined(t *testing.T) {
	const state = `"aGk=\u0000\/\u00e9"`
	for _, test := range []struct {
		name, want string
		b          error
	}{
		{"declined", `{"action":"decline"}`, fmt.Errorf("no: %w", mcp.ErrDeclined)},
		{"cancelled", `{"action":"cancel"}`, mcp.ErrCancelled},
	} {
		s := asksTwice(t, state, 1)
		c := connected(t, s, test.b)
		before := len(s.all)
		if _, err := c.CallTool(context.Background(), "t", jsonrpc.Raw(`{"n":9007199254740993}`), nil); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		calls := s.all[before:]
		if len(calls) != 2 || calls[0].id.Key() == calls[1].id.Key() {
			t.Fatalf("%s: sent %+v, want a call and its retry, with ids of their own", test.name, calls)
		}
		answers := `"inputResponses":{"a é":{"action":"accept","content":{"x":7}},"b":` + test.want + `},"requestState":` + state + `,`
		if got := strings.Replace(calls[1].params, answers, "", 1); got != calls[0].params {
			t.Errorf("%s: the retry is\n     %s\nwant %s\nwith %s", test.name, calls[1].params, calls[0].params, answers)
		}
	}

	s := asksTwice(t, state, 100)
	c := connected(t, s, mcp.ErrDeclined)
	before := len(s.all)
	_, err := c.CallTool(context.Background(), "t", nil, nil)
	if sent := len(s.all) - before; err == nil || sent != 9 {
		t.Errorf("a server that does not take no for an answer: %v after %d calls, want an error after the first and 8 more", err, sent)
	}
}

// TestUnanswered: a question that cannot be answered ends the request, and its error is not
// taken for one of the server's.
func TestUnanswered(t *testing.T) {
	mine := errors.New("the screen is broken")
	for _, test := range []struct {
		name, want string
		b          error
	}{
		{"a fault of the handler", "the screen is broken", mine},
		{"what is meant for a server", "Busy", jsonrpc.Errorf(-32000, "Busy")},
	} {
		s := asksTwice(t, `""`, 1)
		_, err := connected(t, s, test.b).CallTool(context.Background(), "t", nil, nil)
		var sent *jsonrpc.Error
		var u *mcp.Unanswered
		if err == nil || errors.As(err, &sent) || !errors.Is(err, test.b) || !errors.As(err, &u) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want one that matches %q and is no error of the server's", test.name, err, test.want)
		}
	}
}
