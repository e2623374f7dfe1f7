//go:build race

package bridged_test

// race: the race detector is on, which makes everything about ten times slower.
const race = true
