package jsonschema

import "isthmus.internal/jsonrpc"

// Options bound what a schema may cost, and hand over the documents that it may refer to.
// A nil *Options has all defaults.
type Options struct {
	// Remotes are documents by their absolute URI, without a fragment. A $ref, or a
	// $schema, may name them; those that nothing names are not looked at. They are read
	// under the same bounds as the schema. Nothing else is ever fetched.
	Remotes map[string]jsonrpc.Raw

	// MaxBytes bounds the length of a document in bytes. 0 means 1 MiB.
	MaxBytes int

	// MaxDepth bounds the nesting of a document in levels of arrays and objects. 0 means 200.
	MaxDepth int

	// MaxSchemas bounds how many subschemas there are in all documents together that the
	// schema reaches. 0 means 100,000.
	MaxSchemas int

	// MaxWork bounds one call of Validate: how often a subschema may meet a value, a long
	// comparison counting more. It is what holds against schemas whose branches multiply.
	// 0 means 2,000,000, and 16 more for each byte of the value.
	MaxWork int

	// AssertFormat makes format an assertion. By default it is an annotation, unless the
	// schema's own metaschema asserts it (2020-12 validation, section 7.2).
	AssertFormat bool
}

func (o *Options) remotes() map[string]jsonrpc.Raw {
	if o == nil {
		return nil
	}
	return o.Remotes
}

func (o *Options) maxBytes() int {
	if o == nil || o.MaxBytes == 0 {
		return 1 << 20
	}
	return o.MaxBytes
}

func (o *Options) maxDepth() int {
	if o == nil || o.MaxDepth == 0 {
		return 200
	}
	return o.MaxDepth
}

func (o *Options) maxSchemas() int {
	if o == nil || o.MaxSchemas == 0 {
		return 100_000
	}
	return o.MaxSchemas
}

// maxWork is the bound for a value of size bytes.
func (o *Options) maxWork(size int) int {
	if o == nil || o.MaxWork == 0 {
		return 2_000_000 + 16*size
	}
	return o.MaxWork
}

func (o *Options) assertFormat() bool { return o != nil && o.AssertFormat }
