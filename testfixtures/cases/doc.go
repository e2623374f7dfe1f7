// Package cases tests what public reports have found wrong in implementations of the
// protocol, in every revision and over every transport, from outside: what a client sees.
//
// Each report has an id, B and a number, that stands in the name or the comment of the test
// which would find the same fault here. rows_test.go lists them all, with the places of
// their tests in the tree.
package cases
