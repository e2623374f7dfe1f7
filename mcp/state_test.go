package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// retrying carries the state and the answers of a request as the modern exchange does.
type retrying struct{ state string }

func (*retrying) Ask(context.Context, *mcp.Request, []mcp.Inquiry) ([]mcp.Answer, error) {
	return nil, mcp.ErrInputRequired
}

func (*retrying) Resume(s *mcp.Server, r *mcp.Request) (*mcp.Rounds, error) {
	responses, state := r.Message.Param("inputResponses"), r.Message.Param("requestState")
	if responses == nil && state == nil {
		return nil, nil
	}
	return s.OpenRounds(r, responses, state, "params.inputResponses")
}

func (x *retrying) Suspend(s *mcp.Server, r *mcp.Request, rounds *mcp.Rounds) (mcp.Reply, error) {
	state, _, err := s.SealRounds(r, rounds)
	x.state = state
	return mcp.NewInputRequired(nil), err
}

// TestHeldStates: without keys the oldest states go when there are too many.
func TestHeldStates(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		if state := c.RequestState(); state != nil {
			return mcp.TextResult(string(state[:1])), nil
		}
		return nil, c.RequireInput(bytes.Repeat([]byte("x"), 200<<10))
	})
	r := &retrying{}
	x := &exchange{server: s, form: bare("2026-07-28"), asker: r}
	var states []string
	for range 90 { // 18 MB
		x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
		states = append(states, r.state)
	}
	resumed := func(state string) string {
		return x.ask(t, context.Background(), "tools/call", `{"name":"a","requestState":`+string(jsonrpc.AppendString(nil, state))+`}`)
	}
	if got := resumed(states[0]); !strings.HasPrefix(got, "-32602 params.requestState is not valid") {
		t.Errorf("the oldest: got %s", got)
	}
	for i, state := range states[len(states)-80:] {
		same(t, fmt.Sprintf("state %d", i), resumed(state), ok("x"))
	}
}

// FuzzState: a state is good for the params that it was made for, and for others that
// mean the same, whatever they are; nothing else opens, and nothing makes it panic.
func FuzzState(f *testing.F) {
	for _, seed := range [][3]string{
		{`{"a":1}`, `{ "a" : 1 }`, ""},
		{`{"a":1,"b":[true,null,"\u00e9"]}`, `{"b":[true,null,"é"],"a":1}`, "x"},
		{`{"a":{"b":{}}}`, `{"a":{"b":[]}}`, "AAAA"},
		{`{"a":1.0}`, `{"a":1}`, ""},
		{`{"a":"1"}`, `{"a":1}`, ""},
		{`{"a":["b,c"]}`, `{"a":["b","c"]}`, ""},
		{`{"a":"\ud800"}`, `{"a":"\ufffd"}`, ""},
		{`{"a":{"b":1,"b":2}}`, `{"a":{"b":2}}`, ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		if state := c.RequestState(); state != nil {
			return mcp.TextResult("resumed"), nil
		}
		return nil, c.RequireInput([]byte("state"))
	})
	f.Fuzz(func(t *testing.T, first, second, tail string) {
		var scanner jsonrpc.Scanner
		one, two := decoded(first), decoded(second)
		if one == nil || two == nil || !scanner.Valid([]byte(first)) || !scanner.Valid([]byte(second)) {
			return
		}
		r := &retrying{}
		x := &exchange{server: s, form: bare("2026-07-28"), asker: r}
		call := func(arguments, state string) string {
			params := `{"name":"a","arguments":` + arguments
			if state != "" {
				params += `,"requestState":` + string(jsonrpc.AppendString(nil, state))
			}
			return x.ask(t, context.Background(), "tools/call", params+`}`)
		}
		if got := call(first, ""); got != `{"resultType":"input_required"}` {
			return // such as an object inside with a member twice
		}
		state := r.state
		if got := call(first, state); got != ok("resumed") {
			t.Errorf("%s\ngot %s", first, got)
		}
		if got, alike := call(second, state) == ok("resumed"), reflect.DeepEqual(one, two); got && !alike {
			t.Errorf("a state for %s is good for %s", first, second)
		}
		if tail != "" && call(first, state+tail) == ok("resumed") {
			t.Errorf("a state with %q behind it is good", tail)
		}
	})
}

// decoded reads an object, keeping the digits of its numbers.
func decoded(text string) map[string]any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// FuzzForm: a schema either is that of a form, and then goes out as one that is again, or
// the program is told what is wrong.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		`"a":{"type":"string","format":"email","default":"a@b.c"}`, `"a":{"type":"array","items":{"type":"string","enum":["x"]}}`,
		`"a":{"type":"string","oneOf":[{"const":"x","title":"X"}]}`, `"a":{"type":"integer","minimum":1e400}`, `"a":{"type":"boolean"},"b":{}`,
		`"a":{"type":"string","enum":["x"],"enumNames":["\u2028"]}`, `"":{"type":"number","default":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, properties string) {
		for _, revision := range []string{"2025-06-18", "2026-07-28"} {
			var q mcp.Question
			fault := panicOf(func() { q = mcp.FormQuestion("k", &mcp.ElicitForm{Message: "M", Schema: formOf(properties)}) })
			if fault != "" {
				if !strings.HasPrefix(fault, `mcp: the form "k": `) {
					t.Errorf("%s: panic %s", properties, fault)
				}
				return
			}
			got := inquired(t, form(revision), func() mcp.Question { return q })
			_, schema, ok := strings.Cut(got, `"requestedSchema":`)
			if !ok {
				if !strings.Contains(got, "has no choice of several values") {
					t.Errorf("%s: got %s", properties, got)
				}
				continue
			}
			schema = strings.TrimSuffix(schema, "}")
			if again := panicOf(func() { mcp.FormQuestion("k", &mcp.ElicitForm{Message: "M", Schema: jsonrpc.Raw(schema)}) }); again != "" {
				t.Errorf("%s: went out as %s, which is none: %s", properties, schema, again)
			}
		}
	})
}
