package revisions_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/revisions"
)

var suites = flag.String("suites", "", "folder of the public test data; empty skips the tests that need it")

// schemaFolder is where the data of one revision lies.
func schemaFolder(t *testing.T, revision string) string {
	t.Helper()
	if *suites == "" {
		t.Skip("no -suites given")
	}
	return filepath.Join(*suites, "mcp-schema", revision)
}

// readSchema reads the published schema of one revision.
func readSchema(t *testing.T, revision string) *revisions.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(schemaFolder(t, revision), "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := revisions.ReadSchema(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// requestsOf are the definitions of requests by method.
var requestsOf = map[string]string{
	"initialize":               "InitializeRequest",
	"server/discover":          "DiscoverRequest",
	"ping":                     "PingRequest",
	"tools/list":               "ListToolsRequest",
	"tools/call":               "CallToolRequest",
	"resources/list":           "ListResourcesRequest",
	"resources/templates/list": "ListResourceTemplatesRequest",
	"resources/read":           "ReadResourceRequest",
}

// definitions are those that a message of a server must satisfy, and that its request
// must, where the server took it.
func (x exchange) definitions() (ofMessage, ofResult, ofRequest string) {
	old := x.revision < "2025-11-25"
	switch {
	case strings.Contains(x.message, `"method":"notifications/progress"`):
		return "ProgressNotification", "", ""
	case strings.Contains(x.message, `"code":-32022`):
		return "UnsupportedProtocolVersionError", "", ""
	case strings.Contains(x.message, `"error":`) && old:
		return "JSONRPCError", "", ""
	case strings.Contains(x.message, `"error":`):
		return "JSONRPCErrorResponse", "", ""
	case old:
		return "JSONRPCResponse", revisions.ResultOf(x.method), requestsOf[x.method]
	}
	return "JSONRPCResultResponse", revisions.ResultOf(x.method), requestsOf[x.method]
}

// TestSuiteSchemas holds the messages of the fixtures, and of a server that says more,
// against the published schema of the revision, as data and not as we have read it.
func TestSuiteSchemas(t *testing.T) {
	all := append(fixtureMessages(t), richMessages(t)...)
	for _, revision := range revisions.All {
		t.Run(revision, func(t *testing.T) {
			s := readSchema(t, revision)
			n := 0
			for _, x := range all {
				if x.revision != revision {
					continue
				}
				n++
				ofMessage, ofResult, ofRequest := x.definitions()
				report(t, x, x.message, s.Check(ofMessage, []byte(x.message)))
				if ofResult != "" {
					report(t, x, x.message, s.Check(ofResult, resultOf(x.message)))
					report(t, x, x.request, s.Check(ofRequest, []byte(x.request)))
				}
			}
			if n < 20 {
				t.Errorf("only %d messages in %s", n, revision)
			}
		})
	}
}

func report(t *testing.T, x exchange, text string, faults []string) {
	t.Helper()
	for _, fault := range faults {
		t.Errorf("%s: %s\n%s", x.where, fault, text)
	}
}

// resultOf cuts the result out of a response that has no member behind it.
func resultOf(message string) []byte {
	_, rest, _ := strings.Cut(message, `"result":`)
	return []byte(strings.TrimSuffix(rest, "}"))
}

// TestSuiteExamples holds the published examples against the schema they belong to: they
// show that the interpreter takes what it must.
func TestSuiteExamples(t *testing.T) {
	const revision = "2026-07-28"
	s := readSchema(t, revision)
	files, err := filepath.Glob(filepath.Join(schemaFolder(t, revision), "examples", "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		definition := filepath.Base(filepath.Dir(file))
		for _, fault := range s.Check(definition, text) {
			t.Errorf("%s: %s\n%s", filepath.Base(file), fault, text)
		}
	}
}

// TestSuiteTable compares the table that is written by hand with the published schemas:
// a revision knows the members that its schema lists, and no others; and it requires
// the same ones. What the engine never sends need not be in the table.
func TestSuiteTable(t *testing.T) {
	for _, revision := range revisions.All {
		t.Run(revision, func(t *testing.T) {
			s := readSchema(t, revision)
			compared := 0
			for _, shape := range revisions.Shapes() {
				listed, required, ok := s.Members(shape)
				if !ok {
					continue // the table's own, or of another revision
				}
				compared++
				known, needed := revisions.Members(shape, revision)
				for _, name := range known {
					if !slices.Contains(listed, name) {
						t.Errorf("%s.%s: the table knows it, the schema of %s does not", shape, name, revision)
					}
				}
				for _, name := range required {
					if !slices.Contains(needed, name) {
						t.Errorf("%s.%s: the schema of %s requires it, the table does not", shape, name, revision)
					}
				}
				for _, name := range needed {
					if !slices.Contains(required, name) && name != "_meta" { // more than the schema asks, on purpose
						t.Errorf("%s.%s: the table requires it, the schema of %s does not", shape, name, revision)
					}
				}
			}
			if compared < 15 {
				t.Errorf("only %d shapes of the table are in the schema", compared)
			}
		})
	}
}
