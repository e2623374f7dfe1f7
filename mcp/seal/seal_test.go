package seal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"isthmus.internal/mcp/seal"
)

var (
	now   = time.Unix(1_800_000_000, 0)
	later = now.Add(time.Minute)
)

// secret makes a secret of 32 bytes that are all b.
func secret(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func ring(t testing.TB, secrets ...[]byte) *seal.Keys {
	t.Helper()
	k, err := seal.NewKeys(secrets...)
	if err != nil {
		t.Fatalf("NewKeys: %v", err)
	}
	return k
}

func TestOpen(t *testing.T) {
	k := ring(t, secret(1))
	token := k.Seal("state", later, []byte("alice"), []byte("content"))
	rows := []struct {
		name    string
		keys    *seal.Keys
		purpose string
		at      time.Time
		bound   string
		want    error
	}{
		{"as it was sealed", k, "state", now, "alice", nil},
		{"another ring of the same secret", ring(t, secret(1)), "state", now, "alice", nil},
		{"the last moment", k, "state", later.Add(-time.Nanosecond), "alice", nil},
		{"expired", k, "state", later, "alice", seal.ErrExpired},
		{"another purpose", k, "cursor", now, "alice", seal.ErrForeign},
		{"no purpose", k, "", now, "alice", seal.ErrForeign},
		{"another principal", k, "state", now, "bob", seal.ErrForeign},
		{"nothing bound", k, "state", now, "", seal.ErrForeign},
		{"the border of purpose and bound moved", k, "statea", now, "lice", seal.ErrForeign},
		{"expired and foreign", k, "state", later, "bob", seal.ErrForeign},
		{"another secret", ring(t, secret(2)), "state", now, "alice", seal.ErrForeign},
		{"rotated: the secret is the old one", ring(t, secret(2), secret(1)), "state", now, "alice", nil},
		{"rotated, expired", ring(t, secret(2), secret(1)), "state", later, "alice", seal.ErrExpired},
		{"random keys", seal.RandomKeys(), "state", now, "alice", seal.ErrForeign},
	}
	for _, r := range rows {
		got, err := r.keys.Open(r.purpose, r.at, []byte(r.bound), token)
		if !errors.Is(err, r.want) || (err == nil) != (string(got) == "content") {
			t.Errorf("%s: Open = %q, %v; want error %v", r.name, got, err, r.want)
		}
	}
}

func TestTheFirstSecretSeals(t *testing.T) {
	token := ring(t, secret(2), secret(1)).Seal("state", later, nil, []byte("x"))
	if _, err := ring(t, secret(2)).Open("state", now, nil, token); err != nil {
		t.Errorf("the first secret alone: %v; want it to open", err)
	}
	if _, err := ring(t, secret(1)).Open("state", now, nil, token); !errors.Is(err, seal.ErrForeign) {
		t.Errorf("the second secret alone: %v; want %v", err, seal.ErrForeign)
	}
}

func TestContents(t *testing.T) {
	k := seal.RandomKeys()
	for _, plain := range [][]byte{nil, {}, {0}, []byte("text"), bytes.Repeat([]byte("long "), 10_000)} {
		for _, expires := range []time.Time{{}, later, time.Unix(1<<40, 0)} {
			token := k.Seal("p", expires, nil, plain)
			got, err := k.Open("p", now, nil, token)
			if err != nil || got == nil || !bytes.Equal(got, plain) {
				t.Errorf("%d bytes until %v: Open gave %d bytes, nil %t, %v", len(plain), expires, len(got), got == nil, err)
			}
		}
	}
}

func TestExpiryIsExact(t *testing.T) {
	k := seal.RandomKeys()
	rows := []struct {
		name        string
		expires, at time.Time
		want        error
	}{
		{"never", time.Time{}, time.Unix(1<<50, 0), nil},
		{"the epoch is a time", time.Unix(0, 0), now, seal.ErrExpired},
		{"before the epoch", time.Unix(-5, 0), now, seal.ErrExpired},
		{"before the epoch, in time", time.Unix(-5, 0), time.Unix(-6, 0), nil},
		{"half a second counts as none", later.Add(time.Second / 2), later, seal.ErrExpired},
	}
	for _, r := range rows {
		if _, err := k.Open("p", r.at, nil, k.Seal("p", r.expires, nil, nil)); !errors.Is(err, r.want) {
			t.Errorf("%s: until %v, at %v: %v; want %v", r.name, r.expires, r.at, err, r.want)
		}
	}
}

func TestEveryByteCounts(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	k := ring(t, secret(1), secret(2))
	for n := range 3 { // so that each length of the last group is there
		token := k.Seal("p", later, nil, make([]byte, n))
		for i := range len(token) {
			for _, other := range letters + "=+/ \n\r\x00" {
				if rune(token[i]) == other {
					continue
				}
				altered := token[:i] + string(other) + token[i+1:]
				if _, err := k.Open("p", now, nil, altered); !errors.Is(err, seal.ErrForeign) {
					t.Fatalf("%q with %q at %d: %v; want %v", token, other, i, err, seal.ErrForeign)
				}
			}
			for name, altered := range map[string]string{
				"cut":      token[:i],
				"headless": token[i+1:],
				"line end": token[:i] + "\n" + token[i:],
				"return":   token[:i] + "\r" + token[i:],
				"padded":   token + strings.Repeat("=", i+1),
			} {
				if _, err := k.Open("p", now, nil, altered); !errors.Is(err, seal.ErrForeign) {
					t.Fatalf("%s at %d: %v; want %v", name, i, err, seal.ErrForeign)
				}
			}
		}
	}
}

func TestTokensDiffer(t *testing.T) {
	k := seal.RandomKeys()
	seen := make(map[string]bool)
	for range 100 {
		token := k.Seal("p", later, nil, []byte("same"))
		if seen[token] {
			t.Fatalf("%q came twice", token)
		}
		if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("%q is not base64url without padding", token)
		}
		seen[token] = true
	}
}

func TestLength(t *testing.T) {
	k := seal.RandomKeys()
	token := k.Seal("p", later, nil, make([]byte, seal.MaxPlain))
	if len(token) > seal.MaxToken {
		t.Errorf("the longest content gives a token of %d bytes; want at most %d", len(token), seal.MaxToken)
	}
	if _, err := k.Open("p", now, nil, token); err != nil {
		t.Errorf("the longest token: %v", err)
	}
	if _, err := k.Open("p", now, nil, token+strings.Repeat("A", 8)); !errors.Is(err, seal.ErrForeign) {
		t.Errorf("a longer token: %v; want %v", err, seal.ErrForeign)
	}
	defer func() {
		if recover() == nil {
			t.Errorf("Seal took %d bytes; want a panic", seal.MaxPlain+1)
		}
	}()
	k.Seal("p", later, nil, make([]byte, seal.MaxPlain+1))
}

// genuine was sealed once with the secrets 1 and 2: tokens must outlive a change of
// version.
const genuine = "KC5j5xVM1eDpKGgpqiC9U-pxqv9clv79UDRRYhkUAq6AYPTqXJ7N1FQ"

func FuzzOpen(f *testing.F) {
	k := ring(f, secret(1), secret(2))
	for _, seed := range []string{"", "A", genuine, genuine[1:], genuine[:len(genuine)-1], strings.Repeat("A", 100), "=\n", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		got, err := k.Open("p", now, []byte("bound"), token)
		if token == genuine {
			if err != nil || string(got) != "plain" {
				t.Fatalf("the genuine token: %q, %v", got, err)
			}
			return
		}
		if got != nil || !errors.Is(err, seal.ErrForeign) {
			t.Fatalf("Open(%q) = %q, %v; want nothing and %v", token, got, err, seal.ErrForeign)
		}
	})
}
