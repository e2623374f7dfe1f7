//go:build !unix

package stdio_test

// parts is empty: signals to children are a matter of Unix.
var parts map[string]func() int
