package stdio_test

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"isthmus.internal/stdio"
)

// requests yields a number of copies of a line, some of them in each read.
type requests struct {
	copies  []byte // as many as one read gives
	size    int    // of one
	left    int
	pending []byte
}

func newRequests(line string, each, n int) *requests {
	line += "\n"
	return &requests{copies: bytes.Repeat([]byte(line), each), size: len(line), left: n}
}

func (r *requests) Read(p []byte) (int, error) {
	if len(r.pending) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		r.pending = r.copies[:min(len(r.copies), r.left*r.size)]
		r.left -= len(r.pending) / r.size
	}
	n := copy(p, r.pending)
	r.pending = r.pending[n:]
	return n, nil
}

// counter counts the answers that are written.
type counter struct{ lines, writes int }

func (c *counter) Write(b []byte) (int, error) {
	c.lines += bytes.Count(b, []byte("\n"))
	c.writes++
	return len(b), nil
}

// floor answers with no protocol at all: it finds the id and the text by
// searching, and gathers answers while input is at hand.
func floor(in io.Reader, out io.Writer) {
	r := bufio.NewReaderSize(in, 1<<20)
	var reply []byte
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		id := line[bytes.Index(line, []byte(`"id":`))+5:]
		id = id[:bytes.IndexByte(id, ',')]
		text := line[bytes.Index(line, []byte(`"text":"`))+8:]
		text = text[:bytes.IndexByte(text, '"')]
		reply = append(reply, `{"jsonrpc":"2.0","id":`...)
		reply = append(reply, id...)
		reply = append(reply, `,"result":{"content":[{"type":"text","text":"`...)
		reply = append(reply, text...)
		reply = append(reply, "\"}]}}\n"...)
		if r.Buffered() == 0 {
			out.Write(reply)
			reply = reply[:0]
		}
	}
}

// BenchmarkServe reads, routes, runs and writes echo calls in memory. x-floor is
// the time in floors, on the same bytes in the same run.
func BenchmarkServe(b *testing.B) {
	cases := []struct {
		name       string
		text, each int
	}{
		{"64 bytes, one at a time", 64, 1},
		{"64 bytes, 16 ready", 64, 16},
		{"64 KiB, one at a time", 64 << 10, 1},
	}
	for _, c := range cases {
		for _, e := range []era{legacyEra, modernEra} {
			b.Run(c.name+"/"+e.name, func(b *testing.B) {
				line := e.call(1, "echo", strings.Repeat("x", c.text))
				open := strings.Join(append(e.open, ""), "\n")
				s := newServer(nil, nil)
				var out counter
				b.SetBytes(int64(len(line)))
				b.ReportAllocs()
				b.ResetTimer()
				err := stdio.Serve(b.Context(), s, &stdio.Options{
					In: io.MultiReader(strings.NewReader(open), newRequests(line, c.each, b.N)), Out: &out})
				b.StopTimer()
				if err != nil || out.lines != b.N+e.replies {
					b.Fatalf("%d requests: %d answers, %v", b.N+e.replies, out.lines, err)
				}
				var ground counter
				began := time.Now()
				floor(newRequests(line, c.each, b.N), &ground)
				took := time.Since(began)
				if ground.lines != b.N {
					b.Fatalf("the floor answered %d of %d requests", ground.lines, b.N)
				}
				b.ReportMetric(float64(b.Elapsed())/float64(took), "x-floor")
				b.ReportMetric(float64(out.writes)/float64(b.N), "writes/op")
			})
		}
	}
}

// BenchmarkLines is the framing alone, beside a search for LF over the same bytes.
func BenchmarkLines(b *testing.B) {
	for _, size := range []int{300, 64 << 10} {
		line := strings.Repeat("x", size)
		name := "300 bytes"
		if size > 300 {
			name = "64 KiB"
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size) + 1)
			b.ReportAllocs()
			s := stdio.NewLines(newRequests(line, max(1, 4096/size), b.N), 1<<20, nil)
			for range b.N {
				if m, err := s.Read(); len(m) != size || err != nil {
					b.Fatalf("Read gave %d bytes, %v", len(m), err)
				}
				s.Buffered()
			}
			b.StopTimer()
			began := time.Now()
			r := bufio.NewReaderSize(newRequests(line, max(1, 4096/size), b.N), 1<<17)
			for range b.N {
				if m, err := r.ReadSlice('\n'); len(m) != size+1 || err != nil {
					b.Fatalf("ReadSlice gave %d bytes, %v", len(m), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(time.Since(began)), "x-floor")
		})
	}
}
