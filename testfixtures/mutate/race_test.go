//go:build race

package mutate_test

// The race detector makes everything about ten times slower, so there is less of it.
const (
	stride = 37      // of the positions at which a transcript is changed
	amount = 1 << 17 // bytes of noise
)
