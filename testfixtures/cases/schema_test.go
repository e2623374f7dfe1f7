package cases_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/mcptest"
)

// tool returns the definition of a tool as a client sees it.
func tool(t *testing.T, c *mcptest.Client, name string) jsonrpc.Raw {
	t.Helper()
	for _, definition := range c.List("tools/list") {
		if mcptest.At(definition, "name").Is(name) {
			return definition
		}
	}
	t.Fatalf("the tool %s is not listed", name)
	return nil
}

// B103, B104: a tool without arguments has a schema that is an object, and nothing in a
// schema is null.
func TestB103SchemaOfNothing(t *testing.T) {
	server := with(func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "low"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return mcp.TextResult("x"), nil })
		mcp.AddTool(s, mcp.Tool{Name: "typed"}, func(context.Context, *mcp.Call, struct{}) (string, error) { return "x", nil })
		mcp.AddTool(s, mcp.Tool{Name: "any"}, func(context.Context, *mcp.Call, any) (any, error) { return "x", nil })
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		for _, name := range []string{"low", "typed", "any"} {
			definition := tool(t, c, name)
			same(t, name, string(mcptest.At(definition, "inputSchema", "type")), `"object"`)
			if strings.Contains(string(definition), "null") {
				t.Errorf("%s holds a null: %s", name, definition)
			}
			same(t, "calling "+name, c.Call(name, "").Text(), "x")
		}
	})
}

type optional struct {
	Name  *string        `json:"name,omitempty"`
	List  []string       `json:"list,omitempty"`
	Map   map[string]int `json:"map,omitempty"`
	Truth *bool          `json:"truth"`
}

// B106: what is optional has a plain type and is not required; null is tolerated.
func TestB106Optional(t *testing.T) {
	server := with(func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "optional"}, func(_ context.Context, _ *mcp.Call, in optional) (string, error) {
			return fmt.Sprint(in.Name == nil, in.Truth == nil, len(in.List), len(in.Map)), nil
		})
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		schema := mcptest.At(tool(t, c, "optional"), "inputSchema")
		for name, want := range map[string]string{"name": `"string"`, "list": `"array"`, "map": `"object"`, "truth": `"boolean"`} {
			same(t, name, string(mcptest.At(schema, "properties", name, "type")), want)
		}
		if required := mcptest.Elements(mcptest.At(schema, "required")); len(required) > 0 {
			t.Errorf("required: %s", required)
		}
		for _, arguments := range []string{`{}`, `{"name":null,"truth":null,"list":null,"map":null}`} {
			same(t, arguments, c.Call("optional", arguments).Text(), "true true 0 0")
		}
	})
}

type myDate struct{ time.Time }

type dates struct {
	At     time.Time  `json:"at"`
	First  *time.Time `json:"first,omitempty"`
	Second *time.Time `json:"second,omitempty"`
	Own    myDate     `json:"own"`
}

// B107: a time is a string of the format date-time wherever it stands, in and out.
func TestB107Times(t *testing.T) {
	server := with(func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "dates"}, func(_ context.Context, _ *mcp.Call, in dates) (dates, error) { return in, nil })
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		definition := tool(t, c, "dates")
		for _, schema := range []string{"inputSchema", "outputSchema"} {
			if mcptest.At(definition, schema) == nil {
				continue // the revision has no output schema
			}
			for _, name := range []string{"at", "first", "second", "own"} {
				same(t, schema+" "+name, string(mcptest.At(definition, schema, "properties", name, "format")), `"date-time"`)
			}
		}
		const arguments = `{"at":"2026-07-28T12:00:00Z","first":"2026-07-28T12:00:00.5+02:00","own":"2000-01-01T00:00:00Z"}`
		same(t, "back", c.Call("dates", arguments).Text(), arguments)
		if r := c.Call("dates", `{"at":"yesterday","own":"2000-01-01T00:00:00Z"}`); !r.IsError() || !strings.Contains(r.Text(), "arguments.at: expected a string of the format date-time") {
			t.Errorf("a time that is none: %s", r)
		}
	})
}

// B109: contents of no bytes are there, one of text and blob each.
func TestB109Empty(t *testing.T) {
	server := with(func(s *mcp.Server) {
		for name, contents := range map[string]mcp.ResourceContents{
			"blob": &mcp.BlobResource{URI: "empty:blob"}, "text": &mcp.TextResource{URI: "empty:text"},
			"bytes": &mcp.BlobResource{URI: "empty:bytes", Blob: []byte{0xFB, 0xFF}},
		} {
			s.AddResource(mcp.Resource{URI: "empty:" + name, Name: name},
				func(context.Context, *mcp.Call) ([]mcp.ResourceContents, error) {
					return []mcp.ResourceContents{contents}, nil
				})
		}
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		same(t, "blob", string(c.Read("empty:blob").At("contents")), `[{"uri":"empty:blob","blob":""}]`)
		same(t, "text", string(c.Read("empty:text").At("contents")), `[{"uri":"empty:text","text":""}]`)
		same(t, "bytes", string(c.Read("empty:bytes").At("contents")), `[{"uri":"empty:bytes","blob":"+/8="}]`)
	})
}

// B110: a result of any or of nothing has no output schema; raw JSON may be anything.
func TestB110Any(t *testing.T) {
	type holder struct {
		Raw json.RawMessage `json:"raw"`
		Any any             `json:"any"`
	}
	server := with(func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "any"}, func(context.Context, *mcp.Call, struct{}) (any, error) { return nil, nil })
		mcp.AddTool(s, mcp.Tool{Name: "nothing"}, func(context.Context, *mcp.Call, struct{}) (struct{}, error) { return struct{}{}, nil })
		mcp.AddTool(s, mcp.Tool{Name: "raw"}, func(_ context.Context, _ *mcp.Call, in holder) (string, error) {
			return fmt.Sprintf("%s %v", in.Raw, in.Any), nil
		})
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		for _, name := range []string{"any", "nothing"} {
			if out := mcptest.At(tool(t, c, name), "outputSchema"); out != nil {
				t.Errorf("%s has the output schema %s", name, out)
			}
			r := c.Call(name, "")
			same(t, name, string(r.At("content"))+string(r.At("structuredContent")), "[]")
		}
		for _, name := range []string{"raw", "any"} {
			same(t, "the schema of "+name, string(mcptest.At(tool(t, c, "raw"), "inputSchema", "properties", name)), `{}`)
		}
		for _, value := range []string{`[1,2]`, `{"a":[null]}`, `"x"`} {
			if r := c.Call("raw", `{"raw":`+value+`,"any":1}`); r.Text() != value+" 1" {
				t.Errorf("raw %s: %s", value, r)
			}
		}
	})
}

// B112: a nil pointer is not what the output schema has announced, so it is an error, and
// never the literal null.
func TestB112NilPointer(t *testing.T) {
	type out struct {
		A int `json:"a"`
	}
	server := with(func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "nil"}, func(context.Context, *mcp.Call, struct{}) (*out, error) { return nil, nil })
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		if r := c.Call("nil", ""); r.Code() != jsonrpc.InternalError || strings.Contains(string(r.Line), "null") {
			t.Errorf("got %s, want an internal error", r.Line)
		}
	})
}

// B113, B115: a result without content has an empty list; one that failed needs no
// structured content, whatever the output schema says.
func TestB113NoContent(t *testing.T) {
	server := with(func(s *mcp.Server) {
		s.AddTool(mcp.Tool{Name: "nothing"}, func(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{}, nil })
		mcp.AddTool(s, mcp.Tool{Name: "failing", OutputSchema: jsonrpc.Raw(`{"type":"object","required":["a"]}`)},
			func(context.Context, *mcp.Call, struct{}) (*mcp.Result, error) {
				r := mcp.TextResult("it failed")
				r.IsError = true
				return r, nil
			})
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		same(t, "B113", string(c.Call("nothing", "").At("content")), `[]`)
		r := c.Call("failing", "")
		if !r.IsError() || r.Text() != "it failed" || r.At("structuredContent") != nil {
			t.Errorf("B115: %s", r)
		}
	})
}

// B116, B118, B119: arguments that do not fit are told by their names, and the handler
// does not run; integers are integers by their value.
func TestB116Arguments(t *testing.T) {
	mcptest.Each(t, all, func(t *testing.T, c *mcptest.Client) {
		const aIs, aFits = "arguments.a: expected an integer, got ", "arguments.a: expected an integer from -9223372036854775808 to 9223372036854775807, got the number "
		for arguments, wrong := range map[string]string{
			`{"a":"x"}`:       `arguments: expected the required member "b", got an object with only "a"; ` + aIs + `the string "x"`,
			`{"a":1.5,"b":2}`: aIs + "the number 1.5", `{"a":"5","b":2}`: aIs + `the string "5"`, `{"a":null,"b":2}`: aIs + "null",
			`{}`:                  `arguments: expected the required members "a" and "b", got an empty object`,
			`{"a":1,"b":2,"c":3}`: `arguments: expected no other members than "a" and "b", got the unknown member "c"`,
			`{"a":1e400,"b":2}`:   aFits + "1e400", `{"a":9223372036854775808,"b":2}`: aFits + "9223372036854775808",
		} {
			r := c.Call("add", arguments)
			if same(t, "add "+arguments, r.Text(), "Invalid arguments for tool add: "+wrong); !r.IsError() {
				t.Errorf("add %s: %s, want a failed call", arguments, r)
			}
		}
		for _, arguments := range []string{`{"a":1.0,"b":2e0}`, `{"a":1,"b":2}`, `{"a":10e-1,"b":0.2e1}`} {
			same(t, arguments, c.Call("add", arguments).Text(), `{"sum":3}`)
		}
		for _, arguments := range []string{`"{\"a\":1}"`, `[1]`, `null`, `7`} {
			if r := c.Call("add", arguments); r.Code() != jsonrpc.InvalidParams {
				t.Errorf("add %s: %s, want -32602", arguments, r)
			}
		}
	})
}

// B121: schemas of a known dialect are enforced; those of another one, and those that
// refer to elsewhere, cannot be registered.
func TestB121Dialects(t *testing.T) {
	register := func(schema string) (said any) {
		defer func() { said = recover() }()
		with(func(s *mcp.Server) {
			mcp.AddTool(s, mcp.Tool{Name: "x", InputSchema: jsonrpc.Raw(schema)}, func(context.Context, *mcp.Call, jsonrpc.Raw) (string, error) { return "ran", nil })
		})(t)
		return nil
	}
	for schema, part := range map[string]string{
		`{"type":"object","$schema":"https://example.com/dialect"}`:                     "https://example.com/dialect",
		`{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:9/x.json"}}}`:     "http://127.0.0.1:9/x.json",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`:                  "#/$defs/none",
		`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","$id":7}`: "$id",
	} {
		if said := fmt.Sprint(register(schema)); !strings.Contains(said, `tool "x"`) || !strings.Contains(said, part) {
			t.Errorf("%s\n got %s\nwant a panic that names the tool and %s", schema, said, part)
		}
	}
	server := with(func(s *mcp.Server) {
		for name, schema := range map[string]string{
			"seven": `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"items":[{"type":"string"}]}}}`,
			"local": `{"type":"object","properties":{"a":{"$ref":"#/$defs/T"}},"$defs":{"T":{"type":"array","prefixItems":[{"type":"string"}]}}}`,
		} {
			mcp.AddTool(s, mcp.Tool{Name: name, InputSchema: jsonrpc.Raw(schema)}, func(context.Context, *mcp.Call, jsonrpc.Raw) (string, error) { return "ran", nil })
		}
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		for _, name := range []string{"seven", "local"} {
			same(t, name, c.Call(name, `{"a":["x",1]}`).Text(), "ran")
			if r := c.Call(name, `{"a":[1]}`); !r.IsError() || !strings.Contains(r.Text(), "arguments.a[0]") {
				t.Errorf("%s: %s", name, r)
			}
		}
	})
}

// B122: a default fills what is absent and never what is there.
func TestB122Defaults(t *testing.T) {
	type in struct {
		N int    `json:"n" default:"10"`
		S string `json:"s" enum:"yes,no" default:"yes"`
	}
	server := with(func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "d"}, func(_ context.Context, _ *mcp.Call, in in) (string, error) {
			return fmt.Sprintf("%d %s", in.N, in.S), nil
		})
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		for arguments, want := range map[string]string{`{}`: "10 yes", `{"n":0}`: "0 yes", `{"s":"no"}`: "10 no", `{"n":-1,"s":"no"}`: "-1 no"} {
			same(t, arguments, c.Call("d", arguments).Text(), want)
		}
		if r := c.Call("d", `{"n":0,"s":"nope"}`); !r.IsError() || !strings.Contains(r.Text(), "arguments.s") {
			t.Errorf("outside of the enum: %s", r)
		}
	})
}

// cyclic points to itself.
type cyclic struct {
	Next *cyclic `json:"next,omitempty"`
}

// B173: what cannot be written is an internal error with the id, and no half message.
func TestB173Unwritable(t *testing.T) {
	server := with(func(s *mcp.Server) {
		mcp.AddTool(s, mcp.Tool{Name: "nan"}, func(context.Context, *mcp.Call, struct{}) (map[string]float64, error) {
			return map[string]float64{"x": math.NaN()}, nil
		})
		mcp.AddTool(s, mcp.Tool{Name: "cycle"}, func(context.Context, *mcp.Call, struct{}) (*cyclic, error) {
			c := &cyclic{}
			c.Next = c
			return c, nil
		})
		mcp.AddTool(s, mcp.Tool{Name: "channel"}, func(context.Context, *mcp.Call, struct{}) (any, error) { return make(chan int), nil })
	})
	mcptest.Each(t, server, func(t *testing.T, c *mcptest.Client) {
		for _, name := range []string{"nan", "cycle", "channel"} {
			if r := c.Call(name, ""); r.Code() != jsonrpc.InternalError {
				t.Errorf("%s: %.200s, want an internal error", name, r)
			}
		}
		same(t, "afterwards", string(c.Call("nan", `{"x":1}`).At("isError")), "true")
	})
}
