package jsonschema_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

var suites = flag.String("suites", "", "folder of the public test data; empty skips the tests that need it")

// suiteCase is one schema of the suite with one value.
type suiteCase struct {
	file, group, name string
	schema, data      jsonrpc.Raw
	valid             bool
}

// key is how the case is named in the table of reasons.
func (c suiteCase) key() string { return c.file + ": " + c.group + ": " + c.name }

// suiteFolder is the folder of the JSON Schema test suite.
func suiteFolder(t *testing.T) string {
	t.Helper()
	if *suites == "" {
		t.Skip("no -suites given")
	}
	return filepath.Join(*suites, "jsonschema")
}

// member is a member of an object of the suite.
func member(object jsonrpc.Raw, name string) jsonrpc.Raw {
	for o := jsonrpc.ReadObject(object); o.Next(); {
		if string(o.Name()) == name {
			return o.Value()
		}
	}
	return nil
}

func memberText(object jsonrpc.Raw, name string) string {
	text, _ := member(object, name).Text()
	return text
}

// readCases reads the cases of a file of the suite.
func readCases(t *testing.T, root, file string) []suiteCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	var cases []suiteCase
	groups := jsonrpc.ReadArray(text)
	for groups.Next() {
		group := groups.Value()
		tests := jsonrpc.ReadArray(member(group, "tests"))
		for tests.Next() {
			valid, _ := member(tests.Value(), "valid").Bool()
			cases = append(cases, suiteCase{
				file: file, group: memberText(group, "description"), name: memberText(tests.Value(), "description"),
				schema: member(group, "schema"), data: member(tests.Value(), "data"), valid: valid,
			})
		}
		if tests.Err() != nil {
			t.Fatal(tests.Err())
		}
	}
	if groups.Err() != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, error %v", file, len(cases), groups.Err())
	}
	return cases
}

// jsonFiles are the files below a folder, relative to it, with slashes.
func jsonFiles(t *testing.T, folder string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".json") {
			rel, _ := filepath.Rel(folder, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in %s, error %v", len(files), folder, err)
	}
	return files
}

// suiteRemotes are the documents that the suite's schemas refer to.
func suiteRemotes(t *testing.T, root string) map[string]jsonrpc.Raw {
	t.Helper()
	folder := filepath.Join(root, "remotes")
	remotes := map[string]jsonrpc.Raw{}
	for _, file := range jsonFiles(t, folder) {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		remotes["http://localhost:1234/"+file] = text
	}
	return remotes
}

// run returns what is wrong with the outcome of the case, "" for nothing.
func (c suiteCase) run(o *jsonschema.Options) string {
	schema := c.schema
	if strings.HasPrefix(c.file, "draft7/") && member(schema, "$schema") == nil && schema.Kind() == jsonrpc.KindObject {
		// The files of draft-07 leave the dialect to the one who runs them.
		schema = append(jsonrpc.Raw(`{"$schema":"http://json-schema.org/draft-07/schema#",`), schema[1:]...)
		if strings.TrimSpace(string(c.schema[1:])) == "}" {
			schema = jsonrpc.Raw(`{"$schema":"http://json-schema.org/draft-07/schema#"}`)
		}
	}
	s, err := jsonschema.Compile(schema, o)
	if err != nil {
		return "Compile: " + err.Error()
	}
	err = s.Validate(c.data)
	if valid := err == nil; valid != c.valid {
		if valid {
			return "the value is taken"
		}
		return "the value is refused: " + err.Error()
	}
	if err != nil && (strings.ContainsAny(err.Error(), "\n\r") || strings.Contains(err.Error(), "a value that fits the schema")) {
		return "the error is not one line, or does not say what is wrong: " + err.Error()
	}
	return ""
}

// TestSuiteRequired runs every required case of both dialects.
func TestSuiteRequired(t *testing.T) {
	root := suiteFolder(t)
	o := &jsonschema.Options{Remotes: suiteRemotes(t, root)}
	for _, draft := range []string{"draft2020-12", "draft7"} {
		t.Run(draft, func(t *testing.T) {
			passed := 0
			for _, file := range jsonFiles(t, filepath.Join(root, draft)) {
				if strings.HasPrefix(file, "optional/") {
					continue
				}
				for _, c := range readCases(t, root, draft+"/"+file) {
					if wrong := c.run(o); wrong != "" {
						t.Errorf("%s\n%s\nschema %s\n data %s", c.key(), wrong, c.schema, c.data)
						continue
					}
					passed++
				}
			}
			t.Logf("%d required cases pass", passed)
		})
	}
}

// TestSuiteOptional runs the optional cases. Each passes, or the table of reasons says
// why it does not; a reason for a case that passes is a fault too. The log lists them, and
// make suites shows it.
func TestSuiteOptional(t *testing.T) {
	root := suiteFolder(t)
	remotes := suiteRemotes(t, root)
	used := map[string]bool{}
	for _, draft := range []string{"draft2020-12", "draft7"} {
		folder := filepath.Join(root, draft, "optional")
		passed, excused := 0, 0
		for _, file := range jsonFiles(t, folder) {
			o := &jsonschema.Options{Remotes: remotes, AssertFormat: strings.HasPrefix(file, "format/")}
			before, cases := passed, readCases(t, root, draft+"/optional/"+file)
			for _, c := range cases {
				wrong := c.run(o)
				if wrong == "" {
					passed++
					continue
				}
				reason, key := optionalReasons.find(c, wrong)
				if reason == "" {
					t.Errorf("%s\n%s\nschema %s\n data %s", c.key(), wrong, c.schema, c.data)
					continue
				}
				used[key] = true
				excused++
				t.Logf("not passed: %s: %s", c.key(), reason)
			}
			t.Logf("%s/optional/%s: %d of %d pass", draft, file, passed-before, len(cases))
		}
		t.Logf("%s: %d optional cases pass, %d do not for a reason", draft, passed, excused)
	}
	for key := range optionalReasons {
		if !used[key] {
			t.Errorf("the reason for %s is for no case that fails", key)
		}
	}
}
