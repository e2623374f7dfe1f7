package httpmcp_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"isthmus.internal/httpmcp"
)

// readEvents reads to the end, and gives the last event id and retry beside the events.
func readEvents(t *testing.T, in io.Reader) (events []sseEvent, id, retry string) {
	t.Helper()
	r := httpmcp.NewEventReader(in, 1<<20)
	for {
		name, id, data, err := r.Next()
		if err != nil {
			if err != io.EOF {
				t.Errorf("error %v at the end of the stream, want io.EOF", err)
			}
			break
		}
		events = append(events, sseEvent{name, id, string(data)})
	}
	if every, ok := r.Retry(); ok {
		retry = every.String()
	}
	return events, r.ID(), retry
}

// The rows are of WHATWG HTML, Server-sent events, Parsing and Interpreting an event stream (B53, B55).
func TestEventReader(t *testing.T) {
	tests := []struct {
		name, stream string
		want         []sseEvent
		id, retry    string
	}{
		{"one event", "data: a\n\n", []sseEvent{{"message", "", "a"}}, "", ""},
		{"several lines of data", "data: a\ndata: b\ndata\ndata:c\n\n", []sseEvent{{"message", "", "a\nb\n\nc"}}, "", ""},
		{"CR", "event: x\rdata: a\r\r", []sseEvent{{"x", "", "a"}}, "", ""},
		{"CRLF", "event: x\r\ndata: a\r\n\r\n", []sseEvent{{"x", "", "a"}}, "", ""},
		{"LF CR is two ends", "data: a\n\rdata: b\n\n", []sseEvent{{"message", "", "a"}, {"message", "", "b"}}, "", ""},
		{"mixed ends", "id: 1\revent: x\r\ndata:  a\n\r\n", []sseEvent{{"x", "1", " a"}}, "1", ""},
		{"one space alone is dropped", "data:  a \n\n", []sseEvent{{"message", "", " a "}}, "", ""},
		{"a tab is not dropped", "data:\ta\n\n", []sseEvent{{"message", "", "\ta"}}, "", ""},
		{"no space", "data:a:b\n\n", []sseEvent{{"message", "", "a:b"}}, "", ""},
		{"field without a colon", "data\n\n", []sseEvent{{"message", "", ""}}, "", ""},
		{"two fields without a colon", "data\ndata\n\n", []sseEvent{{"message", "", "\n"}}, "", ""},
		{"comments", ": a\n:\n:data: x\ndata: b\n: c\n\n", []sseEvent{{"message", "", "b"}}, "", ""},
		{"a comment between", "data: a\n:x\rdata: b\n\n", []sseEvent{{"message", "", "a\nb"}}, "", ""},
		{"unknown fields", "Data: x\n data: x\ndatax: x\ndat: x\nfoo\ndata: a\n\n", []sseEvent{{"message", "", "a"}}, "", ""},
		{"the name is of one event", "event: x\ndata: a\n\ndata: b\n\n", []sseEvent{{"x", "", "a"}, {"message", "", "b"}}, "", ""},
		{"an empty name is none", "event: x\nevent:\ndata: a\n\n", []sseEvent{{"message", "", "a"}}, "", ""},
		{"a name without data is dropped", "event: x\n\ndata: a\n\n", []sseEvent{{"message", "", "a"}}, "", ""},
		{"the id stays", "id: 7\ndata: a\n\ndata: b\n\n", []sseEvent{{"message", "7", "a"}, {"message", "7", "b"}}, "7", ""},
		{"an empty id ends it", "id: 7\ndata: a\n\nid\ndata: b\n\n", []sseEvent{{"message", "7", "a"}, {"message", "", "b"}}, "", ""},
		{"an id without data counts", "id: 7\n\n", nil, "7", ""},
		{"an id without an empty line does not", "id: 6\n\nid: 7\n", nil, "6", ""},
		{"an id with NUL is ignored", "id: 6\nid: a\x00b\ndata: c\n\n", []sseEvent{{"message", "6", "c"}}, "6", ""},
		{"retry", "retry: 1500\n", nil, "", "1.5s"},
		{"retry of 0", "retry:0\n", nil, "", "0s"},
		{"retry with leading zeros", "retry: 007\n", nil, "", "7ms"},
		{"retry with other characters is ignored", "retry: 5\nretry: -1\nretry: 1s\nretry: 1.5\nretry:  9\nretry\nretry: \nretry: ٣\n", nil, "", "5ms"},
		{"retry beyond all bounds", "retry: 99999999999999999999999999\n", nil, "", (365 * 24 * time.Hour).String()},
		{"no end", "data: a\n\ndata: b\n", []sseEvent{{"message", "", "a"}}, "", ""},
		{"no end of the line", "data: a\n\ndata: b", []sseEvent{{"message", "", "a"}}, "", ""},
		{"ends with a CR", "data: a\r\r", []sseEvent{{"message", "", "a"}}, "", ""},
		{"nothing", "", nil, "", ""},
		{"byte order mark", "\ufeffdata: a\n\n", []sseEvent{{"message", "", "a"}}, "", ""},
		{"byte order mark before a comment", "\ufeff: a\ndata: a\n\n", []sseEvent{{"message", "", "a"}}, "", ""},
		{"two byte order marks", "\ufeff\ufeffdata: a\n\ndata: b\n\n", []sseEvent{{"message", "", "b"}}, "", ""},
		{"a byte order mark later", "data: \ufeffa\n\ufeffdata: b\n\n", []sseEvent{{"message", "", "\ufeffa"}}, "", ""},
		{"half a byte order mark", "\xef\xbbdata: a\n\ndata: b\n\n", []sseEvent{{"message", "", "b"}}, "", ""},
		{"not UTF-8", "data: \xe2\x82\ndata: \xe2\x82a\xff\xf0\x90\x80\xc0\x80\n\n",
			[]sseEvent{{"message", "", "\ufffd\n\ufffda\ufffd\ufffd\ufffd\ufffd"}}, "", ""},
	}
	ways := []struct {
		name string
		of   func(io.Reader) io.Reader
	}{
		{"at once", func(r io.Reader) io.Reader { return r }},
		{"byte by byte", iotest.OneByteReader},
		{"end with the data", iotest.DataErrReader},
	}
	for _, test := range tests {
		for _, way := range ways {
			t.Run(test.name+"/"+way.name, func(t *testing.T) {
				events, id, retry := readEvents(t, way.of(strings.NewReader(test.stream)))
				if !reflect.DeepEqual(events, test.want) || id != test.id || retry != test.retry {
					t.Errorf("%q\n got %q id %q retry %q\nwant %q id %q retry %q", test.stream, events, id, retry, test.want, test.id, test.retry)
				}
			})
		}
	}
}

// TestEventAtItsEnd: an event is given out as soon as its empty line has come, and not only when
// more does.
func TestEventAtItsEnd(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\r", "\r\n\r\n", "\r\n\r", "\n\r"} {
		t.Run(fmt.Sprintf("%q", end), func(t *testing.T) {
			in, out := io.Pipe()
			go io.WriteString(out, "data: a"+end)
			r := httpmcp.NewEventReader(in, 100)
			got := make(chan string, 1)
			go func() {
				_, _, data, err := r.Next()
				got <- fmt.Sprintf("%q %v", data, err)
			}()
			select {
			case s := <-got:
				if s != `"a" <nil>` {
					t.Errorf("got %s", s)
				}
			case <-time.After(10 * time.Second):
				t.Error("no event, although its end has come")
			}
			in.Close()
		})
	}
}

func TestEventTooLarge(t *testing.T) {
	const limit = 100
	tests := []struct {
		name, stream string
		fits         bool
	}{
		{"data of the bound", "data:" + strings.Repeat("a", limit-5) + "\n\n", true},
		{"data beyond it", "data:" + strings.Repeat("a", limit-4) + "\n\n", false},
		{"a line without end", strings.Repeat("a", limit+1), false},
		{"lines together", strings.Repeat("data:"+strings.Repeat("a", 30)+"\n", 4) + "\n", false},
		{"empty lines of data", strings.Repeat("data\n", limit+1) + "\n", false},
		{"a name and data", "event:" + strings.Repeat("a", 60) + "\ndata:" + strings.Repeat("a", 60) + "\n\n", false},
		{"an id and later data", "id:" + strings.Repeat("a", 60) + "\n\ndata:" + strings.Repeat("a", 60) + "\n\n", false},
		{"a comment is no event", ":" + strings.Repeat("a", 100*limit) + "\ndata: a\n\n", true},
		{"many events", strings.Repeat("data:"+strings.Repeat("a", 60)+"\n\n", 20), true},
		{"many names", strings.Repeat("event:"+strings.Repeat("a", 40)+"\n", 20) + "data: a\n\n", true},
	}
	for _, test := range tests {
		for _, size := range []int{1, 7, 1 << 20} {
			t.Run(fmt.Sprintf("%s/%d at once", test.name, size), func(t *testing.T) {
				r := httpmcp.NewEventReader(&chunks{in: strings.NewReader(test.stream), size: size}, limit)
				var err error
				events := 0
				for ; err == nil; events++ {
					_, _, _, err = r.Next()
				}
				if events--; test.fits && (err != io.EOF || events == 0) || !test.fits && !errors.Is(err, httpmcp.ErrEventTooLarge) {
					t.Errorf("%d events, then %v; fits: %v", events, err, test.fits)
				}
				if _, _, _, again := r.Next(); again != err {
					t.Errorf("then %v, want %v for good", again, err)
				}
			})
		}
	}
}

// chunks gives so many bytes at once.
type chunks struct {
	in   io.Reader
	size int
}

func (c *chunks) Read(p []byte) (int, error) { return c.in.Read(p[:min(len(p), c.size)]) }

func TestEventReaderFaults(t *testing.T) {
	broken := errors.New("broken")
	r := httpmcp.NewEventReader(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)), 100)
	if _, _, data, err := r.Next(); string(data) != "a" || err != nil {
		t.Errorf("first %q %v", data, err)
	}
	if _, _, data, err := r.Next(); err != broken {
		t.Errorf("then %q %v, want the error of the stream", data, err)
	}
	if _, _, _, err := httpmcp.NewEventReader(empty{}, 100).Next(); err != io.ErrNoProgress {
		t.Errorf("a reader that never gives anything: %v", err)
	}
}

type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, nil }

// TestEventKept: what is kept is not written over, and a large event does not hold its memory.
func TestEventKept(t *testing.T) {
	large := strings.Repeat("a", 1<<20)
	r := httpmcp.NewEventReader(strings.NewReader("data: "+large+"\n\ndata: "+strings.Repeat("b", 1000)+"\n\ndata: c\n\ndata: d\n\n"), 1<<21)
	_, _, first, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	r.Keep()
	_, _, second, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	r.Keep()
	if _, _, _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if string(first) != large || string(second) != strings.Repeat("b", 1000) {
		t.Errorf("kept %d and %q", len(first), second)
	}
	if held := r.Held(); held > 64<<10 {
		t.Errorf("%d bytes are held behind small events", held)
	}
	for _, kind := range []string{"data: " + large, "data: b\ndata: " + large, "data: \xff" + large, "event: x\ndata: " + large} {
		r := httpmcp.NewEventReader(strings.NewReader(kind+"\n\ndata: c\n\n"), 1<<22)
		for _, want := range []int{len(large), 1} {
			if _, _, data, err := r.Next(); err != nil || len(data) < want || len(data) > want+3 {
				t.Errorf("%.10q: %d bytes and %v, want %d", kind, len(data), err, want)
			}
		}
		if held := r.Held(); held > 64<<10 {
			t.Errorf("%.10q: %d bytes are held behind a small event that was not kept", kind, held)
		}
	}
}

// plainEvents reads a stream as the standard has it, step by step and all at once, with no thought of
// memory or time.
func plainEvents(stream []byte) (events []sseEvent, lastID, retry string) {
	var data, name, id string
	for _, line := range plainLines(strings.TrimPrefix(plainDecode(stream), "\ufeff")) {
		if line == "" {
			lastID = id
			if data != "" {
				if name == "" {
					name = "message"
				}
				events = append(events, sseEvent{name, lastID, strings.TrimSuffix(data, "\n")})
			}
			data, name = "", ""
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			data += value + "\n"
		case "id":
			if !strings.Contains(value, "\x00") {
				id = value
			}
		case "retry":
			if value != "" && strings.Trim(value, "0123456789") == "" {
				retry = strings.TrimLeft(value, "0")
			}
		}
	}
	return events, lastID, retry
}

// plainLines are the lines of a text that have an end.
func plainLines(text string) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	return lines[:len(lines)-1]
}

// plainDecode is the decoder of WHATWG Encoding, UTF-8, with its variables.
func plainDecode(text []byte) string {
	var out []rune
	var point rune
	needed, seen, lower, upper := 0, 0, byte(0x80), byte(0xBF)
	for i := 0; i < len(text); i++ {
		b := text[i]
		if needed == 0 {
			switch {
			case b <= 0x7F:
				out = append(out, rune(b))
			case 0xC2 <= b && b <= 0xDF:
				needed, point = 1, rune(b&0x1F)
			case 0xE0 <= b && b <= 0xEF:
				if b == 0xE0 {
					lower = 0xA0
				}
				if b == 0xED {
					upper = 0x9F
				}
				needed, point = 2, rune(b&0xF)
			case 0xF0 <= b && b <= 0xF4:
				if b == 0xF0 {
					lower = 0x90
				}
				if b == 0xF4 {
					upper = 0x8F
				}
				needed, point = 3, rune(b&0x7)
			default:
				out = append(out, 0xFFFD)
			}
			continue
		}
		if b < lower || upper < b {
			needed, seen, lower, upper = 0, 0, 0x80, 0xBF
			i-- // the byte is looked at again
			out = append(out, 0xFFFD)
			continue
		}
		lower, upper = 0x80, 0xBF
		point = point<<6 | rune(b&0x3F)
		if seen++; seen == needed {
			out = append(out, point)
			needed, seen = 0, 0
		}
	}
	if needed > 0 {
		out = append(out, 0xFFFD)
	}
	return string(out)
}

func FuzzEventReader(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "\ufeffid: 1\r\nevent: x\rdata: a\ndata: b\n\n", ": c\nretry: 10\n\r\n", "data\n\ndata\ndata\n\n",
		"id: a\x00\nid\n\n", "data: \xe2\x82\xff\xf0\x9f\n\n", "\xef\xbb", "event: x\n\n\r\r\ndata:", "retry: 00\nretry:1 \n",
	} {
		f.Add([]byte(seed), uint64(1))
	}
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		if len(stream) > 1<<16 {
			return
		}
		want, wantID, wantRetry := plainEvents(stream)
		random := rand.New(rand.NewPCG(seed, 0))
		got, id, retry := readEvents(t, &parts{rest: stream, random: random})
		if wantRetry != "" || retry == "0s" {
			every, err := time.ParseDuration("0" + wantRetry + "ms")
			if long := 365 * 24 * time.Hour; err != nil || every > long {
				every = long
			}
			wantRetry = every.String()
		}
		if retry == "" && wantRetry != "" || retry != "" && retry != wantRetry {
			t.Errorf("%q: retry %q, want %q", stream, retry, wantRetry)
		}
		if !reflect.DeepEqual(got, want) || id != wantID {
			t.Errorf("%q\n got %q id %q\nwant %q id %q", stream, got, id, want, wantID)
		}
	})
}

// parts gives a text in parts of all sizes.
type parts struct {
	rest   []byte
	random *rand.Rand
}

func (p *parts) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:1+p.random.IntN(min(len(p.rest), 1<<p.random.IntN(13)))])
	p.rest = p.rest[n:]
	return n, nil
}

func BenchmarkEventReader(b *testing.B) {
	small := bytes.Repeat([]byte("id: 12\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":5}}\n\n"), 500)
	for _, bench := range []struct {
		name   string
		stream []byte
	}{
		{"small events", small},
		{"one large event", []byte("data: " + strings.Repeat("a", 4<<20) + "\n\n")},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.stream)))
			b.ReportAllocs()
			for b.Loop() {
				r := httpmcp.NewEventReader(bytes.NewReader(bench.stream), 16<<20)
				for {
					if _, _, _, err := r.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}
