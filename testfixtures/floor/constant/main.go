// Command constant answers the first line it reads with a line that never changes, and ends with its
// input. Benchmarks divide by the time from its start to that answer: no Go program can be there sooner.
package main

import (
	"io"
	"os"
)

const answer = `{"jsonrpc":"2.0","id":1000000,"result":{}}` + "\n"

func main() {
	line := make([]byte, 4096)
	if _, err := os.Stdin.Read(line); err != nil {
		os.Exit(1)
	}
	if _, err := os.Stdout.WriteString(answer); err != nil {
		os.Exit(1)
	}
	io.Copy(io.Discard, os.Stdin)
}
