package jsonschema

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"sync"

	"isthmus.internal/jsonrpc"
)

// Schema is a compiled schema. It never changes, and any number of goroutines may use it
// at the same time.
type Schema struct {
	root    *rule
	options *Options
	runs    sync.Pool
	seed    maphash.Seed
}

// Compile reads a schema. An error names the place in the schema by its JSON Pointer. It
// is an error if
//
//   - a keyword has a value that the dialect does not allow;
//   - the dialect is neither draft 2020-12 nor draft-07, nor one by a metaschema that
//     Options hands over;
//   - a reference leads to nothing, or to a document that Options does not hand over;
//   - a schema applies itself to the same value again, so that it would never end;
//   - a pattern asks for what regular expressions cannot do in bounded time;
//   - a bound of Options is exceeded.
func Compile(text jsonrpc.Raw, o *Options) (*Schema, error) {
	c := &compiler{
		options:   o,
		resources: map[string]*resource{},
		homes:     map[spot]*resource{},
		rules:     map[spot]*rule{},
		patterns:  map[string]*pattern{},
		indexes:   map[spot]map[string]spot{},
	}
	root, err := c.compile(text)
	if err != nil {
		return nil, fmt.Errorf("jsonschema: %w", err)
	}
	s := &Schema{root: root, seed: maphash.MakeSeed()}
	if o != nil {
		kept := *o
		kept.Remotes = nil
		s.options = &kept
	}
	return s, nil
}

// ErrForeign is matched by the error of [Compile] for a schema that says, perhaps rightly, what
// cannot be known from it: its dialect is neither known nor handed over, or a reference leads
// to a document that is not handed over. Whoever holds values against such schemas has to refuse
// them, since nothing shows that a value fits (2026-07-28 basic/index, JSON Schema Usage).
var ErrForeign = errors.New("jsonschema: the schema needs what stands elsewhere")

// foreignError is such an error.
type foreignError struct{ text string }

func foreign(format string, args ...any) error {
	return &foreignError{fmt.Sprintf(format, args...)}
}

func (e *foreignError) Error() string        { return e.text }
func (e *foreignError) Is(target error) bool { return target == ErrForeign }

// compiler is one call of Compile.
type compiler struct {
	options   *Options
	resources map[string]*resource // by URI
	homes     map[spot]*resource   // the resource of each schema that was surveyed
	rules     map[spot]*rule
	patterns  map[string]*pattern // by how they are spelt
	indexes   map[spot]map[string]spot
	found     []spot  // the schemas that were surveyed, in their order
	all       []*rule // in the order in which they were made
	filled    int     // how many of all are
	dynamic   bool    // there is a $dynamicRef

	patternsSize int
}

func (c *compiler) compile(text jsonrpc.Raw) (*rule, error) {
	home, err := c.load("", text, dialect2020)
	if err != nil {
		return nil, err
	}
	for _, s := range c.found { // also those that nothing refers to must be schemas
		c.rule(s)
	}
	for c.filled < len(c.all) || c.addDynamic() {
		r := c.all[c.filled]
		c.filled++
		if err := c.fill(r); err != nil {
			return nil, err
		}
	}
	if err := c.refuseLoops(); err != nil {
		return nil, err
	}
	c.finish()
	return c.rule(home.spot), nil
}

// rule is the rule for the schema at s, which may still have to be filled.
// It stands in many places: inlined it is more code in each than the call.
//
//go:noinline
func (c *compiler) rule(s spot) *rule {
	r := c.rules[s]
	if r == nil {
		r = &rule{spot: s, resource: c.homes[s]}
		c.rules[s] = r
		c.all = append(c.all, r)
	}
	return r
}

// fill reads the schema of r.
func (c *compiler) fill(r *rule) error {
	if b, ok := r.raw().Bool(); ok {
		r.verdict = never
		if b {
			r.verdict = always
		}
		return nil
	}
	if r.kind() != jsonrpc.KindObject {
		return fmt.Errorf("at %s: expected a schema (an object, true or false), got %s", r.spot, shown(r.raw()))
	}
	k := &keywords{compiler: c, rule: r, home: r.resource, dialect: r.resource.dialect}
	return k.read()
}

// addDynamic makes the rules that a $dynamicRef may lead to, and reports whether there
// were any to make.
func (c *compiler) addDynamic() bool {
	if !c.dynamic {
		return false
	}
	// In one order, so that of several faults it is always the same that is told.
	for _, uri := range slices.Sorted(maps.Keys(c.resources)) {
		res := c.resources[uri]
		for _, name := range slices.Sorted(maps.Keys(res.dynamic)) {
			if res.dynamic[name] == nil {
				res.dynamic[name] = c.rule(res.anchors[name])
			}
		}
	}
	return c.filled < len(c.all)
}

// finish settles what depends on all rules.
func (c *compiler) finish() {
	for _, r := range c.all {
		if !c.dynamic {
			r.resource = nil
		}
		r.simple = r.branch == nil && r.unevaluatedItems == nil && r.unevaluatedProperties == nil && r.resource == nil
	}
	c.findDefaults()
}
