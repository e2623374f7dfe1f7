package everything_test

import (
	"testing"

	"isthmus.internal/testfixtures/mcptest"
)

func TestConform(t *testing.T) {
	mcptest.Conform(t, quiet, &mcptest.Conforming{Slow: "slow", SlowArguments: `{"ms":60000}`})
}
