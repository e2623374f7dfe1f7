//go:build !race

package mutate_test

const (
	stride = 1
	amount = 1 << 20 // a megabyte
)
