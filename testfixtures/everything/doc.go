// Package everything is the fixture that does all a server can do: every kind of
// content, progress, log messages, asks of the client, changes while it runs, resources,
// templates, prompts and completion. Clients that are being tested find here a peer for
// each thing they have to understand, in either era, and so do outside test suites,
// whose names some of the tools have.
//
// The files are by topic: content.go and tools.go, slow.go (what takes time), logging.go,
// asks.go and rounds.go (what asks the client), changes.go, resources.go, prompts.go.
package everything
