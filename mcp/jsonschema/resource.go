package jsonschema

import (
	"fmt"
	"net/url"
	"strings"

	"isthmus.internal/jsonrpc"
)

// resource is a schema with a URI of its own: a document, or a subschema with $id
// (2020-12 core, section 4.3.5).
type resource struct {
	spot
	uri     string // absolute where anything made it so, without fragment
	dialect *dialect
	anchors map[string]spot
	dynamic map[string]*rule // by $dynamicAnchor; the rules stand at anchors of the same name
}

// load reads a document, and finds the resources and the anchors in it. Without $schema
// it is of the dialect d.
func (c *compiler) load(uri string, text jsonrpc.Raw, d *dialect) (*resource, error) {
	doc, err := readDocument(uri, text, c.options)
	if err != nil {
		if uri != "" {
			err = fmt.Errorf("%s: %w", uri, err)
		}
		return nil, err
	}
	root := spot{doc, 0}
	res := &resource{spot: root, uri: uri, dialect: d}
	c.resources[uri] = res
	if err := c.survey(root, res); err != nil {
		return nil, err
	}
	c.resources[uri] = c.homes[root] // a $id may have made it another one
	return c.homes[root], nil
}

// survey looks at the schema at s, and at those inside it, for $id and anchors. home is
// the resource it is in.
func (c *compiler) survey(s spot, home *resource) error {
	if _, done := c.homes[s]; done {
		return nil
	}
	if len(c.homes) >= c.options.maxSchemas() {
		return fmt.Errorf("there are more than %d subschemas (Options.MaxSchemas)", c.options.maxSchemas())
	}
	home, err := c.identify(s, home)
	if err != nil {
		return fmt.Errorf("at %s: %w", s, err)
	}
	c.homes[s] = home
	c.found = append(c.found, s)
	if s.kind() != jsonrpc.KindObject {
		return nil
	}
	for member := range s.inside {
		for sub := range subschemas(member, home.dialect) {
			if err := c.survey(sub, home); err != nil {
				return err
			}
		}
	}
	return nil
}

// identify reads what names the schema at s, and returns the resource that it is in.
func (c *compiler) identify(s spot, home *resource) (*resource, error) {
	dialect := home.dialect
	if name, ok := s.member("$schema"); ok && (s == home.spot || has(s, "$id")) {
		uri, isText := name.text()
		if !isText {
			return nil, fmt.Errorf("$schema must be a string, not %s", shown(name.raw()))
		}
		var err error
		if dialect, err = c.dialectOf(uri); err != nil {
			return nil, err
		}
	}
	if s == home.spot {
		home.dialect = dialect
	}
	if dialect.draft7 && has(s, "$ref") {
		return home, nil // what stands beside $ref is not there (draft-07 core, section 8.3)
	}
	home, err := c.identifyByID(s, home, dialect)
	if err != nil || dialect.draft7 {
		return home, err
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		name, ok := s.member(keyword)
		if !ok {
			continue
		}
		anchor, ok := name.text()
		if !ok {
			return nil, fmt.Errorf("%s must be a string, not %s", keyword, shown(name.raw()))
		}
		if err := home.addAnchor(anchor, s, keyword == "$dynamicAnchor"); err != nil {
			return nil, err
		}
	}
	return home, nil
}

func has(s spot, name string) bool {
	_, ok := s.member(name)
	return ok
}

// identifyByID reads $id.
func (c *compiler) identifyByID(s spot, home *resource, d *dialect) (*resource, error) {
	member, ok := s.member("$id")
	if !ok {
		return home, nil
	}
	id, ok := member.text()
	if !ok {
		return nil, fmt.Errorf("$id must be a string, not %s", shown(member.raw()))
	}
	base, fragment, _ := strings.Cut(id, "#")
	if fragment != "" && !d.draft7 {
		return nil, fmt.Errorf("$id %s must not have a fragment; use $anchor", quoted(id))
	}
	if base != "" || fragment == "" {
		uri, err := join(home.uri, base)
		if err != nil {
			return nil, err
		}
		if known := c.resources[uri]; known != nil && known.spot != s {
			return nil, fmt.Errorf("$id %s is also that of %s", quoted(id), known.spot)
		}
		home = &resource{spot: s, uri: uri, dialect: d}
		c.resources[uri] = home
	}
	if fragment == "" {
		return home, nil
	}
	return home, home.addAnchor(fragment, s, false) // draft-07 core, section 8.2.3
}

func (res *resource) addAnchor(name string, s spot, dynamic bool) error {
	if other, twice := res.anchors[name]; twice && other != s {
		return fmt.Errorf("the anchor %s is also that of %s", quoted(name), other)
	}
	if res.anchors == nil {
		res.anchors, res.dynamic = map[string]spot{}, map[string]*rule{}
	}
	res.anchors[name] = s
	if dynamic {
		res.dynamic[name] = nil
	}
	return nil
}

// join resolves a reference without fragment against a base (RFC 3986, section 5).
func join(base, reference string) (string, error) {
	ref, err := url.Parse(reference)
	if err != nil {
		return "", fmt.Errorf("%s is not a URI reference", quoted(reference))
	}
	if base == "" || ref.IsAbs() {
		return reference, nil
	}
	b, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("%s is not a URI", quoted(base))
	}
	return b.ResolveReference(ref).String(), nil
}

// find returns the resource with a URI, and reads the document if it has to. One that
// names no dialect has that of the resource which refers to it.
func (c *compiler) find(uri string, d *dialect) (*resource, error) {
	if res := c.resources[uri]; res != nil {
		return res, nil
	}
	text, ok := c.options.remotes()[uri]
	if !ok {
		text, ok = metaschema(uri)
	}
	if !ok {
		return nil, foreign("it refers to %s, which is not in the schema; "+
			"no document is ever fetched: hand it over in Options.Remotes", quoted(uri))
	}
	return c.load(uri, text, d)
}

// resolve finds the schema that a reference in home means, and the anchor that it names.
func (c *compiler) resolve(home *resource, reference string) (s spot, anchor string, err error) {
	base, fragment, _ := strings.Cut(reference, "#")
	target := home
	if base != "" {
		uri, err := join(home.uri, base)
		if err != nil {
			return s, "", err
		}
		if target, err = c.find(uri, home.dialect); err != nil {
			return s, "", err
		}
	}
	if fragment, err = url.PathUnescape(fragment); err != nil {
		return s, "", fmt.Errorf("%s is not a URI reference", quoted(reference))
	}
	if fragment == "" {
		return target.spot, "", nil
	}
	if fragment[0] == '/' {
		s, err = c.follow(target, fragment)
		return s, "", err
	}
	s, ok := target.anchors[fragment]
	if !ok {
		return s, "", fmt.Errorf("it refers to %s, but there is no anchor %s", quoted(reference), quoted(fragment))
	}
	return s, fragment, nil
}

// follow finds a value by a JSON Pointer from a resource, and surveys it if it stands
// where no keyword puts a schema.
func (c *compiler) follow(from *resource, pointer string) (spot, error) {
	at, home := from.spot, from
	for step := range strings.SplitSeq(pointer[1:], "/") {
		step = unescapePointer(step)
		next, ok := c.step(at, step)
		if !ok {
			return at, fmt.Errorf("it refers to %s, but there is no %s at %s", quoted("#"+pointer), quoted(step), at)
		}
		at = next
		if h := c.homes[at]; h != nil {
			home = h
		}
	}
	return at, c.survey(at, home)
}

// step is one step of a JSON Pointer. Large objects, such as $defs may be, have an index.
func (c *compiler) step(s spot, name string) (spot, bool) {
	if s.kind() == jsonrpc.KindObject {
		if s.doc.tape.nodes[s.node].count <= manyMembers {
			return s.member(name)
		}
		index := c.indexes[s]
		if index == nil {
			index = map[string]spot{}
			for member := range s.inside {
				index[member.name()] = member
			}
			c.indexes[s] = index
		}
		member, ok := index[name]
		return member, ok
	}
	if !isIndex(name) {
		return s, false
	}
	k, index := 0, number10(name)
	for element := range s.inside {
		if k == index {
			return element, true
		}
		k++
	}
	return s, false
}

// number10 is the value of a short run of digits.
func number10(digits string) int {
	n := 0
	for _, b := range digits {
		n = n*10 + int(b-'0')
	}
	return n
}
