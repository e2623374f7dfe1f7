// Command servers drives published servers with this project's client, over standard streams,
// HTTP and the deprecated HTTP with SSE, in each era that they speak:
//
//	make interop-servers
//
// The servers and their Node come from npm, pinned by package.json and package-lock.json of the
// folder above; make installs them below bin/. One of them, server2.mjs, is written for this
// project on the library that servers of the modern era are written on.
//
// For each run a server is started, and found for what it is; then the steps of its plan are
// taken, each of which compares what comes with what has to. What a server does not have stands
// in the plan with the reason, and the client has to be told so.
//
// With -update the tables in docs/interop.md are written anew, which is refused while
// anything fails.
//
// The files: plan.go (what there is to do), main.go (the order of things), start.go (processes),
// walk.go and walk_heard.go (what all steps use), tables.go, and one file of steps for each
// server.
package main
