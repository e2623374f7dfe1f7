// Command server says that it is ready, waits for SIGTERM, and ends. It answers nothing.
//
//	server -http ADDRESS [STATUS [READY]]
package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

func main() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	status, ready := 0, "server 1.0.0 ready on http://127.0.0.1:41234/mcp: legacy 2025-11-25"
	if len(os.Args) > 3 {
		status, _ = strconv.Atoi(os.Args[3])
	}
	if len(os.Args) > 4 {
		ready = os.Args[4]
	}
	fmt.Fprintln(os.Stderr, ready)
	<-ended
	fmt.Fprintln(os.Stderr, "server: the last line")
	os.Exit(status)
}
