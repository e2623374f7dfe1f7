//go:build race

package discover_test

// race says that the race detector is on.
const race = true
