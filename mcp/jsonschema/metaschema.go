package jsonschema

import (
	"strings"

	"isthmus.internal/jsonrpc"
)

// shape is what values a group of keywords can have, as a schema. THIS stands for a
// reference to the metaschema itself.
type shape struct {
	vocabulary string // of 2020-12; "" is a keyword of draft-07 alone
	value      string
	names      string // of draft 2020-12
	draft7     string // of draft-07
}

// Values that occur more than once.
const (
	aSchema     = `THIS`
	someSchemas = `{"type":"array","minItems":1,"items":THIS}`
	schemasBy   = `{"type":"object","additionalProperties":THIS}`
	aString     = `{"type":"string"}`
	aReference  = `{"type":"string","format":"uri-reference"}`
	aCount      = `{"type":"integer","minimum":0}`
	aNumber     = `{"type":"number"}`
	aBoolean    = `{"type":"boolean"}`
	someNames   = `{"type":"array","items":{"type":"string"},"uniqueItems":true}`
	aType       = `{"enum":["array","boolean","integer","null","number","object","string"]}`
	anAnchor    = `{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"}`
)

// shapes are the keywords of both dialects. The metaschemas are made of them, so that
// a schema can refer to them.
var shapes = []shape{
	{"core", `{"type":"string","format":"uri"}`, "$schema", "$schema"},
	{"core", `{"type":"string","format":"uri-reference","pattern":"^[^#]*#?$"}`, "$id", ""},
	{"core", aReference, "$ref $dynamicRef", "$ref $id"},
	{"core", anAnchor, "$anchor $dynamicAnchor", ""},
	{"core", `{"type":"object","propertyNames":{"format":"uri"},"additionalProperties":{"type":"boolean"}}`, "$vocabulary", ""},
	{"core", aString, "$comment", "$comment"},
	{"core", schemasBy, "$defs", ""},

	{"applicator", aSchema, "items contains additionalProperties propertyNames if then else not",
		"additionalItems contains additionalProperties propertyNames if then else not"},
	{"applicator", someSchemas, "prefixItems allOf anyOf oneOf", "allOf anyOf oneOf"},
	{"applicator", schemasBy, "properties dependentSchemas", "properties definitions"},
	{"applicator", `{"type":"object","additionalProperties":THIS,"propertyNames":{"format":"regex"}}`, "patternProperties", "patternProperties"},
	{"", `{"anyOf":[THIS,` + someSchemas + `]}`, "", "items"},
	{"", `{"type":"object","additionalProperties":{"anyOf":[THIS,` + someNames + `]}}`, "", "dependencies"},

	{"unevaluated", aSchema, "unevaluatedItems unevaluatedProperties", ""},

	{"validation", `{"anyOf":[` + aType + `,{"type":"array","items":` + aType + `,"minItems":1,"uniqueItems":true}]}`, "type", "type"},
	{"validation", `true`, "const", "const"},
	{"validation", `{"type":"array","items":true}`, "enum", "enum"},
	{"validation", `{"type":"number","exclusiveMinimum":0}`, "multipleOf", "multipleOf"},
	{"validation", aNumber, "maximum exclusiveMaximum minimum exclusiveMinimum", "maximum exclusiveMaximum minimum exclusiveMinimum"},
	{"validation", aCount, "maxLength minLength maxItems minItems maxContains minContains maxProperties minProperties",
		"maxLength minLength maxItems minItems maxProperties minProperties"},
	{"validation", `{"type":"string","format":"regex"}`, "pattern", "pattern"},
	{"validation", aBoolean, "uniqueItems", "uniqueItems"},
	{"validation", someNames, "required", "required"},
	{"validation", `{"type":"object","additionalProperties":` + someNames + `}`, "dependentRequired", ""},

	{"meta-data", aString, "title description", "title description"},
	{"meta-data", `true`, "default", "default"},
	{"meta-data", aBoolean, "deprecated readOnly writeOnly", "readOnly writeOnly"},
	{"meta-data", `{"type":"array","items":true}`, "examples", "examples"},

	{"format-annotation", aString, "format", "format"},
	{"format-assertion", aString, "format", ""},

	{"content", aString, "contentEncoding contentMediaType", "contentEncoding contentMediaType"},
	{"content", aSchema, "contentSchema", ""},
}

// standardVocabularies are those of the dialect 2020-12 itself.
var standardVocabularies = []string{"core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"}

const base2020 = "https://json-schema.org/draft/2020-12/"

// metaschema makes the metaschema with a URI, if it is one of those that are known.
func metaschema(uri string) (jsonrpc.Raw, bool) {
	switch uri {
	case uriDraft7:
		var b strings.Builder
		b.WriteString(`{"$schema":"` + uriDraft7 + `#","$id":"` + uriDraft7 + `#","type":["object","boolean"],"properties":{`)
		writeShapes(&b, `{"$ref":"#"}`, func(s shape) string { return s.draft7 })
		b.WriteString(`}}`)
		return jsonrpc.Raw(b.String()), true
	case uri2020:
		return metaschema2020(), true
	}
	name := strings.TrimPrefix(uri, base2020+"meta/")
	if name == uri || vocabularies[name] == 0 {
		return nil, false
	}
	var b strings.Builder
	b.WriteString(head2020("meta/"+name, []string{name}) + `,"properties":{`)
	writeShapes(&b, `{"$dynamicRef":"#meta"}`, func(s shape) string {
		if s.vocabulary != name {
			return ""
		}
		return s.names
	})
	b.WriteString(`}}`)
	return jsonrpc.Raw(b.String()), true
}

// metaschema2020 is the metaschema that puts the vocabularies together.
func metaschema2020() jsonrpc.Raw {
	var b strings.Builder
	b.WriteString(head2020("schema", standardVocabularies) + `,"allOf":[`)
	for k, name := range standardVocabularies {
		if k > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"$ref":"meta/` + name + `"}`)
	}
	b.WriteString(`]}`)
	return jsonrpc.Raw(b.String())
}

// head2020 begins a metaschema of draft 2020-12.
func head2020(path string, vocabularies []string) string {
	var b strings.Builder
	b.WriteString(`{"$schema":"` + uri2020 + `","$id":"` + base2020 + path + `","$dynamicAnchor":"meta","type":["object","boolean"],"$vocabulary":{`)
	for k, name := range vocabularies {
		if k > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + base2020 + `vocab/` + name + `":true`)
	}
	b.WriteByte('}')
	return b.String()
}

// writeShapes writes the members of properties for the names that of picks.
func writeShapes(b *strings.Builder, this string, of func(shape) string) {
	comma := ""
	for _, s := range shapes {
		for name := range strings.FieldsSeq(of(s)) {
			b.WriteString(comma + `"` + name + `":` + strings.ReplaceAll(s.value, "THIS", this))
			comma = ","
		}
	}
}
