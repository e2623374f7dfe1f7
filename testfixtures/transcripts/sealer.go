package transcripts

import (
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"isthmus.internal/mcp"
)

// plainSealer seals nothing: its tokens can be read by everybody, and come out the same
// each time, so that a transcript can hold them. Servers outside of transcripts use
// package seal.
type plainSealer struct{}

// Seal implements [mcp.Sealer].
func (plainSealer) Seal(purpose string, expires time.Time, bound, plain []byte) string {
	until := "never"
	if !expires.IsZero() {
		until = expires.UTC().Format(time.RFC3339Nano)
	}
	return strings.Join([]string{"not-sealed", code([]byte(purpose)), code([]byte(until)), code(bound), code(plain)}, ".")
}

func code(text []byte) string { return base64.RawURLEncoding.EncodeToString(text) }

var errSealed = errors.New("transcripts: no token of this server's")

// PlainSealer returns the sealer of transcripts, which seals nothing.
func PlainSealer() mcp.Sealer { return plainSealer{} }

// Open implements [mcp.Sealer].
func (s plainSealer) Open(purpose string, now time.Time, bound []byte, token string) ([]byte, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 5 {
		return nil, errSealed
	}
	plain, err := base64.RawURLEncoding.DecodeString(parts[4])
	if err != nil {
		return nil, errSealed
	}
	until, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return nil, errSealed
	}
	var expires time.Time
	if string(until) != "never" {
		if expires, err = time.Parse(time.RFC3339Nano, string(until)); err != nil || now.After(expires) {
			return nil, errSealed
		}
	}
	if s.Seal(purpose, expires, bound, plain) != token {
		return nil, errSealed
	}
	return plain, nil
}
