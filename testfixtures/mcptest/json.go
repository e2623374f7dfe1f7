package mcptest

import (
	"encoding/json"
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

// At is the value at a path into a JSON value: a name steps into an object, an integer
// into an array. It is nil when there is none.
func At(v jsonrpc.Raw, path ...any) jsonrpc.Raw {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = memberOf(v, step)
		case int:
			v = elementOf(v, step)
		default:
			panic(fmt.Sprintf("mcptest: a path holds names and integers, not a %T", step))
		}
	}
	return v
}

func memberOf(v jsonrpc.Raw, name string) jsonrpc.Raw {
	for o := jsonrpc.ReadObject(v); o.Next(); {
		if string(o.Name()) == name {
			return o.Value()
		}
	}
	return nil
}

func elementOf(v jsonrpc.Raw, i int) jsonrpc.Raw {
	for a := jsonrpc.ReadArray(v); a.Next(); i-- {
		if i == 0 {
			return a.Value()
		}
	}
	return nil
}

// Elements returns those of an array, nil when v is none.
func Elements(v jsonrpc.Raw) []jsonrpc.Raw {
	var all []jsonrpc.Raw
	for a := jsonrpc.ReadArray(v); a.Next(); {
		all = append(all, a.Value())
	}
	return all
}

// mustBeJSON fails the test at once for a text that stands for nothing: it would break the
// message, and the failure would be about an answer that does not come. "" is no text.
func (c *Client) mustBeJSON(what, text string) {
	c.t.Helper()
	if text != "" && !json.Valid([]byte(text)) {
		c.t.Fatalf("%s: %s is not JSON: %s", c.name(), what, text)
	}
}

// text is the text that a JSON string stands for, "" for all else.
func text(v jsonrpc.Raw) string {
	s, _ := v.Text()
	return s
}

// quote is s as a JSON string.
func quote(s string) string { return string(jsonrpc.AppendString(nil, s)) }

// object makes an object of texts like "name":value, leaving out those that are empty.
func object(members ...string) string {
	var b strings.Builder
	for _, m := range members {
		if m == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m)
	}
	return "{" + b.String() + "}"
}

// member is "name":value, or nothing when the value is.
func member(name, value string) string {
	if value == "" {
		return ""
	}
	return quote(name) + ":" + value
}

// inside cuts the braces off an object and leaves its members out that have one of
// these names.
func inside(v jsonrpc.Raw, without ...string) string {
	var kept []string
next:
	for o := jsonrpc.ReadObject(v); o.Next(); {
		for _, name := range without {
			if string(o.Name()) == name {
				continue next
			}
		}
		kept = append(kept, member(string(o.Name()), string(o.Value())))
	}
	return strings.Join(kept, ",")
}
