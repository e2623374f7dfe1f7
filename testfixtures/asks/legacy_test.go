package asks_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/testfixtures/asks"
	"isthmus.internal/testfixtures/mcptest"
)

// legacies are the revisions whose users can be asked.
var legacies = []string{"2025-06-18", "2025-11-25"}

// inLegacy runs body in the legacy revisions that have elicitation.
func inLegacy(t *testing.T, body func(t *testing.T, revision string, s *asks.Server)) {
	t.Helper()
	for _, revision := range legacies {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { body(t, revision, asks.NewServer(nil, nil)) })
		})
	}
}

// answering answers every question alike.
func answering(result string) func(mcptest.Ask) (string, *jsonrpc.Error) {
	return func(mcptest.Ask) (string, *jsonrpc.Error) { return result, nil }
}

// refusing answers every question with an error.
func refusing(code jsonrpc.Code) func(mcptest.Ask) (string, *jsonrpc.Error) {
	return func(mcptest.Ask) (string, *jsonrpc.Error) { return "", jsonrpc.Errorf(code, "no way") }
}

// TestLegacyAnswers: what a client may answer that is no answer. It fails the tool, and
// the handler can tell why (B203).
func TestLegacyAnswers(t *testing.T) {
	type answer = func(mcptest.Ask) (string, *jsonrpc.Error)
	tests := []struct {
		name, tool string
		answer     answer
		want       string
	}{
		{"B203 decline", "name", answering(`{"action":"decline"}`), "failed: the user has declined"},
		{"B203 decline, seen by the handler", "without", answering(`{"action":"decline"}`), "declined"},
		{"B203 cancel", "name", answering(`{"action":"cancel"}`), "failed: the user has cancelled"},
		{"B203 cancel, seen by the handler", "without", answering(`{"action":"cancel","content":7}`), "cancelled"},
		{"B203 a text for a number", "swallow", answering(`{"action":"accept","content":{"age":"x"}}`), "age 0"},
		{"a number for a text", "name", answering(`{"action":"accept","content":{"name":7}}`),
			`failed: the client's answer to "name" is not what was asked for: content.name: expected a string, got the number 7`},
		{"null", "name", answering(`null`), `failed: the client's answer to "name" is not what was asked for: must be an object`},
		{"an unknown action", "name", answering(`{"action":"yes"}`),
			`failed: the client's answer to "name" is not what was asked for: action must be "accept", "decline" or "cancel"`},
		{"an error", "name", refusing(-32603), "failed: the client refuses elicitation/create: no way (-32603)"},
		{"an error for a url", "roots", refusing(-32601), "failed: the client refuses roots/list: no way (-32601)"},
		{"the user lets no model be used", "sample", refusing(-1), "failed: the user has declined"},
		{"no role", "sample", answering(`{"content":{"type":"text","text":"x"},"model":"m"}`),
			`failed: the client's answer to "poem" is not what was asked for: role must be there`},
		{"roots elsewhere", "roots", answering(`{"roots":[{"uri":"file:///a"},{"uri":"https://example.com"}]}`),
			`failed: the client's answer to "roots" is not what was asked for: roots[1].uri must be a uri that begins with file://`},
		{"explicit, wrong", "explicit", answering(`{"action":"accept","content":{"name":7}}`),
			`failed: the client's answer to "name" is not what was asked for: content.name: expected a string, got the number 7`},
		{"explicit, an error", "explicit", refusing(5), "failed: the client refuses elicitation/create: no way (5)"},
	}
	inLegacy(t, func(t *testing.T, revision string, s *asks.Server) {
		for _, tt := range tests {
			c := mcptest.Dial(t, s.Server, &mcptest.Options{Revision: revision, Answer: tt.answer})
			if got := text(c.Call(tt.tool, "")); got != tt.want {
				t.Errorf("%s: %s\n got %s\nwant %s", tt.name, tt.tool, got, tt.want)
			}
		}
	})
}

// TestLegacyNoAnswerToAPrompt: a prompt or a resource has no result that tells of it.
func TestLegacyNoAnswerToAPrompt(t *testing.T) {
	tests := map[string]func(mcptest.Ask) (string, *jsonrpc.Error){
		"-32603 The user has declined ":  answering(`{"action":"decline"}`),
		"-32603 The user has cancelled ": answering(`{"action":"cancel"}`),
		`-32603 The client's answer to "name" is not what was asked for: action must be "accept", "decline" or "cancel" `: answering(`{"action":"yes"}`),
		"-32603 The client refuses elicitation/create: no way (-32000) ":                                                  refusing(-32000),
	}
	inLegacy(t, func(t *testing.T, revision string, s *asks.Server) {
		for want, answer := range tests {
			c := mcptest.Dial(t, s.Server, &mcptest.Options{Revision: revision, Answer: answer})
			for _, r := range []*mcptest.Response{c.Prompt("name", ""), c.Read("asks://name")} {
				if got := text(r); got != want {
					t.Errorf("got %s\nwant %s", got, want)
				}
			}
		}
	})
}

// silent is a client that does not answer before it is told to.
func silent() (answer func(mcptest.Ask) (string, *jsonrpc.Error), tell chan struct{}) {
	tell = make(chan struct{})
	return func(a mcptest.Ask) (string, *jsonrpc.Error) {
		<-tell
		return always(a)
	}, tell
}

// cancellations are the cancellations that the server has sent.
func cancellations(c *mcptest.Client) []string {
	var ids []string
	for _, n := range c.Notes() {
		if n.Method == "notifications/cancelled" {
			ids = append(ids, string(n.At("requestId")))
		}
	}
	return ids
}

// TestLegacyCancelled: a client that cancels the call is told that the question is not
// to be answered any more, and nothing else comes.
func TestLegacyCancelled(t *testing.T) {
	for tool, want := range map[string]string{"name": "[1]", "all": "[1 2 3]", "explicit": "[1 2]"} {
		inLegacy(t, func(t *testing.T, revision string, s *asks.Server) {
			answer, tell := silent()
			c := mcptest.Dial(t, s.Server, &mcptest.Options{Revision: revision, Answer: answer})
			p := c.StartCall(tool, "")
			synctest.Wait()
			<-time.After(time.Minute) // a slow user is none that has gone
			p.Cancel()
			synctest.Wait()
			ids := cancellations(c)
			if got := fmt.Sprint(slices.Sorted(slices.Values(ids))); got != want {
				t.Errorf("%s: the questions %v were cancelled, want %s", tool, got, want)
			}
			close(tell) // too late
			synctest.Wait()
			if r := c.Request("ping", ""); string(r.Result) != "{}" {
				t.Errorf("ping: got %s", r)
			}
		})
	}
}

// TestLegacyTooLate: a client that does not answer in the time of a question is told, and
// so is the handler.
func TestLegacyTooLate(t *testing.T) {
	inLegacy(t, func(t *testing.T, revision string, s *asks.Server) {
		answer, tell := silent()
		c := mcptest.Dial(t, s.Server, &mcptest.Options{Revision: revision, Answer: answer})
		p := c.StartCall("name", "")
		<-time.After(29 * time.Minute)
		if p.Answered() {
			t.Error("the call ended after 29 minutes")
		}
		<-time.After(2 * time.Minute)
		if got := text(p.Wait()); got != "failed: the client has not answered in time" {
			t.Errorf("got %s", got)
		}
		synctest.Wait()
		if got := fmt.Sprint(cancellations(c)); got != "[1]" {
			t.Errorf("the questions %s were cancelled, want 1", got)
		}
		close(tell)
		synctest.Wait()
	})
}

// TestLegacyInputEnds: no answer can come any more, so the call fails at once.
func TestLegacyInputEnds(t *testing.T) {
	inLegacy(t, func(t *testing.T, revision string, s *asks.Server) {
		for _, tool := range []string{"name", "all", "explicit"} {
			answer, tell := silent()
			c := mcptest.Dial(t, s.Server, &mcptest.Options{Revision: revision, Answer: answer})
			p := c.StartCall(tool, "")
			synctest.Wait()
			began := time.Now()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				c.Close()
			}()
			if got := text(p.Wait()); got != "failed: the client has gone, so it cannot be asked" {
				t.Errorf("%s: got %s", tool, got)
			}
			if waited := time.Since(began); waited != 0 {
				t.Errorf("%s: the call ended after %v, want at once", tool, waited)
			}
			close(tell)
			<-ended
		}
		answer, tell := silent()
		c := mcptest.Dial(t, s.Server, &mcptest.Options{Revision: revision, Answer: answer})
		p := c.Start("prompts/get", `{"name":"name"}`)
		synctest.Wait()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.Close()
		}()
		if got := text(p.Wait()); got != "-32603 The client has gone, so it cannot be asked " {
			t.Errorf("prompt: got %s", got)
		}
		close(tell)
		<-ended
	})
}

// TestLegacyPeerDies: nothing stays behind a client that is killed while it is asked.
func TestLegacyPeerDies(t *testing.T) {
	inLegacy(t, func(t *testing.T, revision string, s *asks.Server) {
		answer, tell := silent()
		c := mcptest.Dial(t, s.Server, &mcptest.Options{Revision: revision, Answer: answer})
		c.StartCall("name", "")
		synctest.Wait()
		c.Cut()
		close(tell)
		c.Close()
	})
}

// TestLegacyNotInitialized: nobody is asked before notifications/initialized (2025-11-25
// basic/lifecycle, Initialization).
func TestLegacyNotInitialized(t *testing.T) {
	inLegacy(t, func(t *testing.T, revision string, s *asks.Server) {
		c := mcptest.DialRaw(t, s.Server, &mcptest.Options{Revision: revision, Answer: always})
		c.Request("initialize", `{"protocolVersion":"`+revision+`","capabilities":`+mcptest.Capabilities(revision)+`,"clientInfo":{"name":"n","version":"1"}}`)
		if got, want := text(c.Call("name", "")), "failed: the client has not sent notifications/initialized, so it cannot be asked yet"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		for _, r := range []*mcptest.Response{c.Prompt("name", ""), c.Read("asks://name")} {
			if got, want := text(r), "-32600 The client has not sent notifications/initialized, so it cannot be asked yet "; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if asked := c.Asks(); len(asked) != 0 {
			t.Errorf("it was asked %v", asked)
		}
		p := c.StartCall("name", "")
		synctest.Wait()
		c.Notify("notifications/initialized", "") // which has come a little late
		if got := text(p.Wait()); got != "hello Ada" {
			t.Errorf("meanwhile: got %s", got)
		}
		if got := text(c.Call("name", "")); got != "hello Ada" {
			t.Errorf("afterwards: got %s", got)
		}
	})
}

// TestLegacyForms: what each revision is asked.
func TestLegacyForms(t *testing.T) {
	tests := []struct {
		tool string
		want map[string]string
	}{
		{"look", map[string]string{
			"2025-06-18": `elicitation/create {"message":"What should it look like?","requestedSchema":{"type":"object","properties":{"color":{"type":"string","enum":["#f00","#0f0"],"enumNames":["Red","Green"]},"email":{"type":"string","format":"email"}}}}`,
			"2025-11-25": `elicitation/create {"mode":"form","message":"What should it look like?","requestedSchema":{"type":"object","properties":{"color":{"type":"string","oneOf":[{"const":"#f00","title":"Red"},{"const":"#0f0","title":"Green"}],"default":"#0f0"},"email":{"type":"string","format":"email"}}}}`,
		}},
		{"page", map[string]string{
			"2025-11-25": `elicitation/create {"mode":"url","message":"Enter the key there.","elicitationId":"e1","url":"https://example.com/key"}`,
		}},
		{"sample", map[string]string{
			"2025-06-18": `sampling/createMessage {"messages":[{"role":"user","content":{"type":"text","text":"Go on."}},{"role":"user","content":{"type":"audio","data":"eA==","mimeType":"audio/wav"}}],"modelPreferences":{"hints":[{"name":"small"}],"costPriority":0.5},"systemPrompt":"Be brief.","includeContext":"thisServer","temperature":0.5,"maxTokens":10,"stopSequences":["."],"metadata":{"p":1}}`,
			"2025-11-25": `sampling/createMessage {"messages":[{"role":"user","content":[{"type":"text","text":"Go on."},{"type":"audio","data":"eA==","mimeType":"audio/wav"}]}],"modelPreferences":{"hints":[{"name":"small"}],"costPriority":0.5},"systemPrompt":"Be brief.","includeContext":"thisServer","temperature":0.5,"maxTokens":10,"stopSequences":["."],"metadata":{"p":1}}`,
		}},
		{"roots", map[string]string{"2025-06-18": "roots/list ", "2025-11-25": "roots/list "}},
	}
	inLegacy(t, func(t *testing.T, revision string, s *asks.Server) {
		for _, tt := range tests {
			c := mcptest.Dial(t, s.Server, &mcptest.Options{Revision: revision, Answer: always})
			c.Call(tt.tool, "")
			got := ""
			for _, a := range c.Asks() {
				got += a.Method + " " + string(a.Params)
			}
			if got != tt.want[revision] {
				t.Errorf("%s\n got %s\nwant %s", tt.tool, got, tt.want[revision])
			}
		}
	})
}

// TestToolLoop: a model uses two tools at once, and then has an answer.
func TestToolLoop(t *testing.T) {
	turn := func(a mcptest.Ask) (string, *jsonrpc.Error) {
		if len(mcptest.Elements(a.At("messages"))) == 1 {
			return `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"weather","input":{"in":"Paris"}},` +
				`{"type":"tool_use","id":"2","name":"weather","input":{},"_meta":{"k":1}}],"model":"m","stopReason":"toolUse"}`, nil
		}
		last, _ := jsonrpc.AppendCompact(nil, a.At("messages", 2, "content"))
		return `{"role":"assistant","content":{"type":"text","text":` + string(jsonrpc.AppendString(nil, string(last))) + `},"model":"m"}`, nil
	}
	const want = `[{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"18 at {\"in\":\"Paris\"}"}],"structuredContent":{"t":18}},` +
		`{"type":"tool_result","toolUseId":"2","content":[{"type":"text","text":"18 at {}"}],"structuredContent":{"t":18}}]`
	for _, revision := range []string{"2025-11-25", mcptest.Modern} {
		synctest.Test(t, func(t *testing.T) {
			c := mcptest.Dial(t, asks.NewServer(nil, nil).Server, &mcptest.Options{Revision: revision, Answer: turn})
			if got := text(c.Call("tools", "")); got != want {
				t.Errorf("%s\n got %s\nwant %s", revision, got, want)
			}
		})
	}
}
