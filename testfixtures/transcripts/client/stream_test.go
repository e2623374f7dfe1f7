package client_test

import (
	"bufio"
	"io"
	"net"
	"sync"
	"testing"

	"isthmus.internal/discover"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/transcripts"
)

// overStream is a transport to a server on a stream that says what the text of a file has it say. wait
// waits for its end.
func overStream(t *testing.T, text string) (tr discover.Transport, r *recording, wait func()) {
	r = newRecording(t, text, func(line string) bool { return line[:1] == "{" || line[:1] == "?" })
	ours, theirs := net.Pipe()
	var serving sync.WaitGroup
	serving.Go(func() {
		defer theirs.Close()
		in := bufio.NewReader(theirs)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				if line != "" {
					t.Errorf("a line without its end: %q", line)
				}
				r.add(transcripts.Sent, "@closed")
				return
			}
			r.add(transcripts.Sent, line[:len(line)-1])
			for _, said := range r.answer() {
				if _, err := io.WriteString(theirs, said+"\n"); err != nil {
					return
				}
			}
		}
	})
	return stdio.Stream(ours, nil), r, serving.Wait
}
