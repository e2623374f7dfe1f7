package outside

import (
	"fmt"
	"os"
	"strings"
)

// Page is a file of the docs that holds what a target of make has printed.
type Page struct {
	File   string
	Target string
}

// Marks are the lines between which the table stands.
func (p Page) Marks() (begin, end string) {
	return "<!-- written by make " + p.Target + " UPDATE=-update -->\n", "<!-- end -->\n"
}

// split cuts the page around the table.
func (p Page) split() (before, table, after string, err error) {
	text, err := os.ReadFile(p.File)
	if err != nil {
		return "", "", "", err
	}
	begin, end := p.Marks()
	before, rest, found := strings.Cut(string(text), begin)
	table, after, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		return "", "", "", fmt.Errorf("%s has no lines %q and %q to hold the table", p.File, begin, end)
	}
	return before, table, after, nil
}

// Write puts the table into the page.
func (p Page) Write(table string) error {
	before, _, after, err := p.split()
	if err != nil {
		return err
	}
	begin, end := p.Marks()
	return os.WriteFile(p.File, []byte(before+begin+table+end+after), 0o666)
}

// Check finds a page with another table, and returns what is wrong.
func (p Page) Check(table string) []string {
	_, got, _, err := p.split()
	if err != nil {
		return []string{err.Error()}
	}
	if got != table {
		return []string{p.File + " does not hold the table above (UPDATE=-update writes it)"}
	}
	return nil
}

// Hold holds the page to the table, or, to update it, writes it there when there are no faults yet.
// It returns those with what is wrong besides.
func (p Page) Hold(table string, faults []string, update bool) ([]string, error) {
	switch {
	case !update:
		return append(faults, p.Check(table)...), nil
	case len(faults) > 0:
		return append(faults, "nothing is written while something fails"), nil
	}
	return nil, p.Write(table)
}
