package jsonschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
)

// maxFaults is how many places one error names.
const maxFaults = 8

// maxLooks is how often one explanation looks at a rule and a value. Where branches
// multiply there is always one more alternative to look at.
const maxLooks = 5_000

// maxGuesses is how often one explanation compares a name with one that may be meant.
const maxGuesses = 2_000

// explain checks once more, with a budget of its own, and says what does not fit.
func (r *run) explain() *Error {
	if r.work < 0 {
		return r.beyond()
	}
	fault := &Error{Expected: "a value that fits the schema", Got: shownNode(&r.tape, 0), SchemaPath: "#"}
	r.begin()
	looks, guesses := maxLooks, maxGuesses
	x := explainer{run: r, looks: &looks, guesses: &guesses}
	x.explain(r.schema.root, 0)
	if len(x.faults) == 0 {
		return fault
	}
	first := x.faults[0]
	if len(x.faults) > 1 {
		first.More = x.faults[1:]
	}
	return first
}

// beyond says that the budget was spent.
func (r *run) beyond() *Error {
	return &Error{
		Expected:   "a value that can be checked within the bounds",
		Got:        shownNode(&r.tape, 0) + ", which takes too many steps",
		SchemaPath: "#",
	}
}

// explainer collects what does not fit.
type explainer struct {
	*run
	looks   *int // how many are left
	guesses *int // the same
	faults  []*Error
}

// add notes that the value i does not satisfy the keyword at s. To say where they stand
// takes looking at what stands before them.
func (x *explainer) add(s *rule, keyword string, i int32, expected, got string) {
	if len(x.faults) >= maxFaults || len(x.faults) > 0 && !x.spend(int(i+s.node)) {
		return
	}
	at := s.place()
	if keyword != "" {
		at += "/" + escapePointer(keyword)
	}
	fault := &Error{Path: x.tape.pointer(i), Expected: clipped(expected, longestPart), Got: clipped(got, longestPart), SchemaPath: at}
	same := func(e *Error) bool { return e.Path == fault.Path && e.Expected == fault.Expected }
	if !slices.ContainsFunc(x.faults, same) {
		x.faults = append(x.faults, fault)
	}
}

// shown is the value i for a message.
func (x *explainer) shown(i int32) string { return shownNode(&x.tape, i) }

// fits reports whether the value i fits. Once the budget is spent everything does: nobody
// knows any more, and there is nothing to explain.
func (x *explainer) fits(s *rule, i int32) bool { return x.check(s, i, nil) || x.work < 0 }

// explain says what of the value i does not fit s.
func (x *explainer) explain(s *rule, i int32) {
	if *x.looks--; *x.looks < 0 || len(x.faults) >= maxFaults || x.level >= maxLevel || x.work < 0 {
		return
	}
	n := len(x.scope)
	if s.resource != nil && (n == 0 || x.scope[n-1] != s.resource) {
		x.scope = append(x.scope, s.resource)
	}
	x.level++
	x.explainRule(s, i)
	x.level--
	x.scope = x.scope[:n]
}

func (x *explainer) explainRule(s *rule, i int32) {
	before := len(x.faults)
	switch {
	case s.verdict == never:
		x.add(s, "", i, "no value at all here", x.shown(i))
		return
	case s.verdict == always:
		return
	case s.types != 0 && !x.hasType(s.types, i):
		x.add(s, "type", i, describeTypes(s.types), x.shown(i))
		return
	}
	for v := s.values; v != nil; v = v.also {
		if !x.isChoice(v, i) && x.work >= 0 {
			x.add(s, v.name(), i, describeChoices(v), x.shown(i))
			return
		}
	}
	switch x.tape.nodes[i].kind {
	case jsonrpc.KindNumber:
		if s.number != nil {
			x.explainNumber(s, i)
		}
	case jsonrpc.KindString:
		if s.text != nil {
			x.explainText(s, i)
		}
	case jsonrpc.KindArray:
		if s.array != nil {
			x.explainArray(s, i)
		}
	case jsonrpc.KindObject:
		if s.object != nil {
			x.explainObject(s, i)
		}
	}
	if s.branch != nil {
		x.explainBranches(s, i)
	}
	if len(x.faults) == before { // with another fault nobody can say what is evaluated
		x.explainRest(s, i)
	}
}

// explainRest is about unevaluatedItems and unevaluatedProperties.
func (x *explainer) explainRest(s *rule, i int32) {
	rest := s.unevaluated(x.tape.nodes[i].kind)
	if rest == nil {
		return
	}
	keyword := "unevaluatedProperties"
	if rest == s.unevaluatedItems && x.tape.nodes[i].kind == jsonrpc.KindArray {
		keyword = "unevaluatedItems"
	}
	own := x.newMarks(x.tape.nodes[i].count)
	x.checkKind(s, i, own)
	if s.branch != nil {
		x.checkBranches(s.branch, i, own)
	}
	var unknown []int32
	end := x.tape.nodes[i].next
	for c, k := i+1, 0; c < end; c, k = x.tape.nodes[c].next, k+1 {
		switch {
		case own[k] || x.fits(rest, c):
		case rest.verdict == never:
			unknown = append(unknown, c)
		default:
			x.explain(rest, c)
		}
	}
	x.freeMarks(own)
	switch {
	case len(unknown) == 0:
	case keyword == "unevaluatedItems":
		x.add(s, keyword, i, "an array without further elements", fmt.Sprintf("an array of %d elements", x.tape.nodes[i].count))
	default:
		x.unknownMembers(s, keyword, i, unknown, s.names())
	}
}

func (x *explainer) explainNumber(s *rule, i int32) {
	n, keyword := s.number, x.checkNumber(s.number, i)
	var expected string
	switch keyword {
	case "minimum":
		expected = "a number of at least " + n.minimum.source
	case "maximum":
		expected = "a number of at most " + n.maximum.source
	case "exclusiveMinimum":
		expected = "a number above " + n.above.source
	case "exclusiveMaximum":
		expected = "a number below " + n.below.source
	case "multipleOf":
		expected = "a multiple of " + n.multipleOf.source
	default:
		return
	}
	x.add(s, keyword, i, clipped(expected, longestPath), x.shown(i))
}

func (x *explainer) explainText(s *rule, i int32) {
	t, keyword := s.text, x.checkText(s.text, i)
	var expected string
	got := x.shown(i)
	switch keyword {
	case "minLength", "maxLength":
		expected = describeCount(t.min, t.max, "character", "characters", "a string of ")
		got = fmt.Sprintf("%s, which has %d", got, utf8.RuneCount(x.text(i)))
	case "pattern":
		expected = "a string that matches the regular expression " + oneLine(clipped(t.pattern.source, longestPath))
	case "format":
		expected = "a string of the format " + t.format.name + t.format.hint()
	default:
		return
	}
	x.add(s, keyword, i, expected, got)
}

// describeCount says how many there may be.
func describeCount(least, most int, one, many, before string) string {
	word := func(n int) string {
		if n == 1 {
			return "1 " + one
		}
		return strconv.Itoa(n) + " " + many
	}
	switch {
	case most < 0:
		return before + "at least " + word(least)
	case least <= 0:
		return before + "at most " + word(most)
	case least == most:
		return before + "exactly " + word(least)
	}
	return before + strconv.Itoa(least) + " to " + word(most)
}

// articles are the types as they stand in a sentence.
var articles = []string{"null", "a boolean", "a number", "a string", "an array", "an object", "an integer"}

func describeTypes(types typeSet) string {
	var list []string
	for bit, article := range articles {
		if types&(1<<bit) != 0 {
			list = append(list, article)
		}
	}
	return listed(list, " or ")
}

// listed joins words with commas, the last one with the word before it.
func listed(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + last + words[end]
}

// manyShown is how many names or choices are written out.
const manyShown = 20

func describeChoices(v *valueRule) string {
	var list []string
	for _, c := range v.choices[:min(len(v.choices), manyShown)] {
		list = append(list, clipped(oneLine(compact(v.at(c).raw())), longestValue))
	}
	if more := len(v.choices) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("... (%d more)", more))
	}
	if len(list) == 1 {
		return list[0]
	}
	return "one of " + strings.Join(list, ", ")
}
