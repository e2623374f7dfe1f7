package cli_test

import (
	"context"
	"os"
	"testing"

	"isthmus.internal/jsonrpc/leaktest"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/fixture/web"
)

// asEcho has this test program be the echo fixture.
const asEcho = "be-echo"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asEcho {
		os.Exit(echo.Program("mcp-echo", web.New()).Run(context.Background(), os.Args[2:], os.Stdout, os.Stderr))
	}
	os.Exit(leaktest.Run(m))
}
