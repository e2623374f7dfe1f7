package jsonschema

import (
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

// vocabulary is a set of vocabularies (2020-12 core, section 8.1).
type vocabulary uint16

const (
	vocabularyCore vocabulary = 1 << iota
	vocabularyApplicator
	vocabularyUnevaluated
	vocabularyValidation
	vocabularyMetaData
	vocabularyFormatAnnotation
	vocabularyFormatAssertion
	vocabularyContent
)

const (
	uri2020   = "https://json-schema.org/draft/2020-12/schema"
	uriDraft7 = "http://json-schema.org/draft-07/schema"
)

// vocabularies are those of draft 2020-12 by the end of their URI.
var vocabularies = map[string]vocabulary{
	"core":              vocabularyCore,
	"applicator":        vocabularyApplicator,
	"unevaluated":       vocabularyUnevaluated,
	"validation":        vocabularyValidation,
	"meta-data":         vocabularyMetaData,
	"format-annotation": vocabularyFormatAnnotation,
	"format-assertion":  vocabularyFormatAssertion,
	"content":           vocabularyContent,
}

// dialect is how a resource is to be read.
type dialect struct {
	draft7 bool
	knows  vocabulary
}

var (
	dialect2020 = &dialect{knows: vocabularyCore | vocabularyApplicator | vocabularyUnevaluated | vocabularyValidation |
		vocabularyMetaData | vocabularyFormatAnnotation | vocabularyContent}
	dialectDraft7 = &dialect{draft7: true, knows: dialect2020.knows &^ vocabularyUnevaluated}
)

// dialectOf finds the dialect that $schema names.
func (c *compiler) dialectOf(uri string) (*dialect, error) {
	for range 8 { // metaschemas of metaschemas
		switch strings.TrimSuffix(uri, "#") {
		case uri2020:
			return dialect2020, nil
		case uriDraft7:
			return dialectDraft7, nil
		}
		text, ok := c.options.remotes()[strings.TrimSuffix(uri, "#")]
		if !ok {
			break
		}
		d, err := readDocument(uri, text, c.options)
		if err != nil {
			return nil, fmt.Errorf("the metaschema %s: %w", uri, err)
		}
		root := spot{d, 0}
		if v, ok := root.member("$vocabulary"); ok {
			return readVocabulary(v)
		}
		base, ok := root.member("$schema")
		if !ok {
			return dialect2020, nil
		}
		uri, _ = base.text()
	}
	return nil, foreign("$schema names a dialect that is not known, %s; known are %s and %s#", quoted(uri), uri2020, uriDraft7)
}

// readVocabulary reads $vocabulary of a metaschema. A vocabulary that is not known may
// only be ignored where its value is false (2020-12 core, section 8.1.2).
func readVocabulary(v spot) (*dialect, error) {
	d := &dialect{knows: vocabularyCore}
	for member := range v.inside {
		known := vocabularies[strings.TrimPrefix(member.name(), "https://json-schema.org/draft/2020-12/vocab/")]
		required, ok := member.raw().Bool()
		switch {
		case !ok || v.kind() != jsonrpc.KindObject:
			return nil, fmt.Errorf("at %s: expected true or false, got %s", member, shown(member.raw()))
		case known == 0 && required:
			return nil, foreign("at %s: the vocabulary is required and not known", member)
		}
		d.knows |= known
	}
	return d, nil
}
