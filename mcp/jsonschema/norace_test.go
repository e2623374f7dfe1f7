//go:build !race

package jsonschema_test

const race = false
