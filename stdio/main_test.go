package stdio_test

import (
	"os"
	"os/signal"
	"testing"

	"isthmus.internal/jsonrpc/leaktest"
)

// TestMain runs the tests, or plays the part that a test gives a child process in
// its first argument. No goroutine may be left in the end.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if play, ok := parts[os.Args[1]]; ok {
			os.Exit(play())
		}
	}
	// The goroutines of os/signal start with the first of its users, which must not
	// be one in a bubble of synctest.
	signal.Stop(notified())
	os.Exit(leaktest.Run(m))
}

// notified is a channel on which signals are expected.
func notified() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	return c
}
