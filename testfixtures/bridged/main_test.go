package bridged_test

import (
	"os"
	"testing"

	"isthmus.internal/jsonrpc/leaktest"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Run(m)) }
