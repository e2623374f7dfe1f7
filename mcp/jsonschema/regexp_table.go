package jsonschema

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
)

// span is a range of characters, both ends inside.
type span struct{ low, high rune }

// spans are sorted by where they begin, and through an interface as [writtenMembers] are.
type spans []span

func (s spans) Len() int           { return len(s) }
func (s spans) Less(i, j int) bool { return s[i].low < s[j].low }
func (s spans) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// tableClass writes the characters of tables, or all others, in the syntax of a class.
func tableClass(tables []*unicode.RangeTable, negated bool) string {
	spans := merged(tables)
	if negated {
		spans = complement(spans)
	}
	var b strings.Builder
	for _, s := range spans {
		if s.low == s.high {
			fmt.Fprintf(&b, `\x{%x}`, s.low)
		} else {
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, s.low, s.high)
		}
	}
	return b.String()
}

// merged are the spans of tables in order, none touching the next.
func merged(tables []*unicode.RangeTable) []span {
	var all spans
	add := func(low, high, stride rune) {
		if stride == 1 {
			all = append(all, span{low, high})
			return
		}
		for c := low; c <= high; c += stride {
			all = append(all, span{c, c})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	sort.Sort(all)
	spans := all[:0]
	for _, s := range all {
		if last := len(spans) - 1; last >= 0 && s.low <= spans[last].high+1 {
			spans[last].high = max(spans[last].high, s.high)
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

// complement are the spans between spans.
func complement(spans []span) []span {
	var others []span
	next := rune(0)
	for _, s := range spans {
		if s.low > next {
			others = append(others, span{next, s.low - 1})
		}
		next = s.high + 1
	}
	if next <= unicode.MaxRune {
		others = append(others, span{next, unicode.MaxRune})
	}
	return others
}
