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
// Every reply is compared byte for byte with what it must be.
package bench
