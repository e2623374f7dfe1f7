package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// seat writes itself, and does not read itself.
type seat struct{ row int }

func (s seat) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{"row":%d}`, s.row), nil }

// keepsOnce returns what fails when value is kept, and read again as a T.
func keepsOnce[T any](value T) func(*mcp.Call, string) string {
	return func(c *mcp.Call, key string) string {
		calls := 0
		do := func() (T, error) { calls++; return value, nil }
		if _, err := mcp.Once(c, key, do); err != nil {
			return fmt.Sprintf("%v, after %d calls", err, calls)
		}
		again, err := mcp.Once(c, key, do)
		if err != nil {
			return err.Error()
		}
		if calls != 1 || !reflect.DeepEqual(again, value) {
			return fmt.Sprintf("got %#v after %d calls", again, calls)
		}
		return ""
	}
}

// TestOnceTypes: what was done comes back as it was, where it had nothing in it, too. A type
// that could not come back is told before anything is done.
func TestOnceTypes(t *testing.T) {
	type trip struct {
		Seats []int          `json:"seats"`
		Notes map[int]string `json:"notes,omitempty"`
		Until time.Time      `json:"until"`
		Back  *trip          `json:"back"`
		Note  string
	}
	const unkept = `mcp: Once "%s": a result of this type cannot be kept: jsonschema: type `
	tests := []struct {
		name string
		keep func(*mcp.Call, string) string
		want string // "" for nothing that fails
	}{
		{"struct", keepsOnce(trip{Seats: []int{1}, Notes: map[int]string{-1: "<a>"}, Until: time.Unix(1, 5).UTC(), Back: &trip{}, Note: "\u2028"}), ""},
		{"struct with nothing in it", keepsOnce(trip{}), ""},
		{"nil slice", keepsOnce([]string(nil)), ""},
		{"empty slice", keepsOnce([]string{}), ""},
		{"nil map", keepsOnce(map[string]int(nil)), ""},
		{"empty map", keepsOnce(map[string]int{}), ""},
		{"nil bytes", keepsOnce([]byte(nil)), ""},
		{"bytes", keepsOnce([]byte{0, 255}), ""},
		{"nil pointer", keepsOnce((*trip)(nil)), ""},
		{"nil any", keepsOnce(any(nil)), ""},
		{"any", keepsOnce(any(map[string]any{"a": []any{"b", true, nil, json.Number("1.50")}})), ""},
		{"text of JSON", keepsOnce(jsonrpc.Raw(`{"a":1}`)), ""},
		{"methods on the pointer", keepsOnce(*big.NewInt(-12)), ""},
		{"a function", keepsOnce(func() {}), unkept + "func(): a func has no form in JSON, after 0 calls"},
		{"no method that reads", keepsOnce(seat{1}), unkept + "mcp_test.seat: it has methods that write it and none that read it; give it UnmarshalText or UnmarshalJSON, after 0 calls"},
		{"an interface with methods", keepsOnce[io.Reader](nil), unkept + "io.Reader: nothing tells which type to make for an interface with methods, after 0 calls"},
		{"what JSON cannot say", keepsOnce(any(func() {})), `mcp: Once "%s": the result has no form in JSON: jsonschema: type func(): a func has no form in JSON, after 1 calls`},
	}
	asks(t, &asking{}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		for _, test := range tests {
			want := test.want
			if want != "" {
				want = fmt.Sprintf(want, test.name)
			}
			same(t, test.name, test.keep(c, test.name), want)
		}
		return mcp.TextResult("done"), nil
	})
}

// TestOnceOfAnotherType: a client may be told why what it brought back is of no use, and
// not what was sealed in it.
func TestOnceOfAnotherType(t *testing.T) {
	got := asks(t, &asking{}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		mcp.Once(c, "k", func() (map[string]string, error) { return map[string]string{"pin": "1234"}, nil })
		_, err := mcp.Once(c, "k", func() (map[string]int, error) { return nil, nil })
		return nil, err
	})
	same(t, "Once", got, failed(`mcp: Once "k": what an earlier round has done is no map[string]int: `+
		`/pin: expected an integer from -9223372036854775808 to 9223372036854775807, got something else`))
}

// TestOnceRaw: JSON is kept as one line, and what is no JSON is not kept.
func TestOnceRaw(t *testing.T) {
	tests := []struct {
		name  string
		does  string
		want  string
		calls int // in two runs
	}{
		{"an object", `{"a":1.50}`, `{"a":1.50}`, 1},
		{"with space", "{ \"a\" :\n[ ] }", `{"a":[]}`, 1},
		{"no JSON", `{"a"`, `mcp: Once "no JSON": the result is not JSON: jsonrpc: not a JSON value: unexpected end at byte 4`, 2},
		{"nothing", ``, `mcp: Once "nothing": the result is not JSON: jsonrpc: not a JSON value: unexpected end at byte 0`, 2},
	}
	asks(t, &asking{}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		for _, test := range tests {
			calls := 0
			for range 2 {
				kept, err := c.OnceRaw(test.name, func() (jsonrpc.Raw, error) { calls++; return jsonrpc.Raw(test.does), nil })
				got := string(kept)
				if err != nil {
					got = err.Error()
				}
				same(t, test.name, got, test.want)
			}
			if calls != test.calls {
				t.Errorf("%s: got %d calls, want %d", test.name, calls, test.calls)
			}
		}
		return mcp.TextResult("done"), nil
	})
}
