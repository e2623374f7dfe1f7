package stdio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/stdio"
)

// tooLong stands for a refused line where messages are listed.
const tooLong = "(too long)"

// cut is what the framing must do to a whole stream, said in another way.
func cut(data []byte, max int) (messages []string) {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		switch {
		case len(line) > max:
			messages = append(messages, tooLong)
		case len(bytes.Trim(line, " \t\r")) > 0:
			messages = append(messages, string(line))
		}
	}
	return messages
}

// readAll reads to the end of the stream. after runs when a message has come.
func readAll(s jsonrpc.Source, after func()) (messages []string, err error) {
	for {
		line, err := s.Read()
		var told *jsonrpc.Error
		switch {
		case errors.As(err, &told):
			messages = append(messages, tooLong)
		case err != nil:
			return messages, err
		default:
			messages = append(messages, string(line))
		}
		after()
	}
}

// randomSplits reads up to some bytes, another number each time.
type randomSplits struct {
	r   io.Reader
	rnd *rand.Rand
}

func (r randomSplits) Read(p []byte) (int, error) {
	return r.r.Read(p[:min(len(p), r.rnd.IntN(17))])
}

// splittings are the ways in which the same bytes may arrive.
func splittings() map[string]func(io.Reader) io.Reader {
	m := map[string]func(io.Reader) io.Reader{
		"whole":         func(r io.Reader) io.Reader { return r },
		"byte by byte":  iotest.OneByteReader,
		"halves":        iotest.HalfReader,
		"data with EOF": iotest.DataErrReader,
	}
	for seed := range uint64(8) {
		m[fmt.Sprintf("random %d", seed)] = func(r io.Reader) io.Reader {
			return randomSplits{r, rand.New(rand.NewPCG(seed, 1))}
		}
	}
	return m
}

func TestLinesFraming(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	const bom = "\xEF\xBB\xBF"
	tests := []struct {
		name, input string
		max         int // 0: 1 MiB
		want        []string
	}{
		{"nothing", "", 0, nil},
		{"one line", "{}\n", 0, []string{"{}"}},
		{"two lines", "{}\n[]\n", 0, []string{"{}", "[]"}},
		{"last line without LF", "{}\n[]", 0, []string{"{}", "[]"}},
		{"only line without LF", "1", 0, []string{"1"}},
		{"CR LF", "{}\r\n[]\r\n", 0, []string{"{}\r", "[]\r"}},
		{"CR alone does not end a line", "{\r}\n", 0, []string{"{\r}"}},
		{"B07 only LF ends a message", "\"\u2028\u2029\u0085\v\f\"\n", 0, []string{"\"\u2028\u2029\u0085\v\f\""}},
		{"B25 a bad line is a line", "{bad json\n{}\n", 0, []string{"{bad json", "{}"}},
		{"B26 byte order mark", bom + "{}\n[]\n", 0, []string{"{}", "[]"}},
		{"byte order mark alone", bom, 0, nil},
		{"byte order mark, blank line", bom + " \n{}", 0, []string{"{}"}},
		{"byte order mark twice", bom + bom + "{}\n", 0, []string{bom + "{}"}},
		{"byte order mark not at the front", "{}\n" + bom + "[]\n", 0, []string{"{}", bom + "[]"}},
		{"byte order mark after a blank line", "\n" + bom + "[]\n", 0, []string{bom + "[]"}},
		{"half a byte order mark", "\xEF\xBB\n{}\n", 0, []string{"\xEF\xBB", "{}"}},
		{"half a byte order mark at the end", "\xEF\xBB", 0, []string{"\xEF\xBB"}},
		{"byte order mark does not count", bom + "12345\n" + bom + "123\n", 5, []string{"12345", tooLong}},
		{"B28 blank lines", "\n   \n\t\n\r\n \t\r\n{}\n\n", 0, []string{"{}"}},
		{"blank last line", "{}\n \t", 0, []string{"{}"}},
		{"other space is no blank line", "\v\n\u00a0\n\x00\n", 0, []string{"\v", "\u00a0", "\x00"}},
		{"B29 longer than a first buffer", long + "\n{}\n", 0, []string{long, "{}"}},
		{"B34 two values on a line", "{}{}\n[]\n", 0, []string{"{}{}", "[]"}},
		{"at the limit", "12345\n12345", 5, []string{"12345", "12345"}},
		{"over the limit", "123456\n{}\n", 5, []string{tooLong, "{}"}},
		{"over the limit without LF", "{}\n123456", 5, []string{"{}", tooLong}},
		{"far over the limit", long + long + long + "\n{}\n", 5, []string{tooLong, "{}"}},
		{"over the limit twice", "123456\n1234567\n12345\n", 5, []string{tooLong, tooLong, "12345"}},
		{"CR counts", "12345\r\n1234\r\n", 5, []string{tooLong, "1234\r"}},
		{"blank over the limit", strings.Repeat(" ", 6) + "\n\n", 5, []string{tooLong}},
		{"limit beyond the first buffer", long + "\n" + long + "x\n{}\n", 70_000, []string{long, tooLong, "{}"}},
		{"limit of one byte", bom + "1\n12\n3\n", 1, []string{"1", tooLong, "3"}},
	}
	for _, tt := range tests {
		if tt.max == 0 {
			tt.max = 1 << 20
		}
		if got := cut([]byte(tt.input), tt.max); !slices.Equal(got, tt.want) {
			t.Errorf("%s: cut(%.80q, %d) = %.200q, want %.200q", tt.name, tt.input, tt.max, got, tt.want)
		}
		for name, split := range splittings() {
			s := stdio.NewLines(split(strings.NewReader(tt.input)), tt.max, nil)
			got, err := readAll(s, func() {})
			if !slices.Equal(got, tt.want) || err != io.EOF {
				t.Errorf("%s, %s: input %.80q\n got %.200q, %v\nwant %.200q, EOF", tt.name, name, tt.input, got, err, tt.want)
			}
			if _, err := s.Read(); err != io.EOF {
				t.Errorf("%s, %s: a second Read at the end gave %v, want EOF again", tt.name, name, err)
			}
		}
	}
}

func TestLinesTooLongIsToldToThePeer(t *testing.T) {
	s := stdio.NewLines(strings.NewReader("12345678"), 7, nil)
	_, err := s.Read()
	var told *jsonrpc.Error
	if !errors.As(err, &told) || told.Code != jsonrpc.InvalidRequest || told.Message != "Message too long: at most 7 bytes a line" {
		t.Errorf("Read of 8 bytes with limit 7 gave %#v, want InvalidRequest that names the limit", err)
	}
}

// chunks returns one of its pieces a read, and err once they are used up.
type chunks struct {
	pieces []string
	err    error
	reads  int
}

func (c *chunks) Read(p []byte) (int, error) {
	c.reads++
	if len(c.pieces) == 0 {
		return 0, c.err
	}
	n := copy(p, c.pieces[0])
	if c.pieces[0] = c.pieces[0][n:]; c.pieces[0] == "" {
		c.pieces = c.pieces[1:]
	}
	return n, nil
}

// idle brings neither bytes nor an error.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestLinesReadErrors(t *testing.T) {
	broken := errors.New("the disk is on fire")
	tests := []struct {
		name string
		r    io.Reader
		want []string
		err  error
	}{
		{"at once", iotest.ErrReader(broken), nil, broken},
		{"whole lines first, half a line is dropped", &chunks{pieces: []string{"{}\n[]\n[1"}, err: broken}, []string{"{}", "[]"}, broken},
		{"together with the last bytes", iotest.DataErrReader(&chunks{pieces: []string{"{}\n[1"}, err: broken}), []string{"{}"}, broken},
		{"no progress", io.MultiReader(strings.NewReader("{}\n"), idle{}), []string{"{}"}, io.ErrNoProgress},
	}
	for _, tt := range tests {
		s := stdio.NewLines(tt.r, 100, nil)
		got, err := readAll(s, func() {})
		if !slices.Equal(got, tt.want) || !errors.Is(err, tt.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", tt.name, got, err, tt.want, tt.err)
		}
		if !strings.HasPrefix(err.Error(), "stdio: read: ") {
			t.Errorf("%s: the error %q does not say what was done", tt.name, err)
		}
		if _, again := s.Read(); again != err {
			t.Errorf("%s: a second Read gave %v, want %v again", tt.name, again, err)
		}
	}
}

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
	s := stdio.NewLines(strings.NewReader(line(200_000)+line(1)), max, nil)
	if read(s, 2); stdio.BufferSize(s) < 200_000 {
		t.Errorf("one short line after a large one: the buffer holds %d bytes, want it kept", stdio.BufferSize(s))
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

func TestLinesClose(t *testing.T) {
	in, feed := io.Pipe()
	waiting := make(chan struct{})
	s := stdio.NewLines(in, 100, func() error { close(waiting); return in.CloseWithError(errors.New("interrupted")) })
	go feed.Write([]byte("{}\n[]\n[1"))
	if line, err := s.Read(); string(line) != "{}" || err != nil {
		t.Fatalf("Read gave %q, %v", line, err)
	}
	done := make(chan error)
	go func() {
		line, err := s.Read()
		if string(line) != "[]" {
			err = fmt.Errorf("Read gave %q, %v, want the line that was whole", line, err)
		} else {
			_, err = s.Read() // waits for the rest of [1
		}
		done <- err
	}()
	if err := s.Close(); err != nil {
		t.Errorf("Close gave %v", err)
	}
	<-waiting
	if err := <-done; err != io.EOF {
		t.Errorf("after Close Read gave %v, want EOF", err)
	}
}

func TestLinesCloseDropsWhatComesLater(t *testing.T) {
	gate, waits := make(chan struct{}), make(chan struct{})
	s := stdio.NewLines(&gated{waits, gate, strings.NewReader("{}\n")}, 100, func() error { return errors.New("cannot") })
	done := make(chan error)
	go func() { _, err := s.Read(); done <- err }()
	<-waits
	if err := s.Close(); err == nil {
		t.Error("Close gave no error although the read cannot be interrupted")
	}
	close(gate)
	if err := <-done; err != io.EOF {
		t.Errorf("a message that came after Close was read with %v, want EOF", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close of an ended source gave %v, want nil: nobody waits", err)
	}
}

// gated tells when it is read for the first time and then waits for gate.
type gated struct {
	waits, gate chan struct{}
	r           io.Reader
}

func (g *gated) Read(p []byte) (int, error) {
	select {
	case <-g.waits:
	default:
		close(g.waits)
	}
	<-g.gate
	return g.r.Read(p)
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
