// Package probed has servers that answer server/discover in the ways in which servers of the
// field do that have never heard of it, and then serve the legacy handshake and one tool; and
// a few of the modern era that answer with an error. A client has to find the era of each.
//
// Each server is a row of data: in streams.go over streams of lines, in sites.go over HTTP.
// server.go is what is the same in all of them, [Server.Serve] and [Server.Handler] run one in
// a test, and the command in the folder serve runs one as a process:
//
//	go run ./testfixtures/probed/serve method-not-found
//	go run ./testfixtures/probed/serve -http bad-request
//
// They know nothing of the packages of this project that serve, and are no example of how to
// write a server.
package probed
