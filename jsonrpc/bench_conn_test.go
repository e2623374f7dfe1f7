package jsonrpc_test

import (
	"context"
	"io"
	"strconv"
	"testing"

	"isthmus.internal/jsonrpc"
)

// repeater is a source that gives the same message again and again, at hand
// together in groups. It is as cheap as a source can be that copies the line.
type repeater struct {
	line  []byte
	buf   []byte
	left  int // messages
	group int
}

func (s *repeater) Read() ([]byte, error) {
	if s.left == 0 {
		return nil, io.EOF
	}
	s.left--
	s.buf = append(s.buf[:0], s.line...)
	return s.buf, nil
}

func (s *repeater) Buffered() bool { return s.left%s.group != 0 }
func (s *repeater) Detach()        { s.buf = nil }
func (s *repeater) Close() error   { return nil }

// quick answers with two bytes.
type quick struct{ script }

func (*quick) Request(_ context.Context, _ *jsonrpc.Message, _ jsonrpc.Peer, dst []byte) ([]byte, error) {
	return append(dst, "{}"...), nil
}

// BenchmarkConn is one request and its reply in memory. The floor copies the
// line, and writes it.
func BenchmarkConn(b *testing.B) {
	for _, row := range []struct {
		name string
		line []byte
	}{
		{"300B", modernCall("")},
		{"64KiB", modernCall(plainText)},
	} {
		for _, group := range []int{1, 16} {
			name := row.name + "/" + strconv.Itoa(group) + " at hand"
			b.Run(name+"/conn", func(b *testing.B) {
				b.SetBytes(int64(len(row.line)))
				b.ReportAllocs()
				in := &repeater{line: row.line, left: b.N, group: group}
				c := jsonrpc.NewConn(in, io.Discard, &quick{}, &jsonrpc.Options{Inner: []string{"_meta", "arguments"}})
				if err := c.Serve(b.Context()); err != nil {
					b.Fatal(err)
				}
			})
			b.Run(name+"/floor", func(b *testing.B) {
				b.SetBytes(int64(len(row.line)))
				b.ReportAllocs()
				in := &repeater{line: row.line, left: b.N, group: group}
				for range b.N {
					line, _ := in.Read()
					io.Discard.Write(line)
				}
			})
		}
	}
}

// BenchmarkNotify is one notification out.
func BenchmarkNotify(b *testing.B) {
	c := jsonrpc.NewConn(&repeater{group: 1}, io.Discard, &quick{}, nil)
	params := []byte(`{"progressToken":1,"progress":0.25}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Notify("notifications/progress", params); err != nil {
			b.Fatal(err)
		}
	}
}
