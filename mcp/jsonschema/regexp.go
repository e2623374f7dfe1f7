package jsonschema

import (
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Bounds of a regular expression. Matching takes time in proportion to its size, and
// a repetition counts as often as it may repeat.
const (
	maxPattern      = 8 << 10
	maxPatternText  = 128 << 10 // translated
	maxPatternSize  = 20_000
	maxPatternsSize = 500_000 // all of one schema together
)

// compilePattern compiles a regular expression of ECMA-262, read as with the flag u:
// characters are code points (2020-12 core, section 6.4). What cannot be matched in time
// proportional to the text is refused.
func compilePattern(source string) (*pattern, error) {
	if len(source) > maxPattern {
		return nil, fmt.Errorf("it has %d bytes; at most %d are allowed", len(source), maxPattern)
	}
	tr := translator{source: source}
	text, err := tr.translate()
	if err != nil {
		return nil, err
	}
	if len(text) > maxPatternText {
		return nil, errors.New("its classes of characters are too many")
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err == nil {
		size := treeSize(tree) + treeWeight(tree)
		if size > maxPatternSize {
			return nil, fmt.Errorf("it is larger than %d characters, repetitions written out", maxPatternSize)
		}
		var re *regexp.Regexp
		if re, err = regexp.Compile(text); err == nil {
			return &pattern{source: source, re: re, size: size}, nil
		}
	}
	if e := (*syntax.Error)(nil); errors.As(err, &e) {
		if e.Code == syntax.ErrInvalidRepeatSize {
			return nil, errors.New("it repeats something more than 1000 times")
		}
		return nil, errors.New(e.Code.String())
	}
	return nil, errors.New("it is not a regular expression")
}

// treeSize is the size of a tree with all repetitions written out, as far as it matters.
func treeSize(tree *syntax.Regexp) int {
	size := 1 + len(tree.Rune)
	if tree.Op == syntax.OpCharClass {
		size = 1 + bits.Len(uint(len(tree.Rune))) // it is searched, and shared by all copies
	}
	for _, sub := range tree.Sub {
		size += treeSize(sub)
	}
	if tree.Op == syntax.OpRepeat {
		size *= max(1, tree.Min, tree.Max)
	}
	return min(size, 1<<30/maxPattern)
}

// treeWeight is what the classes of characters need in memory, once for all repetitions.
func treeWeight(tree *syntax.Regexp) int {
	weight := 0
	if tree.Op == syntax.OpCharClass {
		weight = len(tree.Rune) / 8
	}
	for _, sub := range tree.Sub {
		weight += treeWeight(sub)
	}
	return weight
}

// translator writes a regular expression of ECMA-262 in the syntax of package regexp.
type translator struct {
	source string
	pos    int
	out    strings.Builder
	open   int // groups

	// syntaxOnly lets what cannot be matched in bounded time pass: it is written as
	// something else.
	syntaxOnly bool
}

// spaces are what \s is in ECMA-262, in the syntax of a class: white space and line ends.
const (
	spaces    = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	notSpaces = `\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}` +
		`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
)

func (tr *translator) translate() (string, error) {
	for tr.pos < len(tr.source) {
		if err := tr.term(); err != nil {
			return "", fmt.Errorf("%w at byte %d", err, tr.pos)
		}
	}
	if tr.open > 0 {
		return "", errors.New("a group is not closed")
	}
	return tr.out.String(), nil
}

// term translates what stands at pos.
func (tr *translator) term() error {
	switch b := tr.source[tr.pos]; b {
	case '^', '|', '*', '+', '?':
		tr.copy(1)
	case '$':
		tr.put(`\z`, 1)
	case '.':
		tr.put(`[^\n\r\x{2028}\x{2029}]`, 1)
	case '(':
		return tr.group()
	case ')':
		if tr.open == 0 {
			return errors.New("there is a ) without its (")
		}
		tr.open--
		tr.copy(1)
	case '[':
		return tr.class()
	case '{':
		return tr.repeat()
	case '\\':
		return tr.escape()
	default:
		_, size := utf8.DecodeRuneInString(tr.source[tr.pos:])
		tr.put(regexp.QuoteMeta(tr.source[tr.pos:tr.pos+size]), size)
	}
	return nil
}

// copy takes n bytes over as they are.
func (tr *translator) copy(n int) { tr.put(tr.source[tr.pos:tr.pos+n], n) }

// put writes text for the next n bytes.
// It stands in many places: inlined it is more code in each than the call.
//
//go:noinline
func (tr *translator) put(text string, n int) {
	tr.out.WriteString(text)
	tr.pos += n
}

// rest is what is not translated yet.
func (tr *translator) rest() string { return tr.source[tr.pos:] }

// group translates what opens a group. What a group captured is of no use to a schema.
func (tr *translator) group() error {
	rest := tr.rest()
	switch {
	case !strings.HasPrefix(rest, "(?"):
		tr.put("(?:", 1)
	case strings.HasPrefix(rest, "(?:"):
		tr.copy(3)
	case tr.syntaxOnly && isLook(rest):
		tr.put("(?:", len("(?=")+strings.Count(rest[:3], "<"))
	case strings.HasPrefix(rest, "(?="), strings.HasPrefix(rest, "(?!"):
		return fmt.Errorf("the lookahead %s is not supported: it cannot be matched in bounded time; "+
			"allOf and not with patterns of their own can say the same", rest[:3])
	case strings.HasPrefix(rest, "(?<="), strings.HasPrefix(rest, "(?<!"):
		return fmt.Errorf("the lookbehind %s is not supported: it cannot be matched in bounded time", rest[:4])
	case strings.HasPrefix(rest, "(?<"):
		name, _, closed := strings.Cut(rest[3:], ">")
		if !closed || !isPlainName(strings.ReplaceAll(name, "-", ".")) {
			return errors.New("the name of a group is not one")
		}
		tr.put("(?:", 4+len(name))
	default:
		return fmt.Errorf("%s is not known in regular expressions of ECMA-262", quoted(clipped(rest, 3)))
	}
	tr.open++
	return nil
}

// isLook reports whether s begins with a lookahead, or with a lookbehind.
func isLook(s string) bool {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "(?"), "<")
	return s != "" && (s[0] == '=' || s[0] == '!')
}

// repeat translates {n}, {n,} and {n,m}. Another { stands for itself.
func (tr *translator) repeat() error {
	inside, _, closed := strings.Cut(tr.rest()[1:], "}")
	least, most, comma := strings.Cut(inside, ",")
	if !closed || !isDigits(least) || comma && most != "" && !isDigits(most) {
		tr.put(`\{`, 1)
		return nil
	}
	if tr.syntaxOnly {
		tr.put("*", len(inside)+2)
		return nil
	}
	if len(inside) > 12 {
		return errors.New("it repeats something more than 1000 times")
	}
	tr.copy(len(inside) + 2)
	return nil
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// escape translates a backslash and what it is for, outside of a class.
func (tr *translator) escape() error {
	if len(tr.rest()) < 2 {
		return errors.New("a \\ stands at the end")
	}
	switch b := tr.rest()[1]; b {
	case 'd', 'D', 'w', 'W', 'b', 'B': // of ASCII alone, in both
		tr.copy(2)
	case 's':
		tr.put("["+spaces+"]", 2)
	case 'S':
		tr.put("["+notSpaces+"]", 2)
	case 'p', 'P':
		set, err := tr.property()
		tr.out.WriteString("[" + set + "]")
		return err
	case 'k', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if tr.syntaxOnly {
			return tr.skipReference()
		}
		return fmt.Errorf("the backreference \\%c is not supported: it cannot be matched in bounded time", b)
	default:
		c, err := tr.character()
		tr.out.WriteString(regexp.QuoteMeta(string(c)))
		return err
	}
	return nil
}

// skipReference takes a backreference for nothing at all.
func (tr *translator) skipReference() error {
	if tr.rest()[1] != 'k' {
		tr.put("(?:)", 2)
		return nil
	}
	name, _, closed := strings.Cut(tr.rest()[2:], ">")
	if !closed || !strings.HasPrefix(name, "<") {
		return errors.New("a backreference lacks its name")
	}
	tr.put("(?:)", 3+len(name))
	return nil
}
