package outside

import (
	"os"
	"path/filepath"
	"slices"
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

// TestHold: the table is written when that is asked for, but not beside faults.
func TestHold(t *testing.T) {
	p := Page{filepath.Join(t.TempDir(), "page.md"), "docs"}
	begin, end := p.Marks()
	for _, test := range []struct {
		name   string
		faults []string
		update bool
		want   []string
		holds  string
	}{
		{"another table", []string{"a"}, false, []string{"a", p.File + " does not hold the table above (UPDATE=-update writes it)"}, "old\n"},
		{"not beside faults", []string{"a"}, true, []string{"a", "nothing is written while something fails"}, "old\n"},
		{"written", nil, true, nil, "new\n"},
	} {
		if err := os.WriteFile(p.File, []byte(begin+"old\n"+end), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := p.Hold("new\n", test.faults, test.update)
		text, _ := os.ReadFile(p.File)
		if err != nil || !slices.Equal(got, test.want) || string(text) != begin+test.holds+end {
			t.Errorf("%s: got %q, %v and the page %q, want %q and the table %q", test.name, got, err, text, test.want, test.holds)
		}
	}
}
