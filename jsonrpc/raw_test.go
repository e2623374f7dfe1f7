package jsonrpc_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
)

func TestRawKind(t *testing.T) {
	for _, row := range []struct {
		raw  string
		want jsonrpc.Kind
	}{
		{``, jsonrpc.KindAbsent}, {`null`, jsonrpc.KindNull}, {`true`, jsonrpc.KindBool}, {`false`, jsonrpc.KindBool},
		{`0`, jsonrpc.KindNumber}, {`-1`, jsonrpc.KindNumber}, {`9.5`, jsonrpc.KindNumber}, {`""`, jsonrpc.KindString},
		{`[]`, jsonrpc.KindArray}, {`{}`, jsonrpc.KindObject},
		{`x`, jsonrpc.KindAbsent}, {` 1`, jsonrpc.KindAbsent}, {`:`, jsonrpc.KindAbsent}, {`/`, jsonrpc.KindAbsent},
	} {
		if got := jsonrpc.Raw(row.raw).Kind(); got != row.want {
			t.Errorf("Raw(%q).Kind() = %d, want %d", row.raw, got, row.want)
		}
	}
}

func TestRawText(t *testing.T) {
	for _, row := range []struct {
		raw, want string
		ok        bool
	}{
		{`""`, "", true},
		{`"abc"`, "abc", true},
		{`"A longer text with an é and a 天 and a 😀"`, "A longer text with an é and a 天 and a 😀", true},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", true},
		{`"a\u0062c\u00E9\u20aC"`, "abcé€", true},
		{`"\u0000"`, "\x00", true},
		{`"\ud83d\ude00!"`, "😀!", true},
		{`"\uD83D\uDE00"`, "😀", true},
		{`"\ud83d"`, "\uFFFD", true},
		{`"\ude00"`, "\uFFFD", true},
		{`"\ud83d\ud83d\ude00"`, "\uFFFD😀", true},
		{`"\ude00\ud83d"`, "\uFFFD\uFFFD", true},
		{`"\ud83dx\ude00"`, "\uFFFDx\uFFFD", true},
		{`"\ud83d\n"`, "\uFFFD\n", true},
		{`"\udbff\udfff"`, "\U0010FFFF", true},
		{"\"\x7f\u2028\"", "\x7f\u2028", true},

		{``, "", false}, {`null`, "", false}, {`1`, "", false}, {`["a"]`, "", false},
		{`"`, "", false}, {`"a`, "", false}, {`"a"b`, "", false}, {`"a"b"`, "", false}, {` "a"`, "", false},
		{`"\"`, "", false}, {`"\x"`, "", false}, {`"\u12"`, "", false}, {`"\u123`, "", false}, {`"\ud83d\u"`, "", false},
		{"\"\n\"", "", false}, {"\"\xff\"", "", false}, {"\"\xed\xa0\x80\"", "", false},
	} {
		raw := jsonrpc.Raw(row.raw)
		if got, ok := raw.Text(); got != row.want || ok != row.ok {
			t.Errorf("Raw(%q).Text() = %q, %v, want %q, %v", row.raw, got, ok, row.want, row.ok)
		}
		if got, ok := raw.AppendText([]byte("x")); string(got) != "x"+row.want || ok != row.ok {
			t.Errorf("Raw(%q).AppendText(x) = %q, %v, want x%q, %v", row.raw, got, ok, row.want, row.ok)
		}
		var b strings.Builder
		b.WriteString("x")
		if ok := raw.WriteText(&b); b.String() != "x"+row.want || ok != row.ok {
			t.Errorf("Raw(%q).WriteText after x = %q, %v, want x%q, %v", row.raw, &b, ok, row.want, row.ok)
		}
		if got := raw.Is(row.want); got != row.ok {
			t.Errorf("Raw(%q).Is(%q) = %v, want %v", row.raw, row.want, got, row.ok)
		}
		for _, other := range []string{row.want + "x", "x" + row.want, strings.TrimSuffix(row.want, "!") + "?"} {
			if raw.Is(other) {
				t.Errorf("Raw(%q).Is(%q) = true, want false", row.raw, other)
			}
		}
	}
	if jsonrpc.Raw(`"abc"`).Is("ab") || jsonrpc.Raw(`"ab\u0063"`).Is("ab") || jsonrpc.Raw(`"a\nb"`).Is(`a\nb`) {
		t.Error("Is takes a longer text, or the escaped form, for the same")
	}
}

func TestRawIsAllocatesNothing(t *testing.T) {
	raw, buf := jsonrpc.Raw(`"tools\/c\u0061ll"`), make([]byte, 0, 64)
	got := testing.AllocsPerRun(100, func() {
		if _, ok := raw.AppendText(buf); !ok || !raw.Is("tools/call") {
			t.Fatal("the text is not recognised")
		}
	})
	if got != 0 {
		t.Errorf("%v allocations, want none", got)
	}
}

func TestRawInt(t *testing.T) {
	for _, row := range []struct {
		raw  string
		want int64
		ok   bool
	}{
		{`0`, 0, true}, {`-0`, 0, true}, {`7`, 7, true}, {`-12`, -12, true},
		{`9007199254740993`, 9007199254740993, true},
		{`9223372036854775807`, math.MaxInt64, true}, {`-9223372036854775808`, math.MinInt64, true},
		{`9223372036854775808`, 0, false}, {`-9223372036854775809`, 0, false}, {`10000000000000000000000`, 0, false},
		{`1.0`, 0, false}, {`1e2`, 0, false}, {`01`, 0, false}, {`-01`, 0, false}, {`+1`, 0, false}, {`-`, 0, false},
		{``, 0, false}, {`"1"`, 0, false}, {`null`, 0, false}, {`1_0`, 0, false}, {`0x1`, 0, false}, {`1 `, 0, false},
	} {
		got, ok := jsonrpc.Raw(row.raw).Int()
		if ok != row.ok || ok && got != row.want {
			t.Errorf("Raw(%q).Int() = %d, %v, want %d, %v", row.raw, got, ok, row.want, row.ok)
		}
	}
}

func TestRawFloat(t *testing.T) {
	for _, row := range []struct {
		raw  string
		want float64
		ok   bool
	}{
		{`0`, 0, true}, {`2.0`, 2, true}, {`-1.5e3`, -1500, true}, {`9007199254740993`, 9007199254740992, true},
		{`1e400`, 0, false}, {`"1"`, 0, false}, {`null`, 0, false}, {``, 0, false}, {`-`, 0, false}, {`1 `, 0, false},
	} {
		got, ok := jsonrpc.Raw(row.raw).Float()
		if ok != row.ok || ok && got != row.want {
			t.Errorf("Raw(%q).Float() = %v, %v, want %v, %v", row.raw, got, ok, row.want, row.ok)
		}
	}
}

func TestRawBool(t *testing.T) {
	for _, row := range []struct {
		raw       string
		value, ok bool
	}{
		{`true`, true, true}, {`false`, false, true}, {`tru`, false, false}, {`"true"`, false, false}, {``, false, false}, {`1`, false, false},
	} {
		if value, ok := jsonrpc.Raw(row.raw).Bool(); value != row.value || ok != row.ok {
			t.Errorf("Raw(%q).Bool() = %v, %v, want %v, %v", row.raw, value, ok, row.value, row.ok)
		}
	}
}

// The scanner has its own idea of UTF-8. It must be everyone's: every start of a
// character of up to four bytes that differs in some way is tried.
func TestUTF8AgreesWithTheStandardLibrary(t *testing.T) {
	tails := []byte{0x00, 0x20, '"', 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x9F, 0xA0, 0xA8, 0xA9, 0xBF, 0xC0, 0xE2, 0xFF}
	var s jsonrpc.Scanner
	check := func(text []byte) {
		data := append(append([]byte(`"`), text...), '"')
		want := utf8.Valid(text) && !strings.ContainsAny(string(text), "\x00\"")
		if got := s.Valid(data); got != want {
			t.Errorf("Valid(%q) = %v, want %v", data, got, want)
		}
		read, _ := jsonrpc.Raw(jsonrpc.AppendStringBytes(nil, text)).Text()
		if want := string([]rune(string(text))); read != want {
			t.Errorf("AppendString(%q) reads as %q, want %q", text, read, want)
		}
	}
	for first := 0x80; first <= 0xFF; first++ {
		check([]byte{byte(first)})
		for _, second := range tails {
			check([]byte{byte(first), second})
			for _, third := range tails {
				check([]byte{byte(first), second, third})
				if first < 0xEF {
					continue // three bytes are the most that counts here
				}
				for _, fourth := range tails {
					check([]byte{byte(first), second, third, fourth})
				}
			}
		}
	}
}

// Eight bytes are looked at together: every byte value must be seen at every place,
// next to neighbours that are special and neighbours that are not.
func TestSpecialBytesAtEveryPlace(t *testing.T) {
	var s jsonrpc.Scanner
	for _, fill := range []byte{' ', '!', '#', '[', ']', 0x7F} {
		for length := range 48 {
			for b := range 0x80 {
				text := []byte(strings.Repeat(string(fill), length))
				text = append(text, byte(b))
				text = append(text, strings.Repeat(string(fill), 40)...)
				data := append(append([]byte(`"`), text...), '"')
				if got, want := s.Valid(data), b >= 0x20 && b != '"' && b != '\\'; got != want {
					t.Fatalf("Valid(%q) = %v, want %v", data, got, want)
				}
				encoded := jsonrpc.AppendStringBytes(nil, text)
				if got, ok := jsonrpc.Raw(encoded).Text(); !ok || got != string(text) {
					t.Fatalf("AppendString(%q) = %s, reads as %q, %v", text, encoded, got, ok)
				}
			}
		}
	}
}
