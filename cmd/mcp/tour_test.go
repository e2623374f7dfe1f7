package main_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/testfixtures/fixture/fixturetest"
)

// binary is the path of the command, built for these tests, with the servers beside it.
var binary string

// With these flags the test binary is not a test but the server that the tour
// drives.
var (
	asFault  = flag.String("fault", "", "be a server with this `FAULT`")
	asServer = flag.String("server", "", "which `SERVER` to be")
	page     = flag.Int("page", 0, "how many entries a page of it has")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *asFault != "" {
		os.Exit(faults[strings.ReplaceAll(*asFault, "-", " ")].serve(*asServer, *page))
	}
	// Under the race detector a process rests for a second before it exits with 0,
	// for reports that come late. The servers have none to wait for.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(fixturetest.Main(m, "isthmus.internal/cmd/mcp", &binary,
		"isthmus.internal/cmd/mcp-echo", "isthmus.internal/cmd/mcp-notes", "isthmus.internal/cmd/mcp-everything"))
}

// tour goes on a tour of servers with this fault.
func tour(t *testing.T, fault string, args ...string) fixturetest.Ran {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := self + " -fault=" + strings.ReplaceAll(fault, " ", "-") + " -server="
	args = append([]string{"tour", "-echo", command + "echo", "-notes", command + "notes", "-everything", command + "everything"}, args...)
	return fixturetest.Run(t, "", binary, args...)
}

// verdicts takes the PASS and FAIL lines out of what a tour printed. The last
// line has to count them.
func verdicts(t *testing.T, out string) (lines []string, failed int) {
	t.Helper()
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "FAIL "):
			failed++
			lines = append(lines, line)
		case strings.HasPrefix(line, "PASS "):
			lines = append(lines, line)
		}
	}
	count := fmt.Sprintf("%d expectations: %d passed, %d failed\n", len(lines), len(lines)-failed, failed)
	if !strings.HasSuffix(out, "\n\n"+count) {
		t.Errorf("the last line is not %q:\n%s", count, out[max(0, len(out)-200):])
	}
	return lines, failed
}

// TestTour goes on the tour of the servers in the tree.
func TestTour(t *testing.T) {
	ran := fixturetest.Run(t, "", binary, "tour")
	lines, failed := verdicts(t, ran.Out)
	if ran.Status != 0 || ran.Err != "" || failed > 0 || len(lines) == 0 {
		t.Errorf("got status %d and %q on standard error, want 0 and nothing:\n%s", ran.Status, ran.Err, ran.Out)
	}
	if strings.Contains(ran.Out, "\x1b") {
		t.Errorf("there are colours although the output is no terminal: %q", ran.Out)
	}
	for _, part := range []string{
		"  | echo-server 1.0.0 ready on stdio: ", "  | notes-server 1.0.0 ready on stdio: ", "  | everything-server 1.0.0 ready on stdio: ",
		"\n--> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"", "\n<-- {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":",
		"-32022", "1900-01-01", `"text":"echo: hello"`,
	} {
		if !strings.Contains(ran.Out, part) {
			t.Errorf("%q is missing in\n%s", part, ran.Out)
		}
	}
}

// The same tour over HTTP, where both eras are at one URL, shows how each message travels.
func TestTourOverHTTP(t *testing.T) {
	ran := fixturetest.Run(t, "", binary, "tour", "-http")
	lines, failed := verdicts(t, ran.Out)
	if ran.Status != 0 || ran.Err != "" || failed > 0 || len(lines) == 0 {
		t.Errorf("got status %d and %q on standard error, want 0 and nothing:\n%s", ran.Status, ran.Err, ran.Out)
	}
	for _, part := range []string{
		" ready on http://127.0.0.1:", "\n  | POST /mcp  MCP-Protocol-Version: 2026-07-28  Mcp-Method: tools/call  Mcp-Name: echo\n  | 200 OK application/json\n",
		"\n  | GET /mcp  MCP-Protocol-Version: 2025-11-25  Mcp-Session-Id: ", "\n  | 200 OK text/event-stream\n", "\n  | DELETE /mcp  Mcp-Session-Id: ",
		"-32020", "exits with 0 after SIGTERM", "\n  | the stream of the request is closed, which cancels it\n",
	} {
		if !strings.Contains(ran.Out, part) {
			t.Errorf("%q is missing in\n%s", part, ran.Out)
		}
	}
}

// TestReadme: what README shows of the tour is what the tour prints, but for what it
// leaves out at an ellipsis.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "go run ./cmd/mcp tour\n")
	_, rest, ok2 := strings.Cut(rest, "\n```\n")
	shown, _, ok3 := strings.Cut(rest, "\n```\n")
	if !ok || !ok2 || !ok3 {
		t.Fatal("README.md shows nothing behind go run ./cmd/mcp tour")
	}
	out := fixturetest.Run(t, "", binary, "tour").Out
	last := ""
	for line := range strings.SplitSeq(shown, "\n") {
		last, _ = strings.CutSuffix(line, "…")
		if at := strings.Index(out, "\n"+last); at < 0 {
			t.Errorf("README.md shows this line, and the tour has none behind the one before that begins so: %s", line)
		} else {
			out = out[at+1:]
		}
	}
	if out != last+"\n" {
		t.Errorf("the excerpt in README.md does not end as the tour does, with %s", out)
	}
}

// TestTourOfServersWithoutFault holds the way the faulty servers are made: a
// server without a fault, and one that sends notifications, pass.
func TestTourOfServersWithoutFault(t *testing.T) {
	for _, fault := range []string{"none", "notices"} {
		if ran := tour(t, fault); ran.Status != 0 {
			t.Errorf("%s: got status %d, want 0:\n%s", fault, ran.Status, ran.Out)
		}
	}
}

// TestTourFindsFaults shows that no server with a fault gets through, that no
// fault makes the tour hang, and that what it prints stays in order.
func TestTourFindsFaults(t *testing.T) {
	for _, fault := range faultNames() {
		switch fault {
		case "none", "notices":
			continue
		}
		t.Run(fault, func(t *testing.T) {
			t.Parallel() // they wait more than they work
			deadline := "10s"
			switch fault {
			case "silent", "deaf", "flood", "misnamed", "no JSON", "terminal":
				// Each of these sits the deadline out.
				deadline = "100ms"
			}
			ran := tour(t, fault, "-deadline", deadline)
			_, failed := verdicts(t, ran.Out)
			if ran.Status != 1 || failed == 0 {
				t.Errorf("got status %d and %d failed, want 1 and some:\n%s", ran.Status, failed, ran.Out)
			}
			if strings.Contains(ran.Out, "\x1b") {
				t.Errorf("what the server sends reaches the terminal as it is:\n%q", ran.Out)
			}
		})
	}
}

// TestEveryExpectationCanFail shows that there is no PASS that comes about
// whatever the server does: for each there is a fault that makes it fail, while
// the server goes on answering.
func TestEveryExpectationCanFail(t *testing.T) {
	good, failed := verdicts(t, tour(t, "none").Out)
	if failed > 0 {
		t.Fatalf("%d expectations fail without a fault", failed)
	}
	var mu sync.Mutex
	caught := make([]bool, len(good))
	t.Run("tours", func(t *testing.T) {
		for _, fault := range []string{"mute", "altered", "stuffed", "hollow", "renamed", "misnamed", "stray", "status"} {
			t.Run(fault, func(t *testing.T) {
				t.Parallel()
				var args []string
				if fault == "misnamed" {
					// What has another name is waited for until the deadline.
					args = []string{"-deadline", "1s"}
				}
				bad, _ := verdicts(t, tour(t, fault, args...).Out)
				if len(bad) != len(good) {
					t.Fatalf("got %d expectations, want %d as without a fault", len(bad), len(good))
				}
				mu.Lock()
				defer mu.Unlock()
				for i, line := range bad {
					// What follows the deadline fails because of it, and shows nothing.
					counts := fault != "misnamed" || strings.Contains(line, "there is a message ")
					caught[i] = caught[i] || counts && strings.HasPrefix(line, "FAIL ")
				}
			})
		}
	})
	for i, line := range good {
		if !caught[i] {
			t.Errorf("expectation %d never fails: %s", i+1, line)
		}
	}
}

// TestFailLine shows what a person gets to read.
func TestFailLine(t *testing.T) {
	tests := []struct{ fault, want string }{
		{"deaf", `FAIL the server exits with 0 at the end of its input: got still running after 1s, want exit status 0`},
		{"silent", `FAIL the reply has id 1 and one result: got nothing within 200ms, want the members jsonrpc, id 1 and result alone`},
		{"altered", `FAIL serverInfo is {"name":"echo-server","version":"1.0.0"}: got {"name":"echo-server!","version":"1.0.0!"}, want {"name":"echo-server","version":"1.0.0"}`},
		{"hollow", `FAIL the code is -32601: got nothing, want -32601`},
		{"stray", `FAIL standard output holds nothing but the replies: got goodbye, want nothing more`},
		{"status", `FAIL the server exits with 0 at the end of its input: got exit status 3, want exit status 0`},
		{"renamed", `FAIL the reply has id 3 and one result: got {"id":"another","jsonrpc":"2.0","result":{"content":[{"text":"echo: hello","type":"text"}]}}, want the members jsonrpc, id 3 and result alone`},
	}
	for _, test := range tests {
		t.Run(test.fault, func(t *testing.T) {
			t.Parallel()
			args := []string{"-deadline", "10s"}
			switch test.fault {
			case "deaf": // which has to be ready within that
				args[1] = "1s"
			case "silent":
				args[1] = "200ms"
			}
			if ran := tour(t, test.fault, args...); !strings.Contains(ran.Out, "\n"+test.want+"\n") {
				t.Errorf("this line is missing: %s\nin\n%s", test.want, ran.Out)
			}
		})
	}
}

// TestTourOfNothing goes on a tour of programs that are no servers.
func TestTourOfNothing(t *testing.T) {
	missing := "no-such-program-anywhere"
	ran := fixturetest.Run(t, "", binary, "tour", "-echo", missing, "-notes", missing, "-everything", missing)
	lines, failed := verdicts(t, ran.Out)
	if ran.Status != 1 || failed == 0 || failed != len(lines) || !strings.Contains(lines[0], missing) {
		t.Errorf("got status %d, want 1 and nothing but FAIL, naming %s:\n%s", ran.Status, missing, ran.Out)
	}
	// This one prints its help and ends.
	ran = fixturetest.Run(t, "", binary, "tour", "-echo", binary+" -h", "-notes", binary+" -h", "-everything", binary+" -h")
	if _, failed := verdicts(t, ran.Out); ran.Status != 1 || failed == 0 {
		t.Errorf("a program that ends at once: got status %d, %d failed, want 1 and some:\n%s", ran.Status, failed, ran.Out)
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string // in the one line
	}{
		{"unknown command", []string{"trip"}, `mcp: there is no command "trip" (mcp -h lists all)`},
		{"the beginning of one", []string{"tool"}, `mcp: there is no command "tool": is mcp tools meant?`},
		{"a target first", []string{"http://127.0.0.1:9/mcp", "tools"}, `the command comes first`},
		{"a flag first", []string{"--output", "json"}, `the command comes first`},
		{"unknown flag", []string{"tour", "-fast"}, "mcp tour: flag provided but not defined: -fast"},
		{"stray argument", []string{"tour", "echo"}, `mcp tour: unexpected argument "echo"`},
		{"deadline that is none", []string{"tour", "-deadline", "soon"}, `mcp tour: invalid value "soon" for flag -deadline`},
		{"no time at all", []string{"tour", "-deadline", "0s"}, "mcp tour: -deadline must be more than 0"},
		{"a server", []string{"echo"}, `mcp: there is no command "echo": run mcp-echo, a program of its own, which make build builds`},
		{"a server with its flags", []string{"notes", "-data", "file"}, `"notes": run mcp-notes, `},
		{"help of a server", []string{"help", "everything"}, `"everything": run mcp-everything, `},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ran := fixturetest.Run(t, "", binary, test.args...)
			if ran.Status != 2 || ran.Out != "" || strings.Count(ran.Err, "\n") != 1 || !strings.Contains(ran.Err, test.want) {
				t.Errorf("mcp %q\ngot  %+v\nwant status 2 and one line with %q", test.args, ran, test.want)
			}
		})
	}
	if ran := fixturetest.Run(t, "", binary); ran.Status != 2 || ran.Out != "" || !strings.Contains(ran.Err, "mcp tour") {
		t.Errorf("mcp alone: got %+v, want status 2 and the commands on standard error", ran)
	}
}

func TestHelp(t *testing.T) {
	tests := []struct {
		args []string
		want string // a pattern
	}{
		{[]string{"-h"}, `mcp-echo, mcp-notes and mcp-everything(.|\n)*mcp tour`},
		{[]string{"help"}, `mcp-echo, mcp-notes and mcp-everything(.|\n)*mcp tour`},
		{[]string{"tour", "-h"}, `PASS or FAIL(.|\n)*-deadline(.|\n)*-echo(.|\n)*-everything(.|\n)*-notes`},
	}
	for _, test := range tests {
		ran := fixturetest.Run(t, "", binary, test.args...)
		if ran.Status != 0 || ran.Err != "" || !regexp.MustCompile(test.want).MatchString(ran.Out) {
			t.Errorf("mcp %q\ngot  %+v\nwant status 0 and %s", test.args, ran, strconv.Quote(test.want))
		}
	}
}
