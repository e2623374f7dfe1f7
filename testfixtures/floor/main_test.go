package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestServe(t *testing.T) {
	const one = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"text":"a"}}}` + "\n"
	const two = `{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"arguments":{"text":""}}}` + "\n"
	tests := []struct {
		name, in, fixed, want string
	}{
		{"nothing", "", "", ""},
		{"echo", one + two, "", beforeID + "1" + beforeText + "a" + afterText + "\n" + beforeID + `"b"` + beforeText + afterText + "\n"},
		{"fixed", one + two, `,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":"b","result":{}}` + "\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var fixed []byte
			if test.fixed != "" {
				fixed = []byte(test.fixed)
			}
			var together, apart strings.Builder
			if err := serve(strings.NewReader(test.in), &together, fixed); err != nil {
				t.Fatal(err)
			}
			if err := serve(iotest.OneByteReader(strings.NewReader(test.in)), &apart, fixed); err != nil {
				t.Fatal(err)
			}
			if together.String() != test.want || apart.String() != test.want {
				t.Errorf("input %q\n got %q\n got %q byte by byte\nwant %q", test.in, together.String(), apart.String(), test.want)
			}
		})
	}
}

// TestServeReportsAFailedWrite keeps a benchmark from counting answers that were never sent.
func TestServeReportsAFailedWrite(t *testing.T) {
	closed, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if err := serve(strings.NewReader(`{"id":1,"text":"a"}`+"\n"), closed, nil); err == nil {
		t.Error("no error, want one: the output is closed")
	}
}
