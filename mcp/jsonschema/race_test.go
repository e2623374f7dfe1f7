//go:build race

package jsonschema_test

// Under the race detector a sync.Pool forgets on purpose.
const race = true
