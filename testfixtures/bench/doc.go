// Package bench measures whole servers beside the floor, through the same pipes in the same run. All of it
// is benchmarks: go test -bench . -benchtime 25x ./testfixtures/bench, or make bench.
//
// One iteration of a benchmark is a round: each of the two programs is started, answers a fixed number of
// requests, and is waited for. What a round tells is the processor time, user and system, that the operating
// system charged to the process, less that of a start with a single request, divided by the number of requests.
// The programs take turns in going first, and the median of the rounds' ratios is reported as x-floor, so a
// machine that is busy for a while, or that changes its speed, harms some rounds and not the result. On a machine
// that is busy all the while, both programs wait for the processor's caches and the ratio comes out too low or too
// high; then x-floor-quiet, the quickest round of the one by the quickest of the other, is far from it. Wall times are given
// beside; they hold the driver's work too.
//
// Two rows are of wall times: a server from its start to its first answer, beside a program that says the same
// whatever comes, and mcp discover from its start to its end, beside the first answer of the server that it starts.
//
// BenchmarkClient is a call through client, pipes and server in one process, beside the bytes on bare pipes.
//
// Over HTTP (BenchmarkHTTP) both programs run all the while, and a round is some bursts of requests on each in turn, short
// enough that they meet the same machine; the processor time is read from the kernel's clock of the process before
// and after. The client writes requests that are ready made on bare connections, so that it takes little of the
// machine. The first row is the floor beside itself: how far that is from 1 is what the others may be wrong by.
//
// BenchmarkIdleStreams tells what memory a stream takes that waits, and BenchmarkSpread how long a change takes to
// reach many of them, each beside bare net/http that waits, or writes the same.
//
// Every reply is compared byte for byte with what it must be, over HTTP but for its date.
package bench
