package main_test

import (
	"strings"
	"testing"

	"isthmus.internal/testfixtures/fixture/fault"
	"isthmus.internal/testfixtures/fixture/fixturetest"
)

// Who does not name a fault, or one that there is not, gets the list of them.
func TestFaultList(t *testing.T) {
	var table strings.Builder
	fault.WriteTable(&table)
	for _, test := range []struct {
		name, err string
		args      []string
	}{
		{"no name", "mcp-notes: flag needs an argument: -fault (mcp-notes -h explains)\n", []string{"-fault"}},
		{"no such name", `mcp-notes: invalid value "tired" for flag -fault: there is no such fault: want one of silent, `, []string{"-fault", "tired"}},
	} {
		ran := fixturetest.Run(t, query, binary, test.args...)
		if ran.Status != 2 || ran.Out != "" || !strings.HasPrefix(ran.Err, test.err) || !strings.HasSuffix(ran.Err, "\n"+table.String()) {
			t.Errorf("%s: got %+v\nwant status 2, %q, and the table", test.name, ran, test.err)
		}
	}
	refused(t, fixturetest.Run(t, query, binary, "-fault", "slow", "-listen", "tcp:127.0.0.1:0"), "mcp-notes: -listen serves many clients")
}

// What there is not over HTTP is not served there.
func TestFaultOfStreams(t *testing.T) {
	for _, f := range fault.Faults() {
		if f.OnHTTP == fault.None {
			refused(t, fixturetest.Run(t, query, binary, "-fault", f.Name, "-http", "127.0.0.1:0"),
				"mcp-notes: -fault "+f.Name+" is for the standard streams, and there is no such fault over HTTP: leave -http out (")
		}
	}
}

// A fault over the streams of a process.
func TestFault(t *testing.T) {
	answer := found(`[` + note1 + `,` + note2 + `,` + note3 + `]`)
	own := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	tests := []struct {
		name string
		want fixturetest.Ran
	}{
		{"mute", fixturetest.Ran{Err: onStdio}},
		{"duplicate-ids", fixturetest.Ran{Out: answer + own + answer, Err: onStdio}},
		{"exits", fixturetest.Ran{Err: onStdio + fault.LastWords, Status: 3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if ran := fixturetest.Run(t, query, binary, "-fault", test.name); ran != test.want {
				t.Errorf("got  %+v\nwant %+v", ran, test.want)
			}
		})
	}
}
