package client_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"isthmus.internal/testfixtures/transcripts"
)

// recording is one connection while it is played.
type recording struct {
	t    *testing.T
	says [][]string // what the server says behind each message of the client

	mu   sync.Mutex
	text []string
}

// newRecording takes what the server says from the text of a file. begins tells the first line of a
// message of the client from those that go on with it.
func newRecording(t *testing.T, text string, begins func(line string) bool) *recording {
	r := &recording{t: t}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if sent, ok := strings.CutPrefix(line, transcripts.Sent); ok && begins(sent) {
			r.says = append(r.says, nil)
		}
		said, ok := strings.CutPrefix(line, transcripts.Received)
		if ok && len(r.says) == 0 {
			t.Fatalf("the server speaks first: %s", line)
		}
		if ok {
			last := len(r.says) - 1
			r.says[last] = append(r.says[last], said)
		}
	}
	return r
}

// add writes lines down.
func (r *recording) add(kind string, lines ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range lines {
		r.text = append(r.text, kind+line)
	}
}

// answer is what the server says behind the next message.
func (r *recording) answer() (lines []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.says) > 0 {
		lines, r.says = r.says[0], r.says[1:]
	}
	for _, line := range lines {
		r.text = append(r.text, transcripts.Received+line)
	}
	return lines
}

// remark says what the program does or gets, when all that came of what it did before has come.
func (r *recording) remark(format string, args ...any) {
	synctest.Wait()
	r.add(transcripts.Remark+" ", strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// String is the text of the file. What the client has closed at once stands in the order of its numbers.
func (r *recording) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	closed := func(line string) bool {
		return strings.HasPrefix(line, transcripts.Sent+"@") && strings.HasSuffix(line, " closed")
	}
	for i := range r.text {
		for end := i; end < len(r.text) && closed(r.text[end]); end++ {
			slices.Sort(r.text[i : end+1])
		}
	}
	return strings.Join(r.text, "\n") + "\n"
}
