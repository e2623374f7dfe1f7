package discover_test

import (
	"context"
	"strings"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// object reads a message's params, which have to be an object without a member twice, on one
// line.
func object(t *testing.T, params string) map[string]string {
	t.Helper()
	members := map[string]string{}
	o := jsonrpc.ReadObject(jsonrpc.Raw(params))
	for o.Next() {
		members[string(o.Name())] = string(o.Value())
	}
	if o.Err() != nil || strings.Contains(params, "\n") {
		t.Errorf("params are no object on one line: %v\n%q", o.Err(), params)
	}
	return members
}

// FuzzModernResult: whatever a server answers, a call ends, and what is sent on the way is what
// may be sent: the state as it came, answers under the keys of the questions.
func FuzzModernResult(f *testing.F) {
	for _, result := range []string{
		completeCall, `{}`, `[]`, `{"resultType":7}`,
		`{"resultType":"input_required","requestState":"aGk=\u0000\ud800"}`,
		`{"resultType":"input_required","inputRequests":{"a":` + askName + `,"b":` + askRoot + `},"requestState":""}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"x","params":[]}}}`,
		"{ \"resultType\" : \"input_required\" ,\n \"requestState\" : \"s\" , \"inputRequests\" : { } }",
	} {
		f.Add(result)
	}
	f.Fuzz(func(t *testing.T, result string) {
		if _, err := jsonrpc.AppendCompact(nil, []byte(result)); err != nil {
			return // links give results that are JSON
		}
		s := &fakeServer{t: t}
		inRounds(s, result, completeCall)
		c := fuzzed(t, s)
		defer c.Close()
		_, _ = c.Do(t.Context(), "tools/call", jsonrpc.Raw(`{"name":"a"}`), nil)
		if len(s.all) > 2 {
			t.Fatalf("it was sent %d times", len(s.all))
		}
		asked := membersOf(result)
		for i, m := range s.all {
			said := object(t, m.params)
			if i == 1 && said["requestState"] != asked["requestState"] {
				t.Errorf("the state came as %s and went as %s", asked["requestState"], said["requestState"])
			}
			if said["name"] != `"a"` || said["_meta"] == "" {
				t.Errorf("request %d has lost its params: %s", i, m.params)
			}
		}
	})
}

// membersOf are the members of what may be an object.
func membersOf(text string) map[string]string {
	members := map[string]string{}
	for o := jsonrpc.ReadObject(jsonrpc.Raw(text)); o.Next(); {
		members[string(o.Name())] = string(o.Value())
	}
	return members
}

func fuzzed(t *testing.T, s *fakeServer) *mcp.Client {
	t.Helper()
	c, _, err := discover.Connect(t.Context(), s, &discover.ConnectOptions{
		Era: mcp.Modern, Known: &discover.Verdict{Era: mcp.Modern, Version: "2026-07-28"},
		Client: &mcp.ClientOptions{
			Elicit: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return nil, mcp.ErrDeclined },
			Roots:  func(context.Context) ([]mcp.Root, error) { return nil, nil },
		}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// FuzzProbe: whatever a server answers to the probe, an era is found, or an error of one line
// says why not, and never is a server modern that names no version which is known here.
func FuzzProbe(f *testing.F) {
	f.Add(discoverResult, 0, "", "")
	f.Add(`{"supportedVersions":["2025-11-25"]}`, 0, "", "")
	f.Add("", -32022, "no", `{"supported":["2026-07-28"],"requested":"x"}`)
	f.Add("", -32601, "Method\nnot found", `{`)
	f.Add("", -32022, "Version\nrefused", `{"supported":["2026-07-28"],"requested":"x"}`)
	f.Fuzz(func(t *testing.T, result string, code int, message, data string) {
		s := &fakeServer{t: t, stream: true, answer: oldServer(func(context.Context) (string, error) {
			if code != 0 {
				return "", failWith(jsonrpc.Code(code), message, data)
			}
			return result, nil
		})}
		c, verdict, err := discover.Connect(t.Context(), s, nil)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		defer c.Close()
		if verdict.Era == mcp.Modern && code == 0 && !strings.Contains(verdict.Evidence, "2026-07-28") {
			t.Errorf("modern on the evidence %q", verdict.Evidence)
		}
		var again discover.Verdict
		text, err := verdict.MarshalText()
		if err != nil || again.UnmarshalText(text) != nil || again != *verdict {
			t.Errorf("%+v is kept as %q, %v", verdict, text, err)
		}
	})
}

// FuzzModernTold: whatever a server tells, nothing breaks, and a subscription hears only what
// it has asked for.
func FuzzModernTold(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"a"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		m, scanner := &jsonrpc.Message{}, jsonrpc.Scanner{Inner: discover.Inner()}
		if scanner.Scan([]byte(line), m) != nil || m.Kind != jsonrpc.Notification {
			return
		}
		l := newListener(t)
		l.honoured = `{"toolsListChanged":true}`
		c := fuzzed(t, l.fakeServer)
		defer c.Close()
		s, err := c.Listen(t.Context(), &mcp.Filter{ToolsListChanged: true})
		if err != nil {
			t.Fatal(err)
		}
		id := <-l.opened
		l.handler.Notification(t.Context(), m, nil)
		l.tell("notifications/cancelled", `{"requestId":`+id.String()+`}`)
		for change := range s.All() {
			if change.Kind != mcp.ToolsListChanged {
				t.Errorf("%s\nwas told as %v", line, change)
			}
		}
	})
}
