package jsonschema

import (
	"bytes"
	"reflect"
	"strconv"

	"isthmus.internal/jsonrpc"
)

func readInt(r *reader, v reflect.Value) *Error {
	r.peek()
	start := *r
	text := r.scalar()
	n, ok := text.Int()
	if !ok {
		negative, size, exact := exactInteger(text)
		n = int64(size)
		if negative {
			n = -n
		}
		ok = exact && (n < 0) == negative || exact && size == 0
	}
	if ok && !v.OverflowInt(n) {
		v.SetInt(n)
		return nil
	}
	*r = start
	bits := v.Type().Bits()
	return r.unless(r.null(), "an integer from "+strconv.FormatInt(-1<<(bits-1), 10)+" to "+strconv.FormatInt(1<<(bits-1)-1, 10))
}

func readUint(r *reader, v reflect.Value) *Error {
	r.peek()
	start := *r
	negative, size, ok := exactInteger(r.scalar())
	if ok && (!negative || size == 0) && !v.OverflowUint(size) {
		v.SetUint(size)
		return nil
	}
	*r = start
	highest := ^uint64(0) >> (64 - v.Type().Bits())
	return r.unless(r.null(), "an integer from 0 to "+strconv.FormatUint(highest, 10))
}

// exactInteger returns the integer that a number stands for, however it is spelt: 1.0
// and 20e-1 are integers to JSON Schema. ok is false when it is none, and when its size
// is beyond 64 bits.
func exactInteger(text jsonrpc.Raw) (negative bool, size uint64, ok bool) {
	if text.Kind() != jsonrpc.KindNumber {
		return false, 0, false
	}
	rest := []byte(text)
	if rest[0] == '-' {
		negative, rest = true, rest[1:]
	}
	mantissa, exponent := rest, 0
	if i := bytes.IndexAny(rest, "eE"); i >= 0 {
		mantissa = rest[:i]
		n, err := strconv.Atoi(string(rest[i+1:]))
		if err != nil || n < -1<<30 || n > 1<<30 { // beyond every text that is no zero
			n = 0
			if len(bytes.Trim(mantissa, "0.")) > 0 {
				return false, 0, false
			}
		}
		exponent = n
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := append(append(make([]byte, 0, 32), whole...), fraction...)
	exponent -= len(fraction)
	digits = bytes.TrimLeft(digits, "0")
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits, exponent = digits[:len(digits)-1], exponent+1
	}
	const longest = len("18446744073709551615")
	switch {
	case len(digits) == 0:
		return negative, 0, true
	case exponent < 0, len(digits)+exponent > longest:
		return false, 0, false
	}
	for range exponent {
		digits = append(digits, '0')
	}
	size, err := strconv.ParseUint(string(digits), 10, 64)
	return negative, size, err == nil
}

func readFloat(r *reader, v reflect.Value) *Error {
	r.peek()
	start := *r
	f, ok := r.scalar().Float()
	if ok && !v.OverflowFloat(f) {
		v.SetFloat(f)
		return nil
	}
	*r = start
	return r.unless(r.null(), "a number that "+strconv.Itoa(v.Type().Bits())+" bits of floating point hold")
}
