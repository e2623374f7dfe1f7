package stdio_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/stdio"
)

func TestLinesBuffered(t *testing.T) {
	r := &chunks{pieces: []string{"{}\n \n\t\n[1]\n\n[2", "]\n\n", "123456789", "0\n", "tail"}, err: io.EOF}
	s := stdio.NewLines(r, 8, nil)
	steps := []struct {
		want     string // what Read returns
		buffered bool   // thereafter
		reads    int    // of the stream, by then
	}{
		{"{}", true, 1},
		{"[1]", false, 1},
		{"[2]", false, 2},
		{tooLong, false, 3},
		{"tail", false, 6},
	}
	if s.Buffered() || r.reads != 0 {
		t.Fatalf("before anything was read: Buffered is true, or it has read (%d reads)", r.reads)
	}
	for _, step := range steps {
		line, err := s.Read()
		got := string(line)
		if err != nil {
			got = tooLong
		}
		buffered := s.Buffered() && s.Buffered()
		if got != step.want || buffered != step.buffered || r.reads != step.reads {
			t.Fatalf("Read gave %q (%v), then Buffered %v after %d reads; want %q, %v, %d",
				got, err, buffered, r.reads, step.want, step.buffered, step.reads)
		}
	}
	if _, err := s.Read(); err != io.EOF {
		t.Errorf("at the end Read gave %v, want EOF", err)
	}
}

func TestLinesBufferedAtTheEnd(t *testing.T) {
	s := stdio.NewLines(iotest.DataErrReader(strings.NewReader("{}\n[]")), 100, nil)
	if line, err := s.Read(); string(line) != "{}" || err != nil || !s.Buffered() {
		t.Errorf("Read gave %q, %v, Buffered %v; want {}, nil, and true for the line that the end completes", line, err, s.Buffered())
	}
	if line, err := s.Read(); string(line) != "[]" || err != nil || s.Buffered() {
		t.Errorf("Read gave %q, %v, Buffered %v; want [], nil, and false since nothing is left", line, err, s.Buffered())
	}
}

// B31: half a line stays, whatever is read, detached or asked meanwhile.
func TestLinesHalfLineSurvives(t *testing.T) {
	r := &chunks{pieces: []string{"{}\n{\"half\":", "1", "2", "}\n"}, err: io.EOF}
	s := stdio.NewLines(r, 100, nil)
	first, _ := s.Read()
	if s.Buffered() {
		t.Error("Buffered is true for half a line")
	}
	s.Detach()
	if line, err := s.Read(); string(line) != `{"half":12}` || err != nil {
		t.Errorf("after Detach Read gave %q, %v, want the whole line", line, err)
	}
	if string(first) != "{}" {
		t.Errorf("the detached message became %q", first)
	}
}

func TestLinesDetach(t *testing.T) {
	var input bytes.Buffer
	var want []string
	for i := range 20_000 {
		line := fmt.Sprintf(`{"n":%d,"pad":%q}`, i, strings.Repeat("p", i%97))
		if i%1999 == 0 {
			line += strings.Repeat(" ", 150_000)
		}
		want = append(want, line)
		input.WriteString(line + "\n")
	}
	for _, every := range []int{1, 2, 7} {
		s := stdio.NewLines(iotest.HalfReader(bytes.NewReader(input.Bytes())), 1<<20, nil)
		s.Detach() // nothing was read: nothing happens
		kept := map[int][]byte{}
		for i := range want {
			line, err := s.Read()
			if err != nil || string(line) != want[i] {
				t.Fatalf("every %d: message %d is %.80q, %v, want %.80q", every, i, line, err, want[i])
			}
			if i%every == 0 {
				s.Detach()
				s.Detach()
				kept[i] = line
			}
			if cap(line) != len(line) {
				t.Fatalf("every %d: message %d has room for an append that would overwrite the next", every, i)
			}
		}
		for i, line := range kept {
			if string(line) != want[i] {
				t.Fatalf("every %d: the detached message %d became %.80q, want %.80q", every, i, line, want[i])
			}
		}
	}
}

func TestLinesBufferGrowsAndShrinks(t *testing.T) {
	const max = 8 << 20
	line := func(n int) string { return strings.Repeat("x", n) + "\n" }
	read := func(s jsonrpc.Source, n int) {
		t.Helper()
		for range n {
			if _, err := s.Read(); err != nil && jsonrpc.CodeOf(err) != jsonrpc.InvalidRequest {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name  string
		input string
		lines int
		size  int // bytes of the buffer, at the most
	}{
		{"short lines", strings.Repeat(line(10), 1000), 1000, stdio.ReadSize},
		{"a very large line goes at once", line(max) + line(1), 2, stdio.ReadSize},
		{"a very large line goes at once, with much behind it", line(5<<20) + strings.Repeat(line(1000), 1000), 2, stdio.ReadSize},
		{"a refused line goes at once", line(3*max) + line(1), 2, stdio.ReadSize},
		{"a large line stays for the next", line(200_000) + line(1), 2, stdio.KeepSize},
		{"a large line goes after calm", line(200_000) + strings.Repeat(line(1), stdio.CalmLines+1), stdio.CalmLines + 2, stdio.ReadSize},
	}
	for _, tt := range tests {
		s := stdio.NewLines(strings.NewReader(tt.input), max, nil)
		read(s, tt.lines)
		if got := stdio.BufferSize(s); got > tt.size {
			t.Errorf("%s: the buffer holds %d bytes after %d lines, want at most %d", tt.name, got, tt.lines, tt.size)
		}
	}
	// A large line now and then keeps its buffer.
	period := line(200_000) + strings.Repeat(line(1), stdio.CalmLines-1)
	s := stdio.NewLines(strings.NewReader(strings.Repeat(period, 3)), max, nil)
	for i := range 3 {
		if read(s, stdio.CalmLines); stdio.BufferSize(s) < 200_000 {
			t.Errorf("large line %d with short ones behind it: the buffer holds %d bytes, want it kept", i+1, stdio.BufferSize(s))
		}
	}
}

// endless is one line without an end, up to left bytes.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	e.left -= n
	return n, nil
}

func TestLinesRefusedLineIsNotKept(t *testing.T) {
	const max = 300_000
	s := stdio.NewLines(&endless{left: 256 << 20}, max, nil)
	got, err := readAll(s, func() {})
	if !slices.Equal(got, []string{tooLong}) || err != io.EOF {
		t.Errorf("256 MiB without LF: got %.80q, %v, want one refusal, EOF", got, err)
	}
	if size := stdio.BufferSize(s); size > max+1 {
		t.Errorf("256 MiB without LF: the buffer holds %d bytes, want at most %d", size, max+1)
	}
}

// ring repeats its text for ever.
type ring struct {
	text string
	at   int
}

func (r *ring) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

func TestLinesAllocateNothing(t *testing.T) {
	for _, size := range []int{64, 300, 65_536, 200_000} {
		s := stdio.NewLines(&ring{text: strings.Repeat("x", size) + "\n"}, 1<<20, nil)
		read := func() {
			s.Buffered()
			if line, err := s.Read(); len(line) != size || err != nil {
				t.Fatalf("Read gave %d bytes, %v, want %d", len(line), err, size)
			}
		}
		read() // the buffer grows once
		if n := testing.AllocsPerRun(1000, read); n != 0 {
			t.Errorf("lines of %d bytes: %v allocations a line, want none", size, n)
		}
	}
}
