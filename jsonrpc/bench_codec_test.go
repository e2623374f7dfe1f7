package jsonrpc_test

import (
	"bytes"
	"strings"
	"testing"

	"isthmus.internal/jsonrpc"
)

// modernCall is a modern tools/call whose argument is text, 300 bytes and a few
// without it.
func modernCall(text string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":1234,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + text +
		`"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`)
}

// Texts of 64 KiB: one that is plain, one that is mostly beyond ASCII, and one
// where every line ends in an escape.
var (
	plainText   = strings.Repeat("All work and no play makes a dull boy of Jack. . ", 1<<16/49+1)[:1<<16]
	chineseText = strings.Repeat("天地玄黄宇宙洪荒", 1<<16/24)
	linesText   = strings.Repeat("All work and no play makes a dull boy of Jack. .\n", 1<<16/49+1)[:1<<16]
)

func BenchmarkScan(b *testing.B) {
	for _, row := range []struct {
		name string
		data []byte
	}{
		{"envelope300B", modernCall("")},
		{"plain64KiB", modernCall(plainText)},
		{"chinese64KiB", modernCall(chineseText)},
		{"lines64KiB", modernCall(strings.ReplaceAll(linesText, "\n", `\n`))},
		{"numbers64KiB", []byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[` + strings.Repeat("1234567.25,", 5957) + `0]}}`)},
	} {
		b.Run(row.name+"/scan", func(b *testing.B) {
			s := jsonrpc.Scanner{Inner: []string{"_meta", "arguments"}}
			var m jsonrpc.Message
			b.SetBytes(int64(len(row.data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Scan(row.data, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(row.name+"/floor", func(b *testing.B) {
			b.SetBytes(int64(len(row.data)))
			b.ReportAllocs()
			for b.Loop() {
				if bytes.IndexByte(row.data, 0) >= 0 {
					b.Fatal("found a NUL")
				}
			}
		})
	}
}

func BenchmarkAppendString(b *testing.B) {
	for _, row := range []struct{ name, text string }{
		{"40B", plainText[:40]},
		{"300B", plainText[:300]},
		{"plain64KiB", plainText},
		{"chinese64KiB", chineseText},
		{"lines64KiB", linesText},
	} {
		buf := make([]byte, 0, 2<<16)
		b.Run(row.name+"/append", func(b *testing.B) {
			b.SetBytes(int64(len(row.text)))
			b.ReportAllocs()
			for b.Loop() {
				buf = jsonrpc.AppendString(buf[:0], row.text)
			}
		})
		b.Run(row.name+"/floor", func(b *testing.B) {
			b.SetBytes(int64(len(row.text)))
			b.ReportAllocs()
			for b.Loop() {
				buf = append(buf[:0], row.text...)
			}
		})
	}
}

func BenchmarkAppendCompact(b *testing.B) {
	data := modernCall(plainText)
	buf := make([]byte, 0, 2<<16)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = jsonrpc.AppendCompact(buf[:0], data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkObject(b *testing.B) {
	data := modernCall("")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		o := jsonrpc.ReadObject(data)
		for o.Next() {
		}
		if o.Err() != nil {
			b.Fatal(o.Err())
		}
	}
}
