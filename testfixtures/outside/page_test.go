package outside

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	p := Page{filepath.Join(t.TempDir(), "page.md"), "docs"}
	begin, end := p.Marks()
	tests := []struct{ name, text, want string }{
		{"the same", "a\n" + begin + "table\n" + end, ""},
		{"another", "a\n" + begin + "old\n" + end, "does not hold the table"},
		{"no begin", "a\n" + end, "has no lines"},
		{"no end", "a\n" + begin + "table\n", "has no lines"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(p.File, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			got := p.Check("table\n")
			if (len(got) == 0) != (test.want == "") || len(got) > 0 && !strings.Contains(got[0], test.want) {
				t.Errorf("%q: got %q, want %q", test.text, got, test.want)
			}
			err := p.Write("new\n")
			if wrong := test.want == "has no lines"; wrong != (err != nil) {
				t.Errorf("%q: writing: %v", test.text, err)
			}
		})
	}
	if got := (Page{filepath.Join(t.TempDir(), "none.md"), "docs"}).Check(""); len(got) != 1 {
		t.Errorf("a page that is not there: %q", got)
	}
}
