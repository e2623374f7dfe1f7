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
		{"over the limit before a byte order mark could be", "00", 1, []string{tooLong}},
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
