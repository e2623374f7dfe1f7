package jsonrpc_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"isthmus.internal/jsonrpc"
)

var suites = flag.String("suites", "", "folder of the public test data; empty skips the tests that need it")

// suiteFiles returns the files of one folder of the JSON suite.
func suiteFiles(t *testing.T, folder string) []string {
	t.Helper()
	if *suites == "" {
		t.Skip("no -suites given")
	}
	files, err := filepath.Glob(filepath.Join(*suites, "json", folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in json/%s of the folder given with -suites (error %v)", folder, err)
	}
	return files
}

// The first letter of a file's name says what a parser must make of it: y accepts,
// n refuses, i is its own choice.
func TestSuiteParsing(t *testing.T) {
	for _, path := range suiteFiles(t, "test_parsing") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			got := mcpScanner.Valid(data)
			if name[0] != 'i' && got != (name[0] == 'y') {
				t.Errorf("Valid(%.200q) = %v, against the name of the file", data, got)
			}
			readEverything(t, data)
		})
	}
}

func TestSuiteTransform(t *testing.T) {
	for _, path := range suiteFiles(t, "test_transform") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		readEverything(t, data)
	}
}

// readEverything hands data to whatever reads JSON here. A value that is valid must
// come through [jsonrpc.AppendCompact] valid, and twice the same.
func readEverything(t *testing.T, data []byte) {
	t.Helper()
	var m jsonrpc.Message
	mcpScanner.Scan(data, &m)
	mcpScanner.Split(data)
	raw := jsonrpc.Raw(data)
	raw.Text()
	raw.Int()
	raw.Is("a")
	readObject(string(data))
	readArray(string(data))
	once, err := jsonrpc.AppendCompact(nil, data)
	if err != nil {
		return
	}
	twice, err := jsonrpc.AppendCompact(nil, once)
	if err != nil || string(once) != string(twice) {
		t.Errorf("AppendCompact(%.200q) = %.200q, and that again = %.200q, %v", data, once, twice, err)
	}
}
