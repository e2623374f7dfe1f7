package discover_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// typedTools has each tool twice: as a typed handler, and on the low level with the
// same answers.
func typedTools() *mcp.Server {
	s := mcp.NewServer("bench", "1.0.0", &mcp.ServerOptions{Logger: quiet()})
	type echo struct {
		Text string `json:"text" mcp:"what to send back"`
	}
	mcp.AddTool(s, mcp.Tool{Name: "echo-typed"}, func(_ context.Context, _ *mcp.Call, in echo) (string, error) {
		return "echo: " + in.Text, nil
	})
	s.AddTool(mcp.Tool{Name: "echo-low"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		text, ok := c.Argument("text").Text()
		if !ok {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "arguments.text must be a string")
		}
		return mcp.TextResult("echo: " + text), nil
	})
	type add struct {
		A int64 `json:"a" mcp:"the first"`
		B int64 `json:"b" mcp:"the second"`
	}
	type sum struct {
		Sum int64 `json:"sum"`
	}
	mcp.AddTool(s, mcp.Tool{Name: "add-typed"}, func(_ context.Context, _ *mcp.Call, in add) (sum, error) {
		return sum{in.A + in.B}, nil
	})
	s.AddTool(mcp.Tool{Name: "add-low"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		a, okA := c.Argument("a").Int()
		b, okB := c.Argument("b").Int()
		if !okA || !okB {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "arguments.a and arguments.b must be integers")
		}
		out := jsonrpc.AppendInt([]byte(`{"sum":`), a+b)
		return &mcp.Result{Structured: append(out, '}')}, nil
	})
	addOrders(s)
	return s
}

// addOrders adds a tool with arguments as they come in practice: five members, two of them
// lists, one of objects.
func addOrders(s *mcp.Server) {
	type line struct {
		Item  string  `json:"item"`
		Count int     `json:"count" minimum:"1"`
		Price float64 `json:"price"`
	}
	type order struct {
		Customer string   `json:"customer" minLength:"1"`
		Lines    []line   `json:"lines" minItems:"1"`
		Express  bool     `json:"express,omitempty"`
		Region   string   `json:"region" enum:"eu,us,apac"`
		Tags     []string `json:"tags,omitempty"`
	}
	type total struct {
		Customer string  `json:"customer"`
		Total    float64 `json:"total"`
		Count    int     `json:"count"`
	}
	mcp.AddTool(s, mcp.Tool{Name: "order-typed"}, func(_ context.Context, _ *mcp.Call, in order) (total, error) {
		out := total{Customer: in.Customer}
		for _, l := range in.Lines {
			out.Total += float64(l.Count) * l.Price
			out.Count += l.Count
		}
		return out, nil
	})
	s.AddTool(mcp.Tool{Name: "order-low"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		customer, ok := c.Argument("customer").Text()
		if region := c.Argument("region"); !ok || customer == "" || !region.Is("eu") && !region.Is("us") && !region.Is("apac") {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "arguments.customer and arguments.region are wrong")
		}
		sum, count := 0.0, int64(0)
		lines := jsonrpc.ReadArray(c.Argument("lines"))
		for lines.Next() {
			var n int64
			var price float64
			named := false
			o := jsonrpc.ReadObject(lines.Value())
			for o.Next() {
				ok := true
				switch string(o.Name()) {
				case "item":
					_, ok = o.Value().Text()
					named = ok
				case "count":
					n, ok = o.Value().Int()
				case "price":
					price, ok = o.Value().Float()
				}
				if !ok {
					return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "a member of arguments.lines is wrong")
				}
			}
			if o.Err() != nil || !named || n < 1 {
				return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "arguments.lines is wrong")
			}
			sum += float64(n) * price
			count += n
		}
		if lines.Err() != nil {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "arguments.lines is no list")
		}
		out := jsonrpc.AppendString([]byte(`{"customer":`), customer)
		out = jsonrpc.AppendFloat(append(out, `,"total":`...), sum)
		out = jsonrpc.AppendInt(append(out, `,"count":`...), count)
		return &mcp.Result{Structured: append(out, '}')}, nil
	})
}

// BenchmarkTyped compares typed calls with low-level ones: from the bytes of a message
// to the bytes of the result. The two take turns within one run, and the metric that
// counts is the ratio of the middle ones of their times, which other work on the machine
// does not shift.
func BenchmarkTyped(b *testing.B) {
	for _, row := range []struct{ tool, arguments string }{
		{"echo", `{"text":"hello"}`},
		{"add", `{"a":40,"b":2}`},
		{"order", `{"customer":"Ada Lovelace","lines":[{"item":"pencil","count":12,"price":0.25},{"item":"paper","count":1,"price":4.5}],` +
			`"express":true,"region":"eu","tags":["office","gift"]}`},
	} {
		typed, low := newBenchCall(b, row.tool+"-typed", row.arguments), newBenchCall(b, row.tool+"-low", row.arguments)
		if t, l := typed.run(b), low.run(b); t != l {
			b.Fatalf("%s\n   typed %s\nlow level %s", row.tool, t, l)
		}
		b.Run(row.tool+"/typed", typed.loop)
		b.Run(row.tool+"/low", low.loop)
		b.Run(row.tool+"/ratio", func(b *testing.B) {
			const turn = 50
			var spent [2][]time.Duration
			for b.Loop() {
				for i, c := range []*benchCall{typed, low} {
					start := time.Now()
					for range turn {
						c.once(b)
					}
					spent[i] = append(spent[i], time.Since(start))
				}
			}
			slices.Sort(spent[0])
			slices.Sort(spent[1])
			middle := b.N / 2
			b.ReportMetric(float64(spent[0][middle])/float64(spent[1][middle]), "typed/low")
		})
	}
}

// benchCall is one call, over and over.
type benchCall struct {
	router  *discover.Router
	scanner jsonrpc.Scanner
	line    []byte
	buf     []byte
	m       jsonrpc.Message
}

func newBenchCall(b *testing.B, tool, arguments string) *benchCall {
	b.Helper()
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
	return &benchCall{router: discover.NewRouter(typedTools(), nil), scanner: jsonrpc.Scanner{Inner: discover.Inner()}, line: []byte(line)}
}

func (c *benchCall) once(b *testing.B) {
	if e := c.scanner.Scan(c.line, &c.m); e != nil {
		b.Fatal(e)
	}
	out, err := c.router.Request(context.Background(), &c.m, nil, c.buf[:0])
	if err != nil {
		b.Fatal(err)
	}
	c.buf = out
}

func (c *benchCall) run(b *testing.B) string {
	c.once(b)
	return strings.Clone(string(c.buf))
}

func (c *benchCall) loop(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		c.once(b)
	}
}
