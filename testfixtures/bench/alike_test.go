package bench

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
)

// TestFloorAnswersAlike keeps the floor honest: whatever a contest sends, the floor writes the same bytes as
// the server.
func TestFloorAnswersAlike(t *testing.T) {
	dir := build(t, t.TempDir())
	for _, c := range contests(t, dir) {
		if c.byWall {
			continue // the constant has nothing to do with the request, by its nature
		}
		t.Run(c.name, func(t *testing.T) {
			server, floor := firstReply(t, c.server, c.request), firstReply(t, c.floor, c.request)
			if !bytes.Equal(server, floor) {
				t.Errorf("server %.500s\n floor %.500s", server, floor)
			}
		})
	}
}

// TestDrive runs the driver against answers made up here.
func TestDrive(t *testing.T) {
	request := newFrame([]byte("ask 1000000\n"))
	tests := []struct {
		name, answers string
		err           string // a part of the error, "" for none
	}{
		{"in another order", "<1000001 1000001>\n<1000000 1000000>\n<1000002 1000002>\n", ""},
		{"twice", "<1000000 1000000>\n<1000000 1000000>\n", "a reply to 1000000, which is not in flight"},
		{"before it was asked", "<1000002 1000002>\n", "a reply to 1000002, which is not in flight"},
		{"crossed", "<1000000 1000001>\n", "got the line <1000000 1000001>"},
		{"another line", "<1000000_1000000>\n", "got the line <1000000_1000000>"},
		{"another end", "<1000000 1000000]\n", "got the line <1000000 1000000]"},
		{"too few", "<1000000 1000000>\n<10", "after 1 of 3 replies: EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := load{request: request, reply: newFrame([]byte("<1000000 1000000>\n")), inFlight: 2, requests: 3}
			var asked strings.Builder
			err := l.drive(&asked, iotest.OneByteReader(strings.NewReader(test.answers)))
			if test.err == "" && (err != nil || asked.String() != "ask 1000000\nask 1000001\nask 1000002\n") {
				t.Errorf("error %v, asked %q", err, asked.String())
			}
			if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error %v, want one with %q", err, test.err)
			}
		})
	}
}
