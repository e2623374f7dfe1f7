// Package soak puts an endpoint under the load of clients of all kinds at once, and looks at what is left
// behind. All of it is tests:
//
//	go test ./testfixtures/soak                three seconds
//	go test ./testfixtures/soak -soak 2m       two minutes; make soak does it under the race detector
//
// Some clients behave well, in both eras: each checks that every one of its requests is answered exactly once, and
// with what belongs to it (good_test.go, legacy_test.go). The others do what the endpoint must survive: they vanish, stall, send
// garbage, lie about lengths, send a byte now and then, send too much, and open streams and sessions without end
// (bad_test.go). In the end the memory in use must be what it was before, to within a tenth, with the endpoint
// still serving; and no goroutine may be left.
//
// Beside it stand tests of single attacks, with bounds on the memory that each may take (bounds_test.go).
package soak
