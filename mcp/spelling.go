package mcp

import "strings"

// A uri can be spelt in several ways: %61 is a, and what reads a template's variable
// gets the same text for both. So what is hidden from somebody is looked for under each
// spelling: otherwise notes://%73ecret would be read through the template notes://{id}
// where notes://secret is hidden.

// hiddenKey is where a registry keeps its hidden resources, by their plain spelling.
type hiddenKey struct{}

// hiddenOtherwise reports whether the uri, in another spelling, belongs to a resource or
// template that the one who asks may not see.
func (c *Call) hiddenOtherwise(uri string) bool {
	plain := spell(uri, true)
	for _, r := range c.hiddenResources()[plain] {
		if !c.visible(r) {
			return true
		}
	}
	if strings.IndexByte(uri, '%') < 0 {
		return false
	}
	for _, spelling := range []string{spell(uri, false), plain} {
		if t, _ := c.template(spelling); t != nil && !c.visible(t) {
			return true
		}
	}
	return false
}

// hiddenResources are those that not everybody sees, by their plain spelling.
func (c *Call) hiddenResources() map[string][]listed {
	if known, ok := c.reg.derived.Load(hiddenKey{}); ok {
		return known.(map[string][]listed)
	}
	hidden := make(map[string][]listed)
	for _, item := range c.reg.shelves[resourceKind].items {
		if item.filter() != nil {
			plain := spell(item.(*resource).URI, true)
			hidden[plain] = append(hidden[plain], item)
		}
	}
	c.reg.derived.Store(hiddenKey{}, hidden)
	return hidden
}

// spell writes a uri with what is percent-encoded without need decoded, and the rest in
// upper case (RFC 3986, section 6.2.2). With reserved that counts for reserved characters,
// too, although they can mean something else when they are encoded.
func spell(uri string, reserved bool) string {
	if strings.IndexByte(uri, '%') < 0 {
		return uri
	}
	out := make([]byte, 0, len(uri))
	for i := 0; i < len(uri); i++ {
		if uri[i] != '%' || i+2 >= len(uri) || !isHex(uri[i+1]) || !isHex(uri[i+2]) {
			out = append(out, uri[i])
			continue
		}
		b := unhex(uri[i+1])<<4 | unhex(uri[i+2])
		plain := isLetter(b) || isDigit(b) || strings.IndexByte("-._~", b) >= 0 ||
			reserved && strings.IndexByte(":/?#[]@!$&'()*+,;=", b) >= 0
		if plain {
			out = append(out, b)
		} else {
			out = append(out, strings.ToUpper(uri[i:i+3])...)
		}
		i += 2
	}
	return string(out)
}
