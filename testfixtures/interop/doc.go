// Command interop has published clients drive mcp-everything, over standard streams, HTTP and
// the deprecated HTTP with SSE, in each era that they speak:
//
//	make interop
//
// The clients and their Node come from npm, pinned by package.json and package-lock.json
// beside this file; make installs them below bin/. Everything else needs Go alone. One package
// is held back there: vite, which the inspector needs for its pages in a browser, since newer
// ones name a package for Windows that npm ci does not find, and it wants all of them.
//
// A script for each client (sdk1.mjs, client2.mjs, inspector.mjs) takes the steps of the plan,
// compares what comes back with what has to, and prints a line a step. The two generations
// of the SDK take the same walk (walk.mjs and the files of its parts). What a client cannot do
// stands in the plan with the reason, and its script has to show that it is so. This command
// starts scripts and servers, and holds the lines to the plan: a step that is missing is a
// fault like one that failed.
//
// With -update the tables in docs/interop.md are written anew, which is refused while
// anything fails.
//
// The files: plan.go (who takes which steps), main.go (the order of things), script.go (running
// a script and reading its lines), judge.go (what is wrong with them), tables.go.
package main
