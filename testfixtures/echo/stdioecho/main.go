// Command stdioecho is mcp-echo without HTTP: what a server that speaks over stdio alone
// has in it. Its size is held to a bound, and its start is what benchmarks measure.
package main

import (
	"context"
	"os"

	"isthmus.internal/testfixtures/echo"
)

func main() {
	os.Exit(echo.Program("stdioecho", nil).Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
