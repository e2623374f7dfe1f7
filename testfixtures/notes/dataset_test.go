package notes_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/notes"
)

func TestLoad(t *testing.T) {
	tests := []struct {
		name, file string
		want       []notes.Note
	}{
		{"no notes", `[]`, []notes.Note{}},
		{"one note", `[{"id":7,"tag":"a","text":"b"}]`, []notes.Note{{7, "a", "b"}}},
		{"space, any order of members", " [\n {\"text\": \"b\",\t\"id\": 7, \"tag\": \"a\"}\r\n] ", []notes.Note{{7, "a", "b"}}},
		{"order of the file is kept", `[{"id":9,"tag":"","text":""},{"id":2,"tag":"x","text":"y"}]`,
			[]notes.Note{{9, "", ""}, {2, "x", "y"}}},
		{"escapes", `[{"\u0069d":1,"tag":"\u00e9","text":"a\nb"}]`, []notes.Note{{1, "é", "a\nb"}}},
		{"largest id", `[{"id":9223372036854775807,"tag":"a","text":"b"}]`, []notes.Note{{9223372036854775807, "a", "b"}}},
		{"byte order mark", "\ufeff[]", []notes.Note{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := notes.Load(write(t, test.file))
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("Load(%s)\ngot  %v, %v\nwant %v", test.file, got, err, test.want)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	const array = `must be an array of notes, as in [{"id":1,"tag":"a","text":"b"}]`
	tests := []struct{ name, file, want string }{
		{"empty file", ``, `not a JSON value: `},
		{"cut short", `[{"id":1`, `not a JSON value: `},
		{"text after it", `[] []`, `not a JSON value: `},
		{"not UTF-8", "[{\"id\":1,\"tag\":\"\xff\",\"text\":\"b\"}]", `not a JSON value: `},
		{"object", `{"id":1,"tag":"a","text":"b"}`, array},
		{"null", `null`, array},
		{"entry of another kind", `[7]`, `entry 1: must be an object with the members id, tag and text`},
		{"null entry", `[{"id":1,"tag":"a","text":"b"},null]`, `entry 2: must be an object with the members id, tag and text`},
		{"empty entry", `[{}]`, `entry 1: id is missing`},
		{"no tag", `[{"id":1,"text":"b"}]`, `entry 1: tag is missing`},
		{"no text", `[{"id":1,"tag":"b"}]`, `entry 1: text is missing`},
		{"string id", `[{"id":"1","tag":"a","text":"b"}]`, `entry 1: id must be an integer from 1 on`},
		{"null id", `[{"id":null,"tag":"a","text":"b"}]`, `entry 1: id must be an integer from 1 on`},
		{"fraction id", `[{"id":1.0,"tag":"a","text":"b"}]`, `entry 1: id must be an integer from 1 on`},
		{"id 0", `[{"id":0,"tag":"a","text":"b"}]`, `entry 1: id must be an integer from 1 on`},
		{"negative id", `[{"id":-1,"tag":"a","text":"b"}]`, `entry 1: id must be an integer from 1 on`},
		{"id too large", `[{"id":9223372036854775808,"tag":"a","text":"b"}]`, `entry 1: id must be an integer from 1 on`},
		{"tag of another kind", `[{"id":1,"tag":2,"text":"b"}]`, `entry 1: tag must be a string`},
		{"text of another kind", `[{"id":1,"tag":"a","text":["b"]}]`, `entry 1: text must be a string`},
		{"unknown member", `[{"id":1,"tag":"a","text":"b","title":"c"}]`, `entry 1: unknown member "title": id, tag and text are known`},
		{"member in other case", `[{"ID":1,"tag":"a","text":"b"}]`, `entry 1: unknown member "ID": id, tag and text are known`},
		{"member twice", `[{"id":1,"tag":"a","tag":"b","text":"b"}]`, `duplicate member "tag"`},
		{"id twice", `[{"id":5,"tag":"a","text":"b"},{"id":6,"tag":"","text":""},{"id":5,"tag":"","text":""}]`,
			`entry 3: id 5 is taken by entry 1 already`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.file)
			got, err := notes.Load(path)
			if err == nil {
				t.Fatalf("Load(%s)\ngot  %v\nwant an error", test.file, got)
			}
			text := err.Error()
			if !strings.HasPrefix(text, path+": ") || !strings.Contains(text, test.want) || strings.ContainsAny(text, "\r\n") {
				t.Errorf("Load(%s)\ngot  %q\nwant one line: the file, then %q", test.file, text, test.want)
			}
		})
	}
}

func TestLoadWithoutAFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "missing.json"), dir} {
		got, err := notes.Load(path)
		if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Load(%s): got %v, %v, want one line that names the file", path, got, err)
		}
	}
}

func TestLoadBoundsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.json")
	const most = 16 << 20
	text := "[" + strings.Repeat(" ", most-2) + "]"
	for _, test := range []struct {
		size int
		ok   bool
	}{{most, true}, {most + 1, false}} {
		if err := os.WriteFile(path, []byte(text+strings.Repeat(" ", test.size-most)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := notes.Load(path); (err == nil) != test.ok {
			t.Errorf("a file of %d bytes: got %v, want it taken: %v", test.size, err, test.ok)
		}
	}
}

func TestDefault(t *testing.T) {
	want := []notes.Note{
		{1, "release", "v2.1 shipped with streaming fixes"},
		{2, "incident", "gateway 502 spike traced to upstream pool"},
		{3, "release", "v2.2 rolled out canary to 5%"},
	}
	if got := notes.Default(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func write(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "notes.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
