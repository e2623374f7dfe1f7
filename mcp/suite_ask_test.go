package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// questionAgain is the round trip of one question of a server, and of its params by the
// type for its method.
func questionAgain(text jsonrpc.Raw) ([]byte, error) {
	q, err := mcp.Read[mcp.InputRequest](text, "example")
	if err != nil {
		return nil, err
	}
	if err := readParams(&q); err != nil {
		return nil, err
	}
	written, err := mcp.Append(nil, &q, form("2026-07-28"))
	var id struct{ ID json.RawMessage }
	if json.Unmarshal(text, &id) == nil && id.ID != nil {
		// One of the examples has an id, as the requests of servers had before this
		// revision.
		written = append(fmt.Appendf(nil, `{"id":%s,`, id.ID), written[1:]...)
	}
	return written, err
}

// readParams puts the params of a question through the type for its method.
func readParams(q *mcp.InputRequest) (err error) {
	mode := struct{ Mode string }{}
	switch {
	case q.Method == "sampling/createMessage":
		q.Params, err = again[mcp.SampleRequest](q.Params)
	case q.Method == "elicitation/create" && json.Unmarshal(q.Params, &mode) == nil && mode.Mode == "url":
		q.Params, err = again[mcp.ElicitURL](q.Params)
	case q.Method == "elicitation/create":
		q.Params, err = again[mcp.ElicitForm](q.Params)
	case q.Method == "roots/list" && q.Params == nil:
	default:
		err = fmt.Errorf("no type for the params of %s", q.Method)
	}
	return err
}

// requiredAgain is the round trip of a result that asks, and of its questions.
func requiredAgain(text jsonrpc.Raw) ([]byte, error) {
	r, err := mcp.Read[mcp.InputRequired](text, "example")
	if err != nil {
		return nil, err
	}
	for key, q := range r.Requests {
		if err := readParams(&q); err != nil {
			return nil, err
		}
		r.Requests[key] = q
	}
	return mcp.Append(nil, &r, form("2026-07-28"))
}

// questionsAgain is [requiredAgain] for the questions by themselves.
func questionsAgain(text jsonrpc.Raw) ([]byte, error) {
	const before, behind = `{"resultType":"input_required","inputRequests":`, `}`
	written, err := requiredAgain(fmt.Appendf(nil, "%s%s%s", before, text, behind))
	return bytes.TrimSuffix(bytes.TrimPrefix(written, []byte(before)), []byte(behind)), err
}

// answersAgain is the round trip of the answers in a retry, each through the type of
// answer that it is.
func answersAgain(text jsonrpc.Raw) ([]byte, error) {
	const before, behind = `{"name":"a","inputResponses":`, `}`
	p, err := mcp.Read[mcp.CallToolParams](fmt.Appendf(nil, "%s%s%s", before, text, behind), "example")
	if err != nil {
		return nil, err
	}
	for key, answer := range p.Responses {
		trip := again[mcp.ElicitResult]
		if bytes.Contains(answer, []byte(`"model"`)) {
			trip = again[mcp.SampleResult]
		}
		if p.Responses[key], err = trip(answer); err != nil {
			return nil, err
		}
	}
	written, err := mcp.Append(nil, &p, form("2026-07-28"))
	return bytes.TrimSuffix(bytes.TrimPrefix(written, []byte(before)), []byte(behind)), err
}

// fieldAgain is the round trip of the schema of one field, in a form that has it alone.
func fieldAgain(text jsonrpc.Raw) ([]byte, error) {
	written, err := again[mcp.ElicitForm](fmt.Appendf(nil, `{"message":"m","requestedSchema":{"type":"object","properties":{"f":%s}}}`, text))
	if err != nil {
		return nil, err
	}
	var form struct {
		RequestedSchema struct {
			Properties struct{ F json.RawMessage }
		}
	}
	err = json.Unmarshal(written, &form)
	return form.RequestedSchema.Properties.F, err
}

// silent are members that say, with this value, what their absence says too
// (2026-07-28 schema: the remarks on each).
var silent = map[string]any{
	"isError": false, "hasMore": false, "mode": "form",
}

// meaning decodes a text so that equal meanings are equal values: numbers by value,
// members in any order, and what absence would say left out.
func meaning(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, text)
	}
	return reduce(v)
}

func reduce(v any) any {
	switch v := v.(type) {
	case json.Number:
		n, _ := new(big.Rat).SetString(string(v))
		return n.RatString()
	case []any:
		for i := range v {
			v[i] = reduce(v[i])
		}
	case map[string]any:
		for name, value := range v {
			v[name] = reduce(value)
			if absent, ok := silent[name]; ok && absent == value {
				delete(v, name)
			}
		}
		if elicitation, ok := v["elicitation"].(map[string]any); ok && len(elicitation) == 0 {
			elicitation["form"] = map[string]any{} // neither mode means forms
		}
	}
	return v
}
