package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// build compiles the programs as they are given to users: stripped, without paths, and without C, which would
// have the dynamic linker take part in every start. The echo server is the one without HTTP: net/http
// would take part in every start, too.
func build(tb testing.TB, dir string) string {
	tb.Helper()
	compile := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", dir+string(filepath.Separator),
		"isthmus.internal/cmd/mcp",
		"isthmus.internal/cmd/mcp-echo",
		"isthmus.internal/testfixtures/echo/stdioecho",
		"isthmus.internal/testfixtures/bench/manytools",
		"isthmus.internal/testfixtures/bench/streams",
		"isthmus.internal/testfixtures/floor",
		"isthmus.internal/testfixtures/floor/constant",
		"isthmus.internal/testfixtures/floor/overhttp")
	compile.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := compile.CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", compile, err, out)
	}
	return dir
}

// contests prepares the rows, with the programs in dir.
func contests(tb testing.TB, dir string) []contest {
	tb.Helper()
	program := func(name string) string { return filepath.Join(dir, name) }
	echo, floor := []string{program("stdioecho")}, []string{program("floor")}
	many := []string{program("manytools")}
	// A client that starts a server, against that server's own start.
	echoHTTP := []string{program("mcp-echo")}
	discover := []string{program("mcp"), "discover", "--", program("mcp-echo")}

	// The floor of tools/list answers with the bytes of the server's own list.
	list := firstReply(tb, many, listRequest)
	_, afterID, _ := bytes.Cut(list, fmt.Append(nil, firstID))
	file := program("list.json")
	if err := os.WriteFile(file, afterID, 0o600); err != nil {
		tb.Fatal(err)
	}
	listFloor := []string{program("floor"), "-answer", file}

	short, long := callRequest(64), callRequest(64<<10)
	return []contest{
		{
			name: "one-in-flight-64B", aim: 2, server: echo, floor: floor,
			request: short, enter: afresh(under(tb, echo, short, 1, 40_000)),
		}, {
			name: "16-in-flight-64B", aim: 6, server: echo, floor: floor,
			request: short, enter: afresh(under(tb, echo, short, 16, 100_000)),
		}, {
			name: "one-in-flight-64KiB", aim: 4, server: echo, floor: floor,
			request: long, enter: afresh(under(tb, echo, long, 1, 1_500)),
		}, {
			name: "list-101-tools", aim: 2, server: many, floor: listFloor,
			request: listRequest, enter: afresh(under(tb, many, listRequest, 1, 5_000)),
		}, {
			name: "spawn-to-first-answer", aim: 2, byWall: true, server: echo, floor: []string{program("constant")},
			request: short, enter: afresh(spawn(short)),
		}, {
			name: "discover-to-end", aim: 3, byWall: true, server: discover, floor: echoHTTP,
			request: short, enter: afresh(func(program []string) (measure, error) {
				if program[0] == discover[0] {
					return end(program)
				}
				return spawn(short)(program)
			}),
		},
	}
}

// under returns a round that puts a load on a program: like requests, so many of them in flight. The
// replies must be like the one that the server gives now.
func under(tb testing.TB, server []string, request []byte, inFlight, requests int) func([]string) (measure, error) {
	tb.Helper()
	l := load{request: newFrame(request), reply: newFrame(firstReply(tb, server, request)), inFlight: inFlight, requests: requests}
	return l.run
}

// spawns is how often a round of spawn starts its program.
const spawns = 10

// spawn returns a round that starts a program and waits for its first answer, again and again, and gives the
// median.
func spawn(request []byte) func([]string) (measure, error) {
	return func(program []string) (measure, error) {
		var measures []measure
		for range spawns {
			answer, wall, cpu, err := ask(program, request)
			if err != nil {
				return measure{}, fmt.Errorf("%s: %w", program[0], err)
			}
			if !bytes.Contains(answer, fmt.Append(nil, firstID)) {
				return measure{}, fmt.Errorf("%s: first answer %q, want one to %d", program[0], answer, firstID)
			}
			measures = append(measures, measure{cpu: cpu, wall: wall})
		}
		return middle(measures), nil
	}
}

// end is a round that runs a program to its end, again and again, and gives the median.
func end(program []string) (measure, error) {
	var measures []measure
	for range spawns {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		cmd := exec.CommandContext(ctx, program[0], program[1:]...)
		began := time.Now()
		out, err := cmd.Output()
		wall := time.Since(began)
		cancel()
		if err != nil || !bytes.Contains(out, []byte("echo-server")) {
			return measure{}, fmt.Errorf("%s: %w, printed %.200q", cmd, err, out)
		}
		measures = append(measures, measure{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall: wall})
	}
	return middle(measures), nil
}

// firstReply asks a program once, and checks that the answer is good.
func firstReply(tb testing.TB, program []string, request []byte) []byte {
	tb.Helper()
	answer, _, _, err := ask(program, request)
	if err == nil {
		err = check(request, answer)
	}
	if err != nil {
		tb.Fatalf("%s: %v", program[0], err)
	}
	return answer
}
