package jsonschema

import (
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
)

// run is one call of Validate. It is used again for later calls.
type run struct {
	schema *Schema
	tape   tape
	work   int         // what is left of the budget
	level  int         // how many rules are inside each other
	scope  []*resource // the dynamic scope, outermost first (2020-12 core, section 7.1)
	marks  []bool      // where marks come from
	buf    []byte      // the last string that had escapes

	// Once less than remembering is left, met has the outcomes of rules with branches.
	remembering int
	met         map[meeting]bool
}

// meeting is a rule and the value that it is applied to.
type meeting struct {
	rule *rule
	node int32
}

// mostMeetings bounds what is remembered of one value, to a few MiB.
const mostMeetings = 1 << 17

// maxLevel bounds how deep rules apply each other, so that the stack is bounded too.
const maxLevel = 20_000

// marks say which members or elements of one value have been evaluated, by their order
// (2020-12 core, section 11). Nil marks mean that nobody asks.
type marks []bool

// Validate reports whether v fits the schema: nil, or an [*Error]. A v that is not one
// JSON value, or has an object with two members of one name, does not fit.
func (s *Schema) Validate(v jsonrpc.Raw) error {
	r := s.newRun()
	defer s.endRun(r)
	if e := r.load(v); e != nil {
		return e
	}
	if r.check(s.root, 0, nil) {
		if r.work >= 0 {
			return nil
		}
	}
	return r.explain()
}

func (s *Schema) newRun() *run {
	r, _ := s.runs.Get().(*run)
	if r == nil {
		r = &run{schema: s}
	}
	return r
}

// endRun keeps r for later, unless a large value has made it large.
func (s *Schema) endRun(r *run) {
	const keptNodes, keptBytes = 1 << 12, 1 << 16 // some 128 KiB, and 64 KiB
	if cap(r.tape.nodes) <= keptNodes && cap(r.tape.names)+cap(r.buf)+cap(r.marks) <= keptBytes {
		r.tape.drop()
		r.met = nil
		s.runs.Put(r)
	}
}

// load reads v, and begins with a full budget.
func (r *run) load(v jsonrpc.Raw) *Error {
	if err := r.tape.read(v, jsonrpc.MaxDepth); err != nil {
		e := &Error{Expected: "one JSON value", Got: "text that is not one: " + err.Error(), SchemaPath: "#"}
		if r.tape.twice != "" {
			e.Expected, e.Got = "objects without two members of one name", "the member "+r.tape.twice+" twice"
		}
		return e
	}
	r.begin()
	return nil
}

func (r *run) begin() {
	r.work, r.level = r.schema.options.maxWork(len(r.tape.text)), 0
	r.remembering, r.met = r.work-10_000, nil
	r.scope, r.marks = r.scope[:0], r.marks[:0]
}

// spend takes n from the budget, and reports whether there was that much.
func (r *run) spend(n int) bool {
	r.work -= n
	return r.work >= 0
}

// check reports whether the value i fits s, and marks what s evaluated of it. Once the
// budget is spent nothing fits any more, and the answer means nothing.
func (r *run) check(s *rule, i int32, m marks) bool {
	if s.verdict != depends {
		return s.verdict == always
	}
	if r.level >= maxLevel {
		r.work = -1
	}
	if !r.spend(1) {
		return false
	}
	if s.types != 0 && !r.hasType(s.types, i) || s.values != nil && !r.checkValues(s.values, i) {
		return false
	}
	if s.simple {
		return r.checkKind(s, i, m)
	}
	if s.resource == nil && m == nil && r.work < r.remembering {
		return r.remember(s, i)
	}
	return r.checkScoped(s, i, m)
}

// remember checks s and i once. Where branches multiply, the same rules meet the same
// value again and again, so from some point on their outcome is kept. Whoever wants marks, or
// looks at the dynamic scope, cannot use it.
func (r *run) remember(s *rule, i int32) bool {
	key := meeting{s, i}
	ok, known := r.met[key]
	if !known {
		ok = r.checkScoped(s, i, nil)
		switch {
		case r.met == nil:
			r.met = map[meeting]bool{}
		case len(r.met) >= mostMeetings:
			clear(r.met) // what multiplies mostly meets again soon
		}
		r.met[key] = ok
	}
	return ok
}

func (r *run) hasType(types typeSet, i int32) bool {
	n := &r.tape.nodes[i]
	if typesOfKind[n.kind]&types != 0 {
		return true
	}
	if n.kind != jsonrpc.KindNumber || types&typeInteger == 0 {
		return false
	}
	if n.whole {
		return true
	}
	parsed := parseNumber(r.tape.raw(i), nil)
	return r.spend(len(r.tape.raw(i))/16) && parsed.integer()
}

// checkKind is about the keywords that speak of one kind of value.
func (r *run) checkKind(s *rule, i int32, m marks) bool {
	switch r.tape.nodes[i].kind {
	case jsonrpc.KindNumber:
		return s.number == nil || r.checkNumber(s.number, i) == ""
	case jsonrpc.KindString:
		return s.text == nil || r.checkText(s.text, i) == ""
	case jsonrpc.KindArray:
		if s.array != nil {
			r.level++
			ok := r.checkArray(s.array, i, m)
			r.level--
			return ok
		}
	case jsonrpc.KindObject:
		if s.object != nil {
			r.level++
			ok := r.checkObject(s.object, i, m)
			r.level--
			return ok
		}
	}
	return true
}

// checkNumber returns the keyword that the number i does not satisfy, "" for none.
func (r *run) checkNumber(s *numberRule, i int32) string {
	text := r.tape.raw(i)
	if s.plain && r.tape.nodes[i].whole && len(text) < manyDigits {
		if v := small(text); v >= s.least && v <= s.most {
			return ""
		}
	}
	var buf [64]byte
	n := parseNumber(text, buf[:0])
	switch {
	case !r.spend(len(text) / 16):
		return "type"
	case s.minimum != nil && n.compare(s.minimum) < 0:
		return "minimum"
	case s.maximum != nil && n.compare(s.maximum) > 0:
		return "maximum"
	case s.above != nil && n.compare(s.above) <= 0:
		return "exclusiveMinimum"
	case s.below != nil && n.compare(s.below) >= 0:
		return "exclusiveMaximum"
	case s.multipleOf == nil:
	case !r.spend(s.multipleOf.cost + len(n.digits)):
		return "type"
	case !s.multipleOf.divides(&n):
		return "multipleOf"
	}
	return ""
}

// checkText returns the keyword that the string i does not satisfy, "" for none.
func (r *run) checkText(s *textRule, i int32) string {
	text := r.text(i)
	if !r.spend(len(text) / 16) {
		return "type"
	}
	if s.min > 0 || s.max >= 0 {
		switch length := utf8.RuneCount(text); {
		case length < s.min:
			return "minLength"
		case s.max >= 0 && length > s.max:
			return "maxLength"
		}
	}
	switch {
	case s.pattern != nil && !r.matches(s.pattern, text):
		return "pattern"
	case s.format != nil && !s.format.valid(string(text)):
		return "format"
	}
	return ""
}

// text is the decoded string i. It lives until the next call.
func (r *run) text(i int32) []byte {
	if !r.tape.nodes[i].escaped {
		return r.tape.textOf(i)
	}
	r.buf = r.tape.appendText(r.buf[:0], i)
	return r.buf
}

// matches counts what matching costs where all of the pattern is tried at each character.
func (r *run) matches(p *pattern, text []byte) bool {
	return r.spend(1+len(text)*p.size/32) && p.re.Match(text)
}

// newMarks returns marks for count members or elements, none set. They are given back
// with freeMarks, the last ones first.
func (r *run) newMarks(count int32) marks {
	r.spend(int(count) / 4)
	from := len(r.marks)
	for range count {
		r.marks = append(r.marks, false)
	}
	return marks(r.marks[from:])
}

func (r *run) freeMarks(m marks) { r.marks = r.marks[:len(r.marks)-len(m)] }

// set marks what stands at k.
func (m marks) set(k int) {
	if m != nil {
		m[k] = true
	}
}

// add marks what others are marked.
func (m marks) add(others marks) {
	if m == nil {
		return
	}
	for k, marked := range others {
		m[k] = m[k] || marked
	}
}
