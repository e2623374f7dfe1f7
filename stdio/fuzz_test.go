package stdio_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/stdio"
)

// scripted cuts its bytes as the script says: one read for each of its bytes,
// over and over, of so many bytes at the most.
type scripted struct {
	data   []byte
	script []byte
	at     int
}

func (s *scripted) Read(p []byte) (int, error) {
	n := min(len(p), len(s.data))
	if len(s.script) > 0 {
		n = min(n, int(s.script[s.at%len(s.script)]))
		s.at++
	}
	copy(p, s.data[:n])
	s.data = s.data[n:]
	if len(s.data) == 0 && len(s.script)%2 == 0 {
		return n, io.EOF
	}
	if len(s.data) == 0 && n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// FuzzLines feeds any bytes in any split: the messages are the same as those of
// the stream cut as a whole, and detached ones stay what they were. The bytes are
// repeated, so that small inputs make streams that outgrow the buffer.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{}\n[]\n"), []byte{1}, uint16(100), byte(0), byte(0))
	f.Add([]byte("\xEF\xBB\xBF{}\r\n\n \n\t\n[1,2,3]"), []byte{2, 1, 5}, uint16(5), byte(3), byte(1))
	f.Add(bytes.Repeat([]byte("0123456789"), 30), []byte{255, 255}, uint16(60_000), byte(2), byte(255))
	f.Add(append(bytes.Repeat([]byte("0123456789"), 30), '\n'), []byte{}, uint16(300), byte(1), byte(255))
	f.Fuzz(func(t *testing.T, data, script []byte, limit uint16, habits, repeats byte) {
		if len(script) > 0 && slices.Max(script) == 0 {
			script = nil // it would never progress
		}
		data = bytes.Repeat(data[:min(len(data), 1000)], 1+int(repeats))
		max := int(limit) + 1
		s := stdio.NewLines(&scripted{data: data, script: script}, max, nil)
		var kept [][]byte
		var copies []string
		got, err := readAll(detaching{s, habits, &kept, &copies}, func() {})
		if errors.Is(err, io.ErrNoProgress) {
			return // the script may hold a hundred empty reads in a row
		}
		if want := cut(data, max); err != io.EOF || !slices.Equal(got, want) {
			t.Errorf("cut by %v with limit %d, %q\n got %q, %v\nwant %q, EOF", script, max, data, got, err, want)
		}
		for i, line := range kept {
			if string(line) != copies[i] {
				t.Errorf("detached message %d became %q, was %q", i, line, copies[i])
			}
		}
	})
}

// detaching uses a source as its habits say: bit 0 detaches each message, bit 1
// asks each time whether there is another.
type detaching struct {
	jsonrpc.Source
	habits byte
	kept   *[][]byte
	copies *[]string
}

func (d detaching) Read() ([]byte, error) {
	if d.habits&2 != 0 {
		d.Buffered()
	}
	line, err := d.Source.Read()
	if d.habits&1 != 0 && err == nil {
		d.Detach()
		*d.kept, *d.copies = append(*d.kept, line), append(*d.copies, string(line))
	}
	return line, err
}
