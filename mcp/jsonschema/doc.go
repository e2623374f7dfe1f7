// Package jsonschema validates JSON text against JSON Schema, draft 2020-12 and
// draft-07, and infers schemas from Go types.
//
// [Compile] reads a schema once; [Schema.Validate] then checks any number of values, from
// any number of goroutines. A value is read as text: numbers keep their digits, however
// many, and no Go value is made of it.
//
// A schema without $schema is one of draft 2020-12. Nothing is ever fetched: a $ref to
// a document that [Options] does not hand over is an error of Compile. What a schema can
// cost is bounded; see Options.
//
// An [*Error] says in one line where a value does not fit, what was expected there and
// what came.
package jsonschema
