// Package client holds golden transcripts of the client: what it sends, byte for byte, for
// what a server says. Each file is one connection, named client-era-transport-case.txt. The test
// has a program take the steps of the case while it plays the server; with -update it rewrites
// what the client sends in the files that fail, and leaves what the server says as it is.
//
// Each line is one of
//
//	# what the program does, and what it gets
//	--> a line from the client to the server
//	<-- a line from the server to the client, which comes behind the --> before it
//
// and "--> @closed" says that the client has closed the stream.
//
// Over HTTP a request begins with its method; the fields of its head are in order of their names, but for
// Host, and those that net/http adds on its way are not there. A response is that to the request before it. It is whole
// where it is JSON. A stream of events stays open until "<-- @2 end", where 2 is the number of
// its request, and "<-- @2" has what follows stand on that stream. "--> @2 closed" says that the client
// has closed the response before its end.
package client
