package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// formOf puts properties into the schema of a form.
func formOf(properties string) jsonrpc.Raw {
	return jsonrpc.Raw(`{"type":"object","properties":{` + properties + `}}`)
}

// inquired is what goes to a client of a revision for a question, or why nothing does.
func inquired(t *testing.T, f *mcp.Form, q func() mcp.Question) string {
	t.Helper()
	s := quiet(mcp.ServerOptions{})
	a := &asking{}
	s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		return mcp.TextResult("x"), c.AskAll(ctx, q())
	})
	x := &exchange{server: s, form: f, capabilities: everything, asker: a}
	got := x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
	if len(a.asked) > 0 {
		return a.asked[0]
	}
	return got
}

// TestFormSchemas: every form of a field, as each revision has it (table 4a,
// elicitation-sep1034-defaults and elicitation-sep1330-enums).
func TestFormSchemas(t *testing.T) {
	titles := `[{"const":"a","title":"A"},{"const":"b","title":"B"}]`
	tests := []struct{ name, property, old string }{
		{"text", `{"type":"string","title":"T","description":"D","minLength":3,"maxLength":50,"format":"email","default":"u@example.com"}`,
			`{"type":"string","title":"T","description":"D","minLength":3,"maxLength":50,"format":"email"}`},
		{"number", `{"type":"number","minimum":0.5,"maximum":1e2,"default":95.5}`, `{"type":"number","minimum":0.5,"maximum":1e2}`},
		{"integer", `{"type":"integer","minimum":-5,"default":30}`, `{"type":"integer","minimum":-5}`},
		{"boolean", `{"type":"boolean","default":true}`, `{"type":"boolean","default":true}`},
		{"choice", `{"type":"string","enum":["a","b"],"default":"a"}`, `{"type":"string","enum":["a","b"]}`},
		{"choice with titles", `{"type":"string","oneOf":` + titles + `,"default":"b"}`, `{"type":"string","enum":["a","b"],"enumNames":["A","B"]}`},
		{"choice of old", `{"type":"string","enum":["a","b"],"enumNames":["A","B"]}`, `{"type":"string","enum":["a","b"],"enumNames":["A","B"]}`},
		{"several", `{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b"]},"default":["a"]}`, ""},
		{"several with titles", `{"type":"array","title":"T","items":{"anyOf":` + titles + `}}`, ""},
	}
	for _, tt := range tests {
		schema := jsonrpc.Raw(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"p/q":` + tt.property + `},"required":["p/q"]}`)
		ask := func() mcp.Question { return mcp.FormQuestion("k", &mcp.ElicitForm{Message: "M", Schema: schema}) }
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			same(t, tt.name, inquired(t, form(revision), ask), `k elicitation/create {"mode":"form","message":"M","requestedSchema":`+string(schema)+`}`)
		}
		want := `k elicitation/create {"message":"M","requestedSchema":{"type":"object","properties":{"p/q":` + tt.old + `},"required":["p/q"]}}`
		if tt.old == "" {
			want = failed("this needs a client with the capability elicitation.form, and revision 2025-06-18 of the protocol has no choice of several values (p/q)")
		}
		same(t, tt.name, inquired(t, form("2025-06-18"), ask), want)
		for _, revision := range []string{"2024-11-05", "2025-03-26"} {
			same(t, tt.name, inquired(t, form(revision), ask),
				failed("this needs a client with the capability elicitation.form, which revision "+revision+" of the protocol does not have"))
		}
	}
}

// TestFormFaults: a form that clients cannot show is a fault of the program.
func TestFormFaults(t *testing.T) {
	const flat = "a form has strings, numbers, integers, booleans, and choices of strings, and nothing inside of them"
	tests := []struct {
		schema jsonrpc.Raw
		want   string
	}{
		{nil, "its schema must be a JSON object"},
		{jsonrpc.Raw(`[]`), "its schema must be a JSON object"},
		{jsonrpc.Raw(`{}`), `its schema must have "type":"object" and properties`},
		{jsonrpc.Raw(`{"type":"object"}`), `its schema must have "type":"object" and properties`},
		{jsonrpc.Raw(`{"type":"array","properties":{}}`), `its schema must have "type":"object" and properties`},
		{jsonrpc.Raw(`{"type":"object","properties":{},"additionalProperties":false}`), `its schema has the member "additionalProperties"`},
		{jsonrpc.Raw(`{"type":"object","properties":[]}`), "properties must be an object"},
		{jsonrpc.Raw(`{"type":"object","properties":{},"required":"x"}`), "required"},
		{jsonrpc.Raw(`{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"string"}}}`), "duplicate"},
		{formOf(`"a":true`), `property "a": it must be a schema that is an object`},
		{formOf(`"a":{}`), `property "a": ` + flat},
		{formOf(`"a":{"type":"null"}`), flat},
		{formOf(`"a":{"type":["string","null"]}`), flat},
		{formOf(`"a":{"type":"object","properties":{}}`), flat},
		{formOf(`"a":{"type":"String"}`), flat},
		{formOf(`"a":{"type":"string","pattern":"^a"}`), "a form cannot have pattern here"},
		{formOf(`"a":{"type":"string","format":"uuid"}`), `the format of a text is one of ["email" "uri" "date" "date-time"]`},
		{formOf(`"a":{"type":"string","minLength":-1}`), "minLength"},
		{formOf(`"a":{"type":"string","default":7}`), "default: expected a string, got the number 7"},
		{formOf(`"a":{"type":"string","format":"email","default":"x"}`), "default: expected"},
		{formOf(`"a":{"type":"number","exclusiveMinimum":1}`), "a form cannot have exclusiveMinimum here"},
		{formOf(`"a":{"type":"integer","default":1.5}`), "default: expected an integer"},
		{formOf(`"a":{"type":"boolean","enum":[true]}`), "a form cannot have enum here"},
		{formOf(`"a":{"type":"string","enum":[]}`), "enum must list strings"},
		{formOf(`"a":{"type":"string","enum":["a",1]}`), "enum must list strings"},
		{formOf(`"a":{"type":"string","enum":["a"],"enumNames":[]}`), "enumNames must list a string for each of enum"},
		{formOf(`"a":{"type":"string","enum":["a"],"default":"b"}`), "default: expected"},
		{formOf(`"a":{"type":"string","oneOf":[]}`), "choices with titles must be a list"},
		{formOf(`"a":{"type":"string","oneOf":[{"const":"a"}]}`), "a choice with a title is"},
		{formOf(`"a":{"type":"string","oneOf":[{"const":1,"title":"A"}]}`), "a choice with a title is"},
		{formOf(`"a":{"type":"array"}`), "the items of a list are"},
		{formOf(`"a":{"type":"array","items":{"type":"string"}}`), "the items of a list are"},
		{formOf(`"a":{"type":"array","items":{"type":"integer","enum":[1]}}`), "the items of a list are"},
		{formOf(`"a":{"type":"array","items":{"anyOf":[{"title":"A"}]}}`), "a choice with a title is"},
		{formOf(`"a":{"type":"array","items":{"type":"string","enum":["a"]},"uniqueItems":true}`), "a form cannot have uniqueItems here"},
	}
	for _, tt := range tests {
		got := panicOf(func() { mcp.FormQuestion("k", &mcp.ElicitForm{Message: "M", Schema: tt.schema}) })
		if !strings.HasPrefix(got, `mcp: the form "k": `) || !strings.Contains(got, tt.want) {
			t.Errorf("%s\n  got %s\n want %s", tt.schema, got, tt.want)
		}
	}
}

// TestUnputQuestions: what comes at run time and cannot be put before a user is an error of the call
// that asks, and neither a panic nor anything that goes to the client.
func TestUnputQuestions(t *testing.T) {
	page := func(url string) func() mcp.Question {
		return func() mcp.Question { return mcp.URLQuestion("k", &mcp.ElicitURL{Message: "M", URL: url}) }
	}
	const noWeb = "it must be https://, or http:// while a server is developed, with a host"
	tests := []struct {
		name string
		ask  func() mcp.Question
		want string
	}{
		{"a form without a message", func() mcp.Question { return mcp.FormQuestion("k", &mcp.ElicitForm{Schema: formOf("")}) },
			`mcp: the question "k" has no message that says what is asked for`},
		{"a typed form without a message", func() mcp.Question { return mcp.QuestionFor[person]("k", "") },
			`mcp: the question "k" has no message that says what is asked for`},
		{"a page without a message", func() mcp.Question { return mcp.URLQuestion("k", &mcp.ElicitURL{URL: "https://example.com"}) },
			`mcp: the page "k": it has no message that says what is asked for`},
		{"no url", page(""), `mcp: the page "k": the url "": ` + noWeb},
		{"no scheme", page("example.com"), `mcp: the page "k": the url "example.com": ` + noWeb},
		{"an empty scheme", page("::"), `mcp: the page "k": the url "::": ` + noWeb},
		{"a script", page("javascript:1"), `mcp: the page "k": the url "javascript:1": ` + noWeb},
		{"no host", page("https:///a"), `mcp: the page "k": the url "https:///a": ` + noWeb},
		{"a Cyrillic host", page("https://ехample.com/"), `mcp: the page "k": the url "https://ехample.com/": a host with letters beyond ASCII must be written in Punycode, xn--…`},
		{"a space", page("https://example.com/a b"), `mcp: the page "k": the url "https://example.com/a b": the uri has a character that must be percent-encoded`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inForms(t, func(t *testing.T, f *mcp.Form) {
				var got error
				s := quiet(mcp.ServerOptions{})
				s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
					got = c.AskAll(ctx, tt.ask())
					return mcp.TextResult("asked"), nil
				})
				var log bytes.Buffer
				x := &exchange{server: s, form: f, capabilities: everything, asker: &asking{}, log: slog.New(slog.NewJSONHandler(&log, nil))}
				x.ask(t, context.Background(), "tools/call", `{"name":"a"}`)
				if got == nil || got.Error() != tt.want || log.Len() > 0 {
					t.Errorf("AskAll: %v\nwant %s\nand nothing in the log, which has %s", got, tt.want, log.Bytes())
				}
			})
		})
	}
}

type color string

func (color) JSONSchema() jsonrpc.Raw {
	return mcp.Choices(mcp.Choice{Value: "r", Title: "Red"}, mcp.Choice{Value: "g", Title: "Green"})
}

type base struct {
	Name string `json:"name" title:"Name" mcp:"what to call you" minLength:"1" default:"you"`
}

// all has a field of every kind that a form can have.
type all struct {
	base
	Age    *int      `json:"age" minimum:"18"`
	Small  uint8     `json:"small,omitempty"`
	Score  float64   `json:"score" default:"95.5"`
	Sure   bool      `json:"sure" default:"true"`
	Plan   string    `json:"plan" enum:"free,paid"`
	Color  color     `json:"color,omitempty"`
	Colors []color   `json:"colors,omitempty"`
	Parts  []string  `json:"parts" enum:"a,b" maxItems:"2" required:"false"`
	When   time.Time `json:"when,omitzero"`
	Mail   string    `json:"mail" format:"email" required:"false"`
}

// TestTypedForm: what is inferred from a struct, and what comes back.
func TestTypedForm(t *testing.T) {
	const schema = `{"type":"object","properties":{` +
		`"name":{"type":"string","title":"Name","description":"what to call you","default":"you","minLength":1},` +
		`"age":{"type":"integer","minimum":18},"small":{"type":"integer","minimum":0,"maximum":255},` +
		`"score":{"type":"number","default":95.5},"sure":{"type":"boolean","default":true},"plan":{"type":"string","enum":["free","paid"]},` +
		`"color":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},` +
		`"colors":{"type":"array","items":{"anyOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}},` +
		`"parts":{"type":"array","maxItems":2,"items":{"type":"string","enum":["a","b"]}},` +
		`"when":{"type":"string","format":"date-time"},"mail":{"type":"string","format":"email"}},"required":["plan"]}`
	same(t, "asked", inquired(t, form("2026-07-28"), func() mcp.Question { return mcp.QuestionFor[all]("k", "M") }),
		`k elicitation/create {"mode":"form","message":"M","requestedSchema":`+schema+`}`)
	tests := []struct{ content, want string }{
		{`{"plan":"free"}`, `{you} nil 0 95.5 true free "" [] [] 0001 ""`},
		{`{"plan":"paid","name":"Ada","age":36,"small":7.0,"score":1,"sure":false,"color":"g","colors":["r","g"],"parts":["b"],"when":"2026-07-28T00:00:00Z","mail":"a@example.com"}`,
			`{Ada} 36 7 1 false paid "g" [r g] [b] 2026 "a@example.com"`},
		{`{"plan":"free","age":null,"score":null,"mail":null,"x":{"y":1}}`, `{you} nil 0 95.5 true free "" [] [] 0001 ""`},
		{`{"plan":"free","Name":"Eve","AGE":19}`, `{you} nil 0 95.5 true free "" [] [] 0001 ""`},
		{`{"plan":"free","age":17}`, "content.age: expected a number of at least 18, got the number 17"},
		{`{"plan":"free","small":256}`, "content.small: expected a number of at most 255, got the number 256"},
		{`{"plan":null}`, "content.plan: expected"},
		{`{}`, `content: expected the required member "plan"`},
		{`{"plan":"free","mail":"x"}`, "content.mail: expected"},
		{`{"plan":"free","when":"yesterday"}`, "content.when: expected"},
		{`{"plan":"free","color":"b"}`, "content.color: expected"},
		{`{"plan":"free","colors":["r","b"]}`, "content.colors[1]: expected"},
		{`{"plan":"free","parts":["a","b","a"]}`, "content.parts: expected"},
		{`{"plan":"free","name":"a","name":"b"}`, "content"},
	}
	for _, tt := range tests {
		got := asks(t, &asking{results: map[string]string{"k": `{"action":"accept","content":` + tt.content + `}`}}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			in, err := mcp.Ask[all](ctx, c, "k", "M")
			if err != nil {
				return nil, err
			}
			age := "nil"
			if in.Age != nil {
				age = fmt.Sprint(*in.Age)
			}
			return mcp.TextResult(fmt.Sprintf("%v %s %d %v %t %s %q %v %v %04d %q", in.base, age, in.Small, in.Score, in.Sure, in.Plan, in.Color, in.Colors, in.Parts, in.When.Year(), in.Mail)), nil
		})
		want := string(jsonrpc.AppendString(nil, tt.want))
		if strings.HasPrefix(tt.want, "content") {
			want = strings.Trim(string(jsonrpc.AppendString(nil, `the client's answer to "k" is not what was asked for: `+tt.want)), `"`)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", tt.content, got, want)
		}
	}
}

// TestTypedFormFaults: a type that is no form shows when it is checked, or else when it is
// asked for first, in each revision, with a line in the log that names type and field.
func TestTypedFormFaults(t *testing.T) {
	tests := []formFault{
		faultOf[int]("int cannot be asked for: a form is a struct, and not a int"),
		faultOf[[]person]("[]mcp_test.person cannot be asked for: a form is a struct, and not a slice"),
		faultOf[nested](`mcp_test.nested cannot be asked for: property "In": a form has strings`),
		faultOf[struct{ In any }](`property "In": a form has strings`),
		faultOf[struct{ In []string }](`property "In": the items of a list are`),
		faultOf[struct{ In map[string]int }](`property "In": a form has strings`),
		faultOf[struct{ In chan int }]("field In: "),
		faultOf[struct {
			In string `pattern:"a"`
		}](`property "In": a form cannot have pattern here`),
		faultOf[struct{ In []byte }](`property "In": a form cannot have contentEncoding here`),
		faultOf[struct {
			In string `desc:"a"`
		}]("field In: tag desc"),
	}
	for _, tt := range tests {
		if err := tt.check(); err == nil || !strings.HasPrefix(err.Error(), "mcp: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("CheckForm: got %v, want %s", err, tt.want)
		}
		inForms(t, func(t *testing.T, f *mcp.Form) {
			s := quiet(mcp.ServerOptions{})
			s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
				return nil, c.AskAll(ctx, tt.ask())
			})
			var log bytes.Buffer
			x := &exchange{server: s, form: f, capabilities: everything, asker: &asking{}, log: slog.New(slog.NewJSONHandler(&log, nil))}
			same(t, tt.want, x.ask(t, context.Background(), "tools/call", `{"name":"a"}`), "-32603 Internal error")
			var line struct{ Panic string }
			if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Panic != tt.check().Error() {
				t.Errorf("the log has %s, %v; want the panic %v", log.Bytes(), err, tt.check())
			}
		})
	}
	if err := mcp.CheckForm[all](); err != nil {
		t.Errorf("CheckForm of a form: %v", err)
	}
}

type nested struct{ In person }

// formFault is a type that is no form.
type formFault struct {
	check func() error
	ask   func() mcp.Question
	want  string
}

func faultOf[T any](want string) formFault {
	return formFault{mcp.CheckForm[T], func() mcp.Question { return mcp.QuestionFor[T]("k", "M") }, want}
}

// TestElicitByHand: a schema written by hand, with its defaults; and a page.
func TestElicitByHand(t *testing.T) {
	a := &asking{results: map[string]string{
		"form": `{"action":"accept","content":{"n":12345678901234567890.50}}`,
		"page": `{"action":"accept","content":7}`,
		"no":   `{"action":"decline"}`,
	}}
	got := asks(t, a, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		content, err := c.Elicit(ctx, "form", &mcp.ElicitForm{Message: "M", Schema: formOf(`"n":{"type":"number"},"s":{"type":"string","default":"d"}`)})
		first := c.ElicitURL(ctx, "page", &mcp.ElicitURL{Message: "M", URL: "https://example.com"})
		second := c.ElicitURL(ctx, "no", &mcp.ElicitURL{Message: "M", URL: "https://example.com"})
		return mcp.TextResult(fmt.Sprintf("%s %v %v %v", content, err, first, second)), nil
	})
	same(t, "answers", got, ok(`{"n":12345678901234567890.50,"s":"d"} <nil> <nil> the user has declined`))
}

// TestElicitationID: 2025-11-25 alone has one, of its own for each page.
func TestElicitationID(t *testing.T) {
	ask := func() mcp.Question {
		return mcp.URLQuestion("k", &mcp.ElicitURL{Message: "M", URL: "https://example.com"})
	}
	same(t, "2026-07-28", inquired(t, form("2026-07-28"), ask), `k elicitation/create {"mode":"url","message":"M","url":"https://example.com"}`)
	first, second := inquired(t, form("2025-11-25"), ask), inquired(t, form("2025-11-25"), ask)
	if first == second || !strings.HasPrefix(first, `k elicitation/create {"mode":"url","message":"M","elicitationId":"`) {
		t.Errorf("got %s and %s", first, second)
	}
	same(t, "2025-06-18", inquired(t, form("2025-06-18"), ask),
		failed("this needs a client with the capability elicitation.url, which revision 2025-06-18 of the protocol does not have"))

	// That the id is drawn anew makes it no other question.
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		server := quiet(mcp.ServerOptions{})
		server.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			page := &mcp.ElicitURL{Message: "M", URL: "https://example.com"}
			again := &mcp.ElicitURL{Message: "M", URL: "https://example.com"}
			err := errors.Join(c.ElicitURL(ctx, "k", page), c.ElicitURL(ctx, "k", again))
			other := c.ElicitURL(ctx, "k", &mcp.ElicitURL{Message: "M", URL: "https://example.org"})
			return mcp.TextResult(fmt.Sprint(err, ", ", other)), nil
		})
		a := &asking{results: map[string]string{"k": `{"action":"accept"}`}}
		x := &exchange{server: server, form: bare(revision), capabilities: everything, asker: a}
		same(t, revision, x.ask(t, context.Background(), "tools/call", `{"name":"a"}`),
			ok(`<nil>, mcp: the key "k" stands for another question already: give each question a key of its own`))
		if len(a.asked) != 1 {
			t.Errorf("%s: asked %q, want one question", revision, a.asked)
		}
	}
}
