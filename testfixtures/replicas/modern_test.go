package replicas

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/fixture/fixturetest"
)

// meta is that of a client that can be asked.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// modern is a request of the modern era. more is what params hold besides.
func modern(id, method, more string) string {
	return fixturetest.Request(id, method, more+meta)
}

// result is what the tests look at in a result.
type result struct {
	ResultType    string
	RequestState  string
	InputRequests map[string]any
	Content       []struct{ Text string }
	Tools         []struct{ Name string }
	NextCursor    string
	IsError       bool
}

// read reads the result of an answer, which must be there.
func read(t *testing.T, a *answer) (r result) {
	t.Helper()
	text := a.result()
	if a.status != http.StatusOK || text == nil {
		t.Fatalf("got status %d and no result", a.status)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return r
}

// answers are what the client tells to the questions of the tool interview.
var answers = map[string]string{"name": `{"name":"Ada"}`, "colour": `{"colour":"green"}`, "sure": `{"ok":true}`}

// interview is a call of the tool that asks three questions, with the responses to those
// that r asks.
func interview(t *testing.T, id int, r result) string {
	t.Helper()
	var more string
	for key := range r.InputRequests {
		if answers[key] == "" {
			t.Fatalf("it asks for %q, which is unknown", key)
		}
		more += fmt.Sprintf(`"inputResponses":{%q:{"action":"accept","content":%s}},`, key, answers[key])
	}
	if r.RequestState != "" {
		more += fmt.Sprintf(`"requestState":%q,`, r.RequestState)
	}
	return modern(fmt.Sprint(id), "tools/call", `"name":"interview",`+more)
}

const interviewed = "number 1: Ada likes green, sure: true"

// TestQuestions: a call of three questions goes through three replicas, each of which takes
// up what another one has sealed.
func TestQuestions(t *testing.T) {
	c := start(t)
	var by turns
	var r result
	for id := range 4 {
		a := c.send(interview(t, id, r))
		by.add(c, a)
		r = read(t, a)
	}
	if len(r.Content) != 1 || r.Content[0].Text != interviewed {
		t.Errorf("got %+v, want %s", r, interviewed)
	}
	if len(distinct(by)) != size {
		t.Errorf("%v have answered, want all %d", by, size)
	}
}

// TestQuestionsAfterKill: the replica that has asked is gone when the answer comes.
func TestQuestionsAfterKill(t *testing.T) {
	c := start(t)
	a := c.send(interview(t, 0, result{}))
	r := read(t, a)
	c.kill(a.by)
	by := []string{a.by}
	for id := 1; r.ResultType == "input_required"; id++ {
		a = c.again(interview(t, id, r))
		by = append(by, a.by)
		r = read(t, a)
	}
	if len(r.Content) != 1 || r.Content[0].Text != interviewed || len(by) != 4 {
		t.Errorf("got %+v by %v, want %s of four", r, by, interviewed)
	}
	if len(distinct(by)) != size {
		t.Errorf("%v have answered, want all %d", by, size)
	}
}

// TestPages: each page of a list comes from another replica, and together they are the list
// that one server has.
func TestPages(t *testing.T) {
	one := start(t)
	var want []string
	for _, tool := range read(t, one.send(modern("1", "tools/list", ""))).Tools {
		want = append(want, tool.Name)
	}
	c := start(t, "-page", "7")
	var by turns
	var got []string
	for cursor := ""; ; {
		a := c.send(modern("1", "tools/list", cursor))
		by.add(c, a)
		r := read(t, a)
		for _, tool := range r.Tools {
			got = append(got, tool.Name)
		}
		if r.NextCursor == "" {
			break
		}
		cursor = fmt.Sprintf(`"cursor":%q,`, r.NextCursor)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the pages have %q\nwant %q", got, want)
	}
	if len(by) < size+1 || len(distinct(by)) != size {
		t.Errorf("the pages come from %v, want more than %d, of all", by, size)
	}
}

// TestKill: the replica that works on a call is killed amid its stream. The client sees the
// stream break off, sends the request again, and has its answer from another one.
func TestKill(t *testing.T) {
	c := start(t)
	withToken := strings.Replace(meta, `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
	slow := func(id string, ms int) string {
		return fixturetest.Request(id, "tools/call", fmt.Sprintf(`"name":"slow","arguments":{"ms":%d},`, ms)+withToken)
	}
	a := c.send(slow("1", 600_000))
	text, err := a.next()
	if err != nil || !strings.Contains(text, "notifications/progress") {
		t.Fatalf("got %s, %v, want progress while the call runs", text, err)
	}
	c.kill(a.by)
	if r := a.result(); r != nil {
		t.Errorf("a killed replica has answered %s", r)
	}
	again := c.again(slow("2", 1))
	r := read(t, again)
	if again.by == a.by || len(r.Content) != 1 || r.Content[0].Text != "done" {
		t.Errorf("got %+v by %s, want the answer of another than %s", r, again.by, a.by)
	}
	// The others serve on, whatever nginx thinks of the third.
	for id := range 2 * size {
		read(t, c.again(modern(fmt.Sprint(id), "tools/call", `"name":"add","arguments":{"a":1,"b":2},`)))
	}
}

// again sends a request, and once more for each answer that says that a replica was gone, as
// clients do.
func (c *cluster) again(message string, header ...string) *answer {
	c.t.Helper()
	for range size {
		a := c.send(message, header...)
		if a.status != http.StatusBadGateway {
			return a
		}
		a.body.Close()
	}
	c.t.Fatalf("no replica answers %s", message)
	return nil
}

// TestListen: what a listen stream brings comes through nginx at once, and its end in order
// when the replica ends.
func TestListen(t *testing.T) {
	c := start(t)
	a := c.send(modern(`"l"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true},`))
	defer a.body.Close()
	expect := func(part string) {
		t.Helper()
		if text, err := a.next(); err != nil || !strings.Contains(text, part) {
			t.Fatalf("got %s, %v, want %s", text, err, part)
		}
	}
	if a.status != http.StatusOK || !a.events {
		t.Fatalf("got status %d and %q, want a stream", a.status, a.header)
	}
	expect(`"method":"notifications/subscriptions/acknowledged"`)
	for id := range size { // one of them reaches the replica that has the stream
		read(t, c.send(modern(fmt.Sprint(id), "tools/call", `"name":"touch",`)))
	}
	expect(`"method":"notifications/tools/list_changed"`)
	c.stop(a.by)
	expect(`"method":"notifications/cancelled"`)
	expect(`"id":"l","result":{"resultType":"complete"`)
	if text, err := a.next(); text != "" || err == nil {
		t.Errorf("got %s behind the end", text)
	}
}

func distinct(all []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(all)))
}
