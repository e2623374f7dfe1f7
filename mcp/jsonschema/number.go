package jsonschema

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// number is an exact decimal number: 0.digits × 10^exponent. The first and the last digit
// are not 0, and zero has no digits, so equal numbers have equal parts.
type number struct {
	negative bool
	digits   []byte // '0' to '9'
	exponent int64
	source   string // how the schema spells it; "" for a number of a value
}

// farExponent is where exponents end: the text of a number has fewer digits than this,
// so no comparison with a number that is spelt out goes wrong, and sums do not overflow.
const farExponent = math.MaxInt64 / 4

// parseNumber takes text, a JSON number, apart. The digits alias text, or buf when the
// point stands between them.
func parseNumber(text, buf []byte) number {
	var n number
	if text[0] == '-' {
		n.negative, text = true, text[1:]
	}
	if e := bytes.IndexAny(text, "eE"); e >= 0 {
		n.exponent = parseExponent(text[e+1:])
		text = text[:e]
	}
	whole, fraction, point := bytes.Cut(text, []byte("."))
	n.digits, n.exponent = whole, n.exponent+int64(len(whole))
	if fraction = bytes.TrimRight(fraction, "0"); point && len(fraction) > 0 {
		n.digits = append(append(buf[:0], whole...), fraction...)
	}
	for len(n.digits) > 0 && n.digits[0] == '0' {
		n.digits = n.digits[1:]
		n.exponent--
	}
	n.digits = bytes.TrimRight(n.digits, "0")
	if len(n.digits) == 0 {
		n.negative, n.exponent = false, 0
	}
	return n
}

// parseExponent reads the digits behind e, and stops at farExponent.
func parseExponent(text []byte) int64 {
	negative := text[0] == '-'
	text = bytes.TrimLeft(text, "+-")
	e, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || e > farExponent {
		e = farExponent
	}
	if negative {
		return -e
	}
	return e
}

// integer reports whether n has no fraction. 1.0 and 2e0 have none.
func (n *number) integer() bool {
	return n.exponent >= int64(len(n.digits))
}

// compare returns -1, 0 or 1 as n is less than, equal to or greater than m.
func (n *number) compare(m *number) int {
	switch {
	case n.sign() != m.sign():
		return cmp.Compare(n.sign(), m.sign())
	case n.exponent != m.exponent:
		return n.sign() * cmp.Compare(n.exponent, m.exponent)
	}
	return n.sign() * bytes.Compare(n.digits, m.digits)
}

func (n *number) sign() int {
	switch {
	case len(n.digits) == 0:
		return 0
	case n.negative:
		return -1
	}
	return 1
}

// manyDigits is from how many bytes on a whole number may not fit an int64.
const manyDigits = 19

// small is text, a whole number of less than manyDigits bytes.
func small(text []byte) int64 {
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	n := int64(0)
	for _, b := range text {
		n = n*10 + int64(b-'0')
	}
	if negative {
		return -n
	}
	return n
}

// small is n as an int64, if it is a whole number of few digits.
func (n *number) small() (int64, bool) {
	if len(n.digits) == 0 {
		return 0, true
	}
	if !n.integer() || n.exponent >= manyDigits-1 {
		return 0, false
	}
	v := small(n.digits)
	for range n.exponent - int64(len(n.digits)) {
		v *= 10
	}
	return v * int64(n.sign()), true
}

// settle finds the least and the greatest of the numbers of few digits that fit.
func (s *numberRule) settle() {
	s.plain = s.multipleOf == nil
	read := func(n *number, none, step int64) int64 {
		if n == nil {
			return none
		}
		v, ok := n.small()
		s.plain = s.plain && ok
		return v + step
	}
	s.least = max(read(s.minimum, math.MinInt64, 0), read(s.above, math.MinInt64, 1))
	s.most = min(read(s.maximum, math.MaxInt64, 0), read(s.below, math.MaxInt64, -1))
}

// divisor is the number of multipleOf: whole × 10^tens.
type divisor struct {
	number
	whole *big.Int
	small uint64 // whole, where it is below 1<<60, else 0
	tens  int64
	cost  int // of dividing by it once, in steps
}

// mostDivisorDigits bounds multipleOf: the time for a remainder grows with the square.
const mostDivisorDigits = 1000

func newDivisor(n number) *divisor {
	d := &divisor{number: n, tens: n.exponent - int64(len(n.digits))}
	d.whole, _ = new(big.Int).SetString(string(n.digits), 10)
	if d.whole.BitLen() <= 60 {
		d.small = d.whole.Uint64()
	}
	words := 1 + d.whole.BitLen()/bits.UintSize
	d.cost = 50 + 4*words*words
	return d
}

// divides reports whether n is a multiple of d, exactly, and without ever writing out
// what an exponent stands for.
func (d *divisor) divides(n *number) bool {
	if len(n.digits) == 0 {
		return true
	}
	// n is its digits × 10^k in units of 10^tens.
	k := n.exponent - int64(len(n.digits)) - d.tens
	if k < 0 {
		// d × 10^-k would have to divide the digits, which do not end in 0.
		return false
	}
	if d.small != 0 {
		rest := uint64(0)
		for _, b := range n.digits {
			rest = mulMod(rest, 10, d.small) + uint64(b-'0')
			rest %= d.small
		}
		return mulMod(rest, powMod(10, uint64(k), d.small), d.small) == 0
	}
	rest := remainder(n.digits, d.whole)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(k), d.whole)
	return rest.Mod(rest.Mul(rest, power), d.whole).Sign() == 0
}

// remainder is what is left of a whole number, in time proportional to its digits.
func remainder(digits []byte, divisor *big.Int) *big.Int {
	const few = manyDigits - 1
	rest, factor, part, quotient := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	for len(digits) > 0 {
		run := digits[:min(few, len(digits))]
		digits = digits[len(run):]
		power := int64(1)
		for range run {
			power *= 10
		}
		rest.Mul(rest, factor.SetInt64(power))
		rest.Add(rest, part.SetInt64(small(run)))
		quotient.QuoRem(rest, divisor, rest)
	}
	return rest
}

func mulMod(a, b, m uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, rest := bits.Div64(high%m, low, m)
	return rest
}

func powMod(base, exponent, m uint64) uint64 {
	result := 1 % m
	for base %= m; exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			result = mulMod(result, base, m)
		}
		base = mulMod(base, base, m)
	}
	return result
}
