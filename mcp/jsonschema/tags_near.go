package jsonschema

import "slices"

// otherKeys are what people write who come from elsewhere, in plain letters ([plainName]),
// and what they mean. They would change nothing, and nobody would notice. Keys that other
// packages use for other things (validate, binding, yaml, db, example, help) are not
// here.
var otherKeys = map[string]string{
	"description": "mcp", "desc": "mcp", "describe": "mcp", "doc": "mcp", "jsonschemadescription": "mcp",
	"jsonschema":       `mcp:"…" for the description, and minimum:"…", enum:"…" and so on, a key for each keyword`,
	"jsonschemaextras": `minimum:"…", enum:"…" and so on, a key for each keyword`,
	"jsonschematitle":  "title",
	"min":              "minimum, or minLength, or minItems", "max": "maximum, or maxLength, or maxItems",
	"minimumvalue": "minimum", "maximumvalue": "maximum", "minvalue": "minimum", "maxvalue": "maximum",
	"exclusivemin": "exclusiveMinimum", "exclusivemax": "exclusiveMaximum",
	"minlen": "minLength", "maxlen": "maxLength", "minimumlength": "minLength", "maximumlength": "maxLength",
	"mincount": "minItems", "maxcount": "maxItems", "minprops": "minProperties", "maxprops": "maxProperties",
	"regex": "pattern", "regexp": "pattern",
	"enums": "enum", "oneof": "enum", "choices": "enum", "const": "enum",
	"defaultvalue": "default", "unique": "uniqueItems",
	"optional": `required:"false"`, "mcpheader": "x-mcp-header",
}

// meantKey returns the key that somebody meant who wrote another, "" when key is ours
// or somebody else's.
func meantKey(key string) string {
	if slices.ContainsFunc(tagKeys, func(t tagKey) bool { return t.key == key }) {
		return ""
	}
	plain := plainName(key)
	if meant := otherKeys[plain]; meant != "" {
		return meant
	}
	for i := range tagKeys {
		known := tagKeys[i].key
		other := plainName(known)
		alike := len(other)-1 <= len(plain) && len(plain) <= len(other)+1
		if other == plain || len(other) > 4 && alike && editDistance(plain, other) == 1 {
			return known
		}
	}
	return ""
}

// otherFormats are what people write for a format, as [otherKeys].
var otherFormats = map[string]string{
	"url": "uri", "guid": "uuid", "mail": "email", "ip": "ipv4 or ipv6", "ipaddress": "ipv4 or ipv6", "ip4": "ipv4", "ip6": "ipv6",
	"timestamp": "date-time", "host": "hostname", "regexp": "regex",
}

// meantFormat returns the format that somebody meant who wrote another, "" when it is known
// or somebody's own.
func meantFormat(name string) string {
	if formatOf(name) != nil {
		return ""
	}
	plain := plainName(name)
	for i := range formats {
		if plainName(formats[i].name) == plain {
			return formats[i].name
		}
	}
	return otherFormats[plain]
}
