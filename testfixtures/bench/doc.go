// Package bench measures whole servers beside the floor, through the same pipes in the same run. All of it
// is benchmarks: go test -bench . -benchtime 15x ./testfixtures/bench, or make bench.
//
// One iteration of a benchmark is a round: each of the two programs is started, answers a fixed number of
// requests, and is waited for. What a round tells is the processor time, user and system, that the operating
// system charged to the process, divided by the number of requests. The start of the process is in it; the
// number of requests is large enough to make that small. The programs take turns in going first, and the
// median of the rounds' ratios is reported as x-floor, so a machine that is busy for a while, or that changes
// its speed, harms one round and not the result. Wall times are given beside it; they hold the driver's work too.
//
// Every reply is compared byte for byte with what it must be.
package bench
