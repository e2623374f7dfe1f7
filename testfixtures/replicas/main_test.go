package replicas

import (
	"flag"
	"os"
	"testing"

	"isthmus.internal/testfixtures/fixture/fixturetest"
)

var nginx = flag.String("nginx", "", "path of nginx; empty skips the tests, which need it")

// binary is the path of mcp-everything, built for these tests.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	if *nginx == "" {
		os.Exit(m.Run())
	}
	os.Exit(fixturetest.Main(m, "isthmus.internal/cmd/mcp-everything", &binary))
}
