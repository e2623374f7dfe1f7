package bench

import (
	"bytes"
	"net/http"
	"testing"
)

// TestHTTPFloorAnswersAlike keeps the floor honest: whatever a contest sends, the floor writes the same bytes
// as the server, head and body, but for the date.
func TestHTTPFloorAnswersAlike(t *testing.T) {
	for _, c := range httpContests(t, build(t, t.TempDir())) {
		t.Run(c.name, func(t *testing.T) {
			var replies [2][]byte
			for i, program := range [][]string{c.server, c.floor} {
				reply, err := c.hits.firstReply(program)
				if err != nil {
					t.Fatal(err)
				}
				date := bytes.Index(reply, []byte(dateMark)) + len(dateMark)
				copy(reply[date:], http.TimeFormat)
				_, body, _ := bytes.Cut(reply, []byte("\r\n\r\n"))
				if err := check(c.request, body); err != nil {
					t.Error(err)
				}
				replies[i] = reply
			}
			if !bytes.Equal(replies[0], replies[1]) {
				t.Errorf("server %.800s\n floor %.800s", replies[0], replies[1])
			}
		})
	}
}
