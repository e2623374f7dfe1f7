// Command conformance runs the official conformance suite against one running
// mcp-everything, and against the client beside this file, and judges what each check says:
//
//	make conformance
//
// The suite and its Node come from npm, pinned by package.json and package-lock.json
// beside this file; make installs them below bin/. Everything else needs Go alone.
//
// A tick of the suite says only that a scenario had no FAILURE, which also holds when it
// skipped all it had. So the results on disk are read instead, check by check: a scenario
// passes when it has a SUCCESS of its own, no FAILURE, no WARNING, and each check that
// expected.txt names. What is expected to fail is a list that does not exist.
//
// With -update, expected.txt and the tables in docs/conformance.md are written anew; both
// are refused while anything fails.
//
// The files: main.go (the order of things), suite.go (what there is to run, and starting the
// suite), servers.go and clients.go (what is tested), checks.go (what the suite leaves on
// disk), verdict.go (what is wrong with it), expected.go and page.go (the two files that are
// held to it).
package main
