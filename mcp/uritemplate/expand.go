package uritemplate

import (
	"fmt"
	"unicode/utf8"
)

// Expand makes a uri of the template and values (RFC 6570, section 3). Variables that
// have no value are left out. The only error is a length such as {x:3} for a list or a
// map, which has no meaning (section 2.4.1).
func (t *Template) Expand(values Values) (string, error) {
	var uri []byte
	for i := range t.parts {
		p := &t.parts[i]
		uri = append(uri, p.literal...)
		before := p.first
		for _, v := range p.vars {
			value := values[v.name]
			if !value.Defined() {
				continue
			}
			if v.prefix > 0 && value.kind != text {
				return "", fmt.Errorf("%s: %s is a list or a map, of which there are no first %d characters", p.text, v.name, v.prefix)
			}
			uri = append(uri, before...)
			uri = p.expand(uri, v, value)
			before = p.sep
		}
	}
	return string(uri), nil
}

// expand appends one value.
func (o *operator) expand(uri []byte, v variable, value Value) []byte {
	switch {
	case v.explode && value.kind == list:
		for i, member := range value.items {
			if i > 0 {
				uri = append(uri, o.sep...)
			}
			uri = o.pair(uri, v.name, member, o.named)
		}
		return uri
	case v.explode && value.kind == pairs:
		for i := 0; i < len(value.items); i += 2 {
			if i > 0 {
				uri = append(uri, o.sep...)
			}
			key := string(appendEncoded(nil, value.items[i], o.reserved))
			if !o.named {
				uri = append(append(uri, key...), '=') // also before an empty value
				key = ""
			}
			uri = o.pair(uri, key, value.items[i+1], o.named)
		}
		return uri
	case value.kind == text:
		return o.pair(uri, v.name, first(value.items[0], v.prefix), o.named)
	}
	if o.named {
		uri = append(append(uri, v.name...), '=')
	}
	for i, item := range value.items {
		if i > 0 {
			uri = append(uri, ',')
		}
		uri = appendEncoded(uri, item, o.reserved)
	}
	return uri
}

// pair appends a value, with its name before it when it is named.
func (o *operator) pair(uri []byte, name, value string, named bool) []byte {
	if named {
		uri = append(uri, name...)
		if value == "" {
			return append(uri, o.empty...)
		}
		uri = append(uri, '=')
	}
	return appendEncoded(uri, value, o.reserved)
}

// first is the first n characters of text, all of them when n is 0.
func first(text string, n int) string {
	if n == 0 {
		return text
	}
	end := 0
	for range n {
		if end == len(text) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end]
}
