package mutate_test

import (
	"os"
	"runtime/debug"
	"testing"

	"isthmus.internal/jsonrpc/leaktest"
)

// TestMain lets garbage gather, as each attack leaves a connection behind.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(leaktest.Run(m))
}
