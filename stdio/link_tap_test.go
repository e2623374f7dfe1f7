package stdio_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"isthmus.internal/stdio"
)

// monologue is a stream on which the server says these bytes, a few in each read, and then
// ends; what it is told is kept.
type monologue struct {
	io.Reader
	notebook
}

func (s *monologue) Close() error { return nil }

// few gives so many bytes in a read.
type few struct {
	r io.Reader
	n int
}

func (f few) Read(b []byte) (int, error) { return f.r.Read(b[:min(f.n, len(b))]) }

// Every line is shown as it stands, whatever it is worth, however the bytes come.
func TestTapShowsLinesIn(t *testing.T) {
	const max = 64
	long := strings.Repeat("x", max)
	tests := []struct{ name, in, want string }{
		{"messages", "{}\n{\"a\":1}\r\n", `["{}\n" "{\"a\":1}\r\n"]`},
		{"garbage, blank lines and a mark", "\xEF\xBB\xBFfoo\n\n \nbar\n", `["\ufefffoo\n" "\n" " \n" "bar\n"]`},
		{"half a line", "{}\n{\"half", `["{}\n" "{\"half"]`},
		{"nothing", "", `[]`},
		{"a line over the limit", long + "yy\nz\n", fmt.Sprintf("%q", []string{long, "yy\n", "z\n"})},
		{"a line at the limit", long + "\nz\n", fmt.Sprintf("%q", []string{long, "\n", "z\n"})},
	}
	for _, tt := range tests {
		for _, n := range []int{1, 3, 1000} {
			t.Run(fmt.Sprintf("%s/%d bytes a read", tt.name, n), func(t *testing.T) {
				var got []string
				tap := func(direction string, line []byte) {
					if direction == "in" {
						got = append(got, string(line))
					}
				}
				stream := &monologue{Reader: few{strings.NewReader(tt.in), n}}
				l := open(t, stdio.Stream(stream, &stdio.ClientOptions{Tap: tap, MaxMessage: max}), newVisitor(), nil)
				select {
				case <-l.Done():
				case <-time.After(20 * time.Second):
					t.Fatal("the link has not ended with the stream")
				}
				if got := fmt.Sprintf("%q", got); got != tt.want {
					t.Errorf("seen %s\nwant %s", got, tt.want)
				}
			})
		}
	}
}

// What is sent is seen before its answer, and byte for byte.
func TestTapShowsBothWays(t *testing.T) {
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			seen := make(chan string, 100)
			tap := func(direction string, line []byte) { seen <- direction + " " + string(line) }
			l := open(t, stream(t, &stdio.ClientOptions{Tap: tap}), newVisitor(), nil)
			if _, err := l.Call(bounded(t), echoCall("héllo")); err != nil {
				t.Fatal(err)
			}
			out, in := <-seen, <-seen
			want := `out {"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + string(echoCall("héllo").Params(nil, one)) + "}\n"
			if out != want {
				t.Errorf("first %q\nwant  %q", out, want)
			}
			if !strings.HasPrefix(in, `in {"jsonrpc":"2.0","id":1,"result":`) || !strings.HasSuffix(in, "}\n") {
				t.Errorf("then %q, want the answer", in)
			}
		})
	}
}

// A half line at the end is no message, and the log says of garbage what it was worth.
func TestLinkPassesOverGarbage(t *testing.T) {
	stream := &monologue{Reader: strings.NewReader("hello\n{\"jsonrpc\":\"2.0\",\"method\":\"n/x\"}\n\n[]\n7\n{\"half")}
	h := newVisitor()
	log := &notebook{}
	l := open(t, stdio.Stream(stream, nil), h, logTo(log))
	<-l.Done()
	if got := <-h.heard; got != "n/x " {
		t.Errorf("heard %q", got)
	}
	if sent := stream.String(); sent != "" {
		t.Errorf("sent %q, want nothing", sent)
	}
	if n := strings.Count(log.String(), "refused"); n < 3 {
		t.Errorf("the log tells of %d lines, want those that are none:\n%s", n, log)
	}
}
