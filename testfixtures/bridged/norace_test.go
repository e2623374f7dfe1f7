//go:build !race

package bridged_test

const race = false
