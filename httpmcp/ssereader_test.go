package httpmcp_test

import (
	"bufio"
	"io"
	"reflect"
	"strings"
	"testing"
)

// sseEvent is one event as a client dispatches it.
type sseEvent struct{ name, id, data string }

// sseReader reads an event stream as WHATWG HTML, Server-sent events, Interpreting an
// event stream, has it.
type sseReader struct {
	r        *bufio.Reader
	afterCR  bool
	first    bool
	lastID   string
	retry    string
	comments int
}

func newSSEReader(r io.Reader) *sseReader { return &sseReader{r: bufio.NewReader(r), first: true} }

// line reads up to CR, LF or CRLF. Text without an end of line is no line.
func (s *sseReader) line() (string, error) {
	var text []byte
	for {
		b, err := s.r.ReadByte()
		if err != nil {
			return "", err
		}
		skip := b == '\n' && s.afterCR
		s.afterCR = b == '\r'
		switch {
		case skip:
		case b == '\n' || b == '\r':
			line := string(text)
			if s.first {
				line = strings.TrimPrefix(line, "\ufeff")
			}
			s.first = false
			return line, nil
		default:
			text = append(text, b)
		}
	}
}

// next gives the next event that is dispatched.
func (s *sseReader) next() (sseEvent, error) {
	var name, data string
	for {
		line, err := s.line()
		if err != nil {
			return sseEvent{}, err
		}
		if line == "" {
			if data == "" {
				name = ""
				continue
			}
			if name == "" {
				name = "message"
			}
			return sseEvent{name: name, id: s.lastID, data: strings.TrimSuffix(data, "\n")}, nil
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "":
			s.comments++
		case "event":
			name = value
		case "data":
			data += value + "\n"
		case "id":
			if !strings.Contains(value, "\x00") {
				s.lastID = value
			}
		case "retry":
			if value != "" && strings.Trim(value, "0123456789") == "" {
				s.retry = value
			}
		}
	}
}

// all reads to the end.
func (s *sseReader) all() []sseEvent {
	var events []sseEvent
	for {
		e, err := s.next()
		if err != nil {
			return events
		}
		events = append(events, e)
	}
}

func TestSSEReader(t *testing.T) {
	tests := []struct {
		name, stream string
		want         []sseEvent
	}{
		{"two lines of data", "data: a\ndata: b\n\n", []sseEvent{{"message", "", "a\nb"}}},
		{"ends of all kinds", "id: 1\revent: x\r\ndata:  a\n\r\n", []sseEvent{{"x", "1", " a"}}},
		{"without a value", "data\n\ndata\ndata\n\n", []sseEvent{{"message", "", ""}, {"message", "", "\n"}}},
		{"the id stays, the name does not", "event: x\nid: 7\ndata: a\n\ndata: b\n\n", []sseEvent{{"x", "7", "a"}, {"message", "7", "b"}}},
		{"id with NUL", "id: a\x00b\ndata: c\n\n", []sseEvent{{"message", "", "c"}}},
		{"no data", "event: x\nid: 7\n\n: comment\n\n", nil},
		{"no end", "data: a\n", nil},
		{"byte order mark", "\ufeffdata: a\n\n", []sseEvent{{"message", "", "a"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := newSSEReader(strings.NewReader(test.stream)).all(); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%q\n got %q\nwant %q", test.stream, got, test.want)
			}
		})
	}
}
