package jsonschema

import (
	"bytes"
	"hash/maphash"
	"sort"

	"isthmus.internal/jsonrpc"
)

// checkValues is about const and enum.
func (r *run) checkValues(v *valueRule, i int32) bool {
	for ; v != nil; v = v.also {
		if !r.isChoice(v, i) {
			return false
		}
	}
	return true
}

func (r *run) isChoice(v *valueRule, i int32) bool {
	if n := &r.tape.nodes[i]; v.strings != nil && n.kind == jsonrpc.KindString {
		if !r.spend(int(n.end-n.start) / 16) {
			return false
		}
		_, ok := v.strings[string(r.text(i))]
		return ok
	}
	for _, c := range v.others {
		if r.equal(&v.doc.tape, c, i) {
			return true
		}
	}
	return false
}

// equal reports whether the value a of another tape and the value b are the same: numbers
// by their value, strings by their characters, objects in any order (2020-12 core, section
// 4.2.2).
func (r *run) equal(t *tape, a, b int32) bool {
	na, nb := &t.nodes[a], &r.tape.nodes[b]
	if na.kind != nb.kind || na.count != nb.count || !r.spend(1) {
		return false
	}
	switch na.kind {
	case jsonrpc.KindNumber:
		return r.spend(int(nb.end-nb.start)/16) && equalNumbers(t.raw(a), r.tape.raw(b))
	case jsonrpc.KindString:
		if !r.spend(int(nb.end-nb.start) / 16) {
			return false
		}
		if !na.escaped && !nb.escaped {
			return string(t.raw(a)) == string(r.tape.raw(b))
		}
		return string(t.textOf(a)) == string(r.text(b))
	case jsonrpc.KindBool:
		return na.end-na.start == nb.end-nb.start
	case jsonrpc.KindArray:
		return r.equalArrays(t, a, b)
	case jsonrpc.KindObject:
		return r.equalObjects(t, a, b)
	}
	return true
}

func equalNumbers(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var bufA, bufB [64]byte
	na, nb := parseNumber(a, bufA[:0]), parseNumber(b, bufB[:0])
	return na.compare(&nb) == 0
}

func (r *run) equalArrays(t *tape, a, b int32) bool {
	end := t.nodes[a].next
	for ca, cb := a+1, b+1; ca < end; ca, cb = t.nodes[ca].next, r.tape.nodes[cb].next {
		if !r.equal(t, ca, cb) {
			return false
		}
	}
	return true
}

func (r *run) equalObjects(t *tape, a, b int32) bool {
	end := t.nodes[a].next
	for ca, at := a+1, b+1; ca < end; ca = t.nodes[ca].next {
		name := t.nameOf(ca)
		if !bytes.Equal(r.tape.nameOf(at), name) {
			if at = r.tape.member(b, string(name)); at < 0 || !r.spend(1+int(t.nodes[a].count)/8) {
				return false
			}
		}
		if !r.equal(t, ca, at) {
			return false
		}
		if at = r.tape.nodes[at].next; at >= r.tape.nodes[b].next {
			at = b + 1
		}
	}
	return true
}

// fewItems is up to where elements are compared each with each.
const fewItems = 8

// item is an element of an array.
type item struct {
	hash uint64
	node int32
	at   int
}

// items are sorted by hash, and through an interface as [writtenMembers] are.
type items []item

func (s items) Len() int { return len(s) }
func (s items) Less(i, j int) bool {
	return s[i].hash < s[j].hash || s[i].hash == s[j].hash && s[i].at < s[j].at
}
func (s items) Swap(i, j int) { s[i], s[j] = s[j], s[i] }

// findTwins returns the places of two elements of the array i that are equal, -1 when
// there are none. Equal values have equal hashes, so only those are compared.
func (r *run) findTwins(i int32) (a, b int) {
	count := int(r.tape.nodes[i].count)
	var few [fewItems]item
	items := few[:0]
	if count > fewItems {
		items = r.hashed(i, count)
	} else {
		for c, k := i+1, 0; k < count; c, k = r.tape.nodes[c].next, k+1 {
			items = append(items, item{node: c, at: k})
		}
	}
	for k := range items {
		for l := k + 1; l < len(items) && items[l].hash == items[k].hash && r.work >= 0; l++ {
			if r.equal(&r.tape, items[k].node, items[l].node) {
				return items[k].at, items[l].at
			}
		}
	}
	return -1, -1
}

// hashed are the elements of the array i, those of one hash side by side.
func (r *run) hashed(i int32, count int) items {
	all := make(items, 0, count)
	for c, k := i+1, 0; k < count; c, k = r.tape.nodes[c].next, k+1 {
		all = append(all, item{hash: r.hash(c), node: c, at: k})
	}
	sort.Sort(all)
	return all
}

// hash is the same for values that are equal. Its seed is drawn when the schema is
// compiled, so nobody can write values that collide on purpose.
func (r *run) hash(i int32) uint64 {
	n := &r.tape.nodes[i]
	r.spend(1 + int(n.end-n.start)/64)
	seed := r.schema.seed
	switch n.kind {
	case jsonrpc.KindNumber:
		var buf [64]byte
		number := parseNumber(r.tape.raw(i), buf[:0])
		return maphash.Bytes(seed, number.digits) ^ uint64(number.exponent)*0x9E3779B97F4A7C15 ^ uint64(number.sign()+2)
	case jsonrpc.KindString:
		return maphash.Bytes(seed, r.text(i))
	case jsonrpc.KindArray:
		sum := uint64(n.count)
		for c := i + 1; c < n.next; c = r.tape.nodes[c].next {
			sum = maphash.Comparable(seed, [2]uint64{sum, r.hash(c)})
		}
		return sum
	case jsonrpc.KindObject:
		sum := uint64(n.count)
		for c := i + 1; c < n.next; c = r.tape.nodes[c].next {
			sum += maphash.Comparable(seed, [2]uint64{maphash.Bytes(seed, r.tape.nameOf(c)), r.hash(c)})
		}
		return sum
	}
	return uint64(n.kind)<<32 ^ uint64(n.end-n.start) // null, true, false
}
