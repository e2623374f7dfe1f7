package legacy_test

import (
	"strings"
	"sync"
	"testing"

	"isthmus.internal/mcp"
)

const info = `"clientInfo":{"name":"t","version":"0"}`

// TestInitialize is the request alone: what is taken and what is not. A refused one
// leaves the session as it was, and a good one works afterwards (B73, B77, B79, B80).
func TestInitialize(t *testing.T) {
	const version = "-32602 params.protocolVersion must be a string"
	const capabilities = "-32602 params.capabilities must be an object"
	const clientInfo = "-32602 params.clientInfo must be an object"
	tests := []struct{ name, rest, want string }{ // want: a version, or an error
		{"2025-11-25", `,"params":{"protocolVersion":"2025-11-25","capabilities":{},` + info + `}`, "2025-11-25"},
		{"2025-06-18", `,"params":{"protocolVersion":"2025-06-18","capabilities":{},` + info + `}`, "2025-06-18"},
		{"2025-03-26", `,"params":{"protocolVersion":"2025-03-26","capabilities":{},` + info + `}`, "2025-03-26"},
		{"2024-11-05", `,"params":{"protocolVersion":"2024-11-05","capabilities":{},` + info + `}`, "2024-11-05"},
		{"version by escapes", `,"params":{"protocolVersion":"2024-11-0\u0035","capabilities":{},` + info + `}`, "2024-11-05"},
		{"B77 a version of old", `,"params":{"protocolVersion":"1999-01-01","capabilities":{},` + info + `}`, "2025-11-25"},
		{"B77 a version to come", `,"params":{"protocolVersion":"2099-01-01","capabilities":{},` + info + `}`, "2025-11-25"},
		{"B77 a draft", `,"params":{"protocolVersion":"draft","capabilities":{},` + info + `}`, "2025-11-25"},
		{"a modern version", `,"params":{"protocolVersion":"2026-07-28","capabilities":{},` + info + `}`, "2025-11-25"},
		{"no version at all", `,"params":{"protocolVersion":"","capabilities":{},` + info + `}`, "2025-11-25"},
		{"a version between two", `,"params":{"protocolVersion":"2025-06-19","capabilities":{},` + info + `}`, "2025-11-25"},
		{"space around the version", `,"params":{"protocolVersion":" 2025-06-18","capabilities":{},` + info + `}`, "2025-11-25"},
		{"B13 capabilities that nobody knows", `,"params":{"protocolVersion":"2025-06-18","capabilities":{"future":7,"Roots":null},"more":[],` + info + `}`, "2025-06-18"},
		{"_meta without a version", `,"params":{"_meta":{"progressToken":1},"protocolVersion":"2025-06-18","capabilities":{},` + info + `}`, "2025-06-18"},

		{"B73 no params", ``, version},
		{"B73 empty params", `,"params":{}`, version},
		{"B79 version is a number", `,"params":{"protocolVersion":20250618,"capabilities":{},` + info + `}`, version},
		{"B79 version is null", `,"params":{"protocolVersion":null,"capabilities":{},` + info + `}`, version},
		{"B79 version is an array", `,"params":{"protocolVersion":["2025-06-18"],"capabilities":{},` + info + `}`, version},
		{"ProtocolVersion", `,"params":{"ProtocolVersion":"2025-06-18","capabilities":{},` + info + `}`, version},
		{"B80 version alone", `,"params":{"protocolVersion":"2025-06-18"}`, capabilities + ": it is missing"},
		{"B80 no capabilities", `,"params":{"protocolVersion":"2025-06-18",` + info + `}`, capabilities + ": it is missing"},
		{"B80 no clientInfo", `,"params":{"protocolVersion":"2025-06-18","capabilities":{}}`, clientInfo + ": it is missing"},
		{"capabilities are null", `,"params":{"protocolVersion":"2025-06-18","capabilities":null,` + info + `}`, capabilities},
		{"capabilities are an array", `,"params":{"protocolVersion":"2025-06-18","capabilities":[],` + info + `}`, capabilities},
		{"roots are true", `,"params":{"protocolVersion":"2025-06-18","capabilities":{"roots":true},` + info + `}`, "-32602 params.capabilities.roots must be an object"},
		{"a capability twice", `,"params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{},"roots":{}},` + info + `}`, "-32602 params.capabilities has a member twice"},
		{"clientInfo is a string", `,"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":"t"}`, clientInfo},
		{"clientInfo without version", `,"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t"}}`, "-32602 params.clientInfo.version must be a string"},
		{"clientInfo with a name of another type", `,"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":1,"version":"0"}}`, "-32602 params.clientInfo.name must be a string"},
	}
	s := mcp.NewServer("s", "1", nil)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := dial(t, s)
			got := c.ask("initialize", test.rest)
			if !strings.HasPrefix(test.want, "-") {
				same(t, test.rest, got, `{"protocolVersion":"`+test.want+`","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
				same(t, "Version", c.Version(), test.want)
				return
			}
			same(t, test.rest, got, test.want)
			if c.Opened() || c.Version() != "" || c.AllowsBatches() {
				t.Errorf("%s: refused, yet the session is open in %q", test.rest, c.Version())
			}
			same(t, "a good one afterwards", c.open("2024-11-05"), `{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
		})
	}
}

// TestInitializeResult is what each revision is told of the server.
func TestInitializeResult(t *testing.T) {
	const (
		capabilities = `"capabilities":{"experimental":{"e":{}},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`
		instructions = `,"instructions":"Use it."}`
	)
	tests := []struct{ version, serverInfo string }{
		{"2024-11-05", `{"name":"all","version":"1"}`},
		{"2025-03-26", `{"name":"all","version":"1"}`},
		{"2025-06-18", `{"name":"all","title":"All","version":"1"}`},
		{"2025-11-25", `{"name":"all","title":"All","version":"1","description":"Has it.","websiteUrl":"https://example.com","icons":[{"src":"data:,"}]}`},
	}
	for _, test := range tests {
		same(t, test.version, dial(t, server()).open(test.version),
			`{"protocolVersion":"`+test.version+`",`+capabilities+`,"serverInfo":`+test.serverInfo+instructions)
	}
}

// TestInitializeTwice (B76): the first one stays, whatever the second one says.
func TestInitializeTwice(t *testing.T) {
	const again = "-32600 Already initialized: a session is initialized once"
	c := dial(t, server())
	c.ask("initialize", `,"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}`)
	same(t, "second", c.ask("initialize", `,"params":{"protocolVersion":"2024-11-05","capabilities":{"roots":{}},"clientInfo":{"name":"b","version":"2"}}`), again)
	same(t, "third, as the first", c.ask("initialize", `,"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}`), again)
	same(t, "a bad one", c.ask("initialize", `,"params":{}`), "-32602 params.protocolVersion must be a string")
	same(t, "Version", c.Version(), "2025-06-18")
	if got := c.ask("tools/call", `,"params":{"name":"object"}`); !strings.Contains(got, `"text":"2025-06-18 a 1"`) {
		t.Errorf("after a second initialize the tool sees another client or version: %s", got)
	}
}

// TestInitializeAtOnce: of many that arrive together one wins, and everybody sees
// that one's version.
func TestInitializeAtOnce(t *testing.T) {
	c := dial(t, server())
	answers := make([]string, 32)
	var work sync.WaitGroup
	for i := range answers {
		work.Go(func() { answers[i] = c.open(versions[i%len(versions)]) })
		work.Go(func() { c.ask("tools/list", ``); c.Version(); c.Opened(); c.AllowsBatches() })
	}
	work.Wait()
	won := 0
	for _, answer := range answers {
		if strings.HasPrefix(answer, `{"protocolVersion":"`+c.Version()+`"`) {
			won++
		} else if answer != "-32600 Already initialized: a session is initialized once" {
			t.Errorf("answered %s while %s was negotiated", answer, c.Version())
		}
	}
	if won != 1 {
		t.Errorf("%d of %d were taken, want 1", won, len(answers))
	}
}

func TestInitializeInABatch(t *testing.T) {
	c := dial(t, server())
	same(t, "batched", c.answer("initialize", `,"params":{"protocolVersion":"2025-03-26","capabilities":{},`+info+`}`, true),
		"-32600 initialize must not be part of a batch")
	if c.Opened() {
		t.Error("an initialize in a batch has opened the session")
	}
}
