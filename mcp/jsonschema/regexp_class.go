package jsonschema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// class translates [...]. Empty classes, which package regexp does not have, match
// nothing and everything.
func (tr *translator) class() error {
	tr.pos++
	negated := strings.HasPrefix(tr.rest(), "^")
	if negated {
		tr.pos++
	}
	var set strings.Builder
	for {
		rest := tr.rest()
		if rest == "" {
			return errors.New("a [ is not closed")
		}
		if rest[0] == ']' {
			tr.pos++
			break
		}
		if err := tr.classItem(&set); err != nil {
			return err
		}
	}
	inside := set.String()
	switch {
	case inside == "" && negated:
		inside = `[\x{0}-\x{10ffff}]`
	case inside == "":
		inside = `[^\x{0}-\x{10ffff}]`
	case negated:
		inside = "[^" + inside + "]"
	default:
		inside = "[" + inside + "]"
	}
	tr.out.WriteString(inside)
	return nil
}

// classItem translates a set, a character, or a range of characters.
func (tr *translator) classItem(set *strings.Builder) error {
	low, text, err := tr.classAtom()
	if err != nil {
		return err
	}
	rest := tr.rest()
	if text != "" || len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
		set.WriteString(text)
		if text == "" {
			fmt.Fprintf(set, `\x{%x}`, low)
		}
		return nil
	}
	tr.pos++
	high, text, err := tr.classAtom()
	switch {
	case err != nil:
		return err
	case text != "":
		return errors.New("a range in a class ends with a set")
	case high < low:
		return errors.New("a range in a class is the wrong way round")
	}
	fmt.Fprintf(set, `\x{%x}-\x{%x}`, low, high)
	return nil
}

// classAtom reads one character, or returns a set in the syntax of a class.
func (tr *translator) classAtom() (c rune, set string, err error) {
	rest := tr.rest()
	if rest[0] != '\\' || len(rest) < 2 {
		c, size := utf8.DecodeRuneInString(rest)
		tr.pos += size
		return c, "", nil
	}
	switch b := rest[1]; b {
	case 'd', 'D', 'w', 'W':
		tr.pos += 2
		return 0, rest[:2], nil
	case 's', 'S':
		tr.pos += 2
		if b == 's' {
			return 0, spaces, nil
		}
		return 0, notSpaces, nil
	case 'p', 'P':
		set, err := tr.property()
		return 0, set, err
	case 'b':
		tr.pos += 2
		return '\b', "", nil
	}
	c, err = tr.character()
	return c, "", err
}

// controls are the escapes of one letter that stand for a character.
var controls = map[byte]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}

// character reads an escape that stands for one character.
func (tr *translator) character() (rune, error) {
	rest := tr.rest()
	if len(rest) < 2 {
		return 0, errors.New("a \\ stands at the end")
	}
	b := rest[1]
	if c, ok := controls[b]; ok {
		tr.pos += 2
		return c, nil
	}
	switch {
	case b == 'c' && len(rest) > 2 && isLetter(rest[2]):
		tr.pos += 3
		return rune(rest[2] % 32), nil
	case b == '0' && (len(rest) == 2 || rest[2] < '0' || rest[2] > '9'):
		tr.pos += 2
		return 0, nil
	case b == 'x':
		return tr.hex(2, 2)
	case strings.HasPrefix(rest, `\u{`):
		digits, _, closed := strings.Cut(rest[3:], "}")
		if !closed {
			return 0, errors.New("a \\u{ is not closed")
		}
		c, err := tr.hex(3, len(digits))
		tr.pos++
		return c, err
	case b == 'u':
		return tr.surrogates()
	case isLetter(b) || b >= '0' && b <= '9':
		return 0, fmt.Errorf("\\%c is not known in regular expressions of ECMA-262", b)
	}
	c, size := utf8.DecodeRuneInString(rest[1:]) // it stands for itself
	tr.pos += 1 + size
	return c, nil
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// hex reads n hexadecimal digits behind skip bytes.
func (tr *translator) hex(skip, n int) (rune, error) {
	rest := tr.rest()
	if n == 0 || n > 8 || len(rest) < skip+n {
		return 0, errors.New("an escape lacks its hexadecimal digits")
	}
	code, err := strconv.ParseUint(rest[skip:skip+n], 16, 32)
	if err != nil || code > unicode.MaxRune {
		return 0, errors.New("an escape lacks its hexadecimal digits, or is beyond U+10FFFF")
	}
	tr.pos += skip + n
	return rune(code), nil
}

// surrogates reads \uXXXX, and two of them where they make one character.
func (tr *translator) surrogates() (rune, error) {
	high, err := tr.hex(2, 4)
	if err != nil || !utf16.IsSurrogate(high) {
		return high, err
	}
	if strings.HasPrefix(tr.rest(), `\u`) {
		before := tr.pos
		if low, err := tr.hex(2, 4); err == nil {
			if c := utf16.DecodeRune(high, low); c != utf8.RuneError {
				return c, nil
			}
		}
		tr.pos = before
	}
	return utf8.RuneError, nil // as a lone surrogate in a value is read
}

// property translates \p{...} and \P{...} to what may stand in a class.
func (tr *translator) property() (string, error) {
	rest := tr.rest()
	inside, _, closed := strings.Cut(rest[2:], "}")
	if !strings.HasPrefix(inside, "{") || !closed {
		return "", fmt.Errorf("%s lacks its name in braces", rest[:2])
	}
	name, value, pair := strings.Cut(inside[1:], "=")
	tr.pos += len(inside) + 3
	known := categoryOrScript(name, value, pair)
	tables := propertyTables(name)
	switch {
	case tr.syntaxOnly && (known != "" || tables != nil && !pair):
		return "a", nil // the tables of a long text would take much memory
	case known != "":
		return rest[:2] + "{" + known + "}", nil
	case tables != nil && !pair:
		return tableClass(tables, rest[1] == 'P'), nil
	}
	return "", fmt.Errorf("the property %s is not known", quoted(inside[1:]))
}

// categoryOrScript finds the name that package regexp has for a general category or a
// script. The names are those of Unicode, as exact as ECMA-262 wants them.
func categoryOrScript(name, value string, pair bool) string {
	switch {
	case pair && (name == "Script" || name == "sc"):
		if unicode.Scripts[value] != nil {
			return value
		}
		return ""
	case pair && (name == "General_Category" || name == "gc"):
		name = value
	case pair:
		return ""
	}
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	if unicode.Categories[name] != nil {
		return name
	}
	return ""
}

// propertyTables finds the characters of a property of two values, in one table or several.
// Properties that the standard library has no table for are not known.
func propertyTables(name string) []*unicode.RangeTable {
	switch name {
	case "Any":
		return []*unicode.RangeTable{{R32: []unicode.Range32{{Lo: 0, Hi: unicode.MaxRune, Stride: 1}}}}
	case "ASCII":
		return []*unicode.RangeTable{{R16: []unicode.Range16{{Lo: 0, Hi: unicode.MaxASCII, Stride: 1}}}}
	case "Alphabetic", "Alpha": // Unicode Standard Annex 44, derived properties
		return []*unicode.RangeTable{unicode.L, unicode.Nl, unicode.Other_Alphabetic}
	case "Lowercase", "Lower":
		return []*unicode.RangeTable{unicode.Ll, unicode.Other_Lowercase}
	case "Uppercase", "Upper":
		return []*unicode.RangeTable{unicode.Lu, unicode.Other_Uppercase}
	}
	table := unicode.Properties[name]
	if table == nil || strings.HasPrefix(name, "Other_") {
		return nil
	}
	return []*unicode.RangeTable{table}
}
