package jsonschema

import (
	"strings"
	"unicode"
)

// nearest is the name that was probably meant: the same but for case and for - and _, or
// with one or two letters changed. "" is none.
func (x *explainer) nearest(name string, known []string) string {
	if len(name) > longestName {
		return ""
	}
	plain := plainName(name)
	best, distance := "", 3
	for _, other := range known[:min(len(known), 200)] {
		if len(other) > longestName {
			continue
		}
		if *x.guesses--; *x.guesses < 0 {
			break
		}
		p := plainName(other)
		if d := editDistance(plain, p); d < distance && 3*d <= max(len(plain), len(p)) {
			best, distance = other, d
		}
	}
	return best
}

func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// editDistance is how many bytes have to be changed, put in, taken out, or exchanged with
// the next one.
func editDistance(a, b string) int {
	var two, one []int // the rows before
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		two, one, row = one, row, make([]int, len(b)+1)
		row[0] = i + 1
		for k := range len(b) {
			cost := one[k]
			if a[i] != b[k] {
				cost = 1 + min(one[k], one[k+1], row[k])
				if i > 0 && k > 0 && a[i] == b[k-1] && a[i-1] == b[k] {
					cost = min(cost, 1+two[k-1])
				}
			}
			row[k+1] = cost
		}
	}
	return row[len(b)]
}
